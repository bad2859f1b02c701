"""What is told of a file's lines where its symbols say little, and where a briefing shows it."""

from __future__ import annotations

import time

import pytest

from sidecar.files.briefing.render import render
from sidecar.files.outline import outline

ROUTES = "def include(config):\n" + "".join(
    f'    # All {topic}\n    config.add_route(\n        "{topic}.{name}",\n        "/x",\n    )\n\n'
    for topic in ("account", "project")
    for name in ("list", "edit", "remove")
)


def told(path: str, text: str) -> list[str]:
    return [f"{one.start}-{one.end} {one.signature}" for one in outline(path, text.encode(), "").inside]


def shown(path: str, text: str) -> str:
    return render(outline(path, text.encode(), ""), path=path, project_imports=())


def test_a_long_function_is_told_by_its_comments() -> None:
    lines = told("routes.py", ROUTES)
    assert lines[0] == "2-2 All account"
    assert lines[-1] == "26-26 All project"
    assert shown("routes.py", ROUTES).split("\n")[1:3] == ["def include(config) L1-36", "  All account L2"]


def test_a_file_whose_symbols_fill_its_briefing_has_no_such_lines() -> None:
    text = "".join(
        f"def function_{n}(first: int, second: str) -> list[int]:\n    return call_{n}(first)\n\n\n" for n in range(80)
    )
    assert told("many.py", text) == []


def test_a_shell_script_tells_its_rows_without_what_may_be_a_secret() -> None:
    calls = "".join(f'curl -s "$url/{number}" | jq .id\n\n' for number in range(6))
    lines = shown("a.sh", f"#!/bin/sh\n\n{calls}export API_TOKEN=Zk29xQa8Pw\n\nfetch() {{\n  curl\n}}\n")
    assert 'curl -s "$url/0"' in lines
    assert "Zk29xQa8Pw" not in lines


PAGE = """<template>
  <div>
    <p>{{ $t('You are here:') }}</p>
    <UserCard :user="user" />
    <span>Nothing to see yet</span>
    <a :href="route('users.show', user)">and</a>
  </div>
</template>
"""


def test_a_page_tells_its_elements_and_components() -> None:
    page = told("Page.vue", PAGE)
    assert page[0] == "1-8 <template>"
    assert "You are here:" in page[2]
    assert "<UserCard" in page[3]


def test_a_long_function_tells_the_functions_inside() -> None:
    text = "function outer()\n" + "".join(
        f"  -- about {name}\n  function {name}(token)\n    first(token)\n    second(token)\n    return token\n  end\n\n"
        for name in ("fetch", "decorate")
    )
    found = [line.partition(" — ")[0] for line in told("a.lua", text + "end\n")]
    assert found == ["3-7 function fetch(token)", "10-14 function decorate(token)"]


def test_tests_and_suites_are_told_by_their_titles_and_counted_where_they_do_not_fit() -> None:
    text = 'tests :: TestTree\ntests = testGroup "all"\n' + "".join(
        f'  {"[" if n == 0 else ","} testCase "{name}" $ do\n' + 9 * "      prepare the files\n"
        for n, name in enumerate(("new file", "old file", "backup"))
    )
    assert told("tests/Main.hs", text + "  ]\n") == [
        "3-12 testCase 'new file'",
        "13-22 testCase 'old file'",
        "23-33 testCase 'backup'",
    ]
    blocks = "".join(
        f"  group('number {n}', () {{\n    blocTest<A, B>(\n      'emits {n}',\n      build: b,\n    );\n  }});\n"
        for n in range(40)
    )
    lines = shown("test/cart_test.dart", f"void main() {{\n{blocks}}}\n").split("\n")
    assert lines[3] == "  group 'number 0' L2-7"
    assert lines[4] == "    blocTest 'emits 0' L3-6"
    assert lines[-1].startswith("  … and ") or "number 39" in lines[-1]


def test_a_script_without_symbols_is_told_by_its_blocks() -> None:
    block = '    It "adds" {\n' + 12 * "        Verify-Equal 1 2\n" + "    }\n}\n"
    text = "".join(f'Describe "{name}" {{\n{block}' for name in ("Sum", "List"))
    assert [line for line in shown("a.Tests.ps1", text).split("\n") if "Describe" in line] == [
        "Describe 'Sum' L1-16",
        "Describe 'List' L17-32",
    ]


def test_sections_of_prose_are_told_by_their_first_sentence() -> None:
    text = (
        "# Title\n\nIntroduced here. More.\n\n"
        + "\n" * 6
        + "## Install\n\n```sh\nmake\n```\n\nRun the script once. Then go.\n\n\n\n"
    )
    assert told("a.md", text) == ["3-3 Introduced here", "13-17 Run the script once"]


def test_the_comment_right_above_a_symbol_is_not_told_twice() -> None:
    text = "/**\n * Copies a thing.\n * @param d the thing\n *\n * @return the copy\n */\nint copy(int d);\n"
    assert told("a.h", text) == []


def test_a_secret_in_a_call_is_not_told() -> None:
    text = (
        'def connect():\n    a(1)\n    b(2)\n    login("ghp_A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6")\n    c(3)\n    dial(4)\n'
    )
    assert "ghp_" not in repr(outline("a.py", text.encode(), ""))


@pytest.mark.parametrize("unit", [b"f( ", b"a.b", b"<", b"$A"])
@pytest.mark.parametrize("path", ["a.js", "a.vue", "a.sh", "a.scss"])
def test_any_text_is_read_in_time(path: str, unit: bytes) -> None:
    began = time.thread_time()
    outline(path, unit * (60_000 // len(unit)), "")
    assert time.thread_time() - began < 5
