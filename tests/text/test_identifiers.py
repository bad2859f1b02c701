"""Identifiers are split at case, digits and underscores."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sidecar.text.identifiers import split_identifier


@pytest.mark.parametrize(
    ("word", "parts"),
    [
        ("word", ["word"]),
        ("parseHTTPHeader2", ["parse", "HTTP", "Header", "2"]),
        ("snake_case_name", ["snake", "case", "name"]),
        ("__init__", ["init"]),
        ("MAX_SIZE", ["MAX", "SIZE"]),
        ("kebab-case", ["kebab", "case"]),
        ("XMLHttpRequest", ["XML", "Http", "Request"]),
        ("utf8Decoder", ["utf", "8", "Decoder"]),
        ("getX", ["get", "X"]),
        ("ABC", ["ABC"]),
        ("größeÄndern", ["größe", "Ändern"]),
        ("читатьФайл2", ["читать", "Файл", "2"]),
        ("ΑΒΓδε", ["ΑΒ", "Γδε"]),
        ("变量名_x1", ["变量名", "x", "1"]),
        ("हिंदी_शब्द", ["हिंदी", "शब्द"]),
        ("", []),
        ("__--", []),
    ],
)
def test_an_identifier_is_split_into_words(word: str, parts: list[str]) -> None:
    assert split_identifier(word) == parts


@given(st.text(max_size=40))
def test_parts_are_pieces_of_the_word_in_order(word: str) -> None:
    at = 0
    for part in split_identifier(word):
        assert part
        at = word.index(part, at) + len(part)


@given(st.text(alphabet="abAB1_", max_size=40))
def test_no_letter_or_digit_is_lost(word: str) -> None:
    assert "".join(split_identifier(word)) == word.replace("_", "")
