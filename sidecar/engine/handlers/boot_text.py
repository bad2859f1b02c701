"""Render the parts of `context/boot`: the most important lines that fit into a budget, in a fixed order."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

from protocol.candidates import Candidate
from protocol.context import HotEntity, Part, Person, TrackedEntity
from protocol.reminders import Reminder
from protocol.sessions import Session
from sidecar.memories.drafts import Format
from sidecar.memories.injection.render import RenderedItem, fit_block, memory_item, note_item
from sidecar.memories.results import FoundMemory
from sidecar.text.own_blocks import ON_THE_USERS_WORD
from sidecar.text.times import utc_day
from sidecar.text.tokens import estimate

MEMORY_PARTS = ("directives", "blockers", "plans", "decisions", "procedures", "reviews")
"""The parts that are memories."""

_MAX_CLAIMS = 20
_MAX_SUMMARY_CHARS = 600
_MAX_LABELS = 5
_MAX_CANDIDATE_CHARS = 300
_ASK = f"Said before, and not remembered yet: ask the user once, when it fits, whether it holds. {ON_THE_USERS_WORD}"
_KINDS = {"issue": "issue", "mergeRequest": "merge request", "epic": "epic"}
_FORMAT: Format = "markdown"


@dataclass(frozen=True)
class BootParts:
    """The parts of the text in the order of its sections, most important first."""

    identity: Person | None = None
    directives: tuple[FoundMemory, ...] = ()
    blockers: tuple[FoundMemory, ...] = ()
    reminders: list[Reminder] = field(default_factory=list)
    candidates: list[Candidate] = field(default_factory=list)
    sessions: list[Session] = field(default_factory=list)
    plans: tuple[FoundMemory, ...] = ()
    recent_sessions: list[Session] = field(default_factory=list)
    decisions: tuple[FoundMemory, ...] = ()
    procedures: tuple[FoundMemory, ...] = ()
    reviews: tuple[FoundMemory, ...] = ()
    hot_entities: list[HotEntity] = field(default_factory=list)

    def only(self, wanted: Sequence[Part]) -> BootParts:
        names = {"recentSessions": "recent_sessions", "hotEntities": "hot_entities"}
        return BootParts(**{name: getattr(self, name) for name in (names.get(part, part) for part in wanted)})

    def without(self, ids: Sequence[str]) -> BootParts:
        excluded = set(ids)
        remaining: dict[str, Any] = {
            name: tuple(memory for memory in getattr(self, name) if memory.record.id not in excluded)
            for name in MEMORY_PARTS
        }
        return replace(self, **remaining)


class BootText(NamedTuple):
    """The text for a session's start; `omitted` counts the items that did not fit."""

    text: str
    tokens: int
    etag: str
    omitted: int


def render(parts: BootParts, budget: int, max_lines: int | None = None) -> BootText:
    text, etag, omitted = fit_block(_sections(parts), budget, _FORMAT, max_lines)
    return BootText(text, estimate(text), etag, omitted)


def _sections(parts: BootParts) -> Iterable[tuple[str, list[RenderedItem]]]:
    git_user = [item for item in ((parts.identity.name, parts.identity.email) if parts.identity else ()) if item]
    return (
        ("User", [note_item(f"git user: {', '.join(git_user)}")] if git_user else []),
        ("Directives", _memories(parts.directives)),
        ("Open Blockers", _memories(parts.blockers)),
        ("Due Reminders", [note_item(_reminder(item)) for item in parts.reminders]),
        ("To Be Confirmed", _to_confirm(parts.candidates)),
        ("Other Sessions at Work", [note_item(_session_at_work(item)) for item in parts.sessions]),
        ("Active Plans", _memories(parts.plans)),
        ("Recent Sessions", [note_item(_past_session(item)) for item in parts.recent_sessions]),
        ("Recent Decisions", _memories(parts.decisions)),
        ("Key Procedures", _memories(parts.procedures)),
        ("Procedures to Review", [note_item(_review(item)) for item in parts.reviews]),
        ("Often Named", [note_item(_frequent_entity(item)) for item in parts.hot_entities]),
    )


def candidate_item(candidate: Candidate) -> RenderedItem:
    """Return a waiting candidate as one line, which stays the same while the candidate waits."""
    text = shortened(candidate.content, _MAX_CANDIDATE_CHARS)
    return note_item(f"({utc_day(candidate.created_at)}) {text} [candidate {candidate.id}]")


def _to_confirm(candidates: Sequence[Candidate]) -> list[RenderedItem]:
    """Return all candidates as one item with the instruction, so that neither appears without the other."""
    items = [note_item(_ASK), *map(candidate_item, candidates)] if candidates else []
    return [RenderedItem("\n".join(item.text for item in items), sum(item.tokens for item in items))] if items else []


def _memories(memories: Sequence[FoundMemory]) -> list[RenderedItem]:
    return [memory_item(memory.record, _FORMAT) for memory in memories]


def _reminder(reminder: Reminder) -> str:
    again = f", {reminder.recurrence}" if reminder.recurrence is not None else ""
    by = f", by {reminder.author}" if reminder.author is not None else ""
    about = f", memory {reminder.memory_id}" if reminder.memory_id is not None else ""
    return f"({reminder.local}{again}) {reminder.text} [reminder {reminder.id}{about}{by}]"


def _session_at_work(session: Session) -> str:
    worker = f"{session.agent}, session {session.session_id}" if session.agent else f"session {session.session_id}"
    activity = f" works on: {session.working_on}" if session.working_on else ""
    claims = ", ".join(claim.item for claim in session.claims[:_MAX_CLAIMS])
    more = f" and {len(session.claims) - _MAX_CLAIMS} more" if len(session.claims) > _MAX_CLAIMS else ""
    claimed = f"; has claimed: {claims}{more}" if claims else ""
    return f"({utc_day(session.started_at)}) {worker}{activity}{claimed}"


def _past_session(session: Session) -> str:
    summary = shortened(session.summary or "", _MAX_SUMMARY_CHARS)
    agent = f"{session.agent}: " if session.agent else ""
    return f"({utc_day(session.ended_at or session.started_at)}) {agent}{summary}"


def shortened(text: str, limit: int) -> str:
    """Return the text on one line, cut at `limit` characters."""
    line = " ".join(text.split())
    return line if len(line) <= limit else f"{line[:limit].rstrip()}..."


def _review(memory: FoundMemory) -> str:
    checked = max(memory.record.updated_at, memory.record.verified_at or 0)
    return f"({utc_day(checked)}) {memory.record.name} [memory {memory.record.id}: verify or update it]"


def _frequent_entity(entity: HotEntity) -> str:
    return f"({utc_day(entity.last_at)}) {entity.entity}: in {entity.memories} memories{_tracked(entity.tracked)}"


def _tracked(tracked: TrackedEntity | None) -> str:
    """Describe a forge item without anything that changes by itself, so that the text stays byte-identical."""
    if tracked is None:
        return ""
    labels = f" [{', '.join(tracked.labels[:_MAX_LABELS])}]" if tracked.labels else ""
    return f"; {tracked.state} {_KINDS[tracked.kind]}: {tracked.title}{labels}"
