"""Resources: memories by id, the block for this workspace, and summaries of files, for a client to attach."""

from __future__ import annotations

from typing import Any, Final, cast
from urllib.parse import quote, unquote

from protocol import files as wire_files
from protocol import memories as wire
from sidecar.mcp.answers import day
from sidecar.mcp.code_tools import briefing_text
from sidecar.mcp.home import Desk
from sidecar.memories.naming import is_derived
from sidecar.runtime.errors import FileUnavailable, MemoryNotFound, OutsideWorkspace
from sidecar.text import fence

CONTEXT: Final = "memory://context"
_MEMORY: Final = "memory://"
_FILE: Final = "file-summary://"
_PAGE: Final = 50
_TEXT: Final = "text/markdown"

TEMPLATES: Final[tuple[dict[str, str], ...]] = (
    {
        "uriTemplate": "memory://{id}",
        "name": "memory",
        "title": "Memory",
        "description": "One memory, by its id.",
        "mimeType": _TEXT,
    },
    {
        "uriTemplate": "file-summary://{+path}",
        "name": "file-summary",
        "title": "Summary of a file",
        "description": "The briefing of a file of the workspace, by its relative path.",
        "mimeType": _TEXT,
    },
)


class NoSuchResource(Exception):
    """The URI names nothing; the text says why."""


def listed(desk: Desk, cursor: str | None) -> dict[str, Any]:
    """A page of `resources/list`: the block first, then memories, newest first."""
    page = cast(wire.ListResult, desk.call("memory/list", {"limit": _PAGE, "cursor": cursor}))
    found: list[dict[str, Any]] = []
    if cursor is None:
        about = "The memories that matter in this workspace."
        found.append(
            {"uri": CONTEXT, "name": "context", "title": "Context", "description": about, "mimeType": _TEXT}
        )
    found += [
        {
            "uri": _MEMORY + memory.id,
            "name": fence.one_line(memory.name),
            "description": f"{memory.scope} {memory.category or memory.type}, {day(memory.updated_at)}",
            "mimeType": _TEXT,
        }
        for memory in page.items
    ]
    return {"resources": found, **({"nextCursor": page.cursor} if page.cursor else {})}


def read(desk: Desk, uri: str) -> dict[str, Any]:
    """`resources/read`. Raises `NoSuchResource`, and `SidecarError` for what cannot be answered."""
    if uri == CONTEXT:
        text = desk.opening().text
    elif uri.startswith(_FILE):
        text = _summary(desk, unquote(uri.removeprefix(_FILE)).lstrip("/"))
    elif uri.startswith(_MEMORY):
        text = _memory(desk, unquote(uri.removeprefix(_MEMORY)))
    else:
        raise NoSuchResource(f"There is no resource {uri}.")
    return {"contents": [{"uri": uri, "mimeType": _TEXT, "text": text}]}


def uri_of_file(path: str) -> str:
    """The URI of a file's summary."""
    return _FILE + quote(path)


def _summary(desk: Desk, path: str) -> str:
    if not path:
        raise NoSuchResource("A file-summary URI needs a path.")
    try:
        return briefing_text(cast(wire_files.SummaryResult, desk.call("file/summary", {"path": path})))
    except (FileUnavailable, OutsideWorkspace) as error:
        raise NoSuchResource(error.message) from error


def _memory(desk: Desk, id: str) -> str:
    if not 0 < len(id) <= 64:
        raise NoSuchResource("A memory URI needs the memory's id.")
    try:
        memory = cast(wire.Memory, desk.call("memory/get", {"id": id}))
    except MemoryNotFound as error:
        raise NoSuchResource(error.message) from error
    kind = ", ".join(part for part in (memory.scope, memory.type, memory.category, memory.status) if part)
    name = [] if is_derived(memory.name, memory.content) else [fence.one_line(memory.name)]
    files = [fence.one_line(f"files: {', '.join(memory.files)}")] if memory.files else []
    state = f"{kind}; last changed {day(memory.updated_at)}; {fence.one_line(memory.source)}"
    return fence.fenced(*name, state, *files, memory.content)
