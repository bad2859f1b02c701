"""What contradicts what: measured on labelled pairs, a third of which were set aside when the rules were written."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sidecar.memories.contradiction import contradicts, siblings

PAIRS = [
    line.split("\t")
    for line in (Path(__file__).parent / "corpus" / "contradictions.tsv").read_text().splitlines()
]


@pytest.mark.parametrize("part", ["known", "set aside"])
def test_it_is_right_when_it_speaks(part: str) -> None:
    pairs = [pair for at, pair in enumerate(PAIRS) if (at % 3 == 2) == (part == "set aside")]
    said = [(label, contradicts(one, other), contradicts(other, one)) for label, one, other in pairs]
    assert all((there is None) == (back is None) for _, there, back in said)
    wrong = [pair for pair, (label, there, _) in zip(pairs, said, strict=True) if label == "no" and there]
    assert wrong == []
    found = sum(1 for label, there, _ in said if label == "yes" and there is not None)
    assert found / sum(1 for label, _, _ in pairs if label == "yes") >= 0.85


def test_nothing_contradicts_itself() -> None:
    for _, one, other in PAIRS:
        assert contradicts(one, one) is None
        assert contradicts(other, other) is None


@given(st.text(max_size=200), st.text(max_size=200))
def test_any_texts_are_compared_the_same_both_ways(one: str, other: str) -> None:
    assert contradicts(one, other) == contradicts(other, one)


def test_it_knows_what_else_could_stand_there() -> None:
    assert siblings("We use pnpm") == ["bun", "npm", "yarn"] or "npm" in siblings("We use pnpm")
    assert siblings("Nothing of the kind") == []
