"""Precision and recall of the deterministic distiller on the labelled corpus of facets.

`python -P tests/bench/facet_precision.py`; `--failures` shows what is wrong, but never in the parts held out;
`--part` prints one part only; `--accepted` prints the accepted sentences of a part, for judging them.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter
from functools import lru_cache
from hashlib import blake2b
from pathlib import Path
from typing import Any, NamedTuple

from sidecar.files.facets.content import Content
from sidecar.files.facets.distiller import Distilled, distil
from sidecar.files.outline import outline

FACETS = Path(__file__).resolve().parents[1] / "files" / "facets"
PARTS = ("dev", "heldout", "fresh", "wild", "wildheld")
Case = dict[str, Any]


class Score(NamedTuple):
    """Sentences accepted rightly and wrongly, cases whose facet was missed, cases without one, and what is wrong."""

    right: int
    wrong: int
    missed: int
    nothing: int
    reasons: Counter[str]
    failures: list[str]

    @property
    def precision(self) -> float:
        """Share of the accepted sentences that were judged durable, true of the file and new; 1.0 of none."""
        return self.right / (self.right + self.wrong) if self.right + self.wrong else 1.0

    @property
    def recall(self) -> float:
        """Share of the cases that hold a facet of which one was accepted; 1.0 of none."""
        return self.right / (self.right + self.missed) if self.right + self.missed else 1.0


def cases() -> list[Case]:
    """All cases of the corpus."""
    paths = sorted((FACETS / "corpus").glob("*.jsonl"))
    return [json.loads(line) for path in paths for line in path.read_text(encoding="utf-8").splitlines()]


def part_of(case: Case) -> str:
    """The name of its part, decided by the id alone."""
    if case["id"][0] in "MN":
        return "fresh"
    number = int.from_bytes(blake2b(case["id"].encode(), digest_size=4).digest(), "big")
    if case["id"][0] == "W":
        return "wildheld" if number % 3 == 0 else "wild"
    return "heldout" if number % 3 == 0 else "dev"


@lru_cache(maxsize=64)
def content_of(path: str) -> Content:
    """A file of the sample tree."""
    data = (FACETS / "samples" / path).read_bytes()
    return Content(path, data.decode("utf-8"), outline(path, data, "0" * 32))


def distilled(case: Case) -> Distilled:
    """What the distiller makes of a case."""
    return distil(case["reasoning"], content_of(case["file"]), tuple(case.get("known", ())))


def plain(text: str) -> str:
    """A sentence for comparison: without its last full stop, its marks of code and the case of its first letter."""
    text = " ".join(text.replace("`", "").split()).rstrip(".")
    return text[:1].lower() + text[1:]


def measure(chosen: list[Case]) -> Score:
    """Judge every accepted sentence by the sentences that a reader found durable, true and new."""
    right = wrong = missed = nothing = 0
    reasons: Counter[str] = Counter()
    failures: list[str] = []
    for case in chosen:
        found = distilled(case)
        reasons.update(refused.reason for refused in found.refused)
        judged = [one["text"] for one in case.get("judged", ()) if one["good"]]
        good = {plain(text) for text in (*case["expect"], *judged)}
        nothing += not case["expect"]
        if found.admitted is None:
            if case["expect"]:
                missed += 1
                told = "; ".join(f"{refused.reason}: {refused.text[:90]}" for refused in found.refused)
                failures.append(f"{case['id']} {case['file']} MISSED {case['expect']}\n    {told}")
        elif plain(found.admitted.text) in good:
            right += 1
        else:
            wrong += 1
            failures.append(
                f"{case['id']} {case['file']} WRONG {found.admitted.text}\n    expected {case['expect']}"
            )
    return Score(right, wrong, missed, nothing, reasons, failures)


def main() -> None:
    """Print the table."""
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--failures", action="store_true")
    arguments.add_argument("--accepted", action="store_true")
    arguments.add_argument("--part", choices=PARTS)
    options = arguments.parse_args()
    every = cases()
    for part in (options.part,) if options.part else PARTS:
        chosen = [case for case in every if part_of(case) == part]
        if not chosen:
            continue
        score = measure(chosen)
        print(
            f"{part}: {len(chosen)} cases, {score.nothing} with nothing to learn: right {score.right},"
            f" wrong {score.wrong}, missed {score.missed}, precision {score.precision:.3f}, recall {score.recall:.3f}"
        )
        print("  refused: " + ", ".join(f"{reason} {times}" for reason, times in score.reasons.most_common()))
        if options.failures and not part.endswith("held") and part != "heldout":
            print("\n".join(score.failures))
        if options.accepted:
            for case in chosen:
                found = distilled(case).admitted
                if found is not None:
                    print(f"  {case['id']} {case['file']}: {found.text}")
    sys.stdout.flush()


if __name__ == "__main__":
    main()
