"""Changed minds, measured on labelled pairs of standing statements, half of which were set aside."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sidecar.learning.lesson import Revision
from sidecar.memories.candidates.changed_mind import taken_back, takes_the_place
from sidecar.memories.candidates.repetition import same_wish, wish_of
from sidecar.memories.drafts import Draft
from sidecar.memories.wording.contradiction import contradicts

PAIRS = [line.split("\t") for line in (Path(__file__).parent / "corpus" / "changed_mind.tsv").read_text().splitlines()]


def steps_back(older: str, newer: str) -> bool:
    return takes_the_place(newer, older) or (contradicts(older, newer) or 0) >= 0.7


@pytest.mark.parametrize("part", ["known", "set aside"])
def test_older_steps_back_only_if_both_cannot_hold(part: str) -> None:
    pairs = [(label, older, newer) for where, label, older, newer in PAIRS if where == part]
    wrong = [(older, newer) for label, older, newer in pairs if steps_back(older, newer) != (label == "yes")]
    assert wrong == []


@pytest.mark.parametrize(
    ("older", "newer"),
    [
        ("From now on always deploy to the blue server.", "From now on always deploy to the green server."),
        ("From now on always use lane one for releases.", "From now on always use lane two for releases."),
        ("From now on always assign reviews to Carla.", "From now on always assign reviews to Diego."),
        ("From now on always write comments in German.", "From now on always write comments in English."),
        ("Keep functions short.", "Keep answers short."),
    ],
)
def test_another_value_is_another_wish(older: str, newer: str) -> None:
    assert not same_wish(wish_of(older), wish_of(newer))


def test_nothing_takes_its_own_place() -> None:
    for *_, older, newer in PAIRS:
        assert not takes_the_place(older, older)
        assert not takes_the_place(newer, newer)


@given(st.text(max_size=200), st.text(max_size=200))
def test_any_texts_are_compared(one: str, other: str) -> None:
    takes_the_place(one, other)


def test_a_topic_takes_back_one_statement_or_none() -> None:
    tabs, files = Draft(content="Use tabs in Go files."), Draft(content="Never edit generated files.")
    assert taken_back([Revision("rule", "tabs", "")], [tabs, files]) == [tabs]
    assert taken_back([Revision("rule", "the files", "")], [tabs, files]) == []
    assert taken_back([Revision("rule", "the rule", "")], [tabs, files]) == []
    only = Draft(content="Use tabs.")
    assert taken_back([Revision("rule", "Use tabs.", "")], [tabs, only]) == [only]
