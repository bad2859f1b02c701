"""The learned estimate of whether a sentence outlives its task: deterministic, bounded, and of use."""

from __future__ import annotations

import random

import pytest

from sidecar.learning.clause_estimates import PlacedClause
from sidecar.learning.durability import HASH_BITS, durability, features
from sidecar.learning.language.words import fold_accents, words_of
from sidecar.learning.user_statements import P_LASTS_CANDIDATE, user_statements
from sidecar.text.sentences import read_sentence


def likely(text: str, *, length: int | None = None) -> float:
    reading = fold_accents(read_sentence(text).reading)
    clause = PlacedClause([text], 0, None, (), len(text) if length is None else length, answers_question=False)
    return durability(clause, reading, words_of(reading))


def test_standing_wish_is_likelier_than_a_request() -> None:
    lasting = ("Every price in the catalogue must come from the ledger", "we never commit secrets to the repo")
    passing = ("what does this error mean?", "fix the failing test", "thanks, looks good")
    assert min(map(likely, lasting)) > max(map(likely, passing))


def test_names_of_a_project_do_not_matter() -> None:
    told = [likely(f"keep helpers in {path}", length=40) for path in ("src/lib/text.py", "app/core/strings.ts")]
    assert told[0] == told[1]


def test_a_sentence_that_no_rule_tells_is_a_candidate_without_standing() -> None:
    text = "the stylesheet and the scripts should be in separate files always not in one file"
    assert likely(text) >= P_LASTS_CANDIDATE
    (found,) = user_statements(text)
    assert not found.standing


@pytest.mark.parametrize("text", ["", "?", "\ud800", "ａ" * 300, "的" * 300, "\0" * 50, "`" * 99, "never " * 50])
def test_any_text_has_a_probability(text: str) -> None:
    assert 0 <= likely(text) <= 1


def test_features_are_sorted_distinct_and_in_range() -> None:
    draw = random.Random(3)
    for _ in range(200):
        text = "".join(draw.choice("abc é的?!. `_/7") for _ in range(draw.randrange(120)))
        reading = fold_accents(read_sentence(text).reading)
        clause = PlacedClause([text], 0, None, (), len(text), answers_question=False)
        found = features(clause, reading, words_of(reading))
        assert found == sorted(set(found))
        assert all(0 <= each < 1 << HASH_BITS for each in found)
