"""Memories found by meaning through the engine: with the table, after a restart, with another model, with none."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import msgspec
import pytest

from protocol import memories as wire
from sidecar.engine.engine import Engine
from sidecar.runtime.operations import Operation, Operations
from sidecar.settings import Settings
from sidecar.settings.model import EmbeddingSettings
from sidecar.store.vector_store import VectorStore
from tests.client.calling import EngineCalls
from tests.engine.conftest import MakeEngine
from tests.waiting import eventually

TEXTS = [
    "The automobile is parked in the garage",
    "Breakfast is served at eight",
    "The quarterly invoice was paid by the customer",
]


def engine_with(make_engine: MakeEngine, plain: Settings, folder: Path, **embeddings: object) -> Engine:
    settings = msgspec.structs.replace(plain, embeddings=EmbeddingSettings(**embeddings))  # type: ignore[arg-type]
    return make_engine(folder, settings=settings)


def record(engine: Engine, *texts: str) -> list[str]:
    found = []
    for text in texts:
        result = EngineCalls(engine).memory_record(wire.RecordParams(content=text))
        found.append(result.memory.id)
    return found


def search(engine: Engine, query: str) -> list[str]:
    result = EngineCalls(engine).memory_search(wire.SearchParams(query=query))
    return [item.memory.content for item in result.items]


def kept(store: Path) -> dict[str, int]:
    (place,) = store.glob("workspaces/*/memory")
    vectors = VectorStore.open(place)
    try:
        return vectors.models()
    finally:
        vectors.close()


def test_search_finds_the_same_meaning(make_engine: MakeEngine, plain: Settings, repository: Path) -> None:
    engine = engine_with(make_engine, plain, repository)
    record(engine, *TEXTS)
    eventually(lambda: search(engine, "car")[:1] == TEXTS[:1])
    record(engine, "The puppy sleeps in its basket")
    assert search(engine, "dog")[:1] == ["The puppy sleeps in its basket"]


def test_off_leaves_words_alone(make_engine: MakeEngine, plain: Settings, repository: Path, tmp_path: Path) -> None:
    engine = engine_with(make_engine, plain, repository, model="off")
    record(engine, *TEXTS)
    assert search(engine, "car") == []
    assert search(engine, "automobile") == TEXTS[:1]
    assert not list((tmp_path / "store").glob("workspaces/*/memory/vectors"))


def test_a_model_that_is_missing_leaves_words_alone(make_engine: MakeEngine, plain: Settings, repository: Path) -> None:
    engine = engine_with(make_engine, plain, repository, model="endpoint")
    record(engine, *TEXTS)
    assert search(engine, "automobile") == TEXTS[:1]


def test_vectors_are_kept_and_a_purge_removes_them(
    make_engine: MakeEngine, plain: Settings, repository: Path, tmp_path: Path
) -> None:
    engine = engine_with(make_engine, plain, repository)
    ids = record(engine, *TEXTS)
    eventually(lambda: search(engine, "car")[:1] == TEXTS[:1])
    eventually(lambda: list(kept(tmp_path / "store").values()) == [3])
    EngineCalls(engine).memory_delete(wire.DeleteParams(id=ids[0], purge=True))
    assert list(kept(tmp_path / "store").values()) == [2]
    assert TEXTS[0] not in search(engine, "car")
    engine.close()
    again = engine_with(make_engine, plain, repository)
    eventually(lambda: search(again, "bill of the client")[:1] == TEXTS[2:])


def test_memories_of_a_command_are_embedded_in_the_background_when_requests_come(
    make_engine: MakeEngine, plain: Settings, repository: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sidecar.embedding.workspace_embedding.MISSING_VECTORS_CHECK_SECONDS", 0.0)
    monkeypatch.setattr(
        "sidecar.memories.index.catalogue.MAX_EMBEDDED_IN_REQUEST", 0
    )  # as with a slow model, or many new memories
    engine = engine_with(make_engine, plain, repository)
    record(engine, TEXTS[2])
    eventually(lambda: search(engine, "bill of the client")[:1] == TEXTS[2:])
    record(make_engine(repository, short_lived=True), TEXTS[0])
    eventually(lambda: search(engine, "car")[:1] == TEXTS[:1])


def test_following_a_store_embeds_only_when_it_changed(
    make_engine: MakeEngine, plain: Settings, repository: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    started: list[str] = []
    start = Operations.start
    monkeypatch.setattr("sidecar.embedding.workspace_embedding.MISSING_VECTORS_CHECK_SECONDS", 0.0)
    engine, other = (engine_with(make_engine, plain, repository) for _ in range(2))
    (workspace,) = engine.workspaces.all()

    def counted(self: Operations, kind: str, cause: str, work: Callable[[Operation], None]) -> object:
        if self is workspace.operations:
            started.append(kind)
        return start(self, kind, cause, work)

    monkeypatch.setattr(Operations, "start", counted)
    record(other, TEXTS[0])
    eventually(lambda: search(engine, "car")[:1] == TEXTS[:1])
    changes = engine.foreign_changes
    changes.record_state()
    opening = workspace.operations.get("open").thread
    if opening is not None:
        opening.join()  # it embeds what exists when the model is loaded
    started.clear()
    for _ in range(5):  # an idle editor window: this comes every half second
        changes.take_in_edits()
        changes.report()
    assert started == []
    with monkeypatch.context() as without:
        without.setattr(
            "sidecar.embedding.workspace_embedding.BackgroundEmbedding.memories_changed", lambda self, *_: None
        )
        record(other, TEXTS[1])
    started.clear()
    changes.report()
    assert started == ["embedding"]


class Counting(BaseHTTPRequestHandler):
    """Embeds a text in the direction of the first of these words that it contains."""

    words = ("automobile", "car", "breakfast", "invoice")
    sent: list[str]
    lock: threading.Lock

    def do_POST(self) -> None:
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))["input"]
        with self.lock:
            self.sent += asked
        data = []
        for index, text in enumerate(asked):
            place = next((at for at, word in enumerate(self.words) if word in text.lower()), 9)
            vector = [0.0] * 8
            vector[max(0, place - 1) if place < 9 else 7] = 1.0
            data.append({"index": index, "embedding": vector})
        body = json.dumps({"data": data}).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        pass


@pytest.fixture
def api() -> Iterator[tuple[str, list[str]]]:
    handler = type("Own", (Counting,), {"sent": [], "lock": threading.Lock()})
    http = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    thread = threading.Thread(target=http.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    yield f"http://127.0.0.1:{http.server_port}/v1", handler.sent  # type: ignore[attr-defined]
    http.shutdown()
    thread.join()
    http.server_close()


def test_another_model_embeds_everything_anew_and_pays_once(
    make_engine: MakeEngine, plain: Settings, repository: Path, tmp_path: Path, api: tuple[str, list[str]]
) -> None:
    url, sent = api
    first = engine_with(make_engine, plain, repository)
    record(first, *TEXTS)
    eventually(lambda: search(first, "car")[:1] == TEXTS[:1])
    first.close()
    assert sent == []
    for _ in range(2):
        engine = engine_with(make_engine, plain, repository, model="endpoint", endpoint=url, endpoint_model="tiny")
        eventually(lambda: search(engine, "my car")[:1] == TEXTS[:1])  # noqa: B023
        engine.close()
    models = kept(tmp_path / "store")
    assert sorted(models.values()) == [3, 3]
    assert any(name.startswith("endpoint-tiny-8-") for name in models)
    assert all(sent.count(text) == 1 for text in TEXTS)
