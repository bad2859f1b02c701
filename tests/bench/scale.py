"""What a workspace with very many memories costs, in processor time, which a busy machine changes little.

    python -P tests/bench/scale.py [--memories 100000] [--maintain]

The memories are put into the store by this process. Prints wall and processor seconds over real stdio: three starts
with the first search of each (the first one makes the index, the others find it kept), what runs in the background
until it is quiet, single requests, a page of an export, and with `--maintain` a maintenance in which every memory
fades, with the slowest search that a second server answered meanwhile.
"""

from __future__ import annotations

import argparse
import random
import shutil
import sys
import tempfile
import threading
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from tests.bench.methods import Peer, put, sentence, start_server

QUIET_SECONDS = 600.0


def used(peer: Peer) -> float:
    """Processor seconds of a server so far."""
    fields = Path(f"/proc/{peer.process.pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / 100


def step(peer: Peer, what: str, method: str, params: dict[str, object]) -> object:
    """One request, and what it took."""
    before, began = used(peer), time.perf_counter()
    result = peer.call(method, params)
    print(f"  {what:28}{time.perf_counter() - began:9.2f} s{used(peer) - before:9.2f} s", flush=True)
    return result


def quiet(peer: Peer) -> None:
    """Wait until the server has nothing to do."""
    before, began, last = used(peer), time.perf_counter(), -1.0
    while used(peer) - last > 0.05 and time.perf_counter() - began < QUIET_SECONDS:
        last = used(peer)
        time.sleep(5)
    print(f"  {'until quiet':28}{time.perf_counter() - began:9.2f} s{used(peer) - before:9.2f} s", flush=True)


def leave(peer: Peer) -> None:
    """End a server as a client does, so that it keeps what it has made."""
    peer.call("shutdown", None)
    peer.send({"method": "exit"})
    peer.process.wait()


def meanwhile(store: Path, workspace: Path, queries: list[str]) -> None:
    """Maintain, and search in a second process all the time."""
    first, _ = start_server(store, workspace)
    second, _ = start_server(store, workspace)
    for peer in (first, second):
        peer.call("memory/search", {"query": queries[0]})
    work = threading.Thread(target=step, args=(first, "maintain", "memory/maintain", {}))
    work.start()
    slowest, asked = 0.0, 0
    while work.is_alive():
        began = time.perf_counter()
        second.call("memory/search", {"query": queries[asked % len(queries)]})
        slowest, asked = max(slowest, time.perf_counter() - began), asked + 1
        time.sleep(0.5)
    print(f"  slowest of {asked} searches beside it: {slowest:.2f} s", flush=True)
    step(first, "maintain again", "memory/maintain", {})
    for peer in (first, second):
        peer.stop()


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--memories", type=int, default=100_000)
    parser.add_argument("--maintain", action="store_true")
    asked = parser.parse_args()
    rng = random.Random(7)
    scratch = Path(tempfile.mkdtemp(prefix="sidecar-bench-"))
    try:
        store, workspace = scratch / "store", scratch / "empty"
        workspace.mkdir()
        print(f"{asked.memories:,} memories, put in at {put(store, workspace, asked.memories, rng):,.0f}/s")
        print(f"  {'':28}{'wall':>11}{'processor':>11}")
        queries = [sentence(rng, 8) for _ in range(50)]
        for number in range(3):
            peer, took = start_server(store, workspace)
            print(f"  start {number + 1:<22}{took:9.2f} s{used(peer):9.2f} s", flush=True)
            step(peer, "first search", "memory/search", {"query": queries[number]})
            if number < 2:
                quiet(peer)
                leave(peer)
        step(peer, "search", "memory/search", {"query": queries[3]})
        step(peer, "inject with a prompt", "memory/inject", {"prompt": queries[4], "budgetTokens": 2000})
        step(peer, "inject without", "memory/inject", {"budgetTokens": 2000})
        step(peer, "record", "memory/record", {"content": sentence(rng, 24)})
        step(peer, "list", "memory/list", {})
        step(peer, "status", "sidecar/status", {})
        step(peer, "boot", "context/boot", {})
        step(peer, "one page of an export", "memory/export", {})
        print(f"  resident {peer.resident():.0f} MiB", flush=True)
        peer.stop()
        if asked.maintain:
            meanwhile(store, workspace, queries)
    finally:
        shutil.rmtree(scratch, ignore_errors=True)


if __name__ == "__main__":
    main()
