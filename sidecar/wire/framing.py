"""Incremental decoder of `Content-Length` frames that resynchronises after any fault.

A JSON text cannot contain a header line: a string may not hold a raw line break, and no token outside strings starts
with `C`. So a header line inside an awaited body proves that the announced length was wrong, and a body that parses
holds no header line.

The decoder does no I/O and reads no clock. It returns the same messages and faults for the same bytes however these are
cut into chunks, except that adjoining noise is reported once. `reader.py` feeds it.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Generic, Literal, TypeVar

import msgspec

MAX_BODY_BYTES = 64 * 1024 * 1024
MAX_LINE_BYTES = 8 * 1024
MAX_HEADER_BYTES = 32 * 1024

# This many bytes are kept, because a length line may start in them. `_LENGTH_LINE` accepts at most 59 bytes.
_TAIL_BYTES = 64
_WHOLE_HEADER = re.compile(rb"Content-Length: ([0-9]{1,8})\r\n\r\n")
_NAME = b"content-length"
_LENGTH_LINE = re.compile(rb"content-length[ \t]{0,8}:[ \t]{0,8}([0-9]{1,18})[ \t]{0,8}\r?\n", re.IGNORECASE)
_BAD_LENGTH_LINE = re.compile(rb"content-length[ \t]*:", re.IGNORECASE)
_OTHER_HEADER = re.compile(rb"[A-Za-z0-9!#$%&'*+.^_`|~-]+[ \t]*:")
_LONGER_NAME = re.compile(rb"[A-Za-z][A-Za-z0-9-]*-")
_HEADERS_AT_END = re.compile(rb"(?:[A-Za-z][A-Za-z0-9-]{0,40}:[^\r\n]{0,200}\r?\n){1,5}\Z")

T = TypeVar("T")
Fault = Literal["noise", "header", "tooLarge", "length", "body"]


class MalformedBody(ValueError):
    """A body that is not JSON in UTF-8; raised by a decoder's parser."""


class BadFrame(msgspec.Struct, frozen=True):
    """A faulty frame.

    - `noise`: bytes between frames.
    - `header`: a header block without a usable length.
    - `tooLarge`: a length above the limit; the body is skipped.
    - `length`: a message recovered from a frame of the wrong length.
    - `body`: a body that does not parse; its sender still gets an answer.
    """

    fault: Fault
    reason: str


class FrameDecoder(Generic[T]):
    """Decoder of bytes into parsed messages and faults, in the order of the stream and in linear time.

    `parse` turns a body into a message or raises `MalformedBody`.
    """

    def __init__(self, parse: Callable[[bytes], T], *, max_body: int = MAX_BODY_BYTES) -> None:
        self._parse = parse
        self._max_body = max_body
        self._buffer = bytearray()
        self._position = 0  # first byte not yet consumed
        self._searched = 0  # no line break (in a body: no length line) before this
        self._length: int | None = None
        self._in_body = False
        self._header_bytes = 0
        self._noisy = False
        self._decoded: list[T | BadFrame] = []

    def feed(self, data: bytes) -> list[T | BadFrame]:
        """Return every message and fault that `data` completes. Never raises."""
        if not (self._buffer or self._in_body or self._header_bytes or self._length):
            data = data[self._read_whole(data) :]
        self._buffer += data
        while self._read_body() if self._in_body else self._read_line():
            pass
        if self._position:
            del self._buffer[: self._position]
            self._searched = max(0, self._searched - self._position)
            self._position = 0
        decoded, self._decoded = self._decoded, []
        return decoded

    def _read_whole(self, data: bytes) -> int:
        """Read the complete, plain frames at the start of `data`, which nearly all are; return where they end."""
        at = 0
        while (header := _WHOLE_HEADER.match(data, at)) is not None:
            start, end = header.end(), header.end() + int(header[1])
            if end > len(data) or end - start > self._max_body:
                break
            try:
                self._decoded.append(self._parse(data[start:end]))
            except MalformedBody:
                break
            self._noisy = False
            at = end
        return at

    def _read_line(self) -> bool:
        start = self._position
        end = self._buffer.find(b"\n", max(start, self._searched))
        if end < 0:
            self._searched = len(self._buffer)
            if len(self._buffer) - start > MAX_LINE_BYTES:
                self._overflow()
                self._position = len(self._buffer) - _TAIL_BYTES
            return False
        line = bytes(self._buffer[start : end + 1])
        self._position = self._searched = end + 1
        if len(line) - 1 > MAX_LINE_BYTES:
            self._overflow()
            line = line[-_TAIL_BYTES:]
        if line in (b"\r\n", b"\n"):
            self._end_of_header()
        else:
            self._header_line(line)
        return True

    def _end_of_header(self) -> None:
        if self._length is not None:
            self._in_body = True
            self._noisy = False
            self._searched = self._position
        elif self._header_bytes:
            self._noise("header", "a header without Content-Length")
        self._header_bytes = 0

    def _header_line(self, line: bytes) -> None:
        self._header_bytes += len(line)
        if self._header_bytes > MAX_HEADER_BYTES:
            self._overflow()
        match = _LENGTH_LINE.search(line)
        if match is not None:
            before = line[: match.start()]
            if before and self._length is not None and _LONGER_NAME.fullmatch(before):
                return  # another header whose name ends like ours
            if before:
                self._noise("noise", f"{len(before)} bytes before a header")
            self._set_length(int(match.group(1)))
        elif _BAD_LENGTH_LINE.match(line):
            self._length = None
            self._header_bytes = 0
            self._noise("header", "a Content-Length that is not a number")
        elif not _OTHER_HEADER.match(line):
            self._header_bytes -= len(line)
            self._noise("noise", f"{len(line)} bytes that are not a header")

    def _set_length(self, length: int) -> None:
        if length <= self._max_body:
            self._length = length
            return
        self._length = None
        self._header_bytes = 0
        self._noisy = True  # the body that follows is skipped as noise and already reported here
        reason = f"a message of {length} bytes is above the limit of {self._max_body}"
        self._decoded.append(BadFrame("tooLarge", reason))

    def _overflow(self) -> None:
        self._length = None
        self._header_bytes = 0
        self._noise("noise", f"a header longer than {MAX_LINE_BYTES} bytes")

    def _noise(self, fault: Fault, reason: str) -> None:
        if not self._noisy:
            self._noisy = True
            self._decoded.append(BadFrame(fault, reason))

    def _read_body(self) -> bool:
        start, length = self._position, self._length or 0
        end = start + length
        if len(self._buffer) < end:
            header = self._find_header(self._searched, len(self._buffer))
            if header is None:
                return False
            self._salvage(header)
            return True
        with memoryview(self._buffer) as view:
            body = bytes(view[start:end])
        try:
            self._decoded.append(self._parse(body))
        except MalformedBody as malformed:
            header = self._find_header(start, end)
            if header is not None:
                self._salvage(header)
                return True
            self._give_up(body, malformed)
            return True
        self._leave_body(end)
        return True

    def _find_header(self, start: int, end: int) -> int | None:
        """Return where a complete length line starts in this part of the buffer; remember how far the search went."""
        lowered = bytes(self._buffer[start:end]).lower()
        at = lowered.find(_NAME)
        while at >= 0:
            if _LENGTH_LINE.match(self._buffer, start + at, end):
                return start + at
            if len(lowered) - at < _TAIL_BYTES:
                self._searched = start + at
                return None
            at = lowered.find(_NAME, at + 1)
        self._searched = max(start, end - len(_NAME) + 1)
        return None

    def _salvage(self, header: int) -> None:
        """Take what stands before the next header as the body if it parses: the announced length was wrong."""
        text = bytes(self._buffer[self._position : header])
        for candidate in (text, _HEADERS_AT_END.sub(b"", text)):
            try:
                self._decoded.append(self._parse(candidate))
            except MalformedBody:
                continue
            self._decoded.append(BadFrame("length", "Content-Length was larger than the body"))
            break
        else:
            self._decoded.append(BadFrame("body", "the body ended before its Content-Length"))
        self._leave_body(header)

    def _give_up(self, body: bytes, malformed: MalformedBody) -> None:
        """Report the fault, and go on inside the last bytes, which may hold the first half of the next header."""
        end = self._position + len(body)
        cut = body.rfind(b"}") + 1
        tail = body[cut:].strip().lower()
        if cut and tail and (_NAME + b":").startswith(tail[: len(_NAME) + 1]):
            try:
                self._decoded.append(self._parse(body[:cut]))
            except MalformedBody:
                pass
            else:
                self._decoded.append(BadFrame("length", "Content-Length was larger than the body"))
                self._leave_body(self._position + cut)
                return
        self._decoded.append(BadFrame("body", str(malformed)))
        self._leave_body(max(self._position, end - _TAIL_BYTES))
        self._noisy = True

    def _leave_body(self, position: int) -> None:
        self._position = self._searched = position
        self._length = None
        self._in_body = False
        self._header_bytes = 0
