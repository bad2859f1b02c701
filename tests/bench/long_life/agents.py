"""Agents at work: each keeps account of what was acknowledged to it, and complains when told otherwise.

An agent changes only memories that it recorded, so that what must stand in the store is known at every moment. A call
whose answer never came, because the server was killed, may have been carried out or not: both are accepted then.
"""

from __future__ import annotations

import contextlib
import random
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import xxhash

from tests.bench.long_life.client import Figures, Gone, Json, Refused, Server

MAX_KEPT = 120
"""Memories of one agent that live at a time: then each new one makes an old one go, and stores need not grow."""

LAWFUL = {-32012, -32013, -32017, -32010, -32800}
"""File not there, version moved on, session expired, memory gone, cancelled: each is judged where it is met."""


@dataclass
class Kept:
    """One memory: what it may say. `gone`: it was deleted; `maybe_gone`: that was not answered."""

    id: str
    name: str
    contents: set[str]
    version: int
    gone: bool = False
    maybe_gone: bool = False
    lock: threading.Lock = field(default_factory=threading.Lock)


class Claims:
    """Who holds what, as far as was acknowledged. Times expire it: `clear` when the clock was moved."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.held: dict[str, str] = {}
        self.maybe: set[str] = set()

    def clear(self) -> None:
        """Everything has expired."""
        with self.lock:
            self.held.clear()
            self.maybe.clear()


class Agent:
    """One agent on one server. `others` are servers on the same store, which must see at once what was answered."""

    def __init__(
        self, server: Server, others: Sequence[Server], claims: Claims, mark: str, figures: Figures, seed: int
    ) -> None:
        self.server, self.others, self.claims, self.mark, self.figures = server, others, claims, mark, figures
        self.name = f"agent-{server.name}"
        self.memories: dict[str, Kept] = {}
        self.operations = 0
        self._chance = random.Random(seed)
        self._number = 0
        self._session = ""
        self._new_session()

    def run(self, stop: threading.Event) -> None:
        """Work until told to stop."""
        todo: list[Callable[[], None]] = []
        for times, what in (
            (14, self._record),
            (10, self._update),
            (4, self._delete),
            (3, self._archive),
            (8, self._search),
            (8, self._inject),
            (10, self._read_file),
            (8, self._events),
            (5, self._observe),
            (8, self._claim),
            (3, self._boot),
            (2, self._remind),
            (1, self._map),
            (1, self._find_files),
            (1, self._status),
            (2, self._end_session),
            (2, self._handoff),
            (1, self._maintain),
            (1, self._link),
        ):
            todo += [what] * times
        while not stop.wait(self._chance.random() * 0.12):
            what = self._chance.choice(todo)
            try:
                what()
                self.operations += 1
            except Gone:
                self.figures.error("killed under a call")
                stop.wait(1.0)
            except Refused as refused:
                text = str(refused)
                if "locked" in text or refused.code not in LAWFUL:
                    self.figures.fail(f"{self.name}: {what.__name__}: {text}")
                self.figures.error(f"{refused.code}")

    # -- memories --------------------------------------------------------------------------------------------

    def _new_session(self) -> None:
        self._number += 1
        self._session = f"{self.name}-{self.server.starts}-{self._number}"

    def _sentence(self) -> str:
        self._number += 1
        word = self._chance.choice(("retry", "cache", "schema", "timeout", "branch", "worker", "token", "queue"))
        files = self._own_files()
        about = f" It is set in `{files[0]}`." if files else ""
        token = f"{self.mark}{self.name.replace('-', '')}n{self._number}"
        return f"The {word} of {token} is {self._chance.randrange(10**6)} because the {word} failed before.{about}"

    def _record(self) -> None:
        content = self._sentence()
        name = f"{self.name} finding {self.server.starts}.{self._number}"
        given: dict[str, Json] = {"content": content, "name": name, "sessionId": self._session}
        given["category"] = self._chance.choice(("fact", "decision", "blocker", "procedure", "conversation"))
        if self._chance.random() < 0.15:
            given |= {"type": "user", "scope": "personal"}
        if self._chance.random() < 0.05:
            given["expiresAt"] = 4_000_000_000_000
        answer = self.server.call("memory/record", given)
        memory = answer["memory"]
        kept = Kept(memory["id"], name, {content}, memory["version"])
        self.memories[memory["id"]] = kept
        self._seen_elsewhere(kept)
        if sum(not each.gone for each in self.memories.values()) > MAX_KEPT:
            self._delete()

    def _seen_elsewhere(self, kept: Kept) -> None:
        """What was answered is seen by the next request of another process."""
        if not self.others:
            return
        other = self._chance.choice(self.others)
        try:
            found = other.call("memory/get", {"id": kept.id})
        except Gone:
            return
        except Refused as refused:
            self.figures.fail(f"{other.name} does not see {kept.id} of {self.name}: {refused}")
            return
        if found["version"] < kept.version or found["content"] not in kept.contents:
            self.figures.fail(f"{other.name} shows an older {kept.id} of {self.name}: {found['content'][:80]}")

    def _one(self) -> Kept | None:
        standing = [each for each in self.memories.values() if not each.gone and not each.maybe_gone]
        return self._chance.choice(standing) if standing else None

    def _update(self) -> None:
        kept = self._one()
        if kept is None:
            return
        fresh, before = self._sentence(), set(kept.contents)
        kept.contents.add(fresh)
        try:
            memory = self.server.call("memory/update", {"id": kept.id, "content": fresh})["memory"]
        except Refused:
            kept.contents = before
            raise
        kept.contents, kept.version = {fresh}, memory["version"]
        self._seen_elsewhere(kept)

    def _delete(self) -> None:
        kept = self._one()
        if kept is None:
            return
        kept.maybe_gone = True
        purge = self._chance.random() < 0.5
        self.server.call("memory/delete", {"id": kept.id, "purge": purge})
        kept.gone = True
        if self._chance.random() < 0.1 and not purge:
            kept.gone, kept.maybe_gone = True, True
            self.server.call("memory/undo", {"id": kept.id})
            kept.gone, kept.maybe_gone = False, False

    def _archive(self) -> None:
        kept = self._one()
        if kept is not None:
            self.server.call("memory/archive", {"id": kept.id})
            self.server.call("memory/restore", {"id": kept.id})

    def _link(self) -> None:
        one, other = self._one(), self._one()
        if one is not None and other is not None and one is not other:
            self.server.call("memory/link", {"from": one.id, "to": other.id, "kind": "related"})

    def _search(self) -> None:
        kept = self._one()
        query = self._chance.choice(("why did the retry fail", "schema of the cache", "what is the timeout"))
        if kept is not None and self._chance.random() < 0.5:
            query = next(iter(kept.contents)).split()[3]
        items = self.server.call("memory/search", {"query": query})["items"]
        for item in items:
            self._belongs(item["memory"])

    def _belongs(self, memory: Json) -> None:
        other = "elsewhereproject" if self.mark == "mainproject" else "mainproject"
        if other in memory["content"] and memory["scope"] != "global":
            self.figures.fail(f"{self.name} is shown {memory['id']} of the other project")

    def _inject(self) -> None:
        prompt = self._chance.choice(("Why does the retry fail?", "What is the schema of the cache?", None))
        given = {"prompt": prompt, "sessionId": self._session, "budgetTokens": 1500}
        answer = self.server.call("memory/inject", given)
        other = "elsewhereproject" if self.mark == "mainproject" else "mainproject"
        if other in answer["text"]:
            self.figures.fail(f"{self.name} is injected something of the other project")
        if answer["tokens"] > 1500:
            self.figures.fail(f"inject gave {answer['tokens']} of 1500 tokens")

    def _maintain(self) -> None:
        self.server.call("memory/maintain", {"dryRun": self._chance.random() < 0.5})

    # -- files -----------------------------------------------------------------------------------------------

    def _own_files(self) -> list[str]:
        found = [path for path in self.server.folder.glob("*/*.py") if path.is_file()]
        self._chance.shuffle(found)
        return [path.relative_to(self.server.folder).as_posix() for path in found[:3]]

    def _read_file(self) -> None:
        for path in self._own_files()[:1]:
            fresh_summary(self.server, path, self.figures)
            with contextlib.suppress(OSError):
                self.server.call("file/recordRead", {"path": path, "sessionId": self._session})

    def _observe(self) -> None:
        for path in self._own_files()[:1]:
            self.server.call("file/recordRead", {"path": path, "sessionId": self._session})
            text = f"`{Path(path).stem}` always returns what it was given, because its callers in `{path}` rely on it "
            text += "for the order of their results, so a change of it has to keep that order in all callers."
            self.server.notify("event/reasoning", {"sessionId": self._session, "text": text})
            self.server.call("file/observe", {"sessionId": self._session, "text": text, "paths": [path]})

    def _map(self) -> None:
        self.server.call("workspace/repoMap", {"budgetTokens": 2000})

    def _find_files(self) -> None:
        self.server.call("file/search", {"query": "where is the request handled"})

    def _handoff(self) -> None:
        self.server.call("file/handoff", {"sessionId": self._session})

    # -- sessions --------------------------------------------------------------------------------------------

    def _events(self) -> None:
        session = {"sessionId": self._session}
        command = self._chance.choice(("make test", "pytest -q tests", "npm run build", "go vet ./..."))
        bad = self._chance.random() < 0.3
        told = {"tool": "bash", "input": {"command": command}, **session}
        self.server.notify("event/toolCall", told)
        output = f"Error: {self.mark} exploded with code {self._chance.randrange(9)}" if bad else "ok"
        self.server.notify("event/toolResult", {**told, "output": output, "exitCode": int(bad)})
        if self._chance.random() < 0.2:
            text = f"Always use {self.mark} tool{self._chance.randrange(30)} instead of make here."
            self.server.notify("event/userMessage", {**session, "text": text})

    def _claim(self) -> None:
        item = f"{self.mark}#{self._chance.randrange(8)}"
        me = self._session
        with self.claims.lock:
            mine = self.claims.held.get(item) == me
        if mine and self._chance.random() < 0.7:
            self.claims.maybe.add(item)
            self.server.call("session/release", {"sessionId": me, "item": item})
            with self.claims.lock:
                if self.claims.held.get(item) == me:
                    del self.claims.held[item]
                self.claims.maybe.discard(item)
            return
        self.server.call("session/start", {"sessionId": me, "workingOn": item, "agent": self.name})
        with self.claims.lock:
            holder, sure = self.claims.held.get(item), item not in self.claims.maybe
        answer = self.server.call("session/claim", {"sessionId": me, "item": item})
        with self.claims.lock:
            if not answer["claimed"]:
                return
            same = self.claims.held.get(item) == holder
            known = sure and same and item not in self.claims.maybe
            if holder not in (None, me) and known and self._lives(holder):
                self.figures.fail(f"{item} was given to {me} while {holder} held it")
            self.claims.held[item] = me

    def _lives(self, session: str | None) -> bool:
        """Whether the process that a session was begun on still runs: a claim ends with it."""
        return any(
            str(session).startswith(f"agent-{each.name}-{each.starts}-") and each.process.poll() is None
            for each in (self.server, *self.others)
        )

    def _boot(self) -> None:
        text = self.server.call("context/boot", {"sessionId": self._session})["text"]
        other = "elsewhereproject" if self.mark == "mainproject" else "mainproject"
        if other in text:
            self.figures.fail(f"{self.name} boots with something of the other project")

    def _remind(self) -> None:
        at = self._chance.choice(("+2h", "tomorrow 9am", "next monday"))
        text = f"Look at {self.mark} part {self._chance.randrange(20)}"
        made = self.server.call("reminder/set", {"text": text, "at": at, "timezone": "UTC"})["reminder"]
        if self._chance.random() < 0.8:
            self.server.call("reminder/clear", {"id": made["id"]})

    def _end_session(self) -> None:
        me = self._session
        with self.claims.lock:
            for item in [item for item, holder in self.claims.held.items() if holder == me]:
                del self.claims.held[item]
        self._new_session()
        self.server.call("session/end", {"sessionId": me, "summary": f"Worked on {self.mark}."})

    def _status(self) -> None:
        self.server.call("sidecar/status", {})
        self.server.call("sidecar/metrics", {})


def fresh_summary(server: Server, path: str, figures: Figures) -> None:
    """Ask for a briefing; what is served is of the bytes that are on disk, unless they changed meanwhile."""
    place = server.folder / path
    before = hash_of(place)
    try:
        served: str | None = server.call("file/summary", {"path": path})["hash"]
    except Refused as refused:
        if refused.code != -32012:
            raise
        served = None
    after = hash_of(place)
    if before == after and served != after and not (served is None and _refusable(place)):
        figures.fail(f"{server.name}: {path} is {after} on disk and was served as {served}")


def _refusable(place: Path) -> bool:
    return not place.is_file() or place.stat().st_size > 1_000_000 or not place.read_bytes().strip()


def hash_of(place: Path) -> str | None:
    """Of the bytes on disk; None when there are none."""
    for _ in range(3):
        try:
            return xxhash.xxh3_128_hexdigest(place.read_bytes())
        except FileNotFoundError:
            return None
        except OSError:
            time.sleep(0.01)
    return None
