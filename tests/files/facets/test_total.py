"""For any text: nothing is raised, nothing is invented, and time is linear."""

from __future__ import annotations

import re
import time
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sidecar.files.facets.admission import MAX_CHARS, admit, statements
from sidecar.files.facets.admission_result import MAX_SENTENCE, MIN_SENTENCE, Admitted, Refused
from sidecar.files.facets.content import Content
from sidecar.files.outline import outline

pytestmark = pytest.mark.slow

TEXT = """
class Store:
    def load(self, path):
        self._file = open(path)
        self._cache = {}

    def flush_all(self):
        return None
"""
CONTENT = Content("store.py", TEXT, outline("store.py", TEXT.encode(), "0" * 32))
WORDS = [
    *"`load` flush_all `self._cache` Store It This I see that keeps returns never only because the file open".split(),
    *"and so let me check maybe is are was . ? ! , : ; — `` ` * - 1. > ``` <memory-notes> </memory-notes>".split(),
    *("\n", "\n\n", "(2026-11-01)", "é", "漢", "\u202e", "\x00"),
]
REASONING = st.lists(st.sampled_from(WORDS), max_size=120).map(" ".join) | st.text(max_size=400)


def observe(text: str, content: Content) -> list[Admitted | Refused]:
    """Judge every statement of a text."""
    return [admit(statement, content, ()) for group in statements(text) for statement in group]


def words(text: str) -> list[str]:
    return re.findall(r"\w+", text.lower())


@given(REASONING)
def test_statements_never_raise_and_invent_nothing(text: str) -> None:
    for group in statements(text):
        for statement in group:
            assert set(words(statement)) <= set(words(text))


@given(st.lists(st.sampled_from(WORDS), max_size=40).map(" ".join) | st.text(max_size=500))
def test_admit_never_raises_and_keeps_the_rules(sentence: str) -> None:
    judged = admit(sentence, CONTENT, ())
    if isinstance(judged, Admitted):
        assert MIN_SENTENCE <= len(judged.text) <= MAX_SENTENCE
        assert judged.text.isprintable()
        assert judged.identifiers
    else:
        assert len(judged.text) <= MAX_SENTENCE


@given(st.text(max_size=2_000), st.sampled_from(["a.py", "a.md", "a.toml", "a.unknown", "a.ts"]))
def test_any_content_will_do(text: str, path: str) -> None:
    content = Content(path, text, outline(path, text.encode("utf-8", "replace"), "0" * 32))
    assert content.defined <= content.identifiers
    observe("`load` keeps the file open until the process ends, whatever anybody may say of it.", content)


HARD = ["`", "`a` ", "a" * 50 + " ", "so and but ", "I see that ", "if when ", "("]
HARD += ["x.y.", "```\n", "<memory-notes ", "- ", "é. "]


@pytest.mark.parametrize("piece", HARD)
def test_long_texts_take_linear_time(piece: str) -> None:
    def seconds(size: int) -> float:
        text = piece * (size // len(piece))
        best = 9.0
        for _ in range(2):
            start = time.thread_time()  # not what other processes take meanwhile
            observe(text, CONTENT)
            best = min(best, time.thread_time() - start)
        return best

    # Quadratic time would be a factor of 64 here; the floor keeps the noise of a busy machine out.
    assert seconds(1_000_000) <= 24 * max(seconds(125_000), 0.05)


@pytest.mark.parametrize(
    "make",
    [lambda: "name = 1\n" * 120_000, lambda: "import (" * 120_000, lambda: "a" * 1_000_000, lambda: "`" * 1_000_000],
)
def test_large_contents_take_linear_time(make: Callable[[], str]) -> None:
    def seconds(text: str) -> float:
        content = Content("a.py", text, CONTENT.record)
        start = time.thread_time()
        assert content.defined is not None
        observe("`name` keeps the file open until the process ends, whatever anybody may say of it.", content)
        return time.thread_time() - start

    text = make()
    assert seconds(text) <= 24 * max(seconds(text[: len(text) // 8]), 0.05)


FACT = "`load` keeps the file open until the process ends."
FILLER = "Let me think about it a bit more. " * 100


def said(text: str) -> list[str]:
    return [statement for group in statements(text) for statement in group]


def test_only_the_beginning_is_read_and_no_sentence_is_cut_in_two() -> None:
    assert FACT in said(FACT + " " + FILLER)
    assert FACT not in said(FILLER[:MAX_CHARS] + FACT)
    at_the_edge = FILLER[: MAX_CHARS - 40].rpartition(". ")[0] + ". " + FACT.rstrip(".") + ", except on Windows."
    assert not any("load" in one for one in said(at_the_edge))


def test_a_short_text_is_judged_whole_first() -> None:
    assert list(statements(f"{FACT} Close it first.")) == [[f"{FACT} Close it first."], [FACT, "Close it first."]]


@pytest.mark.parametrize(
    "block",
    [
        f'<memory-notes about="x">\n- (2026-11-01) {FACT}\n</memory-notes>\n',
        f'<memory-notes about="x">\n- (2026-11-01) {FACT}\n',
        f"- (2026-11-01) {FACT}\n",
        f"&lt;memory-notes&gt; {FACT} &lt;/memory-notes&gt;\n",
        f"```\n{FACT}\n```\n",
        f"> {FACT}\n\n",
    ],
)
def test_our_own_blocks_and_quotations_are_not_learned(block: str) -> None:
    assert FACT not in said(block + FILLER)
    assert FACT not in said(FILLER[:200] + "\n\n" + block)


def test_a_secret_is_in_no_statement() -> None:
    key = "AKIA" + "QYLPMN5HFIQR7XYA"
    assert key not in repr(said(f"The access key is {key}, which `load` keeps. {FACT}"))
