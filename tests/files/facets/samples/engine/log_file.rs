//! An append-only log with checksums.

use std::fs::{File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::Path;

const MAGIC: &[u8; 4] = b"LOG1";
const MAX_RECORD: usize = 1 << 24;

pub struct LogFile {
    file: File,
    end: u64,
    pending: Vec<u8>,
    sync_each: bool,
}

pub enum Recovery {
    Clean,
    Truncated { lost: u64 },
}

impl LogFile {
    pub fn open(path: &Path, sync_each: bool) -> io::Result<(Self, Recovery)> {
        let mut file = OpenOptions::new().read(true).write(true).create(true).open(path)?;
        let length = file.seek(SeekFrom::End(0))?;
        if length == 0 {
            file.write_all(MAGIC)?;
        }
        let end = valid_end(&mut file)?;
        let recovery = if end < length {
            file.set_len(end)?;
            Recovery::Truncated { lost: length - end }
        } else {
            Recovery::Clean
        };
        Ok((LogFile { file, end, pending: Vec::new(), sync_each }, recovery))
    }

    pub fn append(&mut self, record: &[u8]) -> io::Result<u64> {
        if record.len() > MAX_RECORD {
            return Err(io::Error::new(io::ErrorKind::InvalidInput, "record too large"));
        }
        let at = self.end + self.pending.len() as u64;
        self.pending.extend_from_slice(&(record.len() as u32).to_le_bytes());
        self.pending.extend_from_slice(&checksum(record).to_le_bytes());
        self.pending.extend_from_slice(record);
        if self.sync_each {
            self.commit()?;
        }
        Ok(at)
    }

    pub fn commit(&mut self) -> io::Result<()> {
        self.file.seek(SeekFrom::Start(self.end))?;
        self.file.write_all(&self.pending)?;
        self.file.sync_data()?;
        self.end += self.pending.len() as u64;
        self.pending.clear();
        Ok(())
    }
}

impl Drop for LogFile {
    fn drop(&mut self) {
        let _ = self.commit();
    }
}

fn valid_end(file: &mut File) -> io::Result<u64> {
    file.seek(SeekFrom::Start(0))?;
    let mut bytes = Vec::new();
    file.read_to_end(&mut bytes)?;
    let mut at = MAGIC.len();
    while at + 8 <= bytes.len() {
        let length = u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap()) as usize;
        let sum = u32::from_le_bytes(bytes[at + 4..at + 8].try_into().unwrap());
        if at + 8 + length > bytes.len() || checksum(&bytes[at + 8..at + 8 + length]) != sum {
            break;
        }
        at += 8 + length;
    }
    Ok(at as u64)
}

fn checksum(bytes: &[u8]) -> u32 {
    bytes.iter().fold(0x811c_9dc5, |hash, byte| (hash ^ u32::from(*byte)).wrapping_mul(0x0100_0193))
}
