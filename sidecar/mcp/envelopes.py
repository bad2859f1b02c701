"""What this side sends: JSON-RPC messages, one a line."""

from __future__ import annotations

from typing import Any

import msgspec

from sidecar.wire.messages import Id


def response(id: Id, result: Any) -> bytes:
    """A success; `result` is anything that msgspec encodes."""
    return _line({"jsonrpc": "2.0", "id": id, "result": result})


def failure(id: Id | None, code: int, message: str, data: Any = None) -> bytes:
    """A protocol error."""
    error: dict[str, Any] = {"code": int(code), "message": message}
    if data is not None:
        error["data"] = data
    return _line({"jsonrpc": "2.0", "id": id, "error": error})


def request(id: Id, method: str, params: Any = None) -> bytes:
    """A question to the client."""
    given = {} if params is None else {"params": params}
    return _line({"jsonrpc": "2.0", "id": id, "method": method, **given})


def notification(method: str, params: Any) -> bytes:
    """Something the client is told."""
    return _line({"jsonrpc": "2.0", "method": method, "params": params})


def _line(message: dict[str, Any]) -> bytes:
    return msgspec.json.encode(message) + b"\n"
