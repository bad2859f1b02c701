"""No bytes make an outline raise or lose its shape; broken files keep most of their symbols."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from sidecar.files.outline import outline
from sidecar.store.records import ContentRecord, SymbolRecord

pytestmark = [pytest.mark.slow, pytest.mark.long]

FOLDER = Path(__file__).parent / "samples"
SAMPLES = sorted(path for path in FOLDER.iterdir() if path.suffix != ".outline")
EXTENSIONS = """py js jsx ts tsx go rs java c h cpp cs rb php kt swift lua sh
vue svelte astro html erb razor ipynb""".split()
ANY = settings(max_examples=40, deadline=None, suppress_health_check=list(HealthCheck))


def symbols(found: Iterable[SymbolRecord]) -> Iterator[SymbolRecord]:
    for one in found:
        yield one
        yield from symbols(one.children)


def names(record: ContentRecord) -> set[str]:
    return {symbol.name for symbol in symbols(record.symbols)}


def check(path: str, data: bytes) -> ContentRecord:
    """Return the outline of `data` after checking what every record promises."""
    record = outline(path, data, "h")
    assert outline(path, data, "h") == record
    assert not record.fault
    assert msgspec.msgpack.decode(msgspec.msgpack.encode(record), type=ContentRecord) == record
    for symbol in symbols(record.symbols):
        assert symbol.name
        assert 1 <= symbol.start <= symbol.end <= max(record.lines, 1)
        assert len(symbol.signature) <= 160
        assert "\n" not in symbol.signature
        assert symbol.doc is None or (symbol.doc.strip() and len(symbol.doc) <= 240)
    return record


@ANY
@given(st.sampled_from(EXTENSIONS), st.binary(max_size=2000))
def test_any_bytes_have_an_outline(extension: str, data: bytes) -> None:
    check(f"a.{extension}", data)


@ANY
@given(st.sampled_from(EXTENSIONS), st.text(max_size=500))
def test_any_text_has_an_outline(extension: str, text: str) -> None:
    check(f"a.{extension}", text.encode("utf-8", "surrogatepass"))


@ANY
@given(
    st.sampled_from(SAMPLES),
    st.lists(
        st.tuples(st.floats(0, 1), st.sampled_from([b"{", b"}", b"(", b'"', b"'", b"\0", b"\xff", b"/*", b"", b"<"]))
    ),
    st.floats(0, 1),
)
def test_a_damaged_sample_has_an_outline(path: Path, changes: list[tuple[float, bytes]], cut: float) -> None:
    data = path.read_bytes()
    for place, piece in changes:
        at = int(place * len(data))
        data = data[:at] + piece + data[at + 1 :]
    check(path.name, data[: int(cut * len(data))])


@pytest.mark.parametrize("path", SAMPLES, ids=lambda path: str(path.name))
def test_a_file_that_is_being_typed_keeps_most_symbols_and_says_so(path: Path) -> None:
    whole = path.read_bytes()
    broken = outline(path.name, whole + b"\n\n@@@ ((( class {{{ \n", "h")
    expected = names(outline(path.name, whole, "h"))
    assert broken.partial
    assert len(names(broken) & expected) >= 0.7 * len(expected)


@pytest.mark.parametrize("path", SAMPLES, ids=lambda path: str(path.name))
def test_half_a_file_keeps_what_stands_in_it(path: Path) -> None:
    whole = path.read_bytes()
    lines = whole.split(b"\n")
    half = b"\n".join(lines[: len(lines) // 2])
    expected = {symbol.name for symbol in outline(path.name, whole, "h").symbols if symbol.end < len(lines) // 2}
    kept = names(outline(path.name, half, "h"))
    assert len(expected & kept) >= 0.75 * len(expected)


def test_symbols_lost_by_the_parser_are_found_by_keyword() -> None:
    text = 'class A {\n  fun a() = "\n}\nclass B {\n  private fun b(x: Int) {\n    fun local() {}\n  }\n}\n'
    record = outline("a.kt", text.encode(), "h")
    assert record.partial
    assert {"A", "B", "a", "b"} <= names(record)
    text = "/* class of things */\nmodule M\n  class K\n    def one(\n    end\n    def two(a)\n    end\n  end\nend\n"
    assert {"M", "K", "one", "two"} <= names(outline("a.rb", text.encode(), "h"))
    assert "of" not in names(outline("a.rb", text.encode(), "h"))


@pytest.mark.parametrize("path", SAMPLES, ids=lambda path: str(path.name))
@pytest.mark.parametrize("line_end", [b"\r\n", b"\r"])
def test_line_ends_change_nothing(path: Path, line_end: bytes) -> None:
    data = path.read_bytes()
    plain = outline(path.name, data, "h")
    other = outline(path.name, data.replace(b"\n", line_end), "h")
    assert other.symbols == plain.symbols
    assert (other.lines, other.doc, other.imports) == (plain.lines, plain.doc, plain.imports)


@pytest.mark.parametrize("path", SAMPLES, ids=lambda path: str(path.name))
@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16"])
def test_a_byte_order_mark_changes_nothing(path: Path, encoding: str) -> None:
    data = path.read_bytes()
    plain = outline(path.name, data, "h")
    other = outline(path.name, data.decode().encode(encoding), "h")
    assert other.symbols == plain.symbols
    if not data.startswith(b"#!"):  # the language of UTF-16 is told by its name alone
        assert other.language == plain.language


def test_names_of_any_script_survive() -> None:
    record = outline("a.py", "def größe(名前, *, emoji='🎉'):\n    pass\nклас = 1\n".encode(), "h")
    assert [symbol.name for symbol in record.symbols] == ["größe", "клас"]
    assert record.symbols[0].signature == "def größe(名前, *, emoji='🎉')"


def test_latin_1_is_read() -> None:
    record = outline("a.py", b'def gr\xf6\xdfe():\n    """Gr\xf6\xdfe."""\n', "h")
    assert record.symbols[0].name == "größe"
    assert record.symbols[0].doc == "Größe"


@pytest.mark.parametrize(
    ("path", "definition"), [("a.rs", b"//! d\nfn f(){}\n"), ("a.py", b'def f():\n    """Doc."""\n')]
)
def test_each_of_many_docs_inside_definitions_is_placed_at_once(path: str, definition: bytes) -> None:
    record = outline(path, definition * 10_000, "h")  # looking through all definitions for each took minutes
    assert not record.fault
    assert record.symbols[0].name == "f"


@pytest.mark.parametrize("extension", EXTENSIONS)
@pytest.mark.parametrize(
    "data",
    [
        b"x = " + b"(" * 10_000 + b")" * 10_000,
        b"class A {\n" * 1_500,
        b"namespace a {" * 2_000,
        b"a<" * 5_000,
        b"a=>" * 10_000,
        b"<a " * 5_000,
        b"`${" * 5_000,
        b"#if X\n{\n" * 1_500,
        b"A_B(" * 10_000,
        b"template <" * 3_000,
        b"\0" * 20_000,
        b"".join(b" " * depth + b"if x:\n" for depth in range(300)),
        b"use a::{" * 1_500,
    ],
    ids=lambda data: str(data[:12]),
)
def test_hostile_text_has_an_outline(extension: str, data: bytes) -> None:
    record = outline(f"a.{extension}", data, "h")
    assert record.lines >= 1


def test_a_huge_file_is_bounded_and_marked() -> None:
    data = b"".join(b"def f%d(a, b):\n    return a\n\n\n" % number for number in range(15_000))
    record = outline("a.py", data, "h")
    assert record.partial
    assert 1_000 < len(record.symbols) <= 10_000
    assert record.symbols[0].name == "f0"
    assert record.lines == 60_000


def test_an_empty_file_is_whole() -> None:
    for extension in EXTENSIONS:
        record = outline(f"a.{extension}", b"", "h")
        assert (record.lines, record.symbols, record.imports, record.partial) == (0, (), (), False)
