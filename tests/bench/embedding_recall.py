"""Recall of embeddings alone on public evaluation data, their speed, and a plain fusion with lexical search.

    python tests/bench/embedding_recall.py DIR [--model static|minilm|multilingual]

DIR holds `locomo-dev.json` and `devbench_dataset.json`; neither is part of this repository. LoCoMo: each turn is one
text, each conversation an index of its own; recall@10 is the mean share of the evidence among the ten nearest turns.
"fused" adds 0.4 of the min-max scaled cosine to 0.6 of the lexical score, to compare models with each other.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
import time
from collections import defaultdict
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
if str(ROOT) not in sys.path:
    sys.path.insert(0, str(ROOT))

import msgspec  # noqa: E402

from sidecar.embedding.model_loader import load_model  # noqa: E402
from sidecar.models.embedding import Embedder  # noqa: E402
from sidecar.models.vectors import VectorIndex  # noqa: E402
from sidecar.settings.model import EmbeddingSettings  # noqa: E402
from sidecar.store.lexical import LexicalIndex  # noqa: E402


def load(model: str) -> Embedder:
    return load_model(msgspec.convert({"model": model}, EmbeddingSettings))


def best(scores: Mapping[str, float], limit: int) -> list[str]:
    return sorted(scores, key=lambda id: (-scores[id], id))[:limit]


def fused(near: Mapping[str, float], lexical: Mapping[str, float]) -> dict[str, float]:
    low, high = min(near.values()), max(near.values())
    top = max(lexical.values(), default=1.0)
    span = high - low or 1.0
    return {id: 0.4 * (score - low) / span + 0.6 * lexical.get(id, 0) / top for id, score in near.items()}


def text_of(turn: dict[str, object]) -> str:
    text = f"{turn['speaker']}: {turn['text']}"
    return f"{text} {turn['caption']}" if turn.get("caption") else text


def share(expected: set[str], found: list[str]) -> float:
    return len(expected.intersection(found)) / len(expected)


class Tally:
    """Shares of evidence found over all questions of one benchmark, and the time it took."""

    def __init__(self, embedder: Embedder, limit: int) -> None:
        self.embedder = embedder
        self.limit = limit
        self.alone: list[float] = []
        self.fused: list[float] = []
        self.query_seconds: list[float] = []
        self.texts = 0
        self.embedding_seconds = 0.0

    def add(self, texts: Mapping[str, str], questions: Iterable[tuple[str, set[str]]]) -> None:
        """One store: its texts by id, and what is asked of it with the ids that answer."""
        index, lexical = VectorIndex(self.embedder.dimensions), LexicalIndex()
        start = time.perf_counter()
        vectors = self.embedder.embed(list(texts.values()))
        self.embedding_seconds += time.perf_counter() - start
        self.texts += len(texts)
        for (id, text), vector in zip(texts.items(), vectors, strict=True):
            index.put(id, vector)
            lexical.add(id, [(text, 1.0)])
        for question, evidence in questions:
            if not evidence:
                continue
            start = time.perf_counter()
            near = index.closest(self.embedder.embed([question])[0], len(index)).cosines
            self.query_seconds.append(time.perf_counter() - start)
            both = fused(near, lexical.search(question))
            self.alone.append(share(evidence, best(near, self.limit)))
            self.fused.append(share(evidence, best(both, self.limit)))

    def report(self, name: str) -> None:
        print(
            f"{name:9} {len(self.alone)} questions, {self.texts} texts: recall@{self.limit} alone"
            f" {100 * statistics.fmean(self.alone):.1f}, fused {100 * statistics.fmean(self.fused):.1f};"
            f" {self.texts / self.embedding_seconds:.0f} texts/s,"
            f" {1e3 * statistics.median(self.query_seconds):.2f} ms a query (p50)"
        )


def locomo(conversations: list[dict[str, Any]], embedder: Embedder) -> None:
    tally = Tally(embedder, 10)
    for conversation in conversations:
        texts = {turn["id"]: text_of(turn) for session in conversation["sessions"] for turn in session["turns"]}
        tally.add(texts, [(asked["question"], set(asked["evidence"])) for asked in conversation["questions"]])
    tally.report("LoCoMo")


def devbench(data: dict[str, Any], embedder: Embedder) -> None:
    tally = Tally(embedder, 5)
    tagged: dict[str, set[str]] = defaultdict(set)
    for memory in data["memories"]:
        for tag in memory["tags"]:
            tagged[tag].add(memory["id"])
    questions = [
        (query["question"], {id for tag in query["expected_tags"] for id in tagged[tag]}) for query in data["queries"]
    ]
    tally.add({memory["id"]: memory["content"] for memory in data["memories"]}, questions)
    tally.report("devbench")


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description="Recall of embeddings on public evaluation data.")
    parser.add_argument("folder", type=Path, help="folder with locomo-dev.json and devbench_dataset.json")
    parser.add_argument("--model", choices=("static", "minilm", "multilingual"), default="static")
    options = parser.parse_args(arguments)
    embedder = load(options.model)
    missing = True
    for name, run in (("locomo-dev.json", locomo), ("devbench_dataset.json", devbench)):
        path = options.folder / name
        if not path.is_file():
            print(f"{path} is not there; the benchmark data is not part of this repository", file=sys.stderr)
            continue
        missing = False
        run(json.loads(path.read_text("utf-8")), embedder)
    return 2 if missing else 0


if __name__ == "__main__":
    sys.exit(main())
