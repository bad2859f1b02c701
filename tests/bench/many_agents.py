"""Whether many agents can share one store: `python -P tests/bench/many_agents.py --minutes 5 [--processes 12]`.

Each has a server of its own, all on one checkout. They record memories of their own, update and add to the same ones,
claim the same items, inject, search and maintain, all at once. At the end every server is asked for everything: each
acknowledged memory is there once, no two updates of a memory made the same version and the last one stands, each
sentence that was added is there, no item had two holders, nobody was told that something is locked, and nobody waited
much longer than the others. Prints a table; the exit code is 1 when anything failed.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import random
import shutil
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter, defaultdict
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from tests.bench.long_life.client import Figures, Gone, Refused, Server  # noqa: E402

SHARED = 6
"""Memories that everybody updates, and as many that everybody adds to."""

ITEMS = 5
UNFAIR = 3.0
"""The process that got most done may have done so many times what the last one did: all ask without rest."""


class AcknowledgedWork:
    """What was acknowledged."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.recorded: dict[str, str] = {}
        self.updates: defaultdict[str, dict[int, str]] = defaultdict(dict)
        self.added: defaultdict[str, set[str]] = defaultdict(set)
        self.holders: dict[str, str] = {}
        self.handed_over = 0


class One:
    """One agent on one server."""

    def __init__(
        self, number: int, server: Server, shared: list[str], ledger: AcknowledgedWork, figures: Figures
    ) -> None:
        self.number, self.server, self.shared = number, server, shared
        self.ledger, self.figures = ledger, figures
        self.name = f"agent{number}"
        self.times: defaultdict[str, list[float]] = defaultdict(list)
        self._chance = random.Random(number)
        self._count = 0

    def run(self, stop: threading.Event) -> None:
        """Go on until told to stop, with hardly a rest."""
        work = [self._record] * 8 + [self._update] * 5 + [self._add] * 4 + [self._inject] * 6
        work += [self._search] * 4 + [self._claim] * 5 + [self._maintain]
        while not stop.wait(self._chance.random() * 0.02):
            try:
                self._chance.choice(work)()
            except Refused as refused:
                self.figures.fail(f"{self.name}: {refused}")
            except Gone:
                self.figures.fail(f"{self.name}: its server went, exit {self.server.process.poll()}")
                return

    def _call(self, method: str, params: dict[str, Any]) -> Any:
        began = time.monotonic()
        answer = self.server.call(method, params)
        self.times[method].append((time.monotonic() - began) * 1e3)
        return answer

    def _sentence(self) -> str:
        self._count += 1
        return f"Queue q{self.number}x{self._count} keeps {self._chance.randrange(10**6)} jobs since the worker fails."

    def _record(self) -> None:
        content = self._sentence()
        given = {"content": content, "name": f"{self.name} note {self._count}", "sessionId": self.name}
        answer = self._call("memory/record", given)
        if answer["status"] != "created":
            self.figures.fail(f"{self.name}: a new memory was {answer['status']}")
        with self.ledger.lock:
            self.ledger.recorded[answer["memory"]["id"]] = content

    def _update(self) -> None:
        id = self._chance.choice(self.shared)
        content = self._sentence()
        version = self._call("memory/update", {"id": id, "content": content})["memory"]["version"]
        with self.ledger.lock:
            other = self.ledger.updates[id].setdefault(version, content)
        if other != content:
            self.figures.fail(f"{id} was given version {version} twice: an update was lost")

    def _add(self) -> None:
        name, sentence = f"common {self._chance.randrange(SHARED)}", self._sentence()
        try:
            self._call("memory/record", {"content": sentence, "name": name})
        except Refused as refused:
            if "16,000" in str(refused):  # it is full
                return
            raise
        with self.ledger.lock:
            self.ledger.added[name].add(sentence)

    def _inject(self) -> None:
        self._call("memory/inject", {"prompt": "Why does the worker fail?", "sessionId": self.name})

    def _search(self) -> None:
        self._call("memory/search", {"query": f"jobs of the queue q{self.number}x{self._count}"})

    def _maintain(self) -> None:
        self._call("memory/maintain", {})

    def _claim(self) -> None:
        item, ledger = f"item {self._chance.randrange(ITEMS)}", self.ledger
        self._call("session/start", {"sessionId": self.name})
        if not self._call("session/claim", {"sessionId": self.name, "item": item})["claimed"]:
            return
        with ledger.lock:
            holder = ledger.holders.get(item)
            if holder not in (None, self.name):
                self.figures.fail(f"{item} was given to {self.name} while {holder} held it")
            ledger.holders[item] = self.name
            ledger.handed_over += 1
        time.sleep(self._chance.random() * 0.05)
        with ledger.lock:
            ledger.holders.pop(item, None)  # before it is given back: another may have it at once
        self._call("session/release", {"sessionId": self.name, "item": item})


def listed(server: Server) -> list[Any]:
    """Every memory, as one server sees them."""
    found: list[object] = []
    given: dict[str, Any] = {"agent": "*", "limit": 200, "include": ["archived", "expired", "resolved"]}
    while True:
        page = server.call("memory/list", given)
        found += page["items"]
        if page.get("cursor") is None:
            return found
        given["cursor"] = page["cursor"]


def judge(servers: list[Server], ledger: AcknowledgedWork, figures: Figures) -> None:
    """Compare what every server has with what was acknowledged."""
    for server in servers:
        memories = listed(server)
        by_id = {memory["id"]: memory for memory in memories}
        if len(by_id) != len(memories):
            figures.fail(f"{server.name} lists {len(memories) - len(by_id)} memories twice")
        names = Counter(memory["name"] for memory in memories)
        for name, times in names.items():
            if times > 1:
                figures.fail(f"{server.name} has {times} memories called {name!r}")
        for id, content in ledger.recorded.items():
            if id not in by_id or content not in by_id[id]["content"]:
                figures.fail(f"{server.name}: {id} was acknowledged and is not there as it was")
        for id, versions in ledger.updates.items():
            if by_id[id]["content"] != versions[max(versions)]:
                figures.fail(f"{server.name}: {id} does not say what its last update, {max(versions)}, said")
        for memory in memories:
            for sentence in ledger.added.get(memory["name"], ()):
                if sentence not in memory["content"]:
                    figures.fail(f"{server.name}: {memory['name']} lacks {sentence!r}")
        expected = len(ledger.recorded) + len(ledger.updates) + len(ledger.added)
        if len(memories) != expected:
            figures.fail(f"{server.name} has {len(memories)} memories, {expected} were acknowledged")


def report(agents: list[One], ledger: AcknowledgedWork, figures: Figures) -> None:
    """Print the figures; a process that waited much longer than the others is a failure."""
    print(f"{'method':20}{'n':>7}{'p50':>9}{'p99':>9}{'most':>9}{'medians of the processes':>34}  ms")
    for method in sorted({method for agent in agents for method in agent.times}):
        every = sorted(ms for agent in agents for ms in agent.times[method])
        own = sorted(statistics.median(agent.times[method]) for agent in agents if len(agent.times[method]) >= 20)
        spread = f"{own[0]:.0f} to {own[-1]:.0f}" if own else "-"
        p99 = every[max(0, int(len(every) * 0.99) - 1)]
        print(f"{method:20}{len(every):7}{statistics.median(every):9.1f}{p99:9.0f}{every[-1]:9.0f}{spread:>34}")
    done = sorted(sum(map(len, agent.times.values())) for agent in agents)
    if done[-1] > UNFAIR * done[0]:
        figures.fail(f"one process was served {done[-1]} times, another {done[0]} times")
    print(f"calls of each process: {done[0]} to {done[-1]}; claims given: {ledger.handed_over}")
    print(f"recorded {len(ledger.recorded)}, updates {sum(map(len, ledger.updates.values()))}", end=", ")
    print(f"added {sum(map(len, ledger.added.values()))}; failures: {len(figures.failures)}")
    for text in figures.failures[:40]:
        print("  ", text)


def main() -> int:
    """Run them."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--minutes", type=float, default=5)
    parser.add_argument("--processes", type=int, default=12)
    given = parser.parse_args()
    room = Path(tempfile.mkdtemp(prefix="many-agents-"))
    environ = {key: value for key, value in os.environ.items() if not key.startswith("MEMORY_SIDECAR")}
    environ |= {f"XDG_{name.upper()}_HOME": str(room / name) for name in ("data", "config", "state", "cache")}
    (room / "clock").write_bytes(bytes(8))
    environ |= {"HOME": str(room), "SOAK_CLOCK": str(room / "clock")}
    folder = room / "checkout"
    subprocess.run(["git", "init", "-q", str(folder)], check=True)
    (folder / "queue.py").write_text('"""Keeps jobs."""\n\n\ndef put(job: str) -> None:\n    print(job)\n')
    figures, ledger = Figures(), AcknowledgedWork()
    servers: list[Server] = []
    try:
        servers += [Server(f"server-{n}", folder, environ, figures) for n in range(given.processes)]
        first = "Statement {} of those that all update."
        shared = [
            servers[0].call("memory/record", {"content": first.format(n), "name": f"shared {n}"})["memory"]["id"]
            for n in range(SHARED)
        ]
        agents = [One(n, server, shared, ledger, figures) for n, server in enumerate(servers)]
        stop = threading.Event()
        threads = [threading.Thread(target=agent.run, args=(stop,)) for agent in agents]
        for thread in threads:
            thread.start()
        stop.wait(given.minutes * 60)
        stop.set()
        for thread in threads:
            thread.join()
        judge(servers, ledger, figures)
        report(agents, ledger, figures)
    finally:
        for server in servers:
            with contextlib.suppress(Gone):
                if (code := server.leave()) != 0:
                    print(f"{server.name} ended with {code}")
                    figures.fail(f"{server.name} ended with {code}")
        shutil.rmtree(room, ignore_errors=True)
    return 1 if figures.failures else 0


if __name__ == "__main__":
    sys.exit(main())
