"""Read lines, times and texts of transcripts. Damage is tolerated, and the memory in use is bounded."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import IO, Any, TypeVar

import msgspec

from sidecar.system import files
from sidecar.text import times
from sidecar.text.lazy_patterns import lazy

# The exit status may stand in this many characters at either end of an output.
_STATUS_CHARS = 400
_AT_END = lazy(r"\nExit Code: (\d{1,3})\b|<[^<>\n]*completed with exit code (\d{1,3})>\s*\Z")
_AT_START = lazy(r"^(?:Process exited with code|Exit code:) (\d{1,3})$", re.MULTILINE)
_HEAD = lazy(r"\A(?:<untrusted_context>\n)?(?:Command: [^\n]*\n)?(?:Directory: [^\n]*\n)?(?:Output: )?")
_CODEX_HEAD = lazy(r"\A(?:(?:Chunk ID|Wall time|Exit code|Process|Original token|Total output)[^\n]*\n)+Output:\n")
# A longer line is skipped.
MAX_LINE_BYTES = 64_000_000
# The beginning of a file, where the session is described.
HEAD_BYTES = 4_000_000
# This many characters at either end of an output are used.
OUTPUT_ENDS = 12_000
T = TypeVar("T")


def status_at_end(text: str) -> int | None:
    """Return the exit status that Gemini CLI, Qwen Code and Copilot CLI write after a failed command's output."""
    match = _AT_END.search(text[-_STATUS_CHARS:])
    return int(match[1] or match[2]) if match else None


def status_at_start(text: str) -> int | None:
    """Return the exit status that Codex writes before a command's output."""
    match = _AT_START.search(text[:_STATUS_CHARS])
    return int(match[1]) if match else None


def without_head(text: str) -> str:
    """Return a command's output without the lines that an agent adds before it."""
    return _CODEX_HEAD.sub("", _HEAD.sub("", text, count=1), count=1)


def open_regular(path: Path) -> IO[bytes]:
    """Open a regular file for reading. Raises `OSError`, also for anything else."""
    return open(files.open_regular(path), "rb")


def lines(path: Path, max_bytes: int | None = None) -> Iterator[bytes]:
    """Yield the lines of a file, or of its first `max_bytes` bytes. Raises `OSError`."""
    with open_regular(path) as file:
        read = 0
        while (max_bytes is None or read < max_bytes) and (line := file.readline(MAX_LINE_BYTES)):
            read += len(line)
            if line.endswith(b"\n") or len(line) < MAX_LINE_BYTES:
                yield line
                continue
            while (rest := file.readline(MAX_LINE_BYTES)) and not rest.endswith(b"\n"):
                pass


def decode(raw_lines: Iterable[bytes], type: type[T]) -> Iterator[T]:
    """Yield the decoded lines. Lines that are not JSON of this type are left out."""
    decoder = msgspec.json.Decoder(type)
    for line in raw_lines:
        try:
            yield decoder.decode(line)
        except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
            continue


def stamp_of(path: Path) -> str:
    """Return a text that changes when the file does. Raises `OSError`."""
    status = path.stat()
    return f"{status.st_size}:{status.st_mtime_ns}"


def millis(value: object) -> int:
    """Return a time as epoch milliseconds, 0 for an invalid one. Without a zone, it is local time."""
    return times.millis(value, local=True) or 0


def both_ends(text: str) -> str:
    return text if len(text) <= 2 * OUTPUT_ENDS else f"{text[:OUTPUT_ENDS]}\n{text[-OUTPUT_ENDS:]}"


def texts(content: Any, *types: str) -> list[str]:
    """Return the texts of a message's content: a string, or its parts of these types (by default, all parts)."""
    if isinstance(content, str):
        return [content]
    if not isinstance(content, list):
        return []
    parts = (part for part in content if isinstance(part, dict) and (not types or part.get("type") in types))
    return [part["text"] for part in parts if isinstance(part.get("text"), str)]


def as_text(value: Any) -> str:
    return value if isinstance(value, str) else ""
