"""MCP's stdio transport, one JSON text per line: decode the client's messages, and encode ours."""

from __future__ import annotations

from typing import Any

import msgspec

from sidecar.wire.framing import BadFrame, MalformedBody
from sidecar.wire.messages import Id, Invalid, Message, parse

MAX_LINE_BYTES = 64 * 1024 * 1024


class LineDecoder:
    """Turns bytes into messages and faults, in the order of the stream. Blank lines are skipped.

    A batch, which only version 2025-03-26 has, counts as the messages in it.
    """

    def __init__(self, max_line: int = MAX_LINE_BYTES) -> None:
        self._max_line = max_line
        self._buffer = bytearray()
        self._searched = 0
        self._skipping = False

    def feed(self, data: bytes) -> list[Message | BadFrame]:
        """Return the messages and faults that `data` completes. Never raises."""
        messages: list[Message | BadFrame] = []
        self._buffer += data
        while (end := self._buffer.find(b"\n", self._searched)) >= 0:
            line = bytes(self._buffer[:end])
            del self._buffer[: end + 1]
            self._searched = 0
            if self._skipping:
                self._skipping = False
            elif len(line) > self._max_line:
                messages.append(self._too_large())
            elif line.strip():
                messages += _parse_line(line)
        self._searched = len(self._buffer)
        if self._searched > self._max_line:
            if not self._skipping:
                messages.append(self._too_large())
            self._skipping = True
            self._buffer.clear()
            self._searched = 0
        return messages

    def _too_large(self) -> BadFrame:
        return BadFrame("tooLarge", f"a message is above the limit of {self._max_line} bytes")


def _parse_line(line: bytes) -> list[Message | BadFrame]:
    if line.lstrip()[:1] != b"[":
        return [_parse_message(line)]
    try:
        line.decode()
        parts = msgspec.json.decode(line, type=list[msgspec.Raw])
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        return [BadFrame("body", f"The message is not valid JSON: {error}.")]
    return [_parse_message(bytes(part)) for part in parts] or [Invalid(None, "A batch must not be empty.")]


def _parse_message(line: bytes) -> Message | BadFrame:
    try:
        return parse(line)
    except MalformedBody as error:
        return BadFrame("body", str(error))


def response(id: Id, result: Any) -> bytes:
    return _encode_line({"jsonrpc": "2.0", "id": id, "result": result})


def failure(id: Id | None, code: int, message: str, data: Any = None) -> bytes:
    error: dict[str, Any] = {"code": int(code), "message": message}
    if data is not None:
        error["data"] = data
    return _encode_line({"jsonrpc": "2.0", "id": id, "error": error})


def request(id: Id, method: str, params: Any = None) -> bytes:
    fields = {} if params is None else {"params": params}
    return _encode_line({"jsonrpc": "2.0", "id": id, "method": method, **fields})


def notification(method: str, params: Any) -> bytes:
    return _encode_line({"jsonrpc": "2.0", "method": method, "params": params})


def _encode_line(message: dict[str, Any]) -> bytes:
    return msgspec.json.encode(message) + b"\n"
