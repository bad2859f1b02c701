"""Damage to the files of a store: flipped bits, cut and deleted files, and whether anything was lost without a word.

    python -P -m tests.reliability.flips [--count 1000] [--seed 1]

Each time a store with known contents (closed in order, or as a `kill -9` leaves it) is copied, one file is harmed, and
all of it is opened twice and listed; every fourth time the first opening is killed in the middle. What is listed then
is compared with what had been acknowledged. Prints a table; exits with 1 when anything was lost silently, came back
from a deletion, or answered with a defect.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import random
import shutil
import signal
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Literal, NamedTuple

from sidecar.memories.index.meaning import text_fingerprint
from sidecar.runtime.errors import StoreUnavailable
from sidecar.store.candidates import CandidateRecord
from sidecar.store.file_store import FileStore
from sidecar.store.knowledge_store import KnowledgeStore
from sidecar.store.memory_store import MemoryStore
from sidecar.store.records import (
    AnswerRecord,
    ClaimRecord,
    ContentRecord,
    FacetRecord,
    FacetsRecord,
    LinkRecord,
    MemoryRecord,
    SessionRecord,
    TombstoneRecord,
)
from sidecar.store.reminders import ReminderRecord
from sidecar.store.salvage import describe_set_aside
from sidecar.store.spending import Spending
from sidecar.store.vector_store import StoredVector, VectorStore

MEMORIES = 150
Harm = Literal["flip", "cut", "deleted"]
Listing = dict[str, object]
_REPAIR_SECONDS = 0.25


class Shown(NamedTuple):
    """What was listed after the damage, what was told, and the defects that were met."""

    listed: Listing
    told: tuple[str, ...]
    defects: tuple[str, ...]


def fill(place: Path) -> contextlib.ExitStack:
    """Fills the stores of a workspace; the stack closes them."""
    held = contextlib.ExitStack()
    memories = held.enter_context(contextlib.closing(MemoryStore.open(place / "memory")))
    files = held.enter_context(contextlib.closing(FileStore.open(place / "files")))
    knowledge = held.enter_context(contextlib.closing(KnowledgeStore.open(place / "knowledge")))
    spending = held.enter_context(contextlib.closing(Spending.open(place / "spending")))
    vectors = held.enter_context(contextlib.closing(VectorStore.open(place / "memory")))
    for number in range(MEMORIES):
        id = f"m{number:03d}"
        text = f"text of {id} " * (300 if number % 20 == 0 else 6)
        record = MemoryRecord(
            id=id, scope="project", type="project", name=f"name of {id}", content=text, source="agent",
            created_at=number, updated_at=number,
        )  # fmt: skip
        with memories.transaction() as change:
            change.put(record, "created", number)
            if number % 10 == 5:
                change.link(LinkRecord(source=id, target="m000", kind="relates", strength=0.5, at=1))
            if number % 15 == 7:
                change.delete(f"m{number - 3:03d}", number, purge=number % 2 == 0)
                tomb = TombstoneRecord(id=f"m{number - 3:03d}", key="k", content="c", source="user", at=1)
                change.bury(tomb)
        if number % 3 == 0:
            with memories.candidates.changing() as candidates:
                candidates.put(
                    CandidateRecord(
                        id=f"c{number:03d}", rule="wish", content=f"candidate {number}", type="user",
                        scope="project", created_at=1, updated_at=1,
                    )
                )  # fmt: skip
            with memories.reminders.changing() as reminders:
                reminders.put(
                    ReminderRecord(
                        id=f"r{number:03d}", text=f"remind {number}", at=1, first="x", zone="UTC",
                        created_at=1, updated_at=1,
                    )
                )  # fmt: skip
            memories.record_access([id, "m001"], number)
            session = SessionRecord(id=f"s{number}", started_at=1, seen_at=number)
            memories.update_session(f"s{number}", lambda old, session=session: session)  # type: ignore[misc]
            with memories.coordination() as together:
                together.put_claim(ClaimRecord(item=f"item {number}", session_id=f"s{number}", at=1))
            facet = FacetRecord(
                text=f"facet {number}", identifiers=("f",), at=1, source="agent", symbols=(("f", "aa"),)
            )
            knowledge.update_facets(
                f"{number:032x}", lambda old, facet=facet: FacetsRecord(hash=old.hash, facets=(facet,))  # type: ignore[misc]
            )  # fmt: skip
            answer = AnswerRecord(hash=f"{number:032x}", kind="summary", text=f"answer {number}", model="m", at=1)
            knowledge.put_answer(answer)
            spending.reserve(10, 10_000, 86_400_000 * (number + 1))
            files.put_contents(
                [ContentRecord(hash=f"{number:032x}", recipe=1, language="python", lines=1, file_tokens=1)]
            )
            vectors.put("one", {id: StoredVector(text_fingerprint(id), b"\1\2\3")})
    memories.derived.put("index", b"words " * 500, memories.derived.purge_state())
    return held


def listing(place: Path) -> Shown:
    """Everything that the stores answer now; a store that cannot be opened or read has told so."""
    listed: Listing = {}
    told: list[str] = []
    defects: list[str] = []

    @contextlib.contextmanager
    def asking(what: str) -> Iterator[None]:
        try:
            yield
        except StoreUnavailable as error:
            told.append(error.message)
        except Exception as error:
            defects.append(f"{what}: {type(error).__name__}: {error}")

    with asking("memory"), contextlib.closing(MemoryStore.open(place / "memory")) as store:
        told.append(store.repair_message or describe_set_aside(store.directory) or "")
        every = store.all()
        for one in every:
            listed[f"memory {one.id}"] = one
            listed[f"found {one.id}"] = store.get(one.id) == one
        for number in range(MEMORIES):
            for each in store.history(f"m{number:03d}"):
                listed[f"version m{number:03d} {each.version} {each.change}"] = each
        listed.update({f"candidate {one.id}": one for one in store.candidates.all()})
        listed.update({f"reminder {one.id}": one for one in store.reminders.all()})
        listed.update({f"tombstone {one.id}": one for one in store.tombstones()})
        listed.update({f"link {one.source}": one for one in store.links_of_kinds(["relates"])})
        listed.update({f"counted {scope}": number for scope, number in store.count().items()})
        listed["waiting"] = store.candidates.count_waiting()
        listed.update({f"claim {one.item}": one for one in store.claims()})
        listed.update({f"session {one.id}": one for one in store.sessions()})
        listed.update({f"access {id}": number for id, number in store.access_counts().items()})
        if store.derived.get("index") not in (None, b"words " * 500):
            defects.append("a derived value is wrong")
        with store.transaction() as change:
            change.put(
                MemoryRecord(
                    id="later", scope="personal", type="project", name="later", content="later",
                    source="agent", created_at=1, updated_at=1,
                ),
                "created", 1,
            )  # fmt: skip
            change.delete("later", 1, purge=True)
    with asking("knowledge"), contextlib.closing(KnowledgeStore.open(place / "knowledge")) as knowledge:
        told.append(knowledge.repair_message or describe_set_aside(place / "knowledge") or "")
        listed.update({f"facets {one.hash}": one for one in knowledge.list_facets()})
        for number in range(0, MEMORIES, 3):
            listed[f"answer {number}"] = knowledge.answer(f"{number:032x}", "summary")
        listed["grounds"] = len(knowledge.grounds())
    with asking("spending"), contextlib.closing(Spending.open(place / "spending")) as spending:
        told.append(describe_set_aside(place / "spending") or "")
        for number in range(0, MEMORIES, 3):
            listed[f"spent {number}"] = spending.spent(86_400_000 * (number + 1))
    with asking("files"), contextlib.closing(FileStore.open(place / "files")) as files:
        told.append(files.repair_message or describe_set_aside(place / "files") or "")
        for number in range(0, MEMORIES, 3):
            known = files.content(f"{number:032x}", "python", 1)
            if known is not None and known.hash != f"{number:032x}":
                defects.append("a content is wrong")
        files.put_contents([ContentRecord(hash="later", recipe=1, language="python", lines=1, file_tokens=1)])
    with asking("vectors"), contextlib.closing(VectorStore.open(place / "memory")) as vectors:
        for id, stored in vectors.load("one", 0).items():
            if stored != StoredVector(text_fingerprint(id), b"\1\2\3"):
                defects.append("a vector is wrong")
    return Shown(listed, tuple(each for each in told if each), tuple(defects))


def do_harm(place: Path, dice: random.Random) -> tuple[Harm, Path, str]:
    """Harms one file, each as likely as any other, whatever its size."""
    path = dice.choice(sorted(path for path in place.rglob("*") if path.is_file() and path.stat().st_size))
    size = path.stat().st_size
    harm: Harm = dice.choices(("flip", "cut", "deleted"), (8, 1, 1))[0]
    where = ""
    if harm == "flip":
        at, bit = dice.randrange(size), dice.randrange(8)
        with path.open("r+b") as file:
            file.seek(at)
            byte = file.read(1)[0]
            file.seek(at)
            file.write(bytes([byte ^ 1 << bit]))
        where = f"bit {bit} of byte {at}"
    elif harm == "cut":
        where = f"to {dice.randrange(size)} of {size}"
        os.truncate(path, int(where.split()[1]))
    else:
        path.unlink()
    return harm, path, where


def open_and_die(place: Path, seconds: float) -> None:
    """Opens the stores in a process that is killed after so long."""
    child = os.fork()
    if child == 0:
        with contextlib.suppress(BaseException):
            listing(place)
        os._exit(0)
    time.sleep(seconds)
    with contextlib.suppress(ProcessLookupError):
        os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)


def verdict(before: Listing, first: Shown, second: Shown) -> tuple[str, str]:
    """What became of the store, and what shows it."""
    for shown in (first, second):
        if shown.defects:
            return "defect", "; ".join(shown.defects)
    missing = [key for key, value in before.items() if second.listed.get(key) != value]
    more = [key for key in second.listed if key not in before]
    if any(key.startswith(("memory", "version")) for key in more):
        return "brought back what was deleted", ", ".join(more[:5])
    told = [*first.told, *second.told]
    if missing or more:
        return ("lost and told" if told else "lost silently"), f"{len(missing)}: {', '.join(missing[:4])}"
    return ("whole and told" if told else "whole"), ""


def main(count: int = 1_000, seed: int = 1, show: bool = True) -> Counter[str]:
    """Harms a store `count` times; how often each verdict was reached, and `harm: verdict` likewise."""
    results: Counter[str] = Counter()
    dice = random.Random(seed)
    with tempfile.TemporaryDirectory(prefix="flips-") as room:
        held = fill(Path(room) / "killed")
        shutil.copytree(Path(room) / "killed", Path(room) / "as killed")
        held.close()
        sources = [Path(room) / "as killed", Path(room) / "killed"]
        shutil.copytree(sources[1], Path(room) / "sound")
        sound = listing(Path(room) / "sound")
        assert not [*sound.told, *sound.defects]
        for number in range(count):
            place = Path(room) / "harmed"
            shutil.copytree(sources[number % 3 == 2], place)
            harm, path, where = do_harm(place, dice)
            if number % 4 == 3:
                open_and_die(place, dice.random() * _REPAIR_SECONDS)
            found, what = verdict(sound.listed, listing(place), listing(place))
            results.update((found, f"{harm}: {found}"))
            if show and found not in ("whole", "whole and told"):
                print(f"{number:5} {harm} {path.relative_to(place)} {where}: {found}: {what}", flush=True)
            shutil.rmtree(place)
    return results


if __name__ == "__main__":
    import logging

    logging.disable()
    arguments = argparse.ArgumentParser()
    arguments.add_argument("--count", type=int, default=1_000)
    arguments.add_argument("--seed", type=int, default=1)
    given = arguments.parse_args()
    totals = main(given.count, given.seed)
    for name, number in sorted(totals.items()):
        print(f"{number:6}  {name}")
    bad = ("lost silently", "defect", "brought back what was deleted")
    sys.exit(1 if any(totals[one] for one in bad) else 0)
