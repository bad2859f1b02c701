"""Search and injection by meaning: when it counts, when words alone decide, and that nothing shifts meanwhile."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Collection, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
from msgspec.structs import replace

from sidecar.memories.book import MemoryBook
from sidecar.memories.drafts import Draft, Filters, InjectRequest
from sidecar.memories.index.meaning import OTHER_KIND, FixedEmbedding, Meaning, kind_of, text_fingerprint, text_of
from sidecar.memories.retrieval.reasons import CLOSE_IN_MEANING, label
from sidecar.models.embedding import Embedder, ModelUnavailable
from sidecar.models.endpoint import EndpointEmbedder
from sidecar.models.static_table import StaticTable
from sidecar.models.transport import Transport
from tests.memories.conftest import BookRig

TEXTS = (
    "Passwords are hashed with argon2id before they are stored.",
    "The invoice renderer draws fonts from the assets folder.",
    "Cars are parked behind the building; the automobile entrance is on the left.",
    "The nightly settlement job takes an advisory lock.",
)


@pytest.fixture(scope="module")
def table() -> StaticTable:
    return StaticTable.load()


class Renamed:
    """The real table under another name, counting the texts it embeds; slow models are not embedded inline."""

    def __init__(self, table: StaticTable, name: str) -> None:
        self._table = table
        self.name = name
        self.dimensions = table.dimensions
        self.texts: list[str] = []
        self.broken = False

    def embed(self, texts: Sequence[str]) -> list[bytes]:
        if self.broken:
            raise ModelUnavailable("The endpoint does not answer.")
        self.texts += texts
        return self._table.embed(texts)

    def embed_query(self, text: str) -> bytes:
        return self.embed([text])[0]


class VectorRows:
    """Vectors as a store keeps them."""

    def __init__(self) -> None:
        self.rows: dict[tuple[str, str], tuple[bytes, bytes]] = {}

    def load(self, model: str, ids: Collection[str] | None = None) -> dict[str, tuple[bytes, bytes]]:
        return {id: row for (name, id), row in self.rows.items() if name == model and (ids is None or id in ids)}

    def save(self, model: str, rows: Sequence[tuple[str, bytes, bytes]]) -> None:
        self.rows |= {(model, id): (known, vector) for id, known, vector in rows}


class ChangingEmbedding:
    """The embedding by whatever model `embedder` returns now."""

    def __init__(self, embedder: Callable[[], Embedder | None], kept: Sequence[VectorRows]) -> None:
        self.embedder, self.sources = embedder, kept

    def wait(self, seconds: float) -> None:
        pass


def book_of(rig: BookRig, embedder: Callable[[], Embedder | None], *kept: VectorRows) -> MemoryBook:
    embedding = ChangingEmbedding(embedder, kept)
    return MemoryBook(rig.workspace, rig.user, rig.clock, rig.ids, embedding=embedding)


def compared_by(book: MemoryBook) -> str | None:
    with book.catalogue.current() as index:
        return index.meaning.model


def found(book: MemoryBook, query: str) -> list[str]:
    return [item.record.content for item in book.searcher.search(query, Filters()).items]


def test_a_synonym_is_found_and_said_to_be_unsure(rig: BookRig, table: StaticTable) -> None:
    for text in TEXTS:
        rig.record(text)
    assert found(rig.book, "vehicle") == []
    first = book_of(rig, lambda: table).searcher.search("vehicle", Filters()).items[0]
    assert first.record.content == TEXTS[2]
    assert CLOSE_IN_MEANING in first.reasons
    assert label(first.score) in first.reasons


def test_words_alone_decide_until_every_memory_has_a_vector(rig: BookRig, table: StaticTable) -> None:
    slow = Renamed(table, "endpoint-one")
    for text in TEXTS:
        rig.record(text)
    book = book_of(rig, lambda: slow)
    assert compared_by(book) is None
    assert found(book, "vehicle") == []
    assert book.catalogue.embed_missing() == len(TEXTS)
    assert compared_by(book) == "endpoint-one"
    assert found(book, "vehicle")[0] == TEXTS[2]
    rig.record("A fifth memory about gardens.")
    assert compared_by(book) is None
    assert book.catalogue.embed_missing() == 1
    assert book.catalogue.embed_missing() == 0


def test_a_quick_model_takes_new_memories_within_the_request(rig: BookRig, table: StaticTable) -> None:
    book = book_of(rig, lambda: table)
    for text in TEXTS:
        book.recorder.record(Draft(content=text))
        assert compared_by(book) == table.name
    assert found(book, "vehicle")[0] == TEXTS[2]


class Withholding(BaseHTTPRequestHandler):
    """Embeds all texts alike, and answers the first request with several of them only once `released`."""

    asked: threading.Event
    released: threading.Event

    def do_POST(self) -> None:
        texts = json.loads(self.rfile.read(int(self.headers["Content-Length"])))["input"]
        if len(texts) > 1 and not self.asked.is_set():
            self.asked.set()
            self.released.wait()
        body = json.dumps({"data": [{"index": index, "embedding": [1.0, 0.5]} for index in range(len(texts))]}).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        pass


@pytest.fixture
def withholding() -> Iterator[tuple[str, type[Withholding]]]:
    handler = type("Own", (Withholding,), {"asked": threading.Event(), "released": threading.Event()})
    http = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    thread = threading.Thread(target=http.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    yield f"http://127.0.0.1:{http.server_port}/v1", handler
    handler.released.set()  # type: ignore[attr-defined]
    http.shutdown()
    thread.join()
    http.server_close()


@pytest.mark.parametrize("name", ["static-remote", "endpoint-remote"])
def test_a_search_is_answered_while_another_thread_embeds_memories(
    rig: BookRig, withholding: tuple[str, type[Withholding]], name: str
) -> None:
    url, server = withholding
    model = EndpointEmbedder.connect(Transport(url, None, 60.0), url, "tiny")
    model.name = name
    for text in TEXTS:
        rig.record(text)
    book = book_of(rig, lambda: model)
    with ThreadPoolExecutor(2) as pool:
        embedding = pool.submit(book.catalogue.embed_missing)
        try:
            assert server.asked.wait(20)
            assert pool.submit(found, book, "settlement lock").result(20)[0] == TEXTS[3]
            assert not embedding.done()
        finally:
            server.released.set()
    assert compared_by(book) == name


def test_another_model_begins_anew_and_mixes_nothing(rig: BookRig, table: StaticTable) -> None:
    first, second = Renamed(table, "endpoint-one"), Renamed(table, "endpoint-two")
    current: list[Renamed | None] = [first]
    kept = VectorRows()
    for text in TEXTS:
        rig.record(text)
    book = book_of(rig, lambda: current[0], kept)
    book.catalogue.embed_missing()
    current[0] = second
    assert compared_by(book) is None
    assert book.catalogue.embed_missing() == len(TEXTS)
    assert compared_by(book) == "endpoint-two"
    current[0] = None
    assert compared_by(book) is None
    assert {name for name, _ in kept.rows} == {"endpoint-one", "endpoint-two"}


def test_kept_vectors_are_taken_unless_the_text_has_changed(rig: BookRig, table: StaticTable) -> None:
    kept = VectorRows()
    ids = [rig.record(text).record.id for text in TEXTS]
    book_of(rig, lambda: Renamed(table, "endpoint-one"), kept).catalogue.embed_missing()
    rig.book.editing.update(ids[0], {"content": "Passwords are hashed with scrypt now."})
    later = Renamed(table, "endpoint-one")
    book = book_of(rig, lambda: later, kept)
    assert book.catalogue.embed_missing() == 1
    assert [text for text in later.texts if "scrypt" in text]
    record = book.searcher.get(ids[1]).record
    assert kept.rows["endpoint-one", ids[1]][0] == text_fingerprint(text_of(record))


def test_a_model_that_fails_leaves_words_to_decide(rig: BookRig, table: StaticTable) -> None:
    model = Renamed(table, "endpoint-one")
    for text in TEXTS:
        rig.record(text)
    book = book_of(rig, lambda: model)
    book.catalogue.embed_missing()
    model.broken = True
    assert found(book, "settlement lock") == [TEXTS[3]]
    rig.record("Another memory.")
    assert book.catalogue.embed_missing() == 0


def test_a_session_goes_on_as_it_began(rig: BookRig, table: StaticTable) -> None:
    current: list[StaticTable | None] = [None]
    for text in TEXTS:
        rig.record(text)
    book = book_of(rig, lambda: current[0])
    asked = InjectRequest(prompt="where is the parked automobile", session_id="one")
    before = book.injector.inject(asked)
    current[0] = table
    assert book.injector.inject(asked) == before
    assert book_of(rig, lambda: table).injector.inject(asked) == before
    other = book.injector.inject(InjectRequest(prompt="where is the parked automobile", session_id="two"))
    assert other.items[0].id == before.items[0].id


def test_a_text_the_model_knows_nothing_of_is_left_to_words(rig: BookRig, table: StaticTable) -> None:
    rig.record("Пароли хранятся только в виде хеша.")
    rig.record(TEXTS[0])
    book = book_of(rig, lambda: table)
    assert found(book, "пароли")[0].startswith("Пароли")


def test_kinds_go_by_the_beginning_of_the_name(table: StaticTable) -> None:
    assert kind_of(table.name) == "static"
    assert kind_of("text-embedding-3-small") == OTHER_KIND


def test_each_memory_without_a_vector_is_embedded_once(rig: BookRig, table: StaticTable) -> None:
    meaning = Meaning(FixedEmbedding(table))
    record = rig.record("The nightly job takes a lock.", name="one").record
    ids = [f"{number:06}" for number in range(4_000)]
    for id in ids[:-1]:
        meaning.add(replace(record, id=id))
    taken: list[str] = []
    while batch := meaning.missing(64):
        assert meaning.missing(64) == batch  # they still have none
        _, rows = meaning.embed([(id, text_of(record)) for id in batch]) or ("", [])
        meaning.add_vectors(table.name, rows)
        if not taken:
            meaning.add(replace(record, id=ids[-1]))  # one that arrives meanwhile
        taken += batch
    assert sorted(taken) == ids
    assert meaning.count_missing() == 0
