"""Lines and times of transcripts, tolerant of what is damaged and bounded in memory."""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Iterable, Iterator
from datetime import datetime
from pathlib import Path
from typing import IO, Any, TypeVar

import msgspec

from sidecar.text.lazy_patterns import lazy

_TAIL = 400
_AT_END = lazy(r"\nExit Code: (\d{1,3})\b|<[^<>\n]*completed with exit code (\d{1,3})>\s*\Z")
_AT_START = lazy(r"^(?:Process exited with code|Exit code:) (\d{1,3})$", re.MULTILINE)
_HEAD = lazy(r"\A(?:<untrusted_context>\n)?(?:Command: [^\n]*\n)?(?:Directory: [^\n]*\n)?(?:Output: )?")
_CODEX_HEAD = lazy(r"\A(?:(?:Chunk ID|Wall time|Exit code|Process|Original token|Total output)[^\n]*\n)+Output:\n")
LINE_MOST = 64_000_000  # bytes of a line that is read; a longer one is left out
HEAD_MOST = 4_000_000  # bytes of the beginning of a file in which it says whose it is
OUTPUT_ENDS = 12_000  # characters that are kept of either end of an output
T = TypeVar("T")


def status_at_end(text: str) -> int | None:
    """The status that Gemini CLI, Qwen Code and Copilot CLI write after the output of a command that failed."""
    found = _AT_END.search(text[-_TAIL:])
    return int(found[1] or found[2]) if found else None


def status_at_start(text: str) -> int | None:
    """The status that Codex writes before the output."""
    found = _AT_START.search(text[:_TAIL])
    return int(found[1]) if found else None


def without_head(text: str) -> str:
    """An output without what an agent says before it."""
    return _CODEX_HEAD.sub("", _HEAD.sub("", text, count=1), count=1)


def opened(path: Path) -> IO[bytes]:
    """A regular file, open to be read. Raises `OSError`, also for what is none."""
    descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise OSError(f"{path} is no file.")
    return open(descriptor, "rb")


def lines(path: Path, most: int | None = None) -> Iterator[bytes]:
    """The lines of a file, of its first `most` bytes where that is given. Raises `OSError`."""
    with opened(path) as file:
        read = 0
        while (most is None or read < most) and (line := file.readline(LINE_MOST)):
            read += len(line)
            if line.endswith(b"\n") or len(line) < LINE_MOST:
                yield line
                continue
            while (rest := file.readline(LINE_MOST)) and not rest.endswith(b"\n"):
                pass


def decoded(given: Iterable[bytes], type: type[T]) -> Iterator[T]:
    """Those lines that are JSON of this type."""
    decoder = msgspec.json.Decoder(type)
    for line in given:
        try:
            yield decoder.decode(line)
        except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
            continue


def stamp_of(path: Path) -> str:
    """Something that differs when the file has changed. Raises `OSError`."""
    found = path.stat()
    return f"{found.st_size}:{found.st_mtime_ns}"


def millis(given: object) -> int:
    """A time as epoch milliseconds: ISO 8601 (without a zone the machine's own), seconds or milliseconds; else 0."""
    if isinstance(given, (int, float)) and not isinstance(given, bool) and 0 < given < 1e14:
        return int(given if given > 1e11 else given * 1_000)
    if isinstance(given, str):
        try:
            return int(datetime.fromisoformat(given).timestamp() * 1_000)
        except (ValueError, OverflowError, OSError):
            return 0
    return 0


def ends(text: str) -> str:
    """Both ends of a long text."""
    return text if len(text) <= 2 * OUTPUT_ENDS else f"{text[:OUTPUT_ENDS]}\n{text[-OUTPUT_ENDS:]}"


def texts(content: Any, *types: str) -> list[str]:
    """The texts of a message's content: itself, or its parts of these types (any, when none is named)."""
    if isinstance(content, str):
        return [content]
    if not isinstance(content, list):
        return []
    return [
        part["text"]
        for part in content
        if isinstance(part, dict) and isinstance(part.get("text"), str) and (not types or part.get("type") in types)
    ]


def text_of(given: Any) -> str:
    """A text, or nothing for what is none."""
    return given if isinstance(given, str) else ""
