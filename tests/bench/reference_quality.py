"""How well mentions are found: precision and recall on tests/text/corpus, by kind, known and set aside.

    cd /work/main && PYTHONPATH=. python -P tests/bench/reference_quality.py [--misses]

Each line of the corpus is a text, what it names (`kind:text`), and after a bar what the workspace has of that name.
Every third line was set aside when the rules were written.
"""

from __future__ import annotations

import sys
import time
from collections import Counter
from pathlib import Path

from sidecar.text.references import possible_mentions

CORPUS = Path(__file__).parents[1] / "text" / "corpus" / "references.tsv"
Case = tuple[str, frozenset[str], frozenset[str]]


def cases() -> list[Case]:
    """The corpus: text, expected mentions, names that the workspace has."""
    found = []
    for line in CORPUS.read_text(encoding="utf-8").splitlines():
        text, _, rest = line.partition("\t")
        expected, _, there = rest.partition("|")
        found.append((text.replace("\\n", "\n"), frozenset(expected.split()), frozenset(there.split())))
    return found


def named(text: str, there: frozenset[str]) -> frozenset[str]:
    """What is found in a text of a workspace that has these files and symbols."""
    return frozenset(
        f"{one.kind}:{one.text}" for one in possible_mentions(text) if one.sure or (one.path or one.symbol) in there
    )


def measure(part: list[Case]) -> tuple[Counter[str], Counter[str], Counter[str], list[str]]:
    """Right, wrong and missed by kind, and each miss in words."""
    right, wrong, missed = Counter[str](), Counter[str](), Counter[str]()
    said = []
    for text, expected, there in part:
        found = named(text, there)
        for one in found | expected:
            kind = one.partition(":")[0]
            if one in found and one in expected:
                right[kind] += 1
            else:
                (wrong if one in found else missed)[kind] += 1
                said.append(f"{'wrong ' if one in found else 'missed'} {one}  in  {text!r}")
    return right, wrong, missed, said


def main() -> None:
    every = cases()
    print(f"{len(every)} texts")
    for name, part in (
        ("known", [case for at, case in enumerate(every) if at % 3 != 2]),
        ("set aside", [case for at, case in enumerate(every) if at % 3 == 2]),
    ):
        right, wrong, missed, said = measure(part)
        print(f"\n{name}: {len(part)} texts")
        for kind in [*sorted(right | wrong | missed), "all"]:
            good, bad, gone = (
                sum(counts.values()) if kind == "all" else counts[kind] for counts in (right, wrong, missed)
            )
            precision, recall = good / max(1, good + bad), good / max(1, good + gone)
            print(f"  {kind:13} precision {precision:.3f}  recall {recall:.3f}  ({good} right)")
        if "--misses" in sys.argv:
            print(*(f"  {line}" for line in said), sep="\n")
    text = "\n".join(case[0] for case in every)
    for times in (1, 4):
        longer = text * (times * 100_000 // len(text))
        began = time.perf_counter()
        possible_mentions(longer[: times * 50_000])
        print(f"\n{times * 50_000:,} characters: {(time.perf_counter() - began) * 1000:.0f} ms", end="")
    print()


if __name__ == "__main__":
    main()
