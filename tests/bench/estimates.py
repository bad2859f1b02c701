"""Fit, and judge, the weights of the estimates that read what a user says.

    python -P tests/bench/estimates.py durability LABELS.jsonl [--write]
    python -P tests/bench/estimates.py asks MESSAGES.jsonl... [--write]
    python -P tests/bench/estimates.py kept MESSAGES.jsonl... [--write]
    python -P tests/bench/estimates.py change MESSAGES.jsonl... [--write]

`durability`: how likely a sentence outlives its task. A line of LABELS holds `repo`, `text` (a sentence of a user), its
`position` of `total` in a message of `length` characters, `asked` (whether the agent had ended with a question),
whether a reader would `keep` it for later sessions, and whether it is `clear`, that is complete in itself.

`asks`: how likely a message asks to keep something for all later work; `kept`: which of its clauses, if it does. A
line of MESSAGES holds `message`, `before` (the end of what the agent had said) and `keep`: the exact words to keep,
with `how` being `standing` or `said`. `repo`, if given, names what is left out together.
`change`: how likely a clause ends or changes what was said before. A line holds `message`, and `hits` with the exact
words that do so. `tests/bench/data` holds the messages that were written for this. A folder in place of a file holds
real sessions as `real-sessions/sessions.py read` writes them; `data/real_labels.jsonl` tells by offsets what a reader
would keep of their messages. Nobody has read those that an earlier fit found least likely: they count as negative.

Prints, each sixth of the repositories or messages left out in turn, what is found at several thresholds. `--write` fits
on all lines and writes the weights. Logistic regression by AdaGrad with an L2 penalty, over sparse binary features;
seeded, so that a fit can be repeated.
"""

from __future__ import annotations

import argparse
import json
import random
from collections.abc import Iterator, Sequence
from hashlib import sha1
from math import exp, log, sqrt
from pathlib import Path
from typing import Any, NamedTuple

from sidecar.learning import clause_estimates, durability
from sidecar.learning.estimate import ESTIMATE_HEAD
from sidecar.learning.language.words import fold_accents, words_of
from sidecar.learning.user_statements import placed_clauses
from sidecar.text.sentences import read_sentence

FOLDS = 6
ROUNDS = 12
RATE = 0.15
PENALTY = 7.0  # of the sum of squares, beside the sum of the losses
SCALED_RATE = 1.0  # the same where a case's features are scaled
SCALED_PENALTY = 0.5
THRESHOLDS = (0.06, 0.08, 0.1, 0.12, 0.15, 0.2, 0.3, 0.4, 0.5)
REAL_TIMES = 3  # real messages count thrice for what is asked: what is written for a fit is not like them
MIN_REAL, MAX_REAL, MAX_BEFORE = 3, 4_000, 300  # characters of a real message, and of what the agent said
REAL_LABELS = Path(__file__).parent / "data" / "real_labels.jsonl"
MIN_OVERLAP = 0.45  # of the shorter of a clause and the words to keep


class Case(NamedTuple):
    """A clause or sentence; `group` names what is left out together: its repository or message."""

    group: str
    features: list[int]
    keep: bool
    clear: bool

    @property
    def scale(self) -> float:
        return 1 / sqrt(max(1, len(self.features)))


class Fit(NamedTuple):
    weights: list[float]
    bias: float
    scaled: bool

    def probability(self, case: Case) -> float:
        score = (case.scale if self.scaled else 1.0) * sum(map(self.weights.__getitem__, case.features))
        return 1 / (1 + exp(-max(-30.0, min(30.0, self.bias + score))))


def sentences(paths: Sequence[Path]) -> Iterator[Case]:
    for line in lines(paths):
        reading = fold_accents(read_sentence(line["text"]).reading)
        others = [""] * line["total"]
        others[line["position"]] = line["text"]
        clause = clause_estimates.PlacedClause(others, line["position"], None, (), line["length"], line["asked"])
        features = durability.features(clause, reading, words_of(reading))
        yield Case(line["repo"], features, line["keep"], line["clear"])


def asking_messages(paths: Sequence[Path]) -> Iterator[Case]:
    for line in lines(paths, REAL_TIMES):
        asks = any(words["how"] == "standing" for words in line["keep"])
        found = placed_clauses(line["message"], line["before"])
        yield Case(line.get("repo", line["message"]), clause_estimates.message_features(found), asks, asks)


def kept_clauses(paths: Sequence[Path]) -> Iterator[Case]:
    for line in lines(paths, REAL_TIMES):
        if kept := [words["text"] for words in line["keep"] if words["how"] == "standing"]:
            yield from clauses(line["message"], line["before"], kept)


def changing_clauses(paths: Sequence[Path]) -> Iterator[Case]:
    """Yield the clauses of each message and, of those written for this, one that is a message by itself.

    Real ones are short often enough.
    """
    for line in lines(paths):
        message, hits = line["message"], [words["text"] for words in line.get("hits", ())]
        yield from clauses(message, line.get("before", ""), hits)
        if "memories" in line:
            alone = hits or [random.Random(message).choice([clause.text for clause in placed_clauses(message)] or [""])]
            for words in alone:
                yield from (case._replace(group=message) for case in clauses(words, "", hits))


def clauses(message: str, before: str, meant: Sequence[str]) -> Iterator[Case]:
    for clause in placed_clauses(message, before):
        is_meant = any(overlaps(clause.text, words, message) for words in meant)
        yield Case(message, clause_estimates.features(clause), is_meant, is_meant)


def lines(paths: Sequence[Path], real_times: int = 1) -> Iterator[dict[str, Any]]:
    for path in paths:
        if path.is_dir():
            for line in real_lines(path):
                yield from [line] * real_times
        else:
            yield from map(json.loads, path.read_text(encoding="utf-8").splitlines())


def real_lines(folder: Path) -> Iterator[dict[str, Any]]:
    """Yield the distinct messages of real sessions, each with what the agent had said before it."""
    labels = {label["sha1"]: label for label in lines([REAL_LABELS])}
    seen: set[str] = set()
    for path in sorted(folder.glob("*.json")):
        read = json.loads(path.read_text(encoding="utf-8"))
        for session in read["sessions"]:
            before = ""
            for event in session["events"]:
                text = event.get("text", "").strip()
                if event["e"] == "user" and MIN_REAL <= len(text) <= MAX_REAL and text not in seen:
                    seen.add(text)
                    label = labels.get(sha1(text.encode()).hexdigest()[:16], {"keep": (), "hits": ()})
                    keep = [{"text": text[start:end], "how": how} for start, end, how in label["keep"]]
                    hits = [{"text": text[start:end]} for start, end in label["hits"]]
                    yield {"repo": read["repo"], "message": text, "before": before, "keep": keep, "hits": hits}
                if event["e"] in ("user", "reasoning"):
                    before = event["text"][-MAX_BEFORE:] if event["e"] == "reasoning" else ""


def overlaps(clause: str, words: str, message: str) -> bool:
    """Return whether enough of the shorter of a clause and other words of a message is in both."""
    start, at = message.find(clause), message.find(words)
    shared = min(start + len(clause), at + len(words)) - max(start, at)
    return min(start, at) >= 0 and shared >= MIN_OVERLAP * min(len(clause), len(words))


def fit(given: Sequence[Case], bits: int, *, scaled: bool) -> Fit:
    """Fit by AdaGrad. Where `scaled`, a case's features count 1/sqrt(n) each, and rarer ones cost less."""
    size = 1 << bits
    weights, squares = [0.0] * size, [1e-8] * size
    bias, square = -3.0, 1e-8
    shares = [0] * size
    for case in given:
        for at in case.features:
            shares[at] += 1
    rate = SCALED_RATE if scaled else RATE
    costs = [
        (SCALED_PENALTY / (1 + log((1 + len(given)) / (1 + share))) ** 2 if scaled else PENALTY) / max(1, share)
        for share in shares
    ]
    order = list(given)
    for seed in range(ROUNDS):
        random.Random(seed).shuffle(order)
        for case in order:
            scale = case.scale if scaled else 1.0
            score = bias + scale * sum(map(weights.__getitem__, case.features))
            error = 1 / (1 + exp(-max(-30.0, min(30.0, score)))) - case.keep
            square += error * error
            bias -= rate * error / sqrt(square)
            for at in case.features:
                slope = scale * error + costs[at] * weights[at]  # rare features pay as much in all
                squares[at] += slope * slope
                weights[at] -= rate * slope / sqrt(squares[at])
    return Fit(weights, bias, scaled)


def judge(given: Sequence[Case], bits: int, *, scaled: bool) -> None:
    groups = sorted({case.group for case in given})
    random.Random(1).shuffle(groups)
    estimated: list[tuple[float, Case]] = []
    for fold in range(FOLDS):
        held = set(groups[fold::FOLDS])
        fitted = fit([case for case in given if case.group not in held], bits, scaled=scaled)
        estimated += [(fitted.probability(case), case) for case in given if case.group in held]
    keep, clear = (sum(getattr(case, name) for case in given) for name in ("keep", "clear"))
    print(f"{len(given)} sentences of {len(groups)} groups, {keep} to keep, {clear} of them clear")
    print("least  found  right  of those to keep  of the clear")
    for least in THRESHOLDS:
        found = [case for likely, case in estimated if likely >= least]
        right, sure = sum(case.keep for case in found), sum(case.clear for case in found)
        print(
            f"{least:5.2f} {len(found):6} {right / max(1, len(found)):6.2f} {right / keep:17.2f} {sure / clear:13.2f}"
        )


def write(fitted: Fit, target: Path) -> None:
    step = max(map(abs, fitted.weights)) / 127
    target.write_bytes(
        ESTIMATE_HEAD.pack(step, fitted.bias) + bytes(round(weight / step) & 0xFF for weight in fitted.weights)
    )
    print(f"wrote {target}, {target.stat().st_size} bytes")


ESTIMATES = {
    "durability": (sentences, durability.HASH_BITS, durability.WEIGHTS_FILE, False),
    "asks": (asking_messages, clause_estimates.HASH_BITS, clause_estimates.ASKS_FILE, True),
    "kept": (kept_clauses, clause_estimates.HASH_BITS, clause_estimates.KEPT_FILE, True),
    "change": (changing_clauses, clause_estimates.HASH_BITS, clause_estimates.CHANGES_FILE, True),
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("estimate", choices=tuple(ESTIMATES))
    parser.add_argument("labels", type=Path, nargs="+")
    parser.add_argument("--write", action="store_true")
    given = parser.parse_args()
    read, bits, target, scaled = ESTIMATES[given.estimate]
    found = list(read(given.labels))
    if given.write:
        write(fit(found, bits, scaled=scaled), target)
    else:
        judge(found, bits, scaled=scaled)


if __name__ == "__main__":
    main()
