"""The estimates of what a user means by a clause: bounded, of use beyond the rules, and silent about near misses."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from sidecar.learning.clause_estimates import (
    HASH_BITS,
    asks_to_keep,
    changes,
    features,
    may_change,
    message_features,
    probability_to_keep,
)
from sidecar.learning.user_statements import placed_clauses, user_statements

DATA = Path(__file__).parents[1] / "bench" / "data"


@pytest.mark.parametrize(
    ("message", "kept"),
    [
        (
            "legal allows no GPL packages in here, ever, don't make me say it again. Now fix the import",
            "no GPL packages",
        ),
        ("the ci box has no internet, store that for good. Can you fix the header?", "no internet"),
    ],
)
def test_a_request_in_free_words_makes_a_memory_at_once(message: str, kept: str) -> None:
    at_once = [statement.text for statement in user_statements(message) if statement.standing and statement.alone]
    assert any(kept in text for text in at_once)


def test_a_request_that_is_too_long_for_one_memory_is_kept_in_parts() -> None:
    first = "legal allows no GPL packages in here, ever, whatever the vendor's brochure or the sales people say, " * 2
    message = (
        f"{first.strip()[:-1]}. We use tabs in this repo, {'and spaces nowhere, ' * 8}i don't want to tell you again."
    )
    kept_texts = [statement.text for statement in user_statements(message) if statement.standing]
    assert all(any(words in text for text in kept_texts) for words in ("no GPL packages", "tabs in this repo"))


@pytest.mark.parametrize(
    "message",
    [
        "remember to close the tag in the header",
        "do you remember what we did about the clock drift",
        "when I close and open the cart again, order 3 is shown instead of order 1",
        "tokens must never show up in the access log, so scrub the header before it gets there",
        "continue",
    ],
)
def test_a_near_miss_makes_no_memory(message: str) -> None:
    assert not any(statement.standing for statement in user_statements(message))


def test_a_clause_that_changes_what_held_is_told_from_a_task() -> None:
    (first, second) = placed_clauses("we moved the registry to gitlab last week. Can you fix the login test?")
    assert may_change(changes(first), is_whole_message=False, standing=False)
    assert not may_change(changes(second), is_whole_message=False, standing=False)


@pytest.mark.parametrize("text", ["?", "\ud800", "ａ" * 300, "的" * 300, "`" * 99, "never " * 50, "a. " * 400])
def test_any_message_has_probabilities(text: str) -> None:
    clauses = placed_clauses(text)
    of_message = message_features(clauses)
    assert 0 <= asks_to_keep(clauses) <= 1
    for clause in clauses:
        assert 0 <= probability_to_keep(clause) <= 1
        assert 0 <= changes(clause) <= 1
        assert all(0 <= feature < 1 << HASH_BITS for feature in (*features(clause), *of_message))


@pytest.mark.parametrize(("name", "key"), [("messages_to_keep", "keep"), ("changed_minds", "hits")])
def test_labels_quote_their_messages(name: str, key: str) -> None:
    lines = [json.loads(line) for line in (DATA / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()]
    assert len(lines) >= 500
    assert all(words["text"] in line["message"] for line in lines for words in line[key])
