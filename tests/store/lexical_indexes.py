"""What the tests of the lexical index share."""

from __future__ import annotations

from hypothesis import strategies as st

from sidecar.store.lexical import LexicalIndex

WORDS = ["apple", "banana", "cherry", "dates", "elder", "figs", "grape", "数据库", "parseHeader", "src/a.py"]

field = st.tuples(st.lists(st.sampled_from(WORDS), max_size=6).map(" ".join), st.sampled_from([0.25, 0.5, 1.0, 3.0]))
document = st.lists(field, min_size=1, max_size=3)
identifier = st.sampled_from(["a", "b", "c", "d", "e"])


def loaded(blob: bytes, **parameters: float) -> LexicalIndex:
    index = LexicalIndex(**parameters)
    index.absorb(blob)
    return index


def build(documents: dict[str, str]) -> LexicalIndex:
    index = LexicalIndex()
    for id, text in documents.items():
        index.add(id, [(text, 1.0)])
    return index
