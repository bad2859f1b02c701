"""Statements that only point at something said elsewhere are no memories."""

from __future__ import annotations

import pytest

from sidecar.learning.statements import statements


@pytest.mark.parametrize(
    "text",
    [
        "Never ever do that again.",
        "Please always do it like this.",
        "You should never have done that.",
        "From now on always look at that.",
        "The issue was that it was broken.",
        "It turns out that it works now.",
    ],
)
def test_what_only_points_is_not_kept(text: str) -> None:
    assert statements(text, "user") == []


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("Never ever do that again: commit secrets to the repository.", "secrets"),
        ("From now on always use pnpm for this.", "pnpm"),
        ("It turns out that the importer was broken by the proxy.", "proxy"),
    ],
)
def test_what_says_something_is(text: str, word: str) -> None:
    assert any(word in statement.text for statement in statements(text, "user"))
