"""A corrected memory shows its new text in every answer, in MEMORY.md and in a store of an earlier version."""

from __future__ import annotations

from pathlib import Path

import msgspec

from protocol import context, interchange, links
from protocol import memories as wire
from sidecar.engine.engine import Engine
from sidecar.settings import Settings
from sidecar.settings.model import MemoryFileSettings
from tests.client.calling import EngineCalls
from tests.engine.conftest import MakeEngine
from tests.engine.memory_file_steps import edit, entries, pages, place, record, stepped

STAGING = "Deploy to staging with make deploy"
FLY = "Deploy to production with fly deploy"


def update(engine: Engine, id: str, **fields: object) -> wire.UpdateResult:
    return EngineCalls(engine).memory_update(msgspec.convert({"id": id, **fields}, wire.UpdateParams))


def everything_said_of(engine: Engine, id: str, other: str) -> str:
    """Return everything that the engine says about a memory, except its history."""
    answers = [
        EngineCalls(engine).memory_get(wire.IdParams(id=id)),
        EngineCalls(engine).memory_list(wire.ListParams()),
        EngineCalls(engine).memory_search(wire.SearchParams(query="deploy")),
        EngineCalls(engine).memory_inject(wire.InjectParams(prompt="deploy")),
        EngineCalls(engine).memory_inject(wire.InjectParams(format="xml")),
        EngineCalls(engine).memory_links(links.LinksParams(id=other)),
        EngineCalls(engine).context_boot(context.BootParams()),
        EngineCalls(engine).memory_export(interchange.ExportParams(history=False)),
    ]
    return "\n".join(msgspec.json.encode(answer).decode() for answer in answers)


def name_of(engine: Engine, id: str) -> str:
    found = EngineCalls(engine).memory_get(wire.IdParams(id=id))
    return found.name


def test_every_answer_tells_the_new_thing(make_engine: MakeEngine, repository: Path) -> None:
    engine = make_engine(repository)
    id = record(engine, STAGING, category="procedure", files=["app/client.py"]).id
    other = record(engine, "Ask Ann first", name="Releases").id
    EngineCalls(engine).memory_link(msgspec.convert({"from": other, "to": id, "kind": "related"}, links.LinkParams))
    assert "staging" in everything_said_of(engine, id, other)
    stepped(engine, repository)
    assert update(engine, id, content=FLY).memory.name == FLY
    assert "staging" not in everything_said_of(engine, id, other)
    stepped(engine, repository)
    assert f"- *(procedure)* {FLY}" in entries(repository)
    EngineCalls(engine).memory_undo(wire.IdParams(id=id))
    stepped(engine, repository)
    assert f"- *(procedure)* {STAGING}" in entries(repository)
    assert "production" not in everything_said_of(engine, id, other)


def test_memory_reworded_in_the_file_is_renamed(make_engine: MakeEngine, repository: Path) -> None:
    engine = make_engine(repository)
    made, given = record(engine, STAGING).id, record(engine, "Ask Ann first", name="Ask Ann").id
    stepped(engine, repository)
    edit(place(repository), STAGING, FLY)
    edit(place(repository), "Ask Ann first", "Ask Bob first")
    stepped(engine, repository)
    assert (name_of(engine, made), name_of(engine, given)) == (FLY, "Ask Ann")
    assert sorted(entries(repository)) == ["- **Ask Ann**: Ask Bob first", f"- {FLY}"]
    edit(place(repository), "**Ask Ann**: ", "")
    stepped(engine, repository)
    assert name_of(engine, given) == "Ask Bob first"
    edit(place(repository), FLY, STAGING)
    edit(place(repository), "- Ask Bob first", "- **Releases**: Ask Bob first")
    stepped(engine, repository)
    edit(place(repository), "Ask Bob first", "Ask Cleo first")
    stepped(engine, repository)
    assert sorted(entries(repository)) == ["- **Releases**: Ask Cleo first", f"- {STAGING}"]


def test_a_page_that_is_reworded_is_too(make_engine: MakeEngine, repository: Path, plain: Settings) -> None:
    settings = msgspec.structs.replace(plain, memory_file=MemoryFileSettings(mode="directory"))
    engine = make_engine(repository, settings=settings)
    id = record(engine, STAGING).id
    stepped(engine, repository)
    (page,) = pages(repository)
    edit(page, STAGING, FLY)
    stepped(engine, repository)
    assert name_of(engine, id) == FLY
    assert "staging" not in page.read_text()


def test_a_given_name_that_the_text_contradicts_is_pointed_out(make_engine: MakeEngine, repository: Path) -> None:
    engine = make_engine(repository)
    id = record(engine, STAGING, name="Deploy to staging").id
    result = update(engine, id, content=FLY)
    assert result.memory.name == "Deploy to staging"
    assert result.name_hint is not None
    assert "“Deploy to staging”" in result.name_hint
    assert update(engine, id, name="Deploying").name_hint is None
    assert update(engine, id, content=STAGING).name_hint is None
