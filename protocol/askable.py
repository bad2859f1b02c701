"""Generated from protocol/ by `python -m protocol.generate`. Do not edit."""

from __future__ import annotations

import msgspec

ASKABLE = frozenset(
    {
        "memory/inject",
        "memory/explain",
        "memory/search",
        "memory/get",
        "memory/list",
        "memory/history",
        "memory/candidates",
        "memory/links",
        "file/summary",
        "session/list",
        "reminder/list",
        "context/boot",
        "context/entity",
    }
)


def result_type(method: str) -> type[msgspec.Struct]:
    """Return the type of the method's result, and import nothing else of the table: hooks pay for each import."""
    match method:
        case "memory/inject":
            from protocol.memories import InjectResult

            return InjectResult
        case "memory/explain":
            from protocol.memories import ExplainResult

            return ExplainResult
        case "memory/search":
            from protocol.memories import SearchResult

            return SearchResult
        case "memory/get":
            from protocol.memories import Memory

            return Memory
        case "memory/list":
            from protocol.memories import ListResult

            return ListResult
        case "memory/history":
            from protocol.memories import HistoryResult

            return HistoryResult
        case "memory/candidates":
            from protocol.candidates import CandidatesResult

            return CandidatesResult
        case "memory/links":
            from protocol.links import LinksResult

            return LinksResult
        case "file/summary":
            from protocol.files import SummaryResult

            return SummaryResult
        case "session/list":
            from protocol.sessions import ListSessionsResult

            return ListSessionsResult
        case "reminder/list":
            from protocol.reminders import ListRemindersResult

            return ListRemindersResult
        case "context/boot":
            from protocol.context import BootResult

            return BootResult
        case "context/entity":
            from protocol.context import EntityResult

            return EntityResult
        case _:
            raise KeyError(method)
