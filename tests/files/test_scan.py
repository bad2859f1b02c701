"""Scans compared with the outlines of the same files."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sidecar.files.language import HOSTS, language_of
from sidecar.files.outline import outline
from sidecar.files.scan.record import PUBLIC, TOP, Scan
from sidecar.files.scan.scanning import can_sketch, of_record, scan, sketch

pytestmark = pytest.mark.slow

SAMPLES = sorted(path for path in (Path(__file__).parent / "samples").iterdir() if path.suffix != ".outline")
OURS = sorted((Path(__file__).resolve().parents[2] / "sidecar").glob("**/*.py"))

PYTHON = b'''"""A sample: class NotOne: in a string."""
from __future__ import annotations

import os, sys as system
from app.core import (
    make_engine,  # def not_this(): ...
    RequestEngine,
)
from . import near
from .deep.er import *

LIMIT_OF_ALL: int = 3
lower_case = 4
__all__ = ["Engine", "run_engine"]


def run_engine(
    first: int,  # a remark
    second: str = "a:b",
) -> dict[str, int]:
    def inside() -> None: ...

    return {f"{make_engine(first)}": LIMIT_OF_ALL}


@decorated(1)
class Engine(Base):
    def close_engine(self) -> None:
        if self:
            x = 1

    @property
    def state_of_it(self) -> int:
        return 1

    class Inner:
        async def deep_method(self): ...


@overload
def parse_it(value: int) -> int: ...
@overload
def parse_it(value: str) -> str: ...
def parse_it(value):
    return value
'''


def names(found: Scan) -> list[str]:
    return list(found.names)


def test_python_is_told_by_its_indentation() -> None:
    found = scan("a.py", "python", PYTHON)
    assert names(found) == ["LIMIT_OF_ALL", "run_engine", "Engine", "close_engine", "Inner", "deep_method", "parse_it"]
    assert [bool(flag & TOP) for flag in found.flags] == [True, True, True, False, False, False, True]
    public = [name for name, flag in zip(found.names, found.flags, strict=True) if flag & PUBLIC]
    assert public == ["run_engine", "Engine", "close_engine", "Inner", "deep_method"]
    assert [found.names[owner] if owner >= 0 else "" for owner in found.owners] == [
        "", "", "", "Engine", "Engine", "Inner", ""
    ]  # fmt: skip
    assert found.imports == (
        "__future__",
        "__future__.annotations",
        "os",
        "sys",
        "app.core",
        "app.core.make_engine",
        ".near",
        ".deep.er",
    )
    used = dict(zip(found.used, found.times, strict=True))
    assert used["make_engine"] == 2  # in the import, and in the formatted string
    assert not {"NotOne", "not_this"} & used.keys()


def test_go_and_java_and_scripts() -> None:
    go = (
        b'package a\n\nimport (\n\t"fmt"\n\tx "host/a/b"\n)\n\nconst (\n\tFirstKind = iota\n\tsecondKind\n)\n\n'
        b"type Reader interface {\n\tReadAll(p []byte) (int, error)\n}\n\n"
        b"// func NotOne() {\nfunc (r *engine) RunAll(n int) error {\n\tfmt.Println(`func NotTwo() {`)\n}\n"
    )
    found = scan("a.go", "go", go)
    assert names(found) == ["FirstKind", "secondKind", "Reader", "ReadAll", "RunAll"]
    assert found.imports == ("fmt", "host/a/b")
    assert scan("a.go", "go", b'package a\n\nimport ()\n\nimport "fmt"\n').imports == ("fmt",)
    java = (
        b"package a.b;\nimport a.c.Other;\n\npublic class Shop<T> extends Base {\n"
        b"    static final int MAX_SIZE = 3;\n    public Shop(int size) {\n        call(size);\n    }\n\n"
        b"    public <R> List<R> sellAll(List<? extends R> goods,\n            int times) throws IOException {\n"
        b"        return null;\n    }\n    interface Buyer {\n        void buyNow(String what);\n    }\n}\n"
    )
    found = scan("Shop.java", "java", java)
    assert names(found) == ["Shop", "MAX_SIZE", "sellAll", "Buyer", "buyNow"]
    assert found.imports == ("a.c.Other",)
    assert "Other" not in found.used
    script = (
        b"import { a } from './near';\nconst other = require(\"pkg\");\n\nexport default class Panel extends Base {\n"
        b"  private hide_it() {\n    if (x) {\n    }\n  }\n  async showAll(one: string): Promise<void> {\n  }\n}\n"
        b"export const makePanel = (size: number) => {\n};\nfunction inner_one() {}\nexport { inner_one };\n"
        b"export type PanelSize = 'a' | 'b';\n"
    )
    found = scan("a.ts", "typescript", script)
    assert names(found) == ["Panel", "hide_it", "showAll", "makePanel", "inner_one", "PanelSize"]
    assert found.imports == ("./near", "pkg")
    public = [name for name, flag in zip(found.names, found.flags, strict=True) if flag & PUBLIC]
    assert public == ["Panel", "showAll", "makePanel", "inner_one", "PanelSize"]


def test_our_own_code_is_scanned_as_it_is_outlined() -> None:
    missing: Counter[str] = Counter()
    more: Counter[str] = Counter()
    total = words = other = 0
    for path in OURS:
        data = path.read_bytes()
        by_scan = scan(path.name, "python", data)
        by_outline = of_record(outline(path.name, data, ""))
        total += len(by_outline.names)
        missing += Counter(by_outline.names) - Counter(by_scan.names)
        more += Counter(by_scan.names) - Counter(by_outline.names)
        words += len(by_outline.used)
        other += len(set(by_scan.used) ^ set(by_outline.used))
        assert set(by_outline.imports) <= set(by_scan.imports), path
    assert sum(missing.values()) + sum(more.values()) <= total / 33, (missing, more)
    assert other <= words / 100


@pytest.mark.parametrize("path", SAMPLES, ids=lambda path: path.name)
def test_samples_lose_little(path: Path) -> None:
    data = path.read_bytes()
    language = language_of(path.name, data)
    by_scan, by_outline = scan(path.name, language, data), of_record(outline(path.name, data, ""))
    assert by_scan.language == language
    if language not in HOSTS and not can_sketch(language, masked=True):
        assert by_scan == by_outline
        return
    wanted = {name for name, flag in zip(by_outline.names, by_outline.flags, strict=True) if flag & TOP}
    assert len(wanted & set(by_scan.names)) >= 0.6 * len(wanted)


@given(
    st.sampled_from(["python", "go", "java", "typescript", "javascript", "json", "text"]),
    st.lists(
        st.sampled_from(
            ["class A1b:", "def f_g(x):", "\n", "    ", "\t", '"', "'''", "`", "/*", "*/", "//", "#", "{", "}",
             "(", ")", "import a.b", "from . import (x", "func X(", "type Y interface {", "public class Z {", "\\",
             "export const q = ", "\r\n", "é", "\x00", "__all__ = ['f_g'"]
        ),
        max_size=30,
    ).map("".join),
)  # fmt: skip
def test_any_text_gives_a_scan_that_can_be_kept(language: str, text: str) -> None:
    kept(language, text.encode())


@pytest.mark.parametrize("text", ["export {}", "export {};\nconst a = 1", "module.exports = {}", "export { , }"])
def test_an_empty_list_of_exports_exports_nothing(text: str) -> None:
    assert not any(flag & PUBLIC for flag in kept("typescript", text.encode()).flags)


@given(
    st.sampled_from(SAMPLES + OURS[::20]),
    st.lists(
        st.tuples(
            st.floats(0, 1),
            st.integers(0, 80),
            st.sampled_from([b"{}", b"{", b"}", b"(", b")", b'"', b"`", b"\0", b"\xff", b"/*", b"", b"<", b",", b"="]),
        ),
        max_size=12,
    ),
    st.floats(0, 1),
)
def test_a_damaged_file_gives_a_scan(path: Path, changes: list[tuple[float, int, bytes]], cut: float) -> None:
    data = path.read_bytes()
    for place, length, piece in changes:
        at = int(place * len(data))
        data = data[:at] + piece + data[at + length :]
    kept(language_of(path.name, data), data[: int(cut * len(data))])


def kept(language: str, data: bytes) -> Scan:
    """Return the scan of `data` after checking what every scan promises."""
    found = scan("a", language, data)
    assert not found.fault
    assert found == scan("a", language, data)
    assert msgspec.msgpack.decode(msgspec.msgpack.encode(found), type=Scan) == found
    assert len(found.names) == len(found.lines) == len(found.flags) == len(found.owners)
    assert len(found.used) == len(found.times)
    assert list(found.used) == sorted(set(found.used))
    assert all(owner < place for place, owner in enumerate(found.owners))
    return found


@pytest.mark.timeout(120)
@pytest.mark.parametrize(
    ("language", "opened"),
    [
        ("csharp", b"struct X\n"),
        ("java", b"class X\n"),
        ("go", b"const (\n"),
        ("go", b"type A interface {\n"),
        ("ruby", b"%w["),
    ],
)
def test_blocks_that_never_end_are_scanned_in_one_pass(language: str, opened: bytes) -> None:
    """A megabyte takes about 3 s; searched to the end for each block, it would take minutes."""
    found = sketch(language, opened * (1_000_000 // len(opened)), masked=False)
    assert not found.scan.fault
