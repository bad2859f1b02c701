"""MEMORY.md while another program writes it in pieces: nothing counts as removed because it is not there yet."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import IO, Literal

import msgspec
import pytest

from protocol import memories as wire
from sidecar.engine.engine import Engine
from sidecar.memory_file import disk
from sidecar.memory_file.memory_file import MemoryFile
from sidecar.memory_file.state import StateStore, WrittenState
from sidecar.settings import Settings
from sidecar.settings.model import MemoryFileSettings
from tests.client.calling import EngineCalls
from tests.engine.conftest import MakeEngine, at_rest

FACTS = tuple(f"Service number {number} listens on port {8000 + number}." for number in range(20))


@pytest.fixture
def waits(monkeypatch: pytest.MonkeyPatch) -> list[Callable[[], object]]:
    """Replace each wait for a writer by the next of these actions, the last one repeatedly, without waiting."""
    steps: list[Callable[[], object]] = [lambda: None]
    monkeypatch.setattr(disk, "COMPLETE_AFTER_SECONDS", 600.0)
    monkeypatch.setattr(disk, "pause", lambda _: (steps.pop(0) if len(steps) > 1 else steps[0])())
    return steps


@pytest.fixture
def engine(make_engine: MakeEngine, repository: Path) -> Engine:
    engine = make_engine(repository)
    for fact in FACTS:
        EngineCalls(engine).memory_record(wire.RecordParams(content=fact))
    sync(engine)
    at_rest(engine)  # the background would trigger the action of a wait before the test does
    return engine


def memory_file(engine: Engine) -> MemoryFile:
    return engine.workspaces.all()[0].open().memory_file


def put(writer: IO[str], text: str) -> None:
    writer.write(text)
    writer.flush()


def sync(engine: Engine) -> None:
    memory_file(engine).sync()


def listed(engine: Engine) -> list[wire.Memory]:
    result = EngineCalls(engine).memory_list(wire.ListParams(limit=100))
    return result.items


def untouched(engine: Engine) -> bool:
    return sorted((one.content, one.version) for one in listed(engine)) == sorted((fact, 1) for fact in FACTS)


@pytest.mark.parametrize("ending", ["", "\n"])
def test_a_file_that_is_written_piece_by_piece_is_read_when_it_is_whole(
    engine: Engine, repository: Path, waits: list[Callable[[], object]], ending: str
) -> None:
    place = repository / ".agents" / "MEMORY.md"
    text = place.read_text()
    cut = text.index("Service number 9") + 9
    first = text[: text.rindex("\n", 0, cut) + 1] if ending else text[:cut]
    with place.open("w") as writer:
        writer.flush()
        waits[:0] = [lambda: put(writer, first), lambda: put(writer, text[len(first) :])]
        assert untouched(engine)
    assert len(waits) == 1
    assert place.read_text() == text
    assert untouched(engine)


def test_a_file_that_is_removed_and_made_anew_is_not_written_in_between(
    engine: Engine, repository: Path, waits: list[Callable[[], object]]
) -> None:
    place = repository / ".agents" / "MEMORY.md"
    text = place.read_text() + "- It was added by hand.\n"
    place.unlink()
    waits[:0] = [lambda: place.write_text(text)]
    assert len(listed(engine)) == len(FACTS) + 1
    assert place.read_text().count("- It was added by hand.") == 1


def test_entries_removed_by_hand_leave_the_list_and_the_file(
    engine: Engine, repository: Path, waits: list[Callable[[], object]]
) -> None:
    place = repository / ".agents" / "MEMORY.md"
    lines = place.read_text().splitlines(keepends=True)
    place.write_text("".join(line for line in lines if "number 7 " not in line))
    assert sorted(one.content for one in listed(engine)) == sorted(f for f in FACTS if "number 7 " not in f)
    assert "number 7 " not in place.read_text()


def test_a_file_that_is_written_without_end_holds_nobody_up_and_is_read_later(
    engine: Engine, repository: Path, waits: list[Callable[[], object]], monkeypatch: pytest.MonkeyPatch
) -> None:
    place = repository / ".agents" / "MEMORY.md"
    text = place.read_text()
    with place.open("w") as writer:
        writer.flush()
        waits[:] = [lambda: put(writer, "- More\n")]
        monkeypatch.setattr(disk, "MAX_WAIT_SECONDS", 0.05)
        assert untouched(engine)
        assert memory_file(engine).status.state == "leftAlone"
        assert "being written" in (memory_file(engine).status.detail or "")
        waits[:] = [lambda: None]
        writer.seek(0)
        writer.truncate()
        writer.write(text)
    assert untouched(engine)
    assert memory_file(engine).status.state == "current"


@pytest.fixture
def pages(make_engine: MakeEngine, repository: Path, plain: Settings) -> tuple[Engine, list[Path]]:
    settings = msgspec.structs.replace(plain, memory_file=MemoryFileSettings(mode="directory"))
    engine = make_engine(repository, settings=settings)
    for fact in FACTS:
        EngineCalls(engine).memory_record(wire.RecordParams(content=fact))
    sync(engine)
    at_rest(engine)
    return engine, sorted((repository / ".agents" / "memory").glob("*.md"))


def test_pages_that_are_written_or_made_anew_are_read_when_they_are_whole(
    pages: tuple[Engine, list[Path]], waits: list[Callable[[], object]]
) -> None:
    engine, (first, second, *_) = pages
    text, other = first.read_text(), second.read_text()
    assert untouched(engine)
    second.unlink()
    with first.open("w") as writer:
        put(writer, text[:-9])
        waits[:0] = [lambda: put(writer, text[-9:]), lambda: second.write_text(other)]
        sync(engine)
    assert len(waits) == 1
    assert untouched(engine)
    assert (first.read_text(), second.read_text()) == (text, other)


def test_only_pages_that_were_written_since_are_read(
    pages: tuple[Engine, list[Path]], monkeypatch: pytest.MonkeyPatch
) -> None:
    engine, places = pages
    for place in places:
        os.utime(place, (1_700_000_000, 1_700_000_000))
    sync(engine)
    read: list[str] = []
    real = disk.read_text

    def noted(place: Path) -> str | None:
        read.append(place.name)
        return real(place)

    monkeypatch.setattr(disk, "read_text", noted)
    sync(engine)
    assert read == []
    places[3].write_text(places[3].read_text().replace("listens", "answers"))
    sync(engine)
    assert set(read) == {places[3].name}
    assert sum("answers" in one.content for one in listed(engine)) == 1
    read.clear()
    places[3].write_text(places[3].read_text().replace("answers", "listens"))  # same size, same time
    sync(engine)
    assert set(read) == {places[3].name}
    assert not any("answers" in one.content for one in listed(engine))


class Killed(BaseException):
    """The process ends here."""


@pytest.mark.parametrize("mode", ["file", "directory"])
def test_a_file_written_just_before_a_kill_is_nobodys_edit(
    make_engine: MakeEngine,
    repository: Path,
    plain: Settings,
    monkeypatch: pytest.MonkeyPatch,
    mode: Literal["file", "directory"],
) -> None:
    """The kill comes after writing the file and before noting its content; the texts hardly differ."""
    settings = msgspec.structs.replace(plain, memory_file=MemoryFileSettings(mode=mode))
    engine = make_engine(repository, settings=settings)
    said: dict[str, str] = {}
    for name in ("alpha", "beta"):
        text = f"Service {name} says the older text of this service."
        params = wire.RecordParams(content=text, name=f"service {name}")
        recorded = EngineCalls(engine).memory_record(params)
        said[name] = recorded.memory.id
    sync(engine)
    at_rest(engine)
    engine.workspaces.all()[0].operations.close(0.0)  # so that nothing is written in the background
    for name, id in said.items():
        text = f"Service {name} says the newer text of this service."
        EngineCalls(engine).memory_update(wire.UpdateParams(id=id, content=text))

    def killed(self: StateStore, state: WrittenState | None) -> None:
        raise Killed

    with monkeypatch.context() as patch:
        patch.setattr(StateStore, "save", killed)
        with pytest.raises(Killed):
            sync(engine)
    again = make_engine(repository, settings=settings)
    again.call("memory/update", wire.UpdateParams(id=said["alpha"], content="Service alpha says nothing."))
    sync(again)
    result = again.call("memory/list", wire.ListParams())
    assert isinstance(result, wire.ListResult)
    assert {memory.id: memory.content for memory in result.items} == {
        said["alpha"]: "Service alpha says nothing.",
        said["beta"]: "Service beta says the newer text of this service.",
    }
    for page in repository.glob(".agents/**/*.md"):
        assert "older text" not in page.read_text()
