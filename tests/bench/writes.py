"""Latency of `memory/record`, one at a time and pipelined, and of `file/summary` of a known file, beside their floors.

    python tests/bench/writes.py [--size 1000] [--calls 300] [--processes 1] [--workspace DIR]

Everything is measured in one run: the wire's echo, one `fsync` of a page, one synchronous commit of a row, then the
methods over real stdio. Processor time of the server is printed beside the clock, since it says more on a busy machine.
`--processes` servers share one store and are written to at once, each by a client that pipelines.
"""

from __future__ import annotations

import argparse
import os
import random
import shutil
import sqlite3
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from tests.bench.methods import ROOT, Peer, answers, fill, sentence, start_server, sync_floor, timed


def processor_seconds(peer: Peer) -> float:
    """User and system time of a peer's process."""
    fields = Path(f"/proc/{peer.process.pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def commit_floor(folder: Path) -> tuple[float, float]:
    """p50 and p99 in milliseconds of committing one row of 300 bytes with `synchronous=FULL` in WAL mode."""
    sql = sqlite3.connect(folder / "floor.db", isolation_level=None)
    sql.execute("PRAGMA journal_mode = wal").fetchall()
    sql.execute("PRAGMA synchronous = FULL")
    sql.execute("CREATE TABLE t (k PRIMARY KEY, v)")
    times = timed(300, lambda at: sql.execute("INSERT INTO t VALUES (?, ?)", (f"key {at}", bytes(300))))
    sql.close()
    return times


def row(name: str, times: tuple[float, float], cpu: float | None = None) -> None:
    """Print one line of the table; `cpu` is processor time of the server a call, in milliseconds."""
    print(f"{name:44}{times[0]:9.3f}{times[1]:9.3f}{'' if cpu is None else f'{cpu:9.3f}'}")


def measured(name: str, peer: Peer, calls: int, one: Callable[[int], object]) -> None:
    """Call, and print a row."""
    timed(20, one)
    before = processor_seconds(peer)
    times = timed(calls, one)
    row(name, times, (processor_seconds(peer) - before) / calls * 1000)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--size", type=int, default=1_000)
    parser.add_argument("--calls", type=int, default=300)
    parser.add_argument("--processes", type=int, default=1)
    parser.add_argument("--workspace", type=Path, default=ROOT)
    asked = parser.parse_args()
    rng = random.Random(7)
    print(f"{'':44}{'p50 ms':>9}{'p99 ms':>9}{'cpu ms':>9}")

    peer = Peer([sys.executable, str(ROOT / "tests/bench/echo_floor.py")], dict(os.environ), ROOT)
    measured("echo over the wire", peer, 2_000, lambda at: peer.call("echo", {"query": "q" * 60}))
    peer.stop()

    scratch = Path(tempfile.mkdtemp(prefix="sidecar-bench-"))
    try:
        row("fsync of a page", sync_floor(scratch))
        row("synchronous commit of a row", commit_floor(scratch))
        workspace = scratch / "empty"
        workspace.mkdir()
        peers = [start_server(scratch / "store", workspace)[0] for _ in range(asked.processes)]
        peer = peers[0]
        before, began = processor_seconds(peer), time.perf_counter()
        rate = fill(peer, asked.size, rng)
        cpu = (processor_seconds(peer) - before) / asked.size * 1000
        print(f"{f'record pipelined, first {asked.size:,}':44}{rate:9,.0f} a second{'':9}{cpu:9.3f}")

        def record(at: int) -> object:
            return peer.call("memory/record", {"content": f"{sentence(rng, 24)} {at}"})

        measured(f"memory/record, {asked.size:,} memories", peer, asked.calls, record)
        if len(peers) > 1:
            began = time.perf_counter()
            threads = [
                threading.Thread(target=fill, args=(one, asked.size, random.Random(n), f"{n} "))
                for n, one in enumerate(peers)
            ]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
            rate = asked.size * len(peers) / (time.perf_counter() - began)
            print(f"{f'record pipelined, {len(peers)} processes':44}{rate:9,.0f} a second")
        for one in peers:
            one.stop()

        workspace = asked.workspace.resolve()
        peer, _ = start_server(scratch / "files", workspace)
        files = [p for p in sorted(workspace.rglob("*.py")) if ".venv" not in p.parts][:120]
        kept = [p for p in ({"path": str(p.relative_to(workspace))} for p in files) if answers(peer, p)]
        measured(
            f"file/summary, {len(kept)} known files",
            peer,
            asked.calls * 3,
            lambda at: peer.call("file/summary", kept[at % len(kept)]),
        )
        peer.stop()
    finally:
        shutil.rmtree(scratch, ignore_errors=True)


if __name__ == "__main__":
    main()
