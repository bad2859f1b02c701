"""Render the parts of `context/boot`: the most important lines that fit into a budget, in a fixed order."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import Any

from protocol.candidates import Candidate
from protocol.context import HotEntity, Part, Person, TrackedEntity
from protocol.reminders import Reminder
from protocol.sessions import Session
from sidecar.memories.render import Format, RenderedItem, fitted, memory_item, note_item
from sidecar.memories.results import Found
from sidecar.text.own_blocks import ON_THE_USERS_WORD
from sidecar.text.tokens import estimate

MEMORIES = ("directives", "blockers", "plans", "decisions", "procedures", "reviews")
"""The parts that are memories."""

_CLAIMS_SHOWN = 20
_SUMMARY_SHOWN = 600
_LABELS_SHOWN = 5
_CANDIDATE_SHOWN = 300
_ASK = f"Said before, and not remembered yet: ask the user once, when it fits, whether it holds. {ON_THE_USERS_WORD}"
_KINDS = {"issue": "issue", "mergeRequest": "merge request", "epic": "epic"}
_FORMAT: Format = "markdown"


@dataclass(frozen=True)
class BootParts:
    """The parts of the text in the order of its sections, most important first."""

    identity: Person | None = None
    directives: tuple[Found, ...] = ()
    blockers: tuple[Found, ...] = ()
    reminders: list[Reminder] = field(default_factory=list)
    candidates: list[Candidate] = field(default_factory=list)
    sessions: list[Session] = field(default_factory=list)
    plans: tuple[Found, ...] = ()
    recent_sessions: list[Session] = field(default_factory=list)
    decisions: tuple[Found, ...] = ()
    procedures: tuple[Found, ...] = ()
    reviews: tuple[Found, ...] = ()
    hot_entities: list[HotEntity] = field(default_factory=list)

    def only(self, wanted: Sequence[Part]) -> BootParts:
        names = {"recentSessions": "recent_sessions", "hotEntities": "hot_entities"}
        return BootParts(**{name: getattr(self, name) for name in (names.get(one, one) for one in wanted)})

    def without(self, ids: Sequence[str]) -> BootParts:
        known = set(ids)
        kept: dict[str, Any] = {
            name: tuple(one for one in getattr(self, name) if one.record.id not in known) for name in MEMORIES
        }
        return replace(self, **kept)


def render(parts: BootParts, budget: int, max_lines: int | None = None) -> tuple[str, int, str, int]:
    """Return the text, its tokens, its etag, and how many items did not fit."""
    text, etag, omitted = fitted(_sections(parts), budget, _FORMAT, max_lines)
    return text, estimate(text), etag, omitted


def _sections(parts: BootParts) -> Iterable[tuple[str, list[RenderedItem]]]:
    who = [one for one in ((parts.identity.name, parts.identity.email) if parts.identity else ()) if one]
    return (
        ("User", [note_item(f"git user: {', '.join(who)}")] if who else []),
        ("Directives", _memories(parts.directives)),
        ("Open Blockers", _memories(parts.blockers)),
        ("Due Reminders", [note_item(_reminder(one)) for one in parts.reminders]),
        ("To Be Confirmed", _to_confirm(parts.candidates)),
        ("Other Sessions at Work", [note_item(_working(one)) for one in parts.sessions]),
        ("Active Plans", _memories(parts.plans)),
        ("Recent Sessions", [note_item(_past(one)) for one in parts.recent_sessions]),
        ("Recent Decisions", _memories(parts.decisions)),
        ("Key Procedures", _memories(parts.procedures)),
        ("Procedures to Review", [note_item(_review(one)) for one in parts.reviews]),
        ("Often Named", [note_item(_hot(one)) for one in parts.hot_entities]),
    )


def candidate_item(one: Candidate) -> RenderedItem:
    """Return a waiting candidate as one line, which does not change while it waits."""
    return note_item(f"({_date(one.created_at)}) {shortened(one.content, _CANDIDATE_SHOWN)} [candidate {one.id}]")


def _to_confirm(found: Sequence[Candidate]) -> list[RenderedItem]:
    """Return all candidates as one item, so that the instruction appears exactly when they do."""
    items = [note_item(_ASK), *map(candidate_item, found)] if found else []
    return [RenderedItem("\n".join(one.text for one in items), sum(one.tokens for one in items))] if items else []


def _memories(found: Sequence[Found]) -> list[RenderedItem]:
    return [memory_item(one.record, _FORMAT) for one in found]


def _reminder(one: Reminder) -> str:
    again = f", {one.recurrence}" if one.recurrence is not None else ""
    about = f", memory {one.memory_id}" if one.memory_id is not None else ""
    return f"({one.local}{again}) {one.text} [reminder {one.id}{about}]"


def _working(one: Session) -> str:
    who = f"{one.agent}, session {one.session_id}" if one.agent else f"session {one.session_id}"
    on = f" works on: {one.working_on}" if one.working_on else ""
    claims = ", ".join(each.item for each in one.claims[:_CLAIMS_SHOWN])
    more = f" and {len(one.claims) - _CLAIMS_SHOWN} more" if len(one.claims) > _CLAIMS_SHOWN else ""
    return f"({_date(one.started_at)}) {who}{on}" + (f"; has claimed: {claims}{more}" if claims else "")


def _past(one: Session) -> str:
    summary = shortened(one.summary or "", _SUMMARY_SHOWN)
    who = f"{one.agent}: " if one.agent else ""
    return f"({_date(one.ended_at or one.started_at)}) {who}{summary}"


def shortened(text: str, most: int) -> str:
    """Return the text on one line, cut at `most` characters."""
    line = " ".join(text.split())
    return line if len(line) <= most else f"{line[:most].rstrip()}..."


def _review(one: Found) -> str:
    checked = max(one.record.updated_at, one.record.verified_at or 0)
    return f"({_date(checked)}) {one.record.name} [memory {one.record.id}: verify or update it]"


def _hot(one: HotEntity) -> str:
    return f"({_date(one.last_at)}) {one.entity}: in {one.memories} memories{_tracked(one.tracked)}"


def _tracked(one: TrackedEntity | None) -> str:
    """Describe a forge item without anything that changes by itself, so that the text stays byte-identical."""
    if one is None:
        return ""
    labels = f" [{', '.join(one.labels[:_LABELS_SHOWN])}]" if one.labels else ""
    return f"; {one.state} {_KINDS[one.kind]}: {one.title}{labels}"


def _date(at: int) -> str:
    return datetime.fromtimestamp(at / 1_000, UTC).strftime("%Y-%m-%d")
