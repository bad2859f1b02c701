"""Latency of `memory/inject` and `memory/search` while a large workspace is read and a model is asked, against idle.

    python -P tests/bench/while_warming.py DIR [--memories 1000] [--calls 300]

`DIR` is a git repository of some thousand files; it is cloned, so that nothing is written into it. The model is a
local HTTP server that answers after 50 ms. Prints p50 and p99 in milliseconds over real stdio while the warm-up runs
and afterwards, both in one process, and their ratio; then what the process and its children used of the processors.
"""

from __future__ import annotations

import argparse
import itertools
import json
import os
import random
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from tests.bench.methods import Peer, fill, sentence, start_server

PAUSE = 0.01  # seconds between two requests, as of agents that think
READS = 200
SERVE = "--serve-model"


class Model(BaseHTTPRequestHandler):
    """Answers every question alike."""

    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["Content-Length"]))
        time.sleep(0.05)
        answer = {"role": "assistant", "content": "It solves equations for the rest of the package."}
        body = json.dumps(
            {
                "id": "c1",
                "object": "chat.completion",
                "created": 1,
                "model": "m",
                "choices": [{"index": 0, "finish_reason": "stop", "message": answer}],
                "usage": {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2},
            }
        ).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *arguments: object) -> None:
        """Nothing: the figures are what is printed."""


def is_busy(peer: Peer) -> bool:
    """Whether files are read or put into the index, or questions to the model wait."""
    workspace = peer.call("sidecar/status", {})["workspaces"][0]
    code, model = workspace["code"], workspace["model"]
    return bool(workspace["warmup"]["state"] == "running" or code["waiting"] > 0 or model["state"] == "working")


def measured(peer: Peer, queries: list[str], calls: int, until: Any = None) -> dict[str, list[float]]:
    """Milliseconds of each call; as long as `until` says that something runs, or `calls` of each method."""
    took: dict[str, list[float]] = {"memory/inject": [], "memory/search": []}
    asked = time.monotonic()
    for at in itertools.count():
        for method, params in (
            ("memory/inject", {"prompt": queries[at % len(queries)], "budgetTokens": 2000}),
            ("memory/search", {"query": queries[at % len(queries)]}),
        ):
            began = time.perf_counter()
            peer.call(method, params)
            took[method].append((time.perf_counter() - began) * 1000)
            time.sleep(PAUSE)
        if until is None:
            if at >= calls:
                return took
        elif time.monotonic() - asked > 0.5:
            asked = time.monotonic()
            if not until():
                return took
    raise AssertionError


def p(values: list[float], share: float) -> float:
    return sorted(values)[min(len(values) - 1, int(len(values) * share))]


def serve_model() -> None:
    """Be the model, on a port that is printed, until killed."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), Model)
    server.daemon_threads = True
    print(server.server_port, flush=True)
    server.serve_forever()


def main() -> None:
    if SERVE in sys.argv[1:]:
        serve_model()
        return
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("dir", type=Path)
    parser.add_argument("--memories", type=int, default=1000)
    parser.add_argument("--calls", type=int, default=300)
    asked = parser.parse_args()
    rng = random.Random(7)
    peers: list[Peer] = []
    scratch = Path(tempfile.mkdtemp(prefix="sidecar-bench-"))
    # In a process of its own: its threads must not delay the one that measures.
    model = subprocess.Popen([sys.executable, "-P", __file__, SERVE], stdout=subprocess.PIPE, text=True)
    try:
        workspace = scratch / "workspace"
        subprocess.run(["git", "clone", "-q", "--local", asked.dir.resolve(), workspace], check=True)
        files = subprocess.run(
            ["git", "ls-files", "*.py"], cwd=workspace, capture_output=True, text=True, check=True
        ).stdout.split()
        peer, _ = start_server(scratch / "store", workspace)
        peers.append(peer)
        fill(peer, asked.memories, rng)
        peer.stop()
        assert model.stdout is not None
        port = int(model.stdout.readline())
        os.environ["MEMORY_SIDECAR_MODELS_ENDPOINT"] = f"http://127.0.0.1:{port}/v1"
        os.environ["MEMORY_SIDECAR_MODELS_NAME"] = "m"
        queries = [sentence(rng, 8) for _ in range(50)]
        peer, _ = start_server(scratch / "store", workspace, warm_up=True)
        peers.append(peer)
        peer.call("memory/search", {"query": "what is there"})
        for path in files[:READS]:
            peer.call("file/recordRead", {"path": path, "sessionId": "bench"})
        began = time.monotonic()
        busy = measured(peer, queries, asked.calls, lambda: is_busy(peer))
        seconds = time.monotonic() - began
        time.sleep(10)  # what has no state of its own, such as the ranks of the map
        # As many as before: the 99th of a hundred is told from few calls by one that was unlucky.
        idle = measured(peer, queries, max(asked.calls, len(busy["memory/inject"])))
        status = peer.call("sidecar/status", {})["workspaces"][0]
        print(f"{len(files):,} files, {asked.memories:,} memories; busy for {seconds:.0f} s; {status['files']}")
        print(f"{'':20}{'busy p50':>9}{'p99':>8}{'max':>8}{'calls':>7}{'idle p50':>10}{'p99':>8}{'ratio of p99':>14}")
        for method, values in busy.items():
            rest = idle[method]
            print(
                f"{method:20}{statistics.median(values):9.1f}{p(values, 0.99):8.1f}{max(values):8.1f}"
                f"{len(values):7}{statistics.median(rest):10.1f}{p(rest, 0.99):8.1f}"
                f"{p(values, 0.99) / p(rest, 0.99):14.2f}"
            )
        print(f"resident {peer.resident():.0f} MiB")
    finally:
        for peer in peers:
            peer.stop()
        model.kill()
        model.wait()
        shutil.rmtree(scratch, ignore_errors=True)


if __name__ == "__main__":
    main()
