"""What every operation costs, beside floors and rivals of the same run.

    python -P tests/bench/run.py [--sizes 1000,10000,100000] [--calls 300] [--json NEW] [--against OLD]
                                 [--rivals FOLDER [--map REPOSITORY]] [--picture FILE.svg]

Prints what, ours, the floor or rival, and the ratio. Floors: an echo server over the same pipes, an fsync of a page, a
bare `import msgspec`. `--rivals` installs other memory servers into a folder and gives them the same memories, and with
`--map` draws aider's map of a repository beside ours (`rivals.py`). `--json` keeps the figures, `--against` compares
with figures kept earlier, `--picture` draws how search, inject and the first search grow with the number of memories.
What misses its goal is done once more under a profiler, printed below the table. Processor time says more than wall
time on a busy machine, so short processes and starts are told in both.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import resource
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from tests.bench import rivals
from tests.bench.methods import ROOT, Peer, answers, fill, put, sentence, start_server, sync_floor, timed
from tests.bench.scale import leave, used

PROMPT = "how do we deploy the payment worker to staging"
PROCESS_RUNS = 7
STARTS = 5
GOALS: dict[str, dict[int, float]] = {
    "search": {1_000: 1.5, 10_000: 3, 100_000: 15},
    "inject": {1_000: 3, 10_000: 5, 100_000: 20},
    "first search": {1_000: 50, 10_000: 100, 100_000: 300},
    "resident": {1_000: 70, 10_000: 90, 100_000: 200},
}


class Figure(NamedTuple):
    """One row: `ours` in `unit`, and what it is measured against."""

    what: str
    ours: float
    unit: str
    goal: float | None = None
    beside: str = ""
    other: float | None = None

    @property
    def missed(self) -> bool:
        """Whether it has a goal and does not meet it."""
        return self.goal is not None and (self.ours < self.goal if self.unit == "1/s" else self.ours > self.goal)

    def line(self, earlier: float | None) -> str:
        """The row as text."""
        goal = "" if self.goal is None else f"{self.goal:g}{'!' if self.missed else ' '}"
        ratio = "" if not self.other else f"{self.ours / self.other:.2f} x {self.beside}"
        change = "" if not earlier else f"{self.ours / earlier:.2f} x before"
        return f"{self.what:48}{self.ours:10.2f} {self.unit:5}{goal:>8}   {ratio:28}{change}"


def figures(asked: argparse.Namespace, profiles: dict[str, str]) -> Iterator[Figure]:
    """Measure everything, cheapest first; into `profiles` goes where the time of what misses its goal went."""
    rng = random.Random(7)
    echo = echo_floor(rng)
    yield Figure("echo over the same pipes, p50", echo, "ms")
    floor = statistics.median(processor([sys.executable, "-c", "import msgspec"]) for _ in range(PROCESS_RUNS)) * 1000
    yield Figure("`import msgspec`, processor", floor, "ms")
    for size in [int(part) for part in asked.sizes.split(",")]:
        scratch = Path(tempfile.mkdtemp(prefix="sidecar-bench-"))
        try:
            missed, ours = [], dict[str, float]()
            for figure in of_size(size, scratch, asked.calls, rng, echo, floor):
                yield figure
                ours[figure.what] = figure.ours
                if figure.missed:
                    missed.append(figure.what)
            for what in missed:
                profiles[what] = profile_of(what, size, scratch)
            if asked.rivals and size <= 10_000:
                for what, theirs, unit in rivals.measured(asked.rivals.resolve(), size):
                    yield Figure(what, theirs, unit, None, "ours", ours.get(what.partition(": ")[2]))
        finally:
            shutil.rmtree(scratch, ignore_errors=True)
    yield from of_files(asked.workspace.resolve(), echo)


def echo_floor(rng: random.Random) -> float:
    """p50 of the echo server in milliseconds."""
    peer = Peer([sys.executable, str(ROOT / "tests/bench/echo_floor.py")], dict(os.environ), ROOT)
    payload = {"query": sentence(rng, 8)}
    timed(50, lambda at: peer.call("echo", payload))
    floor, _ = timed(2_000, lambda at: peer.call("echo", payload))
    peer.stop()
    return floor


def of_size(size: int, scratch: Path, calls: int, rng: random.Random, echo: float, floor: float) -> Iterator[Figure]:
    """Everything that depends on how many memories there are."""
    store, workspace = scratch / "store", scratch / "empty"
    workspace.mkdir()
    subprocess.run(["git", "init", "-q", str(workspace)], check=True)
    name = f"{size:,}"
    if size <= 10_000:
        peer, _ = start_server(store, workspace)
        rate = fill(peer, size, rng)
        sync, _ = sync_floor(scratch)
        yield Figure(f"record, pipelined, {name}", rate, "1/s", 1_500, "fsync", 1_000 / sync)
    else:
        put(store, workspace, size, rng)
        sync, _ = sync_floor(scratch)
        peer, _ = start_server(store, workspace)
    queries = [sentence(rng, 8) for _ in range(50)]
    asked: dict[str, Callable[[int], object]] = {
        "search": lambda at: peer.call("memory/search", {"query": queries[at % 50]}),
        "inject": lambda at: peer.call("memory/inject", {"prompt": queries[at % 50], "budgetTokens": 2_000}),
    }
    before = used(peer)
    peer.call("memory/search", {"query": queries[0]})
    quiet_now(peer)
    if size > 10_000:  # of fewer, most were embedded while they were recorded
        yield Figure(f"index and vectors made, processor, {name}", (used(peer) - before) * 1000, "ms")
    for what, one in asked.items():
        timed(10, one)
        p50, p99 = timed(calls, one)
        yield Figure(f"{what} p50, {name}", p50, "ms", GOALS[what].get(size), "echo", echo)
        yield Figure(f"{what} p99, {name}", p99, "ms")
    durable, _ = timed(min(calls, 200), lambda at: peer.call("memory/record", {"content": f"{sentence(rng, 24)} {at}"}))
    yield Figure(f"record p50, {name}", durable, "ms", 2.5, "fsync", sync)
    yield Figure(f"resident, {name}", peer.resident(), "MiB", GOALS["resident"].get(size))
    for what, command, data in short_processes(workspace):
        yield Figure(f"{what}, a server running, {name}", run_short(command, store, workspace, data), "ms", 120,
                     "import msgspec", floor)  # fmt: skip
    leave(peer)
    for what, command, data in short_processes(workspace):
        yield Figure(f"{what}, alone, {name}", run_short(command, store, workspace, data), "ms", 250,
                     "import msgspec", floor)  # fmt: skip
    starts, firsts, processors, residents = [], [], [], []
    for _ in range(STARTS):
        peer, seconds = start_server(store, workspace)
        before, began = used(peer), time.perf_counter()
        peer.call("memory/search", {"query": PROMPT})
        firsts.append((time.perf_counter() - began) * 1000)
        processors.append((used(peer) - before) * 1000)
        starts.append(seconds * 1000)
        quiet_now(peer)
        for at in range(50):
            peer.call("memory/search", {"query": queries[at]})
        residents.append(peer.resident())
        peer.stop()
    yield Figure(f"start to initialize, {name}", statistics.median(starts), "ms")
    yield Figure(f"first search after start, {name}", statistics.median(firsts), "ms")
    yield Figure(f"first search after start, processor, {name}", statistics.median(processors), "ms",
                 GOALS["first search"].get(size))  # fmt: skip
    yield Figure(f"resident, started anew, {name}", statistics.median(residents), "MiB", GOALS["resident"].get(size))


def profile_of(what: str, size: int, scratch: Path) -> str:
    """Where the time of a request goes in a server under a profiler, or the space of one that was asked 50 times."""
    rng, place, asked = random.Random(11), scratch / "profile", what.partition(" ")[0].rstrip(",")
    store, workspace = scratch / "store", scratch / "empty"
    if "pipelined" in what:
        store = scratch / "filled"
    peer, _ = start_server(store, workspace, profile=None if asked == "resident" else place)
    if asked in ("search", "inject", "record", "resident"):
        peer.call("memory/search", {"query": PROMPT})
        quiet_now(peer)
    if asked == "resident":
        for _ in range(50):
            peer.call("memory/search", {"query": sentence(rng, 8)})
        rows = Path(f"/proc/{peer.process.pid}/smaps_rollup").read_text().splitlines()[1:]
        peer.stop()
        return "\n".join(row for row in rows if not row.endswith(" 0 kB"))
    if asked not in ("search", "inject", "record", "first"):
        peer.stop()
        return "No request: see what is imported with python -X importtime."
    if asked != "first":
        peer.process.send_signal(signal.SIGUSR2)
        time.sleep(0.2)
    if "pipelined" in what:
        fill(peer, min(size, 1_000), rng, "profiled ")
    else:
        for at in range(1 if asked == "first" else 100):
            text = PROMPT if asked == "first" else sentence(rng, 8)
            requests: dict[str, tuple[str, dict[str, object]]] = {
                "inject": ("memory/inject", {"prompt": text, "budgetTokens": 2_000}),
                "record": ("memory/record", {"content": f"{text} {sentence(rng, 16)} {at}"}),
            }
            peer.call(*requests.get(asked, ("memory/search", {"query": text})))
    peer.process.send_signal(signal.SIGUSR1)
    peer.process.wait()
    return place.read_text().strip()


def quiet_now(peer: Peer) -> None:
    """Wait until a server's background work is over, without a word."""
    last = -1.0
    while used(peer) - last > 0.05:
        last = used(peer)
        time.sleep(3)


def short_processes(folder: Path) -> Iterator[tuple[str, list[str], bytes]]:
    """What is started anew each time: the hook of a prompt, and a search."""
    program = [sys.executable, "-P", "-m", "sidecar"]
    event = {"hook_event_name": "UserPromptSubmit", "session_id": "bench", "cwd": str(folder), "prompt": PROMPT}
    yield "prompt hook, processor", [*program, "hook"], json.dumps(event).encode()
    yield "`search`, processor", [*program, "search", *PROMPT.split()], b""


def run_short(command: list[str], store: Path, folder: Path, data: bytes) -> float:
    """Processor milliseconds of one run, the median of several."""
    environ = {**os.environ, "PYTHONPATH": str(ROOT), "MEMORY_SIDECAR_STORE_FOLDER": str(store)}
    environ["MEMORY_SIDECAR_FILES_WARM_UP"] = "false"
    return statistics.median(processor(command, environ, folder, data) for _ in range(PROCESS_RUNS)) * 1000


def processor(
    command: list[str], environ: dict[str, str] | None = None, folder: Path | None = None, data: bytes = b""
) -> float:
    """Processor seconds of one run."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, input=data, env=environ, cwd=folder, capture_output=True, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def of_files(workspace: Path, echo: float) -> Iterator[Figure]:
    """`file/summary` of this repository."""
    scratch = Path(tempfile.mkdtemp(prefix="sidecar-bench-"))
    try:
        peer, _ = start_server(scratch, workspace)
        files = [path for path in sorted(workspace.rglob("*.py")) if ".venv" not in path.parts][:200]
        params = [{"path": str(path.relative_to(workspace))} for path in files]
        kept = [each for each in params if answers(peer, each)]
        warm, _ = timed(len(kept) * 3, lambda at: peer.call("file/summary", kept[at % len(kept)]))
        yield Figure(f"file/summary, known, {len(kept)} files", warm, "ms", 0.6, "echo", echo)
        peer.stop()
    finally:
        shutil.rmtree(scratch, ignore_errors=True)


def picture(found: list[Figure]) -> str:
    """An SVG of how three figures grow with the number of memories, both axes logarithmic."""
    import math

    kinds = {"search p50": "#2563eb", "inject p50": "#16a34a", "first search after start": "#d97706"}
    points: dict[str, list[tuple[int, float]]] = {kind: [] for kind in kinds}
    for each in found:
        what, _, size = each.what.rpartition(", ")
        if what in points:
            points[what].append((int(size.replace(",", "")), each.ours))
    every = [point for line in points.values() for point in line]
    if not every:
        return ""
    left, right = math.log10(min(x for x, _ in every)), math.log10(max(x for x, _ in every)) or 1
    low, high = math.floor(math.log10(min(y for _, y in every))), math.ceil(math.log10(max(y for _, y in every)))

    def place(x: float, y: float) -> tuple[float, float]:
        across = (math.log10(x) - left) / ((right - left) or 1)
        up = (math.log10(y) - low) / ((high - low) or 1)
        return 70 + 460 * across, 250 - 220 * up

    parts = ['<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 720 300" font-family="sans-serif" font-size="12">']
    for power in range(low, high + 1):
        _, y = place(10**left, 10.0**power)
        parts.append(f'<path d="M70 {y:.0f}H530" stroke="#ddd"/><text x="8" y="{y + 4:.0f}">{10.0**power:g} ms</text>')
    for count in sorted({x for x, _ in every}):
        x, _ = place(count, 10.0**low)
        parts.append(f'<text x="{x:.0f}" y="275" text-anchor="middle">{count:,}</text>')
    for (kind, colour), row in zip(kinds.items(), (60, 80, 100), strict=True):
        line = " ".join("{:.1f},{:.1f}".format(*place(*point)) for point in sorted(points[kind]))
        parts.append(f'<polyline points="{line}" fill="none" stroke="{colour}" stroke-width="2"/>')
        parts.append(f'<text x="550" y="{row}" fill="{colour}">{kind}</text>')
    return "\n".join([*parts, '<text x="300" y="295" text-anchor="middle">memories</text>', "</svg>", ""])


def main() -> None:
    """Measure, print and keep."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sizes", default="1000,10000,100000")
    parser.add_argument("--calls", type=int, default=300)
    parser.add_argument("--workspace", type=Path, default=ROOT)
    parser.add_argument("--rivals", type=Path)
    parser.add_argument("--map", type=Path)
    parser.add_argument("--json", type=Path)
    parser.add_argument("--against", type=Path)
    parser.add_argument("--picture", type=Path)
    asked = parser.parse_args()
    earlier = {row["what"]: row["ours"] for row in json.loads(asked.against.read_text())} if asked.against else {}
    found: list[Figure] = []
    print(f"{'what':48}{'ours':>10} {'':5}{'goal':>8}   {'beside the same run':28}{'earlier' if earlier else ''}")
    profiles: dict[str, str] = {}
    for figure in figures(asked, profiles):
        found.append(figure)
        print(figure.line(earlier.get(figure.what)), flush=True)
    if asked.rivals and asked.map:
        print(rivals.repository_map(asked.rivals.resolve(), asked.map.resolve()))
    for what, told in profiles.items():
        print(f"\nMissed: {what}\n{told}")
    if asked.json:
        asked.json.write_text(json.dumps([each._asdict() for each in found], indent=1) + "\n")
    if asked.picture:
        asked.picture.write_text(picture(found))


if __name__ == "__main__":
    main()
