"""Precision and recall of learning from language on the labelled corpus, per kind.

`python -P tests/bench/learning_precision.py`; `--failures` shows what is wrong, but never in the part held out;
`--part dev|heldout|fresh` prints one part only.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter
from collections.abc import Iterable
from hashlib import blake2b
from pathlib import Path
from typing import Any

from sidecar.learning.statements import Statement, statements

CORPUS = Path(__file__).resolve().parents[1] / "learning" / "corpus"
KINDS = ("preference", "correction", "decision", "blocker", "fact")
Case = dict[str, Any]


def cases(name: str) -> list[Case]:
    """The cases of one file of the corpus that are a single message."""
    lines = (CORPUS / name).read_text(encoding="utf-8").splitlines()
    return [
        case
        for case in map(json.loads, lines)
        if case["event"] in ("userMessage", "assistantText", "reasoning")
    ]


def part_of(case: Case) -> str:
    """`fresh`, `heldout` or `dev`."""
    if case["id"].startswith("K"):
        return "fresh"
    if case["id"][0] in "DFG":
        return "dev"
    number = int.from_bytes(blake2b(case["id"].encode(), digest_size=4).digest(), "big")
    return "heldout" if number % 3 == 0 else "dev"


def learned(case: Case) -> list[Statement]:
    """What is learned from a case."""
    return statements(case["text"], "user" if case["event"] == "userMessage" else "assistant")


def score(found: Iterable[Statement], expected: list[Case]) -> tuple[Counter[tuple[str, str]], list[str]]:
    """Counts of (kind, tp|fp|fn), and what is wrong in words; `contains` and `lacks` ignore letter case."""
    counts: Counter[tuple[str, str]] = Counter()
    wrong: list[str] = []
    left = list(expected)
    for statement in found:
        for want in left:
            text = statement.text.lower()
            fits = all(word.lower() in text for word in want["contains"])
            fits = fits and not any(word.lower() in text for word in want.get("lacks", ()))
            if statement.kind in want["kind"].split("|") and fits:
                left.remove(want)
                counts[want["kind"].split("|")[0], "tp"] += 1
                break
        else:
            counts[statement.kind, "fp"] += 1
            wrong.append(f"  + {statement.rule}: {statement.text!r}")
    for want in left:
        counts[want["kind"].split("|")[0], "fn"] += 1
        wrong.append(f"  - {want['kind']} {want['contains']}")
    return counts, wrong


def measure(chosen: list[Case]) -> tuple[Counter[tuple[str, str]], list[str]]:
    """Counts over cases, and the failures with their texts."""
    total: Counter[tuple[str, str]] = Counter()
    failures: list[str] = []
    for case in chosen:
        counts, wrong = score(learned(case), case["expect"])
        total.update(counts)
        if wrong:
            failures.append(f"{case['id']} {case['event']}: {case['text'][:400]!r}\n" + "\n".join(wrong))
    return total, failures


def rates(counts: Counter[tuple[str, str]], kinds: Iterable[str]) -> tuple[int, int, int, float, float]:
    """True positives, false positives, false negatives, precision, recall over some kinds; 1.0 of nothing."""
    kinds = tuple(kinds)
    tp, fp, fn = (sum(counts[kind, what] for kind in kinds) for what in ("tp", "fp", "fn"))
    return tp, fp, fn, tp / (tp + fp) if tp + fp else 1.0, tp / (tp + fn) if tp + fn else 1.0


def main() -> None:
    """Print the table."""
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--failures", action="store_true")
    arguments.add_argument("--part", choices=("dev", "heldout", "fresh"))
    options = arguments.parse_args()
    every = cases("language.jsonl") + cases("development.jsonl")
    every += cases("fresh.jsonl") if (CORPUS / "fresh.jsonl").exists() else []
    for part in (options.part,) if options.part else ("dev", "heldout", "fresh"):
        chosen = [case for case in every if part_of(case) == part]
        if not chosen:
            continue
        counts, failures = measure(chosen)
        negatives = sum(not case["expect"] for case in chosen)
        print(f"{part}: {len(chosen)} messages, {negatives} with nothing to learn")
        for name, kinds in [*((kind, (kind,)) for kind in KINDS), ("all", KINDS)]:
            tp, fp, fn, precision, recall = rates(counts, kinds)
            print(
                f"  {name:12} right {tp:3}  wrong {fp:3}  missed {fn:3}  precision {precision:.3f}  recall {recall:.3f}"
            )
        if options.failures and part != "heldout":
            print("\n".join(failures))
    sys.stdout.flush()


if __name__ == "__main__":
    main()
