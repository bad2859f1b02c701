"""JSON-RPC 2.0 envelopes: parse a body into a message, and make the bytes of a response.

Parameters and results stay raw JSON until code that knows their type decodes them. So the reader's thread never
decodes megabytes of parameters, and a `"jsonrpc"` key inside them has no effect.
"""

from __future__ import annotations

import re
from typing import Any

import msgspec
from msgspec import UNSET, Raw, UnsetType

from protocol.errors import ErrorData
from sidecar.wire.framing import MalformedBody

Id = int | str

_NULL = b"null"
_INTEGER = re.compile(rb"-?[0-9]{1,18}")
_SURROGATES = re.compile(
    rb"\\(?:u[dD][89abAB][0-9a-fA-F]{2}(\\u[dD][c-fC-F][0-9a-fA-F]{2})?|(u[dD][c-fC-F][0-9a-fA-F]{2})|.)"
)


class _Envelope(msgspec.Struct):
    jsonrpc: Raw | UnsetType = UNSET
    id: Raw | UnsetType = UNSET
    method: Raw | UnsetType = UNSET
    params: Raw | UnsetType = UNSET
    result: Raw | UnsetType = UNSET
    error: Raw | UnsetType = UNSET


class _PlainCall(msgspec.Struct):
    """A request or notification without anything unusual."""

    jsonrpc: str
    method: str
    id: Raw | UnsetType = UNSET
    params: Raw = Raw(b"{}")


class Request(msgspec.Struct, frozen=True):
    """A call that gets exactly one response. `params` is a JSON object or array, `{}` if it had none."""

    id: Id
    method: str
    params: Raw


class Notification(msgspec.Struct, frozen=True):
    method: str
    params: Raw


class Response(msgspec.Struct, frozen=True):
    """The other side's answer to one of our requests: `error` if set, else `result`."""

    id: Id | None
    result: Raw | None
    error: Raw | None


class Invalid(msgspec.Struct, frozen=True):
    """JSON that is not a JSON-RPC message. It is answered with -32600 under `id`."""

    id: Id | None
    reason: str


Message = Request | Notification | Response | Invalid

_decoder = msgspec.json.Decoder(_Envelope)
_plain_decoder = msgspec.json.Decoder(_PlainCall)
NO_PARAMS = Raw(b"{}")


def parse(body: bytes) -> Message:
    """Parse one body. Raises `MalformedBody` if it is not JSON in UTF-8."""
    try:
        if not body.isascii():
            body.decode()  # msgspec skips raw values without checking their encoding
        if (message := _parse_plain(body)) is not None:
            return message
        envelope = _decode(body)
    except UnicodeDecodeError as error:
        raise MalformedBody(f"The message is not valid UTF-8 (byte {error.start}).") from None
    except RecursionError:
        raise MalformedBody("The message is nested too deeply.") from None
    except msgspec.ValidationError:
        if body.lstrip()[:1] == b"[":
            return Invalid(None, "Batches are not served; send each message in a frame of its own.")
        return Invalid(None, "A message must be a JSON object.")
    except msgspec.DecodeError as error:
        raise MalformedBody(f"The message is not valid JSON: {error}.") from None
    return _classify(envelope)


def _parse_plain(body: bytes) -> Message | None:
    """Parse a plain call in one step; return None for any other message."""
    try:
        call = _plain_decoder.decode(body)
    except (msgspec.MsgspecError, RecursionError, UnicodeDecodeError):
        return None
    if call.jsonrpc != "2.0" or bytes(call.params)[:1] not in (b"{", b"["):
        return None
    if isinstance(call.id, UnsetType):
        return Notification(call.method, call.params)
    id = _id(bytes(call.id))
    return None if id is None else Request(id, call.method, call.params)


def _decode(body: bytes) -> _Envelope:
    try:
        return _decoder.decode(body)
    except msgspec.ValidationError:
        msgspec.json.decode(body, type=Raw)  # decoding stopped at the first character: is the rest JSON at all?
        raise
    except msgspec.DecodeError:
        # JavaScript clients write half of a surrogate pair when they cut a text inside an emoji. Only the text is
        # damaged, so the request is still answered.
        if b"\\u" not in body:
            raise
        return _decoder.decode(_SURROGATES.sub(_whole_surrogate, body))


def _whole_surrogate(match: re.Match[bytes]) -> bytes:
    text = match.group()
    if match.group(2) is not None:
        return b"\\ufffd"
    if len(text) == 6 and text[2:3] in b"dD" and match.group(1) is None:
        return b"\\ufffd"
    return text


def _classify(envelope: _Envelope) -> Message:
    id_given = envelope.id is not UNSET
    id = None if isinstance(envelope.id, UnsetType) else _id(bytes(envelope.id))
    method = _decoded_string(envelope.method)
    if envelope.method is UNSET and not (envelope.result is UNSET and envelope.error is UNSET):
        return Response(id, _raw(envelope.result), _raw(envelope.error))
    if _decoded_string(envelope.jsonrpc) != "2.0":
        return Invalid(id, 'A message needs "jsonrpc": "2.0".')
    if method is None:
        return Invalid(id, "The method must be a string.")
    if id_given and id is None:
        return Invalid(None, "The id must be a string or an integer.")
    params = NO_PARAMS
    if not isinstance(envelope.params, UnsetType):
        raw = bytes(envelope.params)
        if raw[:1] in (b"{", b"["):
            params = envelope.params
        elif raw != _NULL:
            return Invalid(id, "The params must be an object or an array.")
    if id is None:
        return Notification(method, params)
    return Request(id, method, params)


def _id(raw: bytes) -> Id | None:
    if raw[:1] == b'"':
        return msgspec.json.decode(raw, type=str)
    if _INTEGER.fullmatch(raw):
        return int(raw)
    return None


def _decoded_string(raw: Raw | UnsetType) -> str | None:
    if isinstance(raw, UnsetType):
        return None
    encoded = bytes(raw)
    return msgspec.json.decode(encoded, type=str) if encoded[:1] == b'"' else None


def _raw(raw: Raw | UnsetType) -> Raw | None:
    return None if isinstance(raw, UnsetType) or bytes(raw) == _NULL else raw


def frame(body: bytes) -> bytes:
    return b"Content-Length: %d\r\n\r\n%b" % (len(body), body)


def response(id: Id, result: bytes) -> bytes:
    """Return the frame of a successful response; `result` is JSON."""
    return frame(b'{"jsonrpc":"2.0","id":%b,"result":%b}' % (msgspec.json.encode(id), result))


def error_response(id: Id | None, code: int, message: str, data: ErrorData | None = None) -> bytes:
    """Return the frame of an error response. Data whose fields are all unset is left out."""
    error: dict[str, Any] = {"code": int(code), "message": message}
    if data is not None and data != ErrorData():
        error["data"] = data
    return frame(msgspec.json.encode({"jsonrpc": "2.0", "id": id, "error": error}))


def notification(method: str, params: Any) -> bytes:
    """Return the frame of a notification; `params` is anything that msgspec encodes."""
    return frame(msgspec.json.encode({"jsonrpc": "2.0", "method": method, "params": params}))
