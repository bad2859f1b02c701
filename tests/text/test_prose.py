"""Which parts of a message are prose, and where its sentences end."""

from __future__ import annotations

import pytest

from sidecar.text.own_blocks import without_blocks, without_own_text
from sidecar.text.prose import passages
from sidecar.text.sentences import read_sentence, split_sentences


@pytest.mark.parametrize(
    "text",
    [
        "```py\nalways = 1\n```",
        "```\nnever closed",
        "~~~\na\n~~~",
        "> quoted",
        "    indented code",
        "| a | b |",
        "# Heading",
        "2026-01-01T10:00:00Z INFO started",
        "Traceback (most recent call last):",
        '  File "a.py", line 3, in f',
        "ValueError: never do this",
        "$ npm test",
        "+++ b/file.py",
        "const a = useMemo(() => b, []);",
        "return x;",
        "<system-reminder>\nnever mention this\n</system-reminder>",
        "- a = b;\n- x = {",
    ],
)
def test_code_and_output_are_no_prose(text: str) -> None:
    assert not [passage for passage in passages(text) if passage.strip("`")]


def test_a_pasted_document_is_left_out_up_to_the_next_paragraph() -> None:
    text = "Here is our guide:\n\n# Style\n\n- never use var\n- use const\n\nPlease shorten it."
    assert list(passages(text)) == ["Here is our guide:", "Please shorten it."]


def test_list_items_and_wrapped_lines_are_passages_of_their_own() -> None:
    text = (
        "First of all, the importer reads each of the files two times, once to\ncount and once to parse.\n"
        "1. **one**\n2. two,\n   and more\n"
    )
    assert list(passages(text)) == [
        "First of all, the importer reads each of the files two times, once to count and once to parse.",
        "one",
        "two, and more",
    ]


def test_names_with_underscores_are_kept() -> None:
    assert list(passages("Tests go into __tests__ and *not* into a*b.")) == [
        "Tests go into __tests__ and not into a*b."
    ]


def test_a_lone_star_stays_in_prose() -> None:
    text = "Name test files test_*.py, put *.sql files in db and *always* check **both**."
    assert list(passages(text)) == ["Name test files test_*.py, put *.sql files in db and always check both."]


def test_stars_in_code_are_no_emphasis() -> None:
    text = "The parameter is **always** `*cobra.Command`, ``**kwargs`` or *`a*`*, never `*` alone."
    assert list(passages(text)) == ["The parameter is always `*cobra.Command`, ``**kwargs`` or `a*`, never `*` alone."]


@pytest.mark.parametrize(
    ("passage", "sentences"),
    [
        ("Edit a.py. Then b.", ["Edit a.py.", "Then b."]),
        ("Use v1.2.3 of it, e.g. in src/a.ts. ok", ["Use v1.2.3 of it, e.g. in src/a.ts.", "ok"]),
        ("See https://example.com/a.b?c=d. Fine!", ["See https://example.com/a.b?c=d.", "Fine!"]),
        ("Call `f(a. b)` twice. done", ["Call `f(a. b)` twice.", "done"]),
        ("Why? Because. wait...", ["Why?", "Because.", "wait..."]),
        ("Ask J. Smith about no. 5 today.", ["Ask J. Smith about no. 5 today."]),
        ("no. staging has no redis", ["no.", "staging has no redis"]),
        ("Fixed it. No. 5 is next.", ["Fixed it.", "No. 5 is next."]),
        ("不要加注释。请用中文！", ["不要加注释。", "请用中文！"]),
        ("no end", ["no end"]),
        ("", []),
    ],
)
def test_where_sentences_end(passage: str, sentences: list[str]) -> None:
    assert list(split_sentences(passage)) == sentences


def test_a_reading_masks_code_addresses_and_quotations() -> None:
    text = "Don’t say “Never Do” in `Always()` at https://example.com/always İ"
    sentence = read_sentence(text)
    assert sentence.text == text
    assert len(sentence.reading) == len(text)
    assert sentence.reading.startswith("don't say q")
    assert "always" not in sentence.reading
    assert "never" not in sentence.reading


def test_single_items_of_a_block_are_recognised_without_the_block() -> None:
    text = "before\n- (2026-01-02) **Queue**: we chose Kafka\n  and never squash\n\nafter"
    assert without_blocks(text) == text
    assert without_own_text(text) == "before\n\nafter"
    assert without_own_text('a <memory date="2026-01-02" name="x">b &lt;c</memory> d') == "a  d"
    assert without_own_text("- (see below) mine") == "- (see below) mine"
