"""How quick the static table, the index of vectors and the store of vectors are.

    python tests/bench/embedding_speed.py [--size 10000]

Texts are sentences put together from the table's own vocabulary, so that no data is needed.
"""

from __future__ import annotations

import argparse
import random
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
if str(ROOT) not in sys.path:
    sys.path.insert(0, str(ROOT))

from sidecar.memories.index.meaning import text_fingerprint  # noqa: E402
from sidecar.models.static_table import StaticTable  # noqa: E402
from sidecar.models.vectors import VectorIndex  # noqa: E402
from sidecar.models.wordpiece import read_vocabulary  # noqa: E402
from sidecar.store.vector_store import StoredVector, VectorStore  # noqa: E402


def milliseconds(work: Callable[[], object], times: int = 1) -> tuple[float, float]:
    """Least and median time of some runs."""
    took = []
    for _ in range(times):
        start = time.perf_counter()
        work()
        took.append(1e3 * (time.perf_counter() - start))
    return min(took), statistics.median(took)


def show(name: str, took: tuple[float, float]) -> None:
    print(f"{name:46} {took[0]:9.2f} ms least {took[1]:9.2f} ms median")


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description="Speed of embeddings.")
    parser.add_argument("--size", type=int, default=10_000)
    size = parser.parse_args(arguments).size
    dice = random.Random(1)
    words = [word for word in read_vocabulary()[1996:12_000] if word.isalpha()]
    texts = [" ".join(dice.choices(words, k=25)) for _ in range(size)]
    ids = [f"019a0000-0000-7000-8000-{number:012}" for number in range(size)]

    show("load the table", milliseconds(StaticTable.load, 5))
    table = StaticTable.load()
    show("first text after it", milliseconds(lambda: table.embed([texts[0]])))
    show("a text of 10 words", milliseconds(lambda: table.embed([" ".join(texts[1].split()[:10])]), 100))
    vectors = table.embed(texts)
    show(f"{size} texts of 25 words", milliseconds(lambda: table.embed(texts)))

    index = VectorIndex(table.dimensions)
    show(f"put {size} vectors", milliseconds(lambda: list(map(index.put, ids, vectors))))
    (query,) = table.embed(["where did we put the settings of the database"])
    show(f"closest 50 of {size}", milliseconds(lambda: index.closest(query, 50), 50))
    show("closest 50 of 500 of them", milliseconds(lambda: index.closest(query, 50, (), ids[:500]), 50))

    with tempfile.TemporaryDirectory() as folder:
        store = VectorStore.open(Path(folder) / "store")
        rows = {
            id: StoredVector(text_fingerprint(text), vector)
            for id, text, vector in zip(ids, texts, vectors, strict=True)
        }
        show(f"store {size} vectors", milliseconds(lambda: store.put(table.name, rows)))
        show(f"read {size} vectors", milliseconds(lambda: store.load(table.name, 0), 5))
        print(f"{store.size() / size:.0f} bytes on disk each")
        store.close()
    return 0


if __name__ == "__main__":
    sys.exit(main())
