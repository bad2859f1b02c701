"""What a short message wants in place of what, however it is worded."""

from __future__ import annotations

import pytest

from sidecar.learning.contrast import contrast_of

SAME = [
    ("use pnpm for this please, not npm", "no, not npm install - we work with pnpm here"),
    ("please use early returns here rather than nested ifs", "too much nesting, return early instead"),
    ("use httpx instead of requests", "that should be httpx, we don't want requests in here"),
    ("use a named export here, not a default one", "default export again; I prefer named exports"),
    ("usa funciones en lugar de clases, por favor", "otra vez una clase, prefiero funciones"),
]
OTHER = [
    ("use pnpm, not npm", "use npm, not pnpm"),
    ("use httpx instead of requests", "use pathlib instead of os.path"),
    ("use pnpm, not npm", "use pnpm, not yarn"),
]


@pytest.mark.parametrize(("first", "second"), SAME)
def test_contrasts_in_other_words_agree(first: str, second: str) -> None:
    one, other = contrast_of(first), contrast_of(second)
    assert one is not None
    assert other is not None
    assert one.agrees(other)


@pytest.mark.parametrize(("first", "second"), OTHER)
def test_contrasts_of_other_things_disagree(first: str, second: str) -> None:
    one, other = contrast_of(first), contrast_of(second)
    assert one is not None
    assert other is not None
    assert not one.agrees(other)


@pytest.mark.parametrize("text", ["fix the failing test", "use pnpm", "no tabs please", "word " * 60 + "use a, not b"])
def test_a_message_without_an_alternative_is_no_contrast(text: str) -> None:
    assert contrast_of(text) is None
