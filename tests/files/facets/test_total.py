"""What holds for any text: nothing is raised, nothing is invented, and time is linear."""

from __future__ import annotations

import re
import time
from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sidecar.files.facets.admission import admit
from sidecar.files.facets.content import Content
from sidecar.files.facets.distiller import distil
from sidecar.files.facets.verdict import LONGEST, SHORTEST, Admitted
from sidecar.files.outline import outline

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


def words(text: str) -> list[str]:
    return re.findall(r"\w+", text.lower())


@given(REASONING, st.lists(st.text(max_size=60), max_size=3))
@settings(max_examples=400, deadline=None)
def test_distil_never_raises_and_keeps_the_rules(reasoning: str, known: list[str]) -> None:
    found = distil(reasoning, CONTENT, known)
    if found.admitted is None:
        return
    text = found.admitted.text
    assert SHORTEST <= len(text) <= LONGEST
    assert "\n" not in text
    assert found.admitted.identifiers
    for identifier in found.admitted.identifiers:
        assert all(part in TEXT for part in identifier.split("."))
        assert any(part in text for part in identifier.split("."))
    assert set(words(text)) <= set(words(reasoning))  # no invented words


@given(st.lists(st.sampled_from(WORDS), max_size=40).map(" ".join) | st.text(max_size=500))
@settings(max_examples=400, deadline=None)
def test_admit_never_raises_and_keeps_the_rules(sentence: str) -> None:
    judged = admit(sentence, CONTENT, ())
    if isinstance(judged, Admitted):
        assert SHORTEST <= len(judged.text) <= LONGEST
        assert judged.text.isprintable()
        assert judged.identifiers
    else:
        assert len(judged.text) <= LONGEST


@given(st.text(max_size=2_000), st.sampled_from(["a.py", "a.md", "a.toml", "a.unknown", "a.ts"]))
@settings(max_examples=100, deadline=None)
def test_any_content_will_do(text: str, path: str) -> None:
    content = Content(path, text, outline(path, text.encode("utf-8", "replace"), "0" * 32))
    assert content.defined <= content.identifiers
    distil("`load` keeps the file open until the process ends, whatever anybody may say of it.", content, ())


HARD = ["`", "`a` ", "a" * 50 + " ", "so and but ", "I see that ", "if when ", "("]
HARD += ["x.y.", "```\n", "<memory-notes ", "- ", "é. "]


@pytest.mark.parametrize("piece", HARD)
def test_long_texts_take_linear_time(piece: str) -> None:
    def seconds(size: int) -> float:
        text = piece * (size // len(piece))
        best = 9.0
        for _ in range(2):
            start = time.thread_time()  # not what other processes take meanwhile
            distil(text, CONTENT, ())
            best = min(best, time.thread_time() - start)
        return best

    # Quadratic time would be a factor of 64 here; the floor keeps the noise of a busy machine out.
    assert seconds(1_000_000) <= 24 * max(seconds(125_000), 0.05)


@pytest.mark.parametrize(
    "make",
    [
        lambda: "name = 1\n" * 120_000,
        lambda: "import (" * 120_000,
        lambda: "a" * 1_000_000,
        lambda: "`" * 1_000_000,
    ],
)
def test_large_contents_take_linear_time(make: Callable[[], str]) -> None:
    def seconds(text: str) -> float:
        content = Content("a.py", text, CONTENT.record)
        start = time.thread_time()
        assert content.defined is not None
        distil(
            "`name` keeps the file open until the process ends, whatever anybody may say of it.", content, ()
        )
        return time.thread_time() - start

    text = make()
    assert seconds(text) <= 24 * max(seconds(text[: len(text) // 8]), 0.05)
