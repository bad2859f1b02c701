//! Runs orders through the shop.

#![allow(dead_code)]

use crate::stock::{self, Shelf as Rack, nested::{Deep, *}};
use std::io;

mod parts;
pub mod tools {
    pub fn sharpen() {}
    fn blunt() {}
}

/// How many fit.
pub const MAX: usize = 16;
static NAME: &str = "engine";

/// An engine.
///
/// Long text.
#[derive(Debug, Clone)]
pub struct Engine<T>
where
    T: Copy,
{
    /// Speed in turns.
    pub speed: u32,
    inner: T,
}

pub struct Pair(pub u8, u16);

pub enum Event {
    Start,
    Stop { code: i32 },
}

impl<T: Copy> Engine<T> {
    pub const LIMIT: u32 = 3;
    /// Makes one.
    pub fn new(speed: u32, inner: T) -> Self {
        Engine { speed, inner }
    }
    fn turn(&self) {}
}

impl<T: Copy> std::fmt::Display for Engine<T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result { Ok(()) }
}

impl Remote for Elsewhere {}

pub trait Run: Send {
    type Output;
    fn run(&mut self) -> Self::Output;
    fn twice(&mut self) {}
}

pub(crate) type Table = Vec<u8>;

#[macro_export]
macro_rules! engine { () => {}; }

fn main() {}

#[cfg(test)]
mod tests {
    #[test]
    fn works() {}
}
