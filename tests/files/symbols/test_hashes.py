"""Symbol hashes: unchanged by layout and comments, changed with the code."""

from __future__ import annotations

import pytest

from sidecar.files.outline import outline
from sidecar.files.symbols.hashes import full_name, symbol_hashes


def hashes(path: str, text: str, *wanted: str) -> dict[str, str]:
    data = text.encode()
    return dict(symbol_hashes(outline(path, data, "hash"), data, wanted or None))


LAID_OUT = """class C:
    def m(self, a, b):
        if a:
            return "x"  # why
        return f(
            a,
            b,
        )
"""
GO = "package a\nfunc F() int {\n return 1\n}\n"
RUST = "// c\nfn f<'a>(x: &'a str) -> i32 {\n    1\n}\nfn g() {}\n"
PYTHON = "class C:\n    def m(self, a, b):\n        if a:\n            return 'x'\n        return f(a, b)\n"


@pytest.mark.parametrize(
    ("path", "before", "after", "name"),
    [
        ("a.py", PYTHON, LAID_OUT, "C.m"),
        ("a.py", PYTHON, f"import os\n\n\n{PYTHON}\n    def n(self):\n        pass\n\n\ndef g(): pass\n", "C.m"),
        ("a.py", "def f():\n    return 1\n", "# new\n\n\ndef f():\n    return 1\n\n\ndef g():\n    return 2\n", "f"),
        ("a.js", "function f(a){ return 'x' + a; }\n", 'function f(a) {\n  // c\n  return "x" + a\n}\n', "f"),
        ("a.go", GO, "package a\n\nfunc F() int { return 1 }\n\nfunc G() {}\n", "F"),
        ("a.rs", "fn f<'a>(x: &'a str) -> i32 { 1 }\n", RUST, "f"),
        ("a.sh", "f() {\n  echo hi\n}\n", "f() {\n  echo   hi # c\n}\ng() { ls; }\n", "f"),
        ("a.md", "# A\n\ntext\n\n# B\n\nfoo\n", "# A\n\n\ntext  \n\n# B\n\nbar\n", "A"),
    ],
)
def test_layout_comments_and_neighbours_do_not_matter(path: str, before: str, after: str, name: str) -> None:
    assert hashes(path, before, name)[name] == hashes(path, after, name)[name]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("        return f(a, b)", "            return f(a, b)"),
        ("return 'x'", "return 'y'"),
        ("def m(self, a, b)", "def m(self, b, a)"),
        ("    def m(self", "    @cached\n    def m(self"),
        ("        if a:", "        '''Doc.'''\n        if a:"),
    ],
)
def test_changed_code_changes_the_hash(before: str, after: str) -> None:
    assert hashes("a.py", PYTHON, "C.m") != hashes("a.py", PYTHON.replace(before, after), "C.m")


def test_names_are_found_in_part_only_when_that_is_one_symbol() -> None:
    text = "class A:\n    def run(self): pass\n    def one(self): pass\n\nclass B:\n    def run(self): pass\n"
    assert set(hashes("a.py", text, "one", "run", "B.run", "nothing")) == {"one", "B.run"}
    assert full_name("pkg.B.run", ["B.run"]) == "B.run"
    assert full_name("other.run", ["run"]) is None


def test_a_symbol_that_is_defined_twice_is_both() -> None:
    one = "if x:\n    def f(): return 1\nelse:\n    def f(): return 2\n"
    assert set(hashes("a.py", one)) == {"f"}


@pytest.mark.parametrize(
    ("data", "known"), [(b"", []), (b"\xff\xfe\x00", []), (b"def f(:\n", ["f"]), (b"class C:\n" * 50, ["C"])]
)
def test_broken_files_are_read(data: bytes, known: list[str]) -> None:
    assert list(dict(symbol_hashes(outline("a.py", data, "hash"), data))) == known
