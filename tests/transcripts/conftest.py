"""Transcripts in the shapes of the agents' own files, written into a home folder of their own."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from pathlib import Path

import pytest

from sidecar.learning.session_event import SessionEvent
from sidecar.transcripts.discovery import Checkouts, FoundSessions, discover
from tests.client.git import git

Write = Callable[[str, Iterable[object]], Path]


@pytest.fixture
def home(tmp_path: Path) -> Path:
    place = tmp_path / "home"
    place.mkdir()
    return place


@pytest.fixture
def project(tmp_path: Path) -> Path:
    place = tmp_path / "work" / "shop"
    place.mkdir(parents=True)
    git(place, "init", "-q", "-b", "main")
    git(place, "commit", "-q", "--allow-empty", "-m", "first")
    return place


@pytest.fixture
def write(home: Path) -> Write:
    """Write lines of JSON, or of text, to a file below the home folder."""

    def to(name: str, rows: Iterable[object]) -> Path:
        path = home / name
        path.parent.mkdir(parents=True, exist_ok=True)
        text = (row if isinstance(row, str) else json.dumps(row) for row in rows)
        path.write_text("".join(f"{line}\n" for line in text))
        return path

    return to


@pytest.fixture
def found(home: Path, project: Path) -> Callable[..., FoundSessions]:
    def look(*agents: str) -> FoundSessions:
        return discover(Checkouts(project, home), home, {}, agents)

    return look


@pytest.fixture
def read(found: Callable[..., FoundSessions]) -> Callable[..., list[SessionEvent]]:
    """Return the events of the only session there is."""

    def one(*agents: str) -> list[SessionEvent]:
        (transcript,) = found(*agents).here
        return list(transcript.events())

    return one


def said(events: Iterable[SessionEvent], kind: str = "user") -> list[str]:
    return [event.text for event in events if event.kind == kind and event.text]


def tools(events: Iterable[SessionEvent]) -> list[tuple[str | None, object, int | None, bool]]:
    return [(event.tool, event.input, event.status, event.refused) for event in events if event.kind == "tool"]
