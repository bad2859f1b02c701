"""What is told of a file's lines where its symbols say little, and where a briefing shows it."""

from __future__ import annotations

import time

import pytest

from sidecar.files.briefing.render import render
from sidecar.files.outline import outline
from sidecar.files.structure.body_rows import LINE

ROUTES = "def include(config):\n" + "".join(
    f'    # All {topic}\n    config.add_route(\n        "{topic}.{name}",\n        "/x",\n    )\n\n'
    for topic in ("account", "project")
    for name in ("list", "edit", "remove")
)


def told(path: str, text: str) -> list[str]:
    inside = outline(path, text.encode(), "").inside
    return [f"{one.start}-{one.end} {one.signature}" for one in inside if one.kind != LINE]


def shown(path: str, text: str) -> str:
    return render(outline(path, text.encode(), ""), path=path, project_imports=())


def test_a_long_function_is_told_by_its_comments() -> None:
    lines = told("routes.py", ROUTES)
    assert lines[0] == "2-6 All account"
    assert lines[-1] == "32-36 All project"
    assert shown("routes.py", ROUTES).split("\n")[1:3] == ["def include(config) L1-36", "  All account L2-6"]


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
    assert told("Page.vue", PAGE) == ["1-8 <template>", '4-4 <UserCard :user="user" />']
    assert "<UserCard" in told("Page.svelte", "{#if a}\n\n<p>\n<UserCard />\n</p>\n{/if}\n")[-1]


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
    assert lines[2] == "  group 'number 0' L2-7"
    assert lines[3] == "    blocTest 'emits 0' L3-6"
    assert lines[-1].startswith("  … and ") or "number 39" in lines[-1]


def test_a_script_without_symbols_is_told_by_its_blocks() -> None:
    block = '    It "adds" {\n' + 12 * "        Verify-Equal 1 2\n" + "    }\n}\n"
    text = "".join(f'Describe "{name}" {{\n{block}' for name in ("Sum", "List"))
    assert [line for line in shown("a.Tests.ps1", text).split("\n") if "Describe" in line] == [
        "Describe 'Sum' L1-16",
        "Describe 'List' L17-32",
    ]


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


@pytest.mark.parametrize(
    ("path", "line", "shown"),
    [
        ("a.py", 'p.add_argument(\n        "-{0}", "--{0}-size"\n    )', "options --a-size, --b-size"),
        ("a.go", '\tflag.StringVar(&{0}, "{0}-size", "", "x")', "options a-size, b-size"),
        ("a.cpp", '  o.add_options()\n  ("{0},{0}-size", "The size")', "options a-size, b-size"),
    ],
)
def test_a_function_tells_the_options_it_reads(path: str, line: str, shown: str) -> None:
    rows = "\n".join(f"    {line.format(name)}" for name in "ab")
    filler = "\n".join(f"    x = f({n})" for n in range(9))
    head = {"a.py": "def run():", "a.go": "func run() {", "a.cpp": "void run() {"}[path]
    text = f"{head}\n{rows}\n{filler}\n" + ("" if path == "a.py" else "}\n")
    assert [one.partition(" ")[2] for one in told(path, text)] == [shown]


def test_a_re_export_is_told_in_a_line_of_its_own() -> None:
    text = "export {\n  a,\n  b as c,\n} from './x'\nexport * from './y'\n\nexport const d = 1\n"
    assert told("index.ts", text) == ["1-4 export { a, b as c } from './x'", "5-5 export * from './y'"]
    many = "".join(f"export {{ name{n} }} from './part{n}'\n" for n in range(9))
    assert shown("index.ts", many).split("\n")[3] == "export { name2 } from './part2' L3"


def test_a_returned_function_tells_the_functions_it_defines() -> None:
    body = 12 * "    step(x)\n"
    inner = "".join(f"  handler.on{name} = function(x)\n{body}  end\n" for name in ("Start", "End"))
    text = f"return function(options)\n{inner}  return handler\nend\n"
    lines = shown("a.lua", text)
    assert "  handler.onStart = function(x)" in lines
    assert "handler.onEnd = function(x) L16-29" in lines
    assert shown("a.lua", text).startswith("a.lua (lua, 31 lines): Code `a`: exports function(options)\n")


def test_suites_and_tests_of_javascript_are_told_with_cases_from_tables_and_of_one_line() -> None:
    text = """describe('cart', function () {
  it('adds', async () => { await add('a') })
  it.each([1, 2])('adds %i', (n) => {
    add(n)
  })
  it.each([
    [1, 2],
  ])('sums %i', (n) => {
    add(n)
  })
  expect('no test')
})
"""
    (suite,) = outline("cart.test.js", text.encode(), "").inside
    tests = [(one.signature, one.start, one.end) for one in suite.children]
    assert tests == [("it 'adds'", 2, 2), ("it.each 'adds %i'", 3, 5), ("each 'sums %i'", 8, 10)]


def test_a_script_lists_its_loops_and_names_their_comments_as_its_purpose() -> None:
    text = "\n\n".join(
        f'# update the {name} file\nlines = ""\nfor line in read("{name}"):\n    if line:\n        lines += line'
        for name in ("meson", "bazel", "version")
    )
    told = shown("scripts/update.py", f"#!/usr/bin/env python3\n\n{text}\n").split("\n")
    assert told[0].endswith(": Script: update the meson file; update the bazel file; update the version file")
    steps = [one for one in outline("update.py", text.encode(), "").symbols if one.kind == "step"]
    assert (steps[1].signature, steps[1].doc) == ('for line in read("bazel")', "update the bazel file")


def test_a_block_that_only_imports_is_no_step() -> None:
    text = "import os\n\nif os.name:\n    import a\n    import b\n\ndef run():\n    pass\n"
    assert [one.kind for one in outline("run.py", text.encode(), "").symbols] == ["function"]


def test_an_index_record_has_no_steps() -> None:
    text = b"for one in range(3):\n    print(one)\n    print(one)\n"
    assert [one.kind for one in outline("run.py", text, "").symbols] == ["step"]
    assert outline("run.py", text, "", shown=False).symbols == ()


def test_cases_of_doctest_are_told_outside_test_folders() -> None:
    text = 'static void help() {}\n\nTEST_CASE("adds") {\n    SUBCASE("twice") {\n        CHECK(1);\n    }\n}\n'
    (case,) = outline("examples/all.cpp", text.encode(), "").inside
    assert (case.name, [one.name for one in case.children]) == ("adds", ["twice"])


def test_benches_in_the_main_of_a_haskell_file_are_told() -> None:
    text = 'main = defaultMain\n    [ bench "low" $ whnf f\n        1\n    , bench "fused" $ g\n        2\n    ]\n'
    assert [one.partition(" ")[2] for one in told("bench/All.hs", text)] == ["bench 'low'", "bench 'fused'"]


def test_a_function_called_test_makes_no_tests_of_its_calls() -> None:
    text = 'class ZoneTest {\n    fun zone() {\n        fun test(id: String) {\n        }\n        test("UTC")\n'
    assert told("test/ZoneTest.kt", text + '        test("Z")\n    }\n}\n') == ["3-4 fun test(id: String)"]


def test_a_method_is_not_lost_to_the_value_of_its_local_table() -> None:
    text = "local prompt = clink.promptfilter(5)\n\nfunction prompt:filter(text)\n  return text\nend\n"
    assert "prompt:filter(text) L3-5" in shown("prompt.lua", text + "-- the end of it all, told at length\n" * 4)


def test_a_callback_of_several_lines_is_listed() -> None:
    text = b"clink.onbeginedit(function ()\n  started = os.clock()\nend)\n"
    assert [one.signature for one in outline("prompt.lua", text, "").symbols] == ["clink.onbeginedit()"]


def test_a_short_comment_between_statements_is_no_step() -> None:
    body = "    a(1)\n    # really now\n    b(2)\n" + "    c(3)\n" * 12
    assert told("steps.py", f"def run():\n{body}\n    # Write what is left\n    d(4)\n    e(5)\n    f(6)\n") == [
        "18-21 Write what is left"
    ]


def test_code_that_was_commented_out_is_not_told() -> None:
    body = "  const a = 1\n\n  // implementation: require('sass'),\n  b()\n  c()\n  d()\n" + "  e()\n" * 12
    assert told("a.js", f"function run() {{\n{body}}}\n") == []


def test_elements_of_a_component_that_have_no_room_are_counted() -> None:
    rows = "".join(f'  <van-popup v-model:show="show{number}" position="bottom" />\n' for number in range(60))
    text = f"<script setup>\nconst shown = true;\n</script>\n\n<template>\n{rows}</template>\n"
    assert told("a.vue", text)[-1].startswith("65-65 … ")
    assert " more elements (van-popup) from L" in told("a.vue", text)[-1]
