"""Comments and strings of Python found without the tree give the same words as the tree."""

from __future__ import annotations

import sysconfig
from pathlib import Path

import pytest

from sidecar.files.outline.grammars import parse
from sidecar.files.words import pack, python_literals, unpack, words_of_code


def found(text: str) -> list[str] | None:
    data = text.encode()
    ranges = python_literals(data)
    return None if ranges is None else [data[start:end].decode() for start, end in ranges]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a = 'one' # two\n", ["one", "# two"]),
        ('"""doc "quoted" \\""" # no comment\n"""\nb\n', ['doc "quoted" \\""" # no comment\n']),
        ("x = '' + \"#\" + r'\\''\n", ["#", "\\'"]),
        ("x = 'a\\\nb'\n", ["a\\\nb"]),
        ("é = 'ü'  # ö\n", ["ü", "# ö"]),
        ("'''a''b''' + rb'c'\n", ["a''b", "c"]),
        ("print(f'{name}')\n", None),
        ("print(Rf'{name}')\n", None),
        ("print(fR'''{name}''')\n", None),
    ],
)
def test_literals_are_found_in_python(text: str, expected: list[str] | None) -> None:
    assert found(text) == expected


def test_the_words_are_those_that_the_tree_tells_apart() -> None:
    """Over modules of the standard library."""
    from sidecar.files import words

    compared = 0
    for path in sorted(Path(sysconfig.get_path("stdlib")).glob("[a-d]*.py")):
        data = path.read_bytes().decode("utf-8", "replace").replace("\r\n", "\n").encode()
        if len(data) > 60_000 or python_literals(data) is None:
            continue
        tree, complete = parse("python", data)
        if not complete or tree.root_node.has_error:
            continue
        code, rest, at = [], [], 0
        for start, end in words.ranges_outside_code("python", tree.root_node):
            if start >= at:
                code.append(data[at:start])
                rest.append(data[start:end])
                at = end
        code.append(data[at:])
        in_code = words.count_words(b" ".join(code).decode())
        counts = words.count_words(b" ".join(rest).decode())
        counts.update(in_code)
        expected = list(unpack(pack(counts, in_code)))
        assert list(unpack(words_of_code("python", data, tree.root_node))) == expected, path.name
        compared += 1
    assert compared > 10
