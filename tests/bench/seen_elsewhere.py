"""How soon one server shows what another recorded: `python -P tests/bench/seen_elsewhere.py [--rounds 200]`.

Prints the milliseconds from the acknowledgement of a memory to a search hit and to `memory/didChange` of another server
of the same store, median and 99th percentile, and the processor time that the waiting server takes in an idle minute.
"""

from __future__ import annotations

import argparse
import os
import random
import sys
import tempfile
import threading
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from tests.bench.methods import ROOT, Peer, start_server

IDLE_SECONDS = 60.0


def _follower(store: Path, work: Path) -> Peer:
    """A server whose client wants to hear of changes."""
    env = {**os.environ, "PYTHONPATH": str(ROOT), "MEMORY_SIDECAR_STORE_FOLDER": str(store)}
    peer = Peer([sys.executable, "-P", "-m", "sidecar", "serve", "--stdio"], env, work)
    params = {
        "processId": os.getpid(),
        "rootUri": None,
        "capabilities": {"experimental": {"memorySidecar": {"didChange": True}}},
        "workspaceFolders": [{"uri": work.as_uri(), "name": "bench"}],
        "initializationOptions": {"files": {"warmUp": False}},
    }
    peer.call("initialize", params)
    peer.send({"method": "initialized", "params": {}})
    return peer


def _cpu(peer: Peer) -> float:
    fields = Path(f"/proc/{peer.process.pid}/stat").read_text().rpartition(")")[2].split()
    return sum(int(each) for each in fields[11:13]) / os.sysconf("SC_CLK_TCK")


def _print(name: str, times: list[float]) -> None:
    times.sort()
    print(f"{name:28} p50 {times[len(times) // 2] * 1e3:7.1f} ms   p99 {times[len(times) * 99 // 100] * 1e3:7.1f} ms")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=200)
    rounds = parser.parse_args().rounds
    rng = random.Random(1)
    with tempfile.TemporaryDirectory() as folder:
        work = Path(folder, "work")
        work.mkdir()
        writer, _ = start_server(Path(folder, "store"), work)
        reader = _follower(Path(folder, "store"), work)
        time.sleep(3.0)
        hits = []
        for number in range(rounds):
            word = f"zz{rng.randrange(10**9)}"
            writer.call("memory/record", {"content": f"The {word} queue is drained on Thursday {number}."})
            began = time.perf_counter()
            while not reader.call("memory/search", {"query": word})["items"]:
                pass
            hits.append(time.perf_counter() - began)
        told: list[float] = []
        heard = threading.Semaphore(0)

        def listen() -> None:
            while True:
                message: dict[str, object] = reader.receive()
                if message.get("method") == "memory/didChange":
                    told.append(time.perf_counter())
                    heard.release()

        time.sleep(3.0)
        threading.Thread(target=listen, daemon=True).start()
        notices = []
        for number in range(rounds // 4):
            time.sleep(rng.uniform(0.3, 1.0))
            while heard.acquire(blocking=False):
                pass
            told.clear()
            writer.call("memory/record", {"content": f"Round {number}: the {rng.randrange(10**9)} job runs at night."})
            began = time.perf_counter()
            heard.acquire(timeout=20)
            notices.append(told[0] - began)
        _print("search hit", hits)
        _print("memory/didChange", notices)
        before = _cpu(reader)
        time.sleep(IDLE_SECONDS)
        print(f"idle {IDLE_SECONDS:.0f} s                    {(_cpu(reader) - before) * 1e3:7.1f} ms of processor time")
        writer.stop()
        reader.stop()


if __name__ == "__main__":
    main()
