"""Lines, columns and changes of open documents, in every encoding, against a model that counts anew."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lsprotocol import types

from sidecar.lsp import documents as module
from sidecar.lsp.documents import OpenDocuments
from sidecar.lsp.positions import Encoding, split_lines, to_column, to_index

ENCODINGS: tuple[Encoding, ...] = ("utf-8", "utf-16", "utf-32")
ALPHABET = "ab \r\n\u2028\x0cé漢字😀👩\u200d"
texts = st.text(alphabet=ALPHABET, max_size=30)


def width(text: str, encoding: Encoding) -> int:
    sizes = {"utf-8": ("utf-8", 1), "utf-16": ("utf-16-le", 2), "utf-32": ("utf-32-le", 4)}
    codec, unit = sizes[encoding]
    return len(text.encode(codec)) // unit


def line_and_column(text: str, offset: int, encoding: Encoding) -> types.Position:
    before = split_lines(text[:offset])
    return types.Position(len(before) - 1, width(before[-1], encoding))


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("", [""]),
        ("a", ["a"]),
        ("a\n", ["a\n", ""]),
        ("a\r\nb\rc\n\nd", ["a\r\n", "b\r", "c\n", "\n", "d"]),
        ("a\u2028b\x0cc\x85d", ["a\u2028b\x0cc\x85d"]),
    ],
)
def test_lines_end_as_lsp_says(text: str, lines: list[str]) -> None:
    assert split_lines(text) == lines


@pytest.mark.parametrize("encoding", ENCODINGS)
@given(line=st.text(alphabet="ab é漢字😀", max_size=12))
def test_columns_and_indexes_are_inverse(encoding: Encoding, line: str) -> None:
    for index in range(len(line) + 1):
        column = to_column(line, index, encoding)
        assert column == width(line[:index], encoding)
        assert to_index(line, column, encoding) == index
    assert to_index(line, 10_000, encoding) == len(line)


def test_a_column_inside_a_character_is_its_beginning() -> None:
    assert to_index("a😀b", 2, "utf-16") == 1
    assert [to_index("a漢b", column, "utf-8") for column in range(6)] == [0, 1, 1, 1, 2, 3]


@pytest.mark.parametrize("encoding", ENCODINGS)
@given(data=st.data(), text=texts)
def test_incremental_changes_give_the_text_that_the_client_has(
    encoding: Encoding, data: st.DataObject, text: str
) -> None:
    kept = OpenDocuments()
    kept.encoding = encoding
    kept.open(types.TextDocumentItem("file:///a", "x", 0, text))
    for version in range(1, data.draw(st.integers(1, 5)) + 1):
        start = data.draw(st.integers(0, len(text)))
        end = data.draw(st.integers(start, len(text)))
        # A client cannot name a place between `\r` and `\n`.
        if any(text[at - 1 : at + 1] == "\r\n" for at in (start, end)):
            continue
        put = data.draw(texts)
        where = types.Range(line_and_column(text, start, encoding), line_and_column(text, end, encoding))
        change = types.TextDocumentContentChangePartial(range=where, text=put)
        document = kept.change("file:///a", version, [change])
        text = text[:start] + put + text[end:]
        assert document is not None
        assert document.lines == split_lines(text)


def opened(kept: OpenDocuments, uri: str, text: str, version: int = 1) -> None:
    kept.open(types.TextDocumentItem(uri, "x", version, text))


def whole(text: str) -> types.TextDocumentContentChangeWholeDocument:
    return types.TextDocumentContentChangeWholeDocument(text=text)


def test_stale_versions_and_unknown_documents_are_dropped() -> None:
    kept = OpenDocuments()
    opened(kept, "a", "one", 3)
    assert kept.change("a", 3, [whole("old")]) is None
    assert kept.change("a", 2, [whole("older")]) is None
    assert kept.change("b", 9, [whole("never opened")]) is None
    changed = kept.change("a", 4, [whole("new")])
    assert changed is not None
    assert changed.lines == ["new"]
    kept.close("a")
    assert kept.get("a") is None


def test_kept_texts_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MAX_CHARACTERS", 10)
    monkeypatch.setattr(module, "MAX_TEXTS", 2)
    kept = OpenDocuments()
    opened(kept, "long", "x" * 11)
    assert kept.all()[0].lines is None
    for name in ("a", "b", "c"):
        opened(kept, name, name)
    assert [one.uri for one in kept.all() if one.lines is not None] == ["b", "c"]
    grown = kept.change("c", 2, [whole("y" * 11)])
    assert grown is not None
    assert grown.lines is None
    back = kept.change("c", 3, [whole("z")])
    assert back is not None
    assert back.lines == ["z"]


def test_a_snapshot_does_not_change() -> None:
    kept = OpenDocuments()
    opened(kept, "a", "one\ntwo\n")
    before = kept.get("a")
    assert before is not None
    where = types.Range(types.Position(0, 0), types.Position(1, 0))
    kept.change("a", 2, [types.TextDocumentContentChangePartial(range=where, text="")])
    assert before.lines == ["one\n", "two\n", ""]
