"""Random histories of manual edits and agents over one MEMORY.md: both sides agree at the end, nothing is lost."""

from __future__ import annotations

import random
from pathlib import Path

import msgspec
import pytest

from sidecar.engine.engine import Engine
from sidecar.memory_file.text import document
from sidecar.settings import Settings
from sidecar.settings.model import MemoryFileSettings
from tests.client.calling import MethodCaller
from tests.engine.conftest import MakeEngine, at_rest

WORDS = (
    "the API listens on port", "deploys run on", "ask Ann before", "never touch the table of", "builds need",
    "- a list\n- of things", "`make all` takes", "**Bold** words and", "tests of the importer fail without",
)  # fmt: skip


class Play:
    """One engine, one file, and two parties that make random changes."""

    def __init__(self, engine: Engine, folder: Path, seed: int) -> None:
        self.engine, self.folder, self.dice = engine, folder, random.Random(seed)
        self.count = 0
        self.prose: list[str] = []
        workspace = engine.workspaces.all()[0].open()
        self.file = workspace.memory_file
        # The background is a third party: what it writes between a hand's reading and writing is the hand's to lose.
        at_rest(engine)
        workspace.operations.close(0.0)

    @property
    def call(self) -> MethodCaller:
        return MethodCaller(self.engine)

    def text(self) -> str:
        self.count += 1
        lines = [f"{self.dice.choice(WORDS)} {self.dice.randrange(10_000)} ({self.count})"]
        lines += [f"and line {n} of {self.count}" for n in range(self.dice.choice((0, 0, 0, 2)))]
        return "\n".join(lines)

    def ids(self) -> list[str]:
        return [memory.id for memory in self.call("memory/list", limit=200, scopes=["project"]).items]

    def agent(self) -> None:
        kind = self.dice.choice(("record", "record", "record", "update", "archive", "delete", "merge"))
        ids = self.ids()
        if kind == "record" or not ids:
            self.count += 1
            name = {"name": f"Name {self.count}"} if self.dice.random() < 0.5 else {}
            kinds = {"type": self.dice.choice(("project", "feedback", "reference"))}
            self.call("memory/record", content=self.text(), **name, **kinds)
        elif kind == "merge":
            memory = self.call("memory/get", id=self.dice.choice(ids))
            self.call("memory/record", content=self.text(), name=memory.name, type=memory.type)
        elif kind == "update":
            self.call("memory/update", id=self.dice.choice(ids), content=self.text())
        else:
            self.call(f"memory/{kind}", id=self.dice.choice(ids))

    def hand(self) -> None:
        place = self.folder / ".agents" / "MEMORY.md"
        if not place.exists():
            return
        blocks = document.read_document(place.read_text()).blocks
        entries = [at for at, block in enumerate(blocks) if block.kind == "entry"]
        lines = [list(block.lines) for block in blocks]
        kind = self.dice.choice(("add", "change", "remove", "swap", "prose"))
        if kind == "add" or not entries:
            lines.append([f"- {self.text()}".replace("\n", "\n  ")])
        elif kind == "change":
            at = self.dice.choice(entries)
            lines[at][0] += f" indeed{self.count}"
        elif kind == "remove":
            del lines[self.dice.choice(entries)]
        elif kind == "swap":
            one, other = self.dice.choice(entries), self.dice.choice(entries)
            lines[one], lines[other] = lines[other], lines[one]
        else:
            self.count += 1
            self.prose.append(f"People wrote this, {self.count}.")
            lines.insert(0, [self.prose[-1], ""])
        place.write_text("\n".join(line for block in lines for line in block) + "\n")

    def said(self) -> list[str]:
        place = self.folder / ".agents" / "MEMORY.md"
        return (
            [b.entry.text for b in document.read_document(place.read_text()).blocks if b.entry]
            if place.exists()
            else []
        )

    def kept(self) -> list[str]:
        return [m.content for m in self.call("memory/list", limit=200, scopes=["project"]).items]

    def check(self) -> None:
        self.file.sync()
        place = self.folder / ".agents" / "MEMORY.md"
        before = place.read_bytes() if place.exists() else b""
        kept = sorted(self.kept())
        assert sorted(_flat(text) for text in self.said()) == sorted(_flat(text) for text in kept)
        assert all(line.encode() in before for line in self.prose)
        self.file.sync()
        assert (place.read_bytes() if place.exists() else b"") == before
        assert sorted(self.kept()) == kept


def _flat(text: str) -> str:
    return "\n".join(line.rstrip() for line in text.split("\n"))


@pytest.mark.parametrize("seed", range(12))
def test_file_and_store_agree_after_any_history(
    make_engine: MakeEngine, repository: Path, plain: Settings, seed: int
) -> None:
    roomy = msgspec.structs.replace(plain, memory_file=MemoryFileSettings(max_lines=2_000))
    play = Play(make_engine(repository, settings=roomy), repository, seed)
    for _ in range(12):
        for _ in range(play.dice.randrange(4)):
            play.agent()
        if play.dice.random() < 0.7:
            play.file.sync()
        for _ in range(play.dice.randrange(3)):
            play.hand()
        play.check()


@pytest.mark.parametrize("seed", range(4))
def test_additions_by_hand_are_never_lost(
    make_engine: MakeEngine, repository: Path, plain: Settings, seed: int
) -> None:
    roomy = msgspec.structs.replace(plain, memory_file=MemoryFileSettings(max_lines=2_000))
    play = Play(make_engine(repository, settings=roomy), repository, 100 + seed)
    play.call("memory/record", content="The first fact of all.")
    play.file.sync()
    place = repository / ".agents" / "MEMORY.md"
    added: list[str] = []
    for number in range(15):
        play.agent()
        added.append(f"Added by hand, number {number} of {seed}.")
        place.write_text(place.read_text() + f"- {added[-1]}\n")
        if play.dice.random() < 0.5:
            play.call("memory/record", content=play.text())
        play.file.sync()
        assert any(added[-1] in content for content in play.kept()), added[-1]
