"""Resources and prompts, which a person attaches in a client.

Resources are the memories by id, the workspace's block, and summaries of files. A prompt asks for memories about a
topic, or lets the model store what it learned.
"""

from __future__ import annotations

from typing import Any, Final
from urllib.parse import unquote

from protocol import memories as api
from protocol.files import SummaryParams
from sidecar.mcp.code_tools import briefing_text
from sidecar.mcp.tool_call import ToolCall
from sidecar.memories.wording.naming import is_derived
from sidecar.runtime.errors import InvalidField, MemoryNotFound
from sidecar.text import fence
from sidecar.text.times import utc_day

CONTEXT: Final = "memory://context"
_MEMORY: Final = "memory://"
_FILE: Final = "file-summary://"
_PAGE_SIZE: Final = 50
_MARKDOWN: Final = "text/markdown"

TEMPLATES: Final[tuple[dict[str, str], ...]] = (
    {
        "uriTemplate": "memory://{id}",
        "name": "memory",
        "title": "Memory",
        "description": "One memory, by its id.",
        "mimeType": _MARKDOWN,
    },
    {
        "uriTemplate": "file-summary://{+path}",
        "name": "file-summary",
        "title": "Summary of a file",
        "description": "The briefing of a file of the workspace, by its relative path.",
        "mimeType": _MARKDOWN,
    },
)


PROMPTS: tuple[dict[str, Any], ...] = (
    {
        "name": "recall",
        "title": "What do you remember about …",
        "description": "Put the memories about a topic in front of the model.",
        "arguments": [{"name": "topic", "description": "What it is about.", "required": True}],
    },
    {
        "name": "note-down",
        "title": "Note down what was learned",
        "description": "Have the model store what this conversation taught, for later sessions.",
        "arguments": [],
    },
)

_NOTE_DOWN = (
    "Look back over this conversation and store with the tool `remember` what will still be true and useful in a "
    "later session: my preferences and corrections, decisions with their reasons, errors with what fixed them, how "
    "things are done in this project. One statement per memory, understandable on its own. Leave out what is only "
    "about the present task, what the code itself says, and anything secret. If a memory that you were shown turned "
    "out wrong, correct it with `update_memory` or delete it with `forget`. Then list what you stored in one line each."
)


def list_resources(call: ToolCall, cursor: str | None) -> dict[str, Any]:
    """Return a page of `resources/list`: the block first, then the memories, newest first."""
    page = call.memory_list(api.ListParams(limit=_PAGE_SIZE, cursor=cursor))
    resources: list[dict[str, Any]] = []
    if cursor is None:
        about = "The memories that matter in this workspace."
        resources.append(
            {"uri": CONTEXT, "name": "context", "title": "Context", "description": about, "mimeType": _MARKDOWN}
        )
    resources += [
        {
            "uri": _MEMORY + memory.id,
            "name": fence.one_line(memory.name),
            "description": f"{memory.scope} {memory.category or memory.type}, {utc_day(memory.updated_at)}",
            "mimeType": _MARKDOWN,
        }
        for memory in page.items
    ]
    return {"resources": resources, **({"nextCursor": page.cursor} if page.cursor else {})}


def read_resource(call: ToolCall, uri: str) -> dict[str, Any]:
    """Return the result of `resources/read`. Raises `SidecarError` for an unknown or unreadable resource."""
    if uri == CONTEXT:
        text = call.start_text().text
    elif uri.startswith(_FILE):
        path = unquote(uri.removeprefix(_FILE)).lstrip("/")
        if not path:
            raise MemoryNotFound("A file-summary URI needs a path.")
        text = briefing_text(call.file_summary(SummaryParams(path=path)))
    elif uri.startswith(_MEMORY):
        text = _memory(call, unquote(uri.removeprefix(_MEMORY)))
    else:
        raise MemoryNotFound(f"There is no resource {uri}.")
    return {"contents": [{"uri": uri, "mimeType": _MARKDOWN, "text": text}]}


def _memory(call: ToolCall, id: str) -> str:
    if not 0 < len(id) <= 64:
        raise MemoryNotFound("A memory URI needs the memory's id.")
    memory = call.memory_get(api.IdParams(id=id))
    kind = ", ".join(part for part in (memory.scope, memory.type, memory.category, memory.status) if part)
    name = [] if is_derived(memory.name, memory.content) else [fence.one_line(memory.name)]
    files = [fence.one_line(f"files: {', '.join(memory.files)}")] if memory.files else []
    state = f"{kind}; last changed {utc_day(memory.updated_at)}; {fence.one_line(memory.source)}"
    return fence.enclose(*name, state, *files, memory.content)


def prompt(call: ToolCall, name: str, arguments: dict[str, str]) -> dict[str, Any]:
    """Return the result of `prompts/get`. Raises `InvalidField` for an unknown name or bad arguments."""
    if name == "note-down":
        return _message("Note down what was learned", _NOTE_DOWN)
    if name != "recall":
        raise InvalidField(f"There is no prompt {name!r}.", path="$.name")
    topic = arguments.get("topic", "").strip()
    if not topic:
        raise InvalidField("The topic is missing.", path="$.arguments.topic")
    block = call.memory_inject(api.InjectParams(prompt=topic, session_id=call.session_id))
    remembered = block.text or "Nothing is remembered about it."
    return _message("What is remembered", f"What do you remember about {fence.clean(topic)}?\n\n{remembered}")


def _message(description: str, text: str) -> dict[str, Any]:
    return {"description": description, "messages": [{"role": "user", "content": {"type": "text", "text": text}}]}
