"""Preferences put as polite questions and duties, and what a user says of himself; and their near-misses."""

from __future__ import annotations

import pytest

from sidecar.learning.statements import statements


@pytest.mark.parametrize(
    "text",
    [
        "Could you always use type hints?",
        "can you please never commit without running the tests?",
        "make sure you run ruff before you commit",
        "Make sure that you run the linter before pushing anything.",
        "Please make sure to run the formatter before every commit.",
        "My name is Ann and I work mostly in Rust.",
        "I mostly work in TypeScript.",
        "use 4 spaces instead of tabs, ok?",
        "never push to main, got it?",
        "always run the linter first please?",
    ],
)
def test_a_preference_in_other_words_is_one(text: str) -> None:
    assert [found.kind for found in statements(text, "user")] == ["preference"]


@pytest.mark.parametrize(
    "text",
    [
        "Could you always have used that?",
        "can it never be null?",
        "make sure you read the file first",
        "Make sure the migration runs before you start the server, it fails now.",
        "make sure it works before I merge this",
        "My name is not shown on the profile page.",
        "my name is misspelled in the footer, fix it",
        "I work in the same room as the server.",
        "I mostly see this error in production.",
        "write tests for this",
        "write tests for new helpers",
        "Write unit tests for edge cases.",
        "is it ok to use 4 spaces instead of tabs, ok?",
        "should I use tabs, please?",
        "use 4 spaces instead of tabs?",
    ],
)
def test_what_only_sounds_like_it_is_none(text: str) -> None:
    assert [found.kind for found in statements(text, "user") if found.kind == "preference"] == []
