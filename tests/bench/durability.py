"""Fit, and judge, the weights that tell how likely a sentence of a user is to outlive its task.

    python -P tests/bench/durability.py LABELS.jsonl [--write]

A line of LABELS: `repo`, `text` (a sentence of a user), `position`, `total`, `length`, `asked` (see
`sidecar.learning.durability.PlacedSentence`), and whether a reader would `keep` it for later sessions and finds it
`clear`, that is complete in itself. Prints, each sixth of the repositories left out in turn, what is found at
several thresholds. `--write` fits on all lines and writes the weights.

Logistic regression by AdaGrad with an L2 penalty, over sparse binary features; seeded, so that a fit can be repeated.
"""

from __future__ import annotations

import argparse
import json
import random
from collections.abc import Sequence
from math import exp, sqrt
from pathlib import Path
from typing import NamedTuple

from sidecar.learning import durability
from sidecar.learning.language.words import fold_accents, words_of
from sidecar.text.sentences import read_sentence

FOLDS = 6
ROUNDS = 12
RATE = 0.15
PENALTY = 10.0  # of the sum of squares, beside the sum of the losses
THRESHOLDS = (0.06, 0.08, 0.1, 0.12, 0.15, 0.2, 0.3, 0.4, 0.5)


class Case(NamedTuple):
    repo: str
    features: list[int]
    keep: bool
    clear: bool


def cases(path: Path) -> list[Case]:
    found = []
    for line in path.read_text(encoding="utf-8").splitlines():
        one = json.loads(line)
        reading = fold_accents(read_sentence(one["text"]).reading)
        where = (one[name] for name in ("position", "total", "length", "asked"))
        features = durability.features(durability.PlacedSentence(one["text"], reading, *where), words_of(reading))
        found.append(Case(one["repo"], features, one["keep"], one["clear"]))
    return found


def fit(given: Sequence[Case]) -> tuple[list[float], float]:
    size = 1 << durability.BITS
    weights, squares = [0.0] * size, [1e-8] * size
    bias, square = -3.0, 1e-8
    shares = [0] * size
    for case in given:
        for at in case.features:
            shares[at] += 1
    order = list(given)
    for seed in range(ROUNDS):
        random.Random(seed).shuffle(order)
        for case in order:
            score = bias + sum(map(weights.__getitem__, case.features))
            error = 1 / (1 + exp(-max(-30.0, min(30.0, score)))) - case.keep
            square += error * error
            bias -= RATE * error / sqrt(square)
            for at in case.features:
                slope = error + PENALTY * weights[at] / shares[at]  # rare features pay as much in all
                squares[at] += slope * slope
                weights[at] -= RATE * slope / sqrt(squares[at])
    return weights, bias


def probability(case: Case, weights: list[float], bias: float) -> float:
    return 1 / (1 + exp(-max(-30.0, min(30.0, bias + sum(map(weights.__getitem__, case.features))))))


def judge(given: Sequence[Case]) -> None:
    repos = sorted({case.repo for case in given})
    random.Random(1).shuffle(repos)
    told: list[tuple[float, Case]] = []
    for fold in range(FOLDS):
        held = set(repos[fold::FOLDS])
        weights, bias = fit([case for case in given if case.repo not in held])
        told += [(probability(case, weights, bias), case) for case in given if case.repo in held]
    keep, clear = (sum(getattr(case, name) for case in given) for name in ("keep", "clear"))
    print(f"{len(given)} sentences of {len(repos)} repositories, {keep} to keep, {clear} of them clear")
    print("least  found  right  of those to keep  of the clear")
    for least in THRESHOLDS:
        found = [case for likely, case in told if likely >= least]
        right, sure = sum(case.keep for case in found), sum(case.clear for case in found)
        print(
            f"{least:5.2f} {len(found):6} {right / max(1, len(found)):6.2f} {right / keep:17.2f} {sure / clear:13.2f}"
        )


def write(weights: list[float], bias: float) -> None:
    step = max(map(abs, weights)) / 127
    data = bytes(round(weight / step) & 0xFF for weight in weights)
    target = Path(durability.__file__).parent / "language" / "durability.bin"
    target.write_bytes(durability.HEAD.pack(step, bias) + data)
    print(f"wrote {target}, {target.stat().st_size} bytes")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("labels", type=Path)
    parser.add_argument("--write", action="store_true")
    given = parser.parse_args()
    found = cases(given.labels)
    if given.write:
        write(*fit(found))
    else:
        judge(found)


if __name__ == "__main__":
    main()
