"""Generated from protocol/ by `python -m protocol.generate`. Do not edit."""

from __future__ import annotations

from importlib import import_module

import msgspec

ASKABLE = {
    "memory/inject": "protocol.memories.InjectResult",
    "memory/explain": "protocol.memories.ExplainResult",
    "memory/search": "protocol.memories.SearchResult",
    "memory/get": "protocol.memories.Memory",
    "memory/list": "protocol.memories.ListResult",
    "memory/history": "protocol.memories.HistoryResult",
    "memory/candidates": "protocol.candidates.CandidatesResult",
    "memory/links": "protocol.links.LinksResult",
    "file/summary": "protocol.files.SummaryResult",
    "session/list": "protocol.sessions.ListSessionsResult",
    "reminder/list": "protocol.reminders.ListRemindersResult",
    "context/boot": "protocol.context.BootResult",
    "context/entity": "protocol.context.EntityResult",
}
"""The type of each method's result, by its name."""


def result_type(method: str) -> type[msgspec.Struct]:
    """Return the type of the method's result, and import nothing else of the table: hooks pay for each import."""
    module, _, name = ASKABLE[method].rpartition(".")
    struct: type[msgspec.Struct] = getattr(import_module(module), name)
    return struct
