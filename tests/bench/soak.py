"""Whether memory-sidecar can be left running: `python -P tests/bench/soak.py --minutes 20 [--repo PATH] [--keep]`.

With `--beside CHECKOUT` some of the servers run another version of the program on the same stores.
Four servers on one checkout, two on worktrees of it, one on another project; agents on each, an editor in each
checkout, hooks, a slow model that fails, processes killed at random, and a clock on which days pass. A round is work,
then rest; at rest everything is compared with what was acknowledged, and what the processes and files cost is taken.
Prints a line a round, then the table of times, errors and growth; the exit code is 1 when anything failed.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import mmap
import os
import random
import shutil
import statistics
import struct
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

from tests.bench.long_life.agents import Agent, Claims, fresh_summary  # noqa: E402
from tests.bench.long_life.client import PROCESS, Figures, Gone, Refused, Server  # noqa: E402
from tests.bench.long_life.editing import Editing, git  # noqa: E402
from tests.bench.long_life.model_server import SlowModel  # noqa: E402
from tests.bench.long_life.watching import children, cost, grew, sizes, slope  # noqa: E402
from tests.client.json_value import Json  # noqa: E402

DAY = 86_400_000
STEADY = ("main-0", "main-3", "tree-1", "other")
"""Never killed, so that what they cost can be followed; the others are."""

EARLIER = ("main-1", "main-3", "tree-0")
"""Run what `--beside` names: another version of the program, on the same stores."""

IDLE_SHARE = 0.02
"""Of one core, while nobody asks: the median of all rests, some of which are times of maintenance."""


class Clock:
    """The milliseconds that all processes are ahead of the machine's clock."""

    def __init__(self, path: Path) -> None:
        path.write_bytes(bytes(8))
        with path.open("r+b") as file:
            self._view = mmap.mmap(file.fileno(), 8)
        self.ahead = 0

    def pass_days(self, days: float) -> None:
        """Move it on."""
        self.move_to(self.ahead + int(days * DAY))

    def move_to(self, ahead: int) -> None:
        """Let it jump."""
        self.ahead = ahead
        self._view[:8] = struct.pack("<q", self.ahead)


class Soak:
    """Everything of one run."""

    def __init__(self, room: Path, repo: Path, seed: int, beside: Path | None = None) -> None:
        self.room, self.figures, self.claims = room, Figures(), Claims()
        self._chance = random.Random(seed)
        self.model = SlowModel(seed)
        self.clock = Clock(room / "clock")
        home = room / "home"
        (home / "config" / "memory-sidecar").mkdir(parents=True)
        settings = f'[models]\nendpoint = "{self.model.url}"\nname = "soak"\ndailyTokens = 20000\n'
        (home / "config" / "memory-sidecar" / "settings.toml").write_text(settings)
        self.environ = {key: value for key, value in os.environ.items() if not key.startswith("MEMORY_SIDECAR")}
        self.environ |= {"HOME": str(home), "SOAK_CLOCK": str(room / "clock")}
        for name in ("data", "config", "state", "cache"):
            self.environ[f"XDG_{name.upper()}_HOME"] = str(home / name)
        self.home = home
        main, other = room / "main", room / "other"
        subprocess.run(["git", "clone", "-q", str(repo), str(main)], check=True)
        git(main, "remote", "set-url", "origin", "https://git.invalid/soak/main.git")
        if beside is not None:  # earlier ones let `git add -A` take a file in that they were just making
            for repository in (main, other):
                (repository / ".git" / "info").mkdir(parents=True, exist_ok=True)
                (repository / ".git" / "info" / "exclude").write_text("/.agents/\n")
        trees = [room / "tree-0", room / "tree-1"]
        for number, tree in enumerate(trees):
            git(main, "worktree", "add", "-q", "-b", f"tree{number}", str(tree))
        subprocess.run(["git", "init", "-q", str(other)], check=True)
        for path in sorted(main.glob("*/*.py"))[:20]:
            (other / path.parent.name).mkdir(exist_ok=True)
            shutil.copy(path, other / path.parent.name)
        git(other, "add", "-A")
        git(other, "commit", "-q", "-m", "Begin")
        self.editing = [Editing(place, f"soak{n}", seed + n) for n, place in enumerate([main, *trees, other])]
        places = {f"main-{n}": main for n in range(4)} | {"tree-0": trees[0], "tree-1": trees[1], "other": other}
        earlier = beside / PROCESS.relative_to(ROOT) if beside is not None else PROCESS
        programs = dict.fromkeys(EARLIER, earlier)
        self.servers = {
            name: Server(name, place, self.environ, self.figures, program=programs.get(name, PROCESS))
            for name, place in places.items()
        }
        shared = [server for name, server in self.servers.items() if name != "other"]
        self.agents = [
            Agent(
                server,
                [each for each in shared if each is not server] if server in shared else [],
                self.claims if server in shared else Claims(),
                "mainproject" if server in shared else "elsewhereproject",
                self.figures,
                seed + number,
            )
            for number, server in enumerate(self.servers.values())
        ]
        self.began = time.monotonic()
        self.costs: defaultdict[tuple[str, str], list[tuple[float, float]]] = defaultdict(list)
        self.files: defaultdict[str, list[tuple[float, float]]] = defaultdict(list)
        self.idle: defaultdict[str, list[float]] = defaultdict(list)
        self.lawful = Counter[str]()

    # -- work ------------------------------------------------------------------------------------------------

    def work(self, seconds: float) -> None:
        """Everybody works at the same time."""
        stop = threading.Event()
        jobs = [*(agent.run for agent in self.agents), *(one.run for one in self.editing)]
        jobs += [self._hooks, self._killing, self._pausing, self._orphaning]
        threads = [threading.Thread(target=self._guarded, args=(job, stop), daemon=True) for job in jobs]
        for thread in threads:
            thread.start()
        stop.wait(seconds)
        stop.set()
        for thread in threads:
            thread.join(180)
            if thread.is_alive():
                self.figures.fail(f"{thread.name} did not end")

    def _guarded(self, job: Any, stop: threading.Event) -> None:
        try:
            job(stop)
        except Exception as error:
            self.figures.fail(f"{getattr(job, '__qualname__', job)}: {type(error).__name__}: {error}")
            raise

    def _hooks(self, stop: threading.Event) -> None:
        """Hook processes of an agent in the main checkout."""
        main, number = self.room / "main", 0
        while not stop.wait(self._chance.random() * 4):
            number += 1
            session = f"hook-{number // 6}-{int(self.began)}"
            events: list[dict[str, Any]] = [
                {"hook_event_name": "SessionStart", "source": "startup"},
                {"hook_event_name": "UserPromptSubmit", "prompt": "Why does the retry of the worker fail?"},
                {"hook_event_name": "Stop"},
            ]
            told = {"session_id": session, "cwd": str(main), **self._chance.choice(events)}
            process = subprocess.Popen(
                [sys.executable, "-P", str(PROCESS), "hook"],
                stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=self.environ, cwd=main,
            )  # fmt: skip
            if self._chance.random() < 0.15:
                threading.Timer(self._chance.random(), process.kill).start()
            began = time.monotonic()
            out, err = process.communicate(json.dumps(told).encode())
            if process.returncode == -9:
                self.figures.error("hook killed")
                continue
            self.figures.took("hook process", (time.monotonic() - began) * 1e3)
            if process.returncode != 0 or err:
                self.figures.fail(f"a hook ended with {process.returncode}: {err.decode()[-300:]}")
            if b"elsewhereproject" in out:
                self.figures.fail("a hook told of the other project")

    def _killing(self, stop: threading.Event) -> None:
        """SIGKILL at random, and a start anew; children must go by themselves."""
        victims = [server for name, server in self.servers.items() if name not in STEADY]
        while not stop.wait(3 + self._chance.random() * 12):
            server = self._chance.choice(victims)
            if server.paused:
                continue
            left = children(server.pid)
            server.kill()
            self.figures.error("server killed")
            deadline = time.monotonic() + 60
            while (still := {pid for pid in left if cost(pid) is not None}) and time.monotonic() < deadline:
                time.sleep(0.1)
            if still:
                words = [Path(f"/proc/{pid}/cmdline").read_bytes()[-200:] for pid in still]
                self.figures.fail(f"orphans of {server.name}: {words}")
            began = time.monotonic()
            with contextlib.suppress(Gone):
                server.start()
            self.figures.took("start to initialize", (time.monotonic() - began) * 1e3)

    def _pausing(self, stop: threading.Event) -> None:
        """SIGSTOP in the middle of work, and SIGCONT: what it held must stop nobody for ever."""
        while not stop.wait(10 + self._chance.random() * 30):
            server = self.servers[self._chance.choice(("main-3", "tree-1"))]
            server.paused = True
            server.process.send_signal(19)
            stop.wait(1 + self._chance.random() * 8)
            server.process.send_signal(18)
            time.sleep(0.5)
            server.paused = False
            self.figures.error("server stopped and continued")

    def _orphaning(self, stop: threading.Event) -> None:
        """A server whose client dies while its stdin stays open must end."""
        while not stop.wait(15 + self._chance.random() * 20):
            parent = subprocess.Popen(["sleep", "1000"])
            one = subprocess.Popen(
                [sys.executable, "-P", str(PROCESS), "serve"],
                stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                env=self.environ, cwd=self.room / "main",
            )  # fmt: skip
            folder = {"uri": (self.room / "main").as_uri(), "name": "main"}
            params = {"processId": parent.pid, "capabilities": {}, "rootUri": None, "workspaceFolders": [folder]}
            assert one.stdin is not None
            for message in (
                {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params},
                {"jsonrpc": "2.0", "method": "initialized", "params": {}},
            ):
                body = json.dumps(message).encode()
                one.stdin.write(b"Content-Length: %d\r\n\r\n%b" % (len(body), body))
            one.stdin.flush()
            assert one.stdout is not None
            one.stdout.readline()  # it knows its client by then
            threading.Thread(target=one.stdout.read, daemon=True).start()
            stop.wait(3)
            below = children(one.pid)
            parent.kill()
            parent.wait()
            try:
                one.wait(120)
            except subprocess.TimeoutExpired:
                self.figures.fail("a server outdated its client by 120 s")
                one.kill()
            time.sleep(1)
            if any(cost(pid) is not None for pid in below):
                self.figures.fail("children outdated a server whose client died")
            one.stdin.close()
            self.figures.error("client died")

    # -- rest ------------------------------------------------------------------------------------------------

    def check(self) -> None:
        """At rest: every store says what was acknowledged, every briefing is of what is on disk."""
        shown = {name: self._listed(server) for name, server in self.servers.items()}
        for agent in self.agents:
            same_store = [n for n in shown if (n == "other") == (agent.server.name == "other")]
            for kept in list(agent.memories.values()):
                found = [shown[name].get(kept.id) for name in same_store]
                if len({None if m is None else (m["version"], m["content"]) for m in found}) > 1:
                    self.figures.fail(f"servers disagree about {kept.id} of {agent.name}")
                self._judge(agent, kept, found[0])
                if kept.gone and not kept.maybe_gone:
                    del agent.memories[kept.id]
        for name, memories in shown.items():
            foreign = "mainproject" if name == "other" else "elsewhereproject"
            for memory in memories.values():
                if foreign in memory["content"] and memory["scope"] != "global":
                    self.figures.fail(f"{name} has {memory['id']} of the other project")
        for server in self.servers.values():
            for path in sorted(server.folder.glob("*/*.py"))[:40] + sorted(server.folder.glob("soak_*/*/*.py")):
                fresh_summary(server, path.relative_to(server.folder).as_posix(), self.figures)
            given = {"prompt": "Why does the retry of the worker fail?", "sessionId": "resting"}
            texts = {server.call("memory/inject", given)["text"] for _ in range(4)}
            if len(texts) > 1:
                self.figures.fail(f"{server.name} injects other bytes though nothing changed")

    def _listed(self, server: Server) -> dict[str, Json]:
        found: dict[str, Any] = {}
        given: dict[str, Any] = {"agent": "*", "limit": 200, "include": ["archived", "expired", "resolved"]}
        while True:
            page = server.call("memory/list", given)
            found |= {memory["id"]: memory for memory in page["items"]}
            if page.get("cursor") is None:
                return found
            given["cursor"] = page["cursor"]

    def _judge(self, agent: Agent, kept: Any, found: Any) -> None:
        if found is None:
            if not kept.gone and not kept.maybe_gone:
                self.figures.fail(f"{kept.id} of {agent.name} was acknowledged and is gone")
            kept.gone, kept.maybe_gone = True, False
            return
        if kept.gone and not kept.maybe_gone:
            self.figures.fail(f"{kept.id} of {agent.name} was deleted and is there")
        kept.gone = kept.maybe_gone = False
        if found["content"] not in kept.contents:
            self.figures.fail(f"{kept.id} of {agent.name} says {found['content'][:90]!r}, not {kept.contents}")
        kept.contents = {found["content"]}
        if found["status"] == "archived":
            self.lawful[f"archived: {found.get('archivedFor')}"] += 1
            if found.get("archivedFor") is None:
                # An archive whose restore was cut off by a kill.
                with contextlib.suppress(Refused):
                    agent.server.call("memory/restore", {"id": kept.id})

    def measure(self, seconds: float) -> str:
        """What everything costs now, and how much the processor is used while nobody asks."""
        time.sleep(4)
        before = {name: cost(server.pid) for name, server in self.servers.items()}
        time.sleep(seconds)
        at, shown = time.monotonic() - self.began, []
        for name, server in self.servers.items():
            now, then = cost(server.pid), before[name]
            if now is None or then is None:
                self.figures.fail(f"{name} went by itself: {server.process.wait(5)}")
                server.start()
                continue
            share = (now.seconds - then.seconds) / seconds
            self.idle[name].append(share)
            shown.append(f"{name} {now.rss:.0f}/{now.descriptors}/{now.threads}/{share:.1%}")
            if name in STEADY:
                for what in ("rss", "anonymous", "descriptors", "threads"):
                    self.costs[name, what].append((at, getattr(now, what)))
        for name, size in sizes(self.home).items():
            self.files[name].append((at, size))
        for name in ("main-0", "other"):  # what a process keeps grows with these
            row = self.servers[name].call("sidecar/status", {})["workspaces"][0]
            shown.append(f"{name}: {sum(row['memories'].values())} memories, {row['files']} files")
        return "  ".join(shown)

    # -- the end ---------------------------------------------------------------------------------------------

    def close(self) -> None:
        """End every server in good order."""
        pids = {pid for server in self.servers.values() for pid in children(server.pid)}
        for server in self.servers.values():
            with contextlib.suppress(Gone):
                if server.leave() != 0:
                    self.figures.fail(f"{server.name} ended with {server.process.returncode}")
        time.sleep(1)
        if any(cost(pid) is not None for pid in pids):
            self.figures.fail("children outdated their servers")
        self.model.close()
        for one in self.editing:
            if git(one.folder, "log", "--all", "--oneline", "--", ".agents", check=False).strip():
                self.figures.fail(f"git has taken in what is kept in {one.folder.name}/.agents")

    def report(self) -> None:
        """Print the tables; growth beyond bounds is a failure."""
        print(f"\n{'call':24}{'n':>7}{'p50':>9}{'p99':>9}{'most':>9}  ms")
        for method, times in sorted(self.figures.times.items()):
            times.sort()
            p99 = times[max(0, int(len(times) * 0.99) - 1)]
            print(f"{method:24}{len(times):7}{statistics.median(times):9.1f}{p99:9.0f}{times[-1]:9.0f}")
        print(f"\n{'process':12}{'what':14}{'first':>9}{'last':>9}{'an hour':>10}")
        for (name, what), samples in self.costs.items():
            print(f"{name:12}{what:14}{samples[0][1]:9.0f}{samples[-1][1]:9.0f}{slope(samples):10.1f}")
            if grew(samples, 0.1, {"rss": 12, "anonymous": 12}.get(what, 4)):
                self.figures.fail(f"{what} of {name} grows: {[round(v) for _, v in samples]}")
        for name, shares in self.idle.items():
            print(f"{name:12}{'idle share':14}{statistics.median(shares):9.2%}")
            if name in STEADY and statistics.median(shares) > IDLE_SHARE:
                self.figures.fail(f"{name} uses {statistics.median(shares):.1%} of a core while nobody asks")
        print(f"\n{'file':72}{'first':>11}{'last':>11}{'an hour':>12}")
        for name, samples in sorted(self.files.items()):
            if samples[-1][1] > 50_000 or name.endswith(("-wal", ".log")):
                print(f"{name[-71:]:72}{samples[0][1]:11,.0f}{samples[-1][1]:11,.0f}{slope(samples):12,.0f}")
            if name.endswith("-wal") and samples[-1][1] > 64e6:
                self.figures.fail(f"{name} has {samples[-1][1]:,.0f} bytes")
        print("\ncounted:", dict(self.figures.errors), dict(self.lawful), "model:", dict(self.model.answered))
        print("operations:", sum(a.operations for a in self.agents), "edits:", sum(e.done for e in self.editing))
        print(f"failures: {len(self.figures.failures)}")
        for text in self.figures.failures[:60]:
            print("  ", text)


def main() -> int:
    """Run the rounds."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--minutes", type=float, default=20)
    parser.add_argument("--repo", type=Path, default=ROOT, help="what is cloned and worked on")
    parser.add_argument("--beside", type=Path, help="a checkout of another version, which some servers run")
    parser.add_argument("--work", type=float, default=40, help="seconds of work in a round")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--keep", action="store_true", help="leave the folder with stores and logs")
    given = parser.parse_args()
    room = Path(tempfile.mkdtemp(prefix="soak-"))
    print("in", room, flush=True)
    soak = Soak(room, given.repo, given.seed, given.beside)
    until = time.monotonic() + given.minutes * 60
    number = 0
    try:
        while time.monotonic() < until:
            number += 1
            soak.work(given.work)
            with contextlib.suppress(Gone):
                soak.check()
            # Every third rest is long enough for maintenance to begin by itself.
            costs = soak.measure(40 if number % 3 == 0 else 8)
            minutes = (time.monotonic() - soak.began) / 60
            print(f"{minutes:5.1f} min, day {soak.clock.ahead // DAY}: {costs}", flush=True)
            soak.clock.pass_days(soak._chance.choice((0.2, 1, 3, 8)))
            soak.claims.clear()
    finally:
        soak.close()
        soak.report()
        if not given.keep:
            shutil.rmtree(room, ignore_errors=True)
    return 1 if soak.figures.failures else 0


if __name__ == "__main__":
    sys.exit(main())
