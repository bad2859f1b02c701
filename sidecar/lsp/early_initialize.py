"""The answer to `initialize`, made before pygls and lsprotocol are imported, which takes most of a start.

`offered.json` is what pygls computes for a client that declares everything (`offered.py` writes the file); the answer
is cut down to one client's capabilities. A test compares the answer with pygls's own for every kind of client. A client
that sends anything unusual waits for the whole server, which knows how to refuse such a message.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, Final, Literal

import msgspec
from msgspec import Meta

import sidecar
from sidecar.lsp.client_info import EDITOR_FEATURES, ClientInfo, read_client_info
from sidecar.lsp.process_end import ClientProcess
from sidecar.wire.messages import Request, response

OFFERED: Final = Path(__file__).with_name("offered.json")
_ENCODINGS: Final = ("utf-8", "utf-16", "utf-32")


class _Folder(msgspec.Struct):
    uri: str
    name: str


class _ClientName(msgspec.Struct):
    name: str
    version: str | None = None


class Capabilities(msgspec.Struct, rename="camel"):
    """A client's capabilities, in the sections that LSP gives them."""

    general: dict[str, Any] | None = None
    text_document: dict[str, Any] | None = None
    notebook_document: dict[str, Any] | None = None
    window: dict[str, Any] | None = None
    workspace: dict[str, Any] | None = None


class _InitializeParams(msgspec.Struct, rename="camel"):
    """The part of `InitializeParams` that distinguishes a plain request from an unusual one."""

    capabilities: Capabilities
    process_id: Annotated[int, Meta(ge=0, le=2**31 - 1)] | None = None
    client_info: _ClientName | None = None
    locale: str | None = None
    root_path: str | None = None
    root_uri: str | None = None
    trace: Literal["off", "messages", "verbose"] | None = None
    work_done_token: str | Annotated[int, Meta(ge=0, le=2**31 - 1)] | None = None
    workspace_folders: list[_Folder] | None = None


_initialize_params = msgspec.json.Decoder(_InitializeParams)
"""Created while there is one thread: see `sidecar.engine.decoder_warmup`."""


class EarlyAnswer(msgspec.Struct, frozen=True):
    """An answered `initialize`: the request, its result, and whether the client's process was alive then."""

    request: Request
    result: dict[str, Any]
    client: ClientProcess
    client_info: ClientInfo


def answer_early(request: Request) -> tuple[EarlyAnswer, bytes] | None:
    """Return the answer and its frame, or None if the whole server must handle the request; never raises."""
    if request.method != "initialize":
        return None
    try:
        hello = _initialize_params.decode(request.params)
        if not all(map(_is_plain, _places(hello))):
            return None
        result = initialize_result(hello.capabilities)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError, OSError, _Unusual):
        return None
    answered = EarlyAnswer(
        request, result, ClientProcess.seen_now(hello.process_id), read_client_info(msgspec.json.decode(request.params))
    )
    return answered, response(request.id, msgspec.json.encode(result))


class _Unusual(Exception):
    """A capability has another shape than LSP's."""


def _places(hello: _InitializeParams) -> list[str]:
    uris = [hello.root_uri, *(folder.uri for folder in hello.workspace_folders or ())]
    path = [] if hello.root_path is None else [f"file://{hello.root_path}"]
    return [*path, *(uri for uri in uris if uri is not None)]


def _is_plain(uri: str) -> bool:
    return uri.startswith("file:///") and uri.isprintable() and not set(uri) & set("[]\\")


def initialize_result(declared: Capabilities) -> dict[str, Any]:
    """Return the result of `initialize` for a client of these capabilities."""
    result: dict[str, Any] = msgspec.json.decode(OFFERED.read_bytes())
    result["serverInfo"]["version"] = sidecar.__version__  # so the file need not be regenerated for each release
    _choose(result["capabilities"], declared)
    withhold(result["capabilities"], declared)
    return result


def _choose(offered: dict[str, Any], declared: Capabilities) -> None:
    """Choose what pygls would choose for a client of these capabilities."""
    encodings = _strings((declared.general or {}).get("positionEncodings"))
    offered["positionEncoding"] = next((encoding for encoding in encodings if encoding in _ENCODINGS), "utf-16")
    synchronization = _group(declared.text_document or {}, "synchronization")
    for name in ("willSave", "willSaveWaitUntil"):
        if _flag(synchronization, name) is None:
            offered["textDocumentSync"].pop(name, None)
    operations, declared_operations = (
        offered["workspace"]["fileOperations"],
        _group(declared.workspace or {}, "fileOperations"),
    )
    for name in list(operations):
        if not _flag(declared_operations, name):
            del operations[name]


def withhold(offered: dict[str, Any], declared: Capabilities) -> None:
    """Remove features that the client cannot use or registers later, and those for editors if it is not an editor."""
    text = declared.text_document or {}
    if all(_group(text, name) is None for name in EDITOR_FEATURES.values()):
        for provider in (*EDITOR_FEATURES, "workspaceSymbolProvider"):
            offered.pop(provider, None)
    elif _flag(_group(text, "formatting"), "dynamicRegistration"):
        offered.pop("documentFormattingProvider", None)
    if _group(text, "diagnostic") is None or not _flag(
        _group(declared.workspace or {}, "diagnostics"), "refreshSupport"
    ):
        offered.pop("diagnosticProvider", None)


def _group(section: dict[str, Any], name: str) -> dict[str, Any] | None:
    value = section.get(name)
    if value is not None and not isinstance(value, dict):
        raise _Unusual(name)
    return value


def _flag(group: dict[str, Any] | None, name: str) -> bool | None:
    value = None if group is None else group.get(name)
    if value is not None and not isinstance(value, bool):
        raise _Unusual(name)
    return value


def _strings(values: object) -> list[str]:
    if not isinstance(values, list | None):
        raise _Unusual("positionEncodings")
    return [value for value in values or () if isinstance(value, str)]
