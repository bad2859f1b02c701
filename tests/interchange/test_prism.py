"""Facts about files in and out as JSON Lines."""

from __future__ import annotations

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sidecar.interchange.prism import FileFacet, read_facets

OURS = """\
{"kind":"header","format":"memory-sidecar-files","version":1}
{"kind":"file","path":"src/a.py","hash":"00","summary":"A summary.",\
"facets":[{"text":"`a` is so.","identifiers":["a"],"symbols":["a"],"createdAt":5,"source":"distiller"}]}
{"kind":"file","path":"src/b.py","facets":[{"text":"`b` is\u2028so.","identifiers":["b"],"symbols":[]}]}
"""


def test_our_own_form_is_read() -> None:
    found = read_facets(OURS.encode())
    assert found.problems == ()
    assert found.facts == (
        FileFacet("src/a.py", "A summary.", summary=True, hash="00", line=2),
        FileFacet(
            "src/a.py", "`a` is so.", hash="00", identifiers=("a",), symbols=("a",), at=5, source="distiller", line=2
        ),
        FileFacet("src/b.py", "`b` is\u2028so.", identifiers=("b",), line=3),
    )


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ({"path": "a.py", "facets": ["`x` is so."]}, ("a.py", "`x` is so.", None)),
        (
            {"filePath": "a.py", "facets": [{"text": "`x`", "createdAt": 1_700_000_000_000}]},
            ("a.py", "`x`", 1_700_000_000_000),
        ),
        (
            {"file": "a.py", "facet": "`x` is so.", "timestamp": 1_700_000_000},
            ("a.py", "`x` is so.", 1_700_000_000_000),
        ),
        ({"fact": "`x` is so.", "ts": "2024-01-01T00:00:00Z"}, ("given.py", "`x` is so.", 1_704_067_200_000)),
        ({"type": "facet", "data": {"file_path": "a.py", "text": "`x`"}}, ("a.py", "`x`", None)),
        ({"filename": "a.py", "notes": ["`x` is so."], "sha256": "0"}, ("a.py", "`x` is so.", None)),
        ({"path": "a.py", "notes": "`x` is so."}, ("a.py", "`x` is so.", None)),
        ({"path": "a.py", "entry": {"facts": [{"fact": "`x`"}]}}, ("a.py", "`x`", None)),
    ],
)
def test_plausible_forms_are_read(line: dict[str, object], expected: tuple[object, ...]) -> None:
    found = read_facets(msgspec.json.encode(line), "given.py")
    assert [(fact.path, fact.text, fact.at) for fact in found.facts] == [expected]


def test_unreadable_row_is_reported_by_line_and_the_rest_is_read() -> None:
    data = b'{"path": "a.py", "facet": "x"}\n\nnot json\n[1]\n{"path": "a.py"}\n{"facet": "x"}\n\xff\xfe\n'
    data += b'{"path": "b", "facet": "y"}'
    found = read_facets(data)
    assert [fact.path for fact in found.facts] == ["a.py", "b"]
    assert [line for line, _ in found.problems] == [3, 4, 5, 6, 7]


def test_a_newer_form_is_left_alone() -> None:
    found = read_facets(
        b'{"kind": "header", "format": "memory-sidecar-files", "version": 2}\n{"path": "a", "facet": "x"}'
    )
    assert found.facts == ()
    assert len(found.problems) == 1


KEYS = st.sampled_from(["path", "facet", "facets", "summary", "data", "at", "hash", "kind", "x"])
LEAVES = st.none() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=9)
TREES = st.recursive(
    LEAVES, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=5), max_leaves=12
)
OBJECTS = st.dictionaries(KEYS, TREES, max_size=6)


@given(
    st.binary(max_size=400)
    | st.lists(OBJECTS, max_size=4).map(lambda lines: b"\n".join(map(msgspec.json.encode, lines)))
)
def test_anything_is_survived(data: bytes) -> None:
    found = read_facets(data, "given.py")
    assert all(fact.path and fact.text.strip() for fact in found.facts)
    refused = {line for line, _ in found.problems}
    assert refused.isdisjoint(fact.line for fact in found.facts)


@pytest.mark.parametrize(
    ("line", "lacks"),
    [
        ({"facet": "`x` is so."}, "names no file: it has none of path, file, filePath"),
        ({"data": {"facet": "`x` is so."}}, "names no file"),
        ({"path": "a.py"}, "has no facts about its file: it has none of summary, description"),
        ({"path": "a.py", "data": {"size": 3}}, "has no facts about its file"),
        ({"path": "a.py", "facets": [], "notes": ""}, "has no facts about its file"),
    ],
)
def test_a_refused_line_is_told_what_it_lacks(line: dict[str, object], lacks: str) -> None:
    found = read_facets(msgspec.json.encode(line))
    assert found.facts == ()
    assert [number for number, _ in found.problems] == [1]
    assert lacks in found.problems[0][1]
