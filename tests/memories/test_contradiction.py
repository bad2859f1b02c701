"""Contradictions, measured on labelled pairs, a third of which were set aside when the rules were written."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sidecar.memories.index.supersession import MIN_STRENGTH
from sidecar.memories.wording.contradiction import alternatives, contradicts

PAIRS = [
    line.split("\t") for line in (Path(__file__).parent / "corpus" / "contradictions.tsv").read_text().splitlines()
]


@pytest.mark.parametrize("part", ["known", "set aside"])
def test_contradiction_is_right_when_reported(part: str) -> None:
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


def test_contradiction_knows_the_alternatives() -> None:
    assert alternatives("We use pnpm") == ["bun", "npm", "yarn"] or "npm" in alternatives("We use pnpm")
    assert alternatives("Nothing of the kind") == []


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("See https://example.org/issues/12", "See https://example.org/issues/13"),
        ("The fix is: https://example.org/a/1", "The fix is: https://example.org/b/2"),
        ("Bump left-pad from 1.2.0 to 1.3.0", "Bump left-pad from 1.3.0 to 2.0.0"),
        ("Bumps [sphinx] from 3.0.3 to 3.0.4.", "Bumps [tox] from 3.15.0 to 3.16.0."),
        ("Raise the upper limit of chardet to 7", "Raise the upper limit of chardet to 8"),
        ("build: actions/checkout@v3", "build: actions/checkout@v4"),
        ("chore(deps): update the timeout to 30", "chore(deps): update the timeout to 60"),
        ("Reviewed-by: core/alice", "Reviewed-by: core/bob"),
        ("Fixes: #12", "Fixes: #13"),
        ('The user said "the port is 8080"', 'The user said "the port is 9090"'),
        ("> the port is 8080", "> the port is 9090"),
        ("- the port is 8080\n- the host is db1", "- the port is 9090\n- the host is db2"),
        ("```\nthe port is 8080\n```", "```\nthe port is 9090\n```"),
        ("Ann: No way, that is great!", "Ann: Way, that is great!"),
    ],
)
def test_deeds_links_quotes_and_lists_contradict_nothing(one: str, other: str) -> None:
    assert contradicts(one, other) is None
    assert contradicts(other, one) is None


def test_only_single_short_statements_are_sure() -> None:
    sure = contradicts("The API port is 8080", "The API port is 9090.")
    assert sure is not None
    assert sure >= MIN_STRENGTH
    longer = "The API port is 9090. Everything else is read from the environment at the start."
    guess = contradicts("The API port is 8080", longer)
    assert guess is not None
    assert guess < MIN_STRENGTH
