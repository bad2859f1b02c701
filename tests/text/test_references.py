"""References in texts, measured on a labelled corpus, a third of which was set aside when the rules were written."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sidecar.text.references import Mention, entities, mentions, possible_mentions

pytestmark = pytest.mark.slow

CORPUS = Path(__file__).parent / "corpus" / "references.tsv"
CASES = [line.partition("\t")[::2] for line in CORPUS.read_text(encoding="utf-8").splitlines()]


def named(text: str, there: list[str]) -> set[str]:
    found = possible_mentions(text.replace("\\n", "\n"))
    return {f"{one.kind}:{one.text}" for one in found if one.sure or (one.path or one.symbol) in there}


def test_the_corpus_is_large_enough() -> None:
    assert len(CASES) >= 200
    assert len({text for text, _ in CASES}) == len(CASES)


@pytest.mark.parametrize("part", ["known", "set aside"])
def test_mentions_reach_their_precision_and_recall(part: str) -> None:
    right = wrong = missed = 0
    for at, (text, rest) in enumerate(CASES):
        if (at % 3 == 2) != (part == "set aside"):
            continue
        expected, _, there = rest.partition("|")
        found, wanted = named(text, there.split()), set(expected.split())
        right += len(found & wanted)
        wrong += len(found - wanted)
        missed += len(wanted - found)
    assert right / (right + wrong) >= 0.95
    assert right / (right + missed) >= 0.95


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("src/x.py:12-40", Mention("path", "src/x.py", path="src/x.py")),
        ("`a.py::C.m`", Mention("symbol", "a.py::C.m", path="a.py", symbol="C.m")),
        ("`foo()`", Mention("symbol", "foo", symbol="foo")),
        ("`wakeup!`", Mention("symbol", "wakeup", symbol="wakeup")),
        ("`Pool#wakeup!`", Mention("symbol", "Pool.wakeup", symbol="Pool.wakeup")),
        ("GH-12", Mention("issue", "#12")),
        ("@alice", Mention("user", "@alice")),
    ],
)
def test_a_mention_has_a_path_and_a_symbol(text: str, expected: Mention) -> None:
    assert mentions(text) == [expected]


def test_each_mention_is_named_once_in_order() -> None:
    found = mentions("src/b.py, then src/a.py, then src/b.py:3 and `src/b.py`")
    assert [mention.text for mention in found] == ["src/b.py", "src/a.py"]


def test_entities_are_marks_users_and_urls() -> None:
    text = "@Alice merged g/p!3 into src/a.py, see https://gitlab.example.com/g/p/-/issues/4 and #5"
    assert entities(mentions(text)) == ("@alice", "g/p!3", "https://gitlab.example.com/g/p/-/issues/4", "g/p#4", "#5")


@given(st.text(alphabet=st.characters(codec="utf-8"), max_size=400))
def test_any_text_can_be_searched_for_mentions(text: str) -> None:
    assert [possible_mention for possible_mention in possible_mentions(text) if possible_mention.sure] == mentions(text)


@given(st.text(alphabet="ab/.:#!&@`()[]<> \\~*_-0123'\"\n", max_size=300))
def test_mentions_of_any_signs_are_trimmed(text: str) -> None:
    for possible_mention in possible_mentions(text):
        assert possible_mention.text.strip() == possible_mention.text != ""


@pytest.mark.parametrize("unit", ["a/b", "`", "@", "[](", "<a ", "a.", "#1 ", "(", "a@", "://", "```\n", "a_", "\\"])
def test_the_longest_text_is_read_to_its_end(unit: str) -> None:
    text = f"{unit * (40_000 // len(unit))}\n\nsee !77 and "
    named = possible_mentions(text)  # quadratic time would exceed any patience
    assert all(mention.text for mention in named)
