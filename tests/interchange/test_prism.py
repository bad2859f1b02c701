"""Facts about files in and out as JSON Lines."""

from __future__ import annotations

import msgspec
from hypothesis import given
from hypothesis import strategies as st

from sidecar.interchange.prism import FileFacet, paths_by_hash, read_facets

OURS = """\
{"kind":"file","path":"src/a.py","hash":"00","summary":"A summary.",\
"facets":[{"text":"`a` is so.","createdAt":5,"source":"distiller"}]}
{"kind":"file","path":"src/b.py","facets":[{"text":"`b` is\u2028so."}]}
"""


def test_our_own_form_is_read() -> None:
    found = read_facets(OURS.encode())
    assert found.problems == ()
    assert found.facets == (
        FileFacet("src/a.py", "A summary.", summary=True, hash="00", line=1),
        FileFacet("src/a.py", "`a` is so.", hash="00", at=5, source="distiller", line=1),
        FileFacet("src/b.py", "`b` is\u2028so.", line=2),
    )


def test_unreadable_row_is_reported_by_line_and_the_rest_is_read() -> None:
    data = b'{"path": "a.py", "facets": ["x"]}\n\nnot json\n[1]\n{"path": "a.py"}\n{"facets": ["x"]}\n\xff\xfe\n'
    data += b'{"path": "a.py", "facets": 3}\n{"path": "b", "facets": ["y"]}'
    found = read_facets(data)
    assert [facet.path for facet in found.facets] == ["a.py", "b"]
    assert [line for line, _ in found.problems] == [3, 4, 5, 6, 7, 8]
    assert "has no facts about its file" in found.problems[2][1]
    assert "names no file" in found.problems[3][1]


def test_prism_says_of_a_content_what_it_says_of_all_its_paths() -> None:
    lines: list[dict[str, object]] = [
        {"filepath": "a.py", "contentHash": "00ff", "kind": "read"},
        {"filepath": "b.py", "contentHash": "00ff", "kind": "edit"},
        {"filepath": "c.py", "contentHash": "11ff", "kind": "read"},
        {"hash": "00ff", "summary": "It adds.", "facets": ["`add` rounds.", {"text": "`sub` does not."}]},
    ]
    data = b"\n".join(map(msgspec.json.encode, lines))
    found = read_facets(data)
    assert [(facet.path, facet.text, facet.summary, facet.hash) for facet in found.facets] == [
        (path, text, text == "It adds.", "00ff")
        for path in ("a.py", "b.py")
        for text in ("It adds.", "`add` rounds.", "`sub` does not.")
    ]
    assert found.problems == ()
    apart = read_facets(msgspec.json.encode(lines[3]), paths=paths_by_hash(data))
    assert [facet.path for facet in apart.facets] == ["a.py"] * 3 + ["b.py"] * 3


KEYS = st.sampled_from(["path", "facets", "text", "summary", "createdAt", "hash", "kind", "x"])
LEAVES = st.none() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=9)
TREES = st.recursive(
    LEAVES, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=5), max_leaves=12
)
OBJECTS = st.dictionaries(KEYS, TREES, max_size=6)


@given(
    st.binary(max_size=400)
    | st.lists(OBJECTS, max_size=4).map(lambda lines: b"\n".join(map(msgspec.json.encode, lines)))
)
def test_facets_of_random_bytes_never_raise(data: bytes) -> None:
    found = read_facets(data)
    assert all(facet.path and facet.text.strip() for facet in found.facets)
    refused = {line for line, _ in found.problems}
    assert refused.isdisjoint(facet.line for facet in found.facets)
