"""Recall of plain lexical search on public evaluation data.

    python tests/bench/lexical_recall.py DIR [--k1 0.9] [--b 0.4]

DIR holds `locomo-dev.json` (conversations as turns, questions with the turns that answer them) and
`devbench_dataset.json` (developer memories and queries). Neither is part of this repository. LoCoMo: each turn is
one document, each conversation an index; recall@10 is the mean share of the evidence among the ten best, any@10 the
share of questions with at least one. Devbench: recall@5 and mean reciprocal rank over the answerable queries.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
import time
from collections import defaultdict
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
if str(ROOT) not in sys.path:
    sys.path.insert(0, str(ROOT))

from sidecar.store.lexical import LexicalIndex  # noqa: E402

CATEGORIES = {1: "multi-hop", 2: "temporal", 3: "open", 4: "single-hop", 5: "adversarial"}


def best(index: LexicalIndex, query: str, limit: int) -> list[str]:
    """The ids of the best documents, ties by id."""
    scores = index.search(query)
    return sorted(scores, key=lambda id: (-scores[id], id))[:limit]


def locomo(conversations: list[dict[str, Any]], *, k1: float, b: float) -> None:
    recalls: list[float] = []
    hits: list[bool] = []
    by_category: dict[int, list[float]] = defaultdict(list)
    times: list[float] = []
    added, adding = 0, 0.0
    for conversation in conversations:
        index = LexicalIndex(k1=k1, b=b)
        start = time.perf_counter()
        for session in conversation["sessions"]:
            for turn in session["turns"]:
                index.add(turn["id"], turn_fields(turn))
                added += 1
        adding += time.perf_counter() - start
        for question in conversation["questions"]:
            evidence = set(question["evidence"])
            if not evidence:
                continue
            start = time.perf_counter()
            found = best(index, question["question"], 10)
            times.append(time.perf_counter() - start)
            share = len(evidence.intersection(found)) / len(evidence)
            recalls.append(share)
            hits.append(share > 0)
            by_category[question["category"]].append(share)
    print(f"LoCoMo    {len(recalls)} questions, {added} turns")
    print(f"  recall@10 {100 * statistics.fmean(recalls):.1f}   any@10 {100 * statistics.fmean(hits):.1f}")
    for category, shares in sorted(by_category.items()):
        print(f"  {CATEGORIES.get(category, category)!s:12} {100 * statistics.fmean(shares):5.1f}  ({len(shares)})")
    print(f"  {1e3 * statistics.median(times):.2f} ms a query (p50), {1e3 * adding / added:.2f} ms to add a turn")


def turn_fields(turn: dict[str, object]) -> list[tuple[str, float]]:
    text = f"{turn['speaker']}: {turn['text']}"
    return [(f"{text} {turn['caption']}" if turn.get("caption") else text, 1.0)]


def devbench(data: dict[str, Any], *, k1: float, b: float) -> None:
    index = LexicalIndex(k1=k1, b=b)
    tagged: dict[str, set[str]] = defaultdict(set)
    for memory in data["memories"]:
        index.add(memory["id"], [(memory["content"], 1.0)])
        for tag in memory["tags"]:
            tagged[tag].add(memory["id"])
    recalls, ranks = [], []
    for query in data["queries"]:
        expected = {id for tag in query["expected_tags"] for id in tagged[tag]}
        if not expected:
            continue
        found = best(index, query["question"], 5)
        recalls.append(len(expected.intersection(found)) / len(expected))
        ranks.append(next((1 / rank for rank, id in enumerate(found, 1) if id in expected), 0.0))
    print(f"devbench  {len(recalls)} answerable queries, {len(index)} memories")
    print(f"  recall@5 {100 * statistics.fmean(recalls):.1f}   MRR {100 * statistics.fmean(ranks):.1f}")


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description="Recall of plain lexical search on public evaluation data.")
    parser.add_argument("folder", type=Path, help="folder with locomo-dev.json and devbench_dataset.json")
    parser.add_argument("--k1", type=float, default=0.9)
    parser.add_argument("--b", type=float, default=0.4)
    options = parser.parse_args(arguments)
    missing = True
    for name, measure in (("locomo-dev.json", locomo), ("devbench_dataset.json", devbench)):
        path = options.folder / name
        if not path.is_file():
            print(f"{path} is not there; the benchmark data is not part of this repository", file=sys.stderr)
            continue
        missing = False
        measure(json.loads(path.read_text("utf-8")), k1=options.k1, b=options.b)
    return 2 if missing else 0


if __name__ == "__main__":
    sys.exit(main())
