"""This tree against another one, call for call in turn, so that what else the machine does harms both alike.

    python -P tests/bench/against.py OTHER_TREE [--memories 1000] [--calls 300] [--openings 15]

Prints the median milliseconds of `memory/record` over real stdio, each tree with a store of its own, the median of the
differences of neighbouring calls, the processor time of each server, and that of opening such a store in a new process.
"""

from __future__ import annotations

import argparse
import random
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from tests.bench import methods

_OPEN = """
import sys, time
sys.path.insert(0, sys.argv[1])
from pathlib import Path
from sidecar.store.memory_store import MemoryStore
began = time.process_time(); store = MemoryStore.open(Path(sys.argv[2])); print(time.process_time() - began)
store.close()
"""


def main() -> None:
    """Run it."""
    arguments = argparse.ArgumentParser()
    arguments.add_argument("other", type=Path)
    arguments.add_argument("--memories", type=int, default=1_000)
    arguments.add_argument("--calls", type=int, default=300)
    arguments.add_argument("--openings", type=int, default=15)
    given = arguments.parse_args()
    rng, trees = random.Random(1), {"this": methods.ROOT, "other": given.other.resolve()}
    with tempfile.TemporaryDirectory() as room:
        peers, stores = {}, {}
        for name, tree in trees.items():
            store, workspace = Path(room) / name, Path(room) / f"{name} workspace"
            workspace.mkdir()
            methods.put(store, workspace, given.memories, random.Random(2))
            methods.ROOT = tree
            peers[name], _ = methods.start_server(store, workspace)
            stores[name] = next(store.glob("workspaces/*/memory"))
        methods.ROOT = trees["this"]
        took: dict[str, list[float]] = {name: [] for name in trees}
        before = {name: _used(peer) for name, peer in peers.items()}
        for number in range(given.calls):
            params = {"content": methods.sentence(rng, 24), "name": f"one {number}", "type": "project"}
            for name in sorted(trees, reverse=number % 2 == 0):
                began = time.perf_counter()
                peers[name].call("memory/record", params)
                took[name].append((time.perf_counter() - began) * 1000)
        for name, peer in peers.items():
            each = (_used(peer) - before[name]) / given.calls * 1000
            print(f"  {name}: {each:.2f} ms of processor time a call", flush=True)
            peer.stop()
        _say("memory/record", took)
        opened: dict[str, list[float]] = {name: [] for name in trees}
        for number in range(given.openings + 1):
            for name in sorted(trees, reverse=number % 2 == 0):
                command = [sys.executable, "-P", "-c", _OPEN, str(trees[name]), str(stores[name])]
                answer = subprocess.run(command, capture_output=True, text=True, check=True)
                if number:  # the first one salvages or makes what the other tree did not know
                    opened[name].append(float(answer.stdout) * 1000)
        _say(f"processor time to open {given.memories + given.calls}", opened)
        for name, store in stores.items():
            sizes = {path.name: path.stat().st_size for path in sorted((store / "memories").iterdir())}
            print(f"  {name}: {sizes}")


def _used(peer: methods.Peer) -> float:
    fields = Path(f"/proc/{peer.process.pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / 100


def _say(what: str, took: dict[str, list[float]]) -> None:
    ours, theirs = took["this"], took["other"]
    apart = statistics.median(a - b for a, b in zip(ours, theirs, strict=True))
    was = statistics.median(theirs)
    print(f"{what}: this {statistics.median(ours):.2f} ms, other {was:.2f} ms,", end=" ")
    print(f"median difference {apart:+.2f} ms ({apart / was:+.1%})")


if __name__ == "__main__":
    main()
