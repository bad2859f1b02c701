"""Statements of any text: no exception, no invented word, nothing from a code fence, repeatable, in linear time."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sidecar.learning.user_statements import MAX_STATEMENT_CHARS, MAX_STATEMENTS, user_statements
from sidecar.text.own_blocks import without_own_text
from sidecar.text.prose import passages
from sidecar.text.sentences import read_sentence, split_sentences

pytestmark = pytest.mark.slow

PIECES = st.sampled_from(
    [
        "always ", "never ", "use pnpm rather than npm", "don't ", "no, ", "that's wrong: ",
        "We decided to ", "because ", "turns out ", "blocked by ", "the root cause was ", "`code`",
        "``", "```", "~~~", "\n", "\n\n", "> ", "- ", "1. ", "    ", "# ", '"', "“", "”", ". ", "? ",
        "! ", "e.g. ", "v1.2.3 ", "https://example.com/a.b ", "İ", "ß", "不要", "。", "**", "<a>", "</a>",
        "<memory-notes ", ">", "</memory-notes>", "- (2026-01-02) ", "here is the log:",
        "stop adding ", "\u2028", "\x00", "\ud800", "if ", "I prefer ", "you keep adding tests ",
        "wrong. ", "the config lives in conf/", "go with 1", "a or b?", "let's keep ", "remember ", "; ",
    ]
)  # fmt: skip
TEXTS = st.one_of(st.text(max_size=300), st.lists(PIECES, max_size=40).map("".join))


def words(text: str) -> list[str]:
    return text.replace("*", "").replace("__", "").split()


def contains(whole: list[str], part: list[str]) -> bool:
    """Tell whether `whole` holds the words of `part` in sequence; the ends of `part` may be cut within a word."""
    joined, wanted = " ".join(whole), " ".join(part)
    return wanted in joined


@given(TEXTS, TEXTS)
def test_any_text_gives_words_of_its_own_and_the_same_twice(text: str, before: str) -> None:
    found = user_statements(text, before)
    assert found == user_statements(text, before)
    prose = words(" ".join(passages(without_own_text(text))))
    for statement in found:
        assert contains(prose, words(statement.text))


@given(TEXTS)
def test_passages_hold_only_lines_of_the_text(text: str) -> None:
    plain = " ".join(words(text))
    for passage in passages(text):
        for word in words(passage):
            assert word in plain


@given(st.lists(PIECES, max_size=20).map("".join))
def test_nothing_comes_out_of_a_fence(text: str) -> None:
    inside = text.replace("`", "").replace("~", "")
    assert user_statements(f"```\n{inside}\n```\n") == []
    assert user_statements(f"```\n{inside}") == []


@given(TEXTS)
def test_a_reading_is_as_long_as_its_sentence(text: str) -> None:
    for passage in passages(text):
        for sentence in split_sentences(passage):
            assert len(read_sentence(sentence).reading) == len(sentence)


HOSTILE = {
    "letters": "a" * 1_000_000,
    "backticks": "`" * 1_000_000,
    "dots": "." * 1_000_000,
    "dots and blanks": ". " * 500_000,
    "blanks": " " * 1_000_000,
    "lines": "\n" * 1_000_000,
    "quotes": '"' * 1_000_000,
    "open quotes": "“" * 1_000_000,
    "stars": "*a " * 330_000,
    "always": "always " * 140_000,
    "never use": ("never use tabs, " * 60_000),
    "one line each": "Always use tabs\n" * 60_000,
    "openings": "ok so and but also " * 50_000,
    "markers": "<memory-notes " * 70_000,
    "own items": "- (2026-01-02) never squash\n" * 35_000,
    "elements": "<div>\n" * 160_000,
    "colons": "no, that's wrong: " * 55_000,
    "decided": "we decided to go with a instead of b because " * 20_000,
    "blocked": "is blocked by the " * 55_000,
    "cannot": "cannot merge " * 75_000,
    "causes": "the problem the issue the bug was " * 28_000,
    "commas": "if you add a," * 75_000,
    "equals": "a = b; " * 140_000,
    "chinese": "不要在代码里加注释。" * 90_000,
}


@pytest.mark.timeout(60)
@pytest.mark.parametrize("width", [650, 1_000_000])
@pytest.mark.parametrize("name", HOSTILE)
def test_a_megabyte_comes_to_an_end(name: str, width: int) -> None:
    """The time-out is far above what linear time needs; a line of 650 characters may be a sentence."""
    text = HOSTILE[name]
    wrapped = "\n".join(text[at : at + width] for at in range(0, len(text), width))
    found = user_statements(wrapped, wrapped)
    assert len(found) <= sum(MAX_STATEMENTS.values())
    assert all(len(each.text) <= MAX_STATEMENT_CHARS for each in found)
