"""What a briefing tells of the bodies of definitions: what they refuse, decide and do, within its room."""

from __future__ import annotations

import pytest

from sidecar.files.briefing.render import render
from sidecar.files.outline import outline
from sidecar.files.outline.arrangement import extend_namespaces
from sidecar.files.outline.draft import OutlineDraft
from sidecar.files.outline.target import target
from sidecar.text.tokens import estimate

LICENCE = "".join(f"// Copyright of somebody who licensed these words, line {n}\n" for n in range(40))


def told(path: str, text: str) -> str:
    return render(outline(path, text.encode(), ""), path=path, project_imports=())


def test_a_short_statement_is_told_with_all_of_its_lines() -> None:
    text = (
        "def load(path):\n    if not path.exists():\n        raise MissingError(path)\n"
        "    for line in read(path):\n        if line:\n            yield parse(line)\n"
    )
    shown = told("a.py", f'"""Reads parts. {"More words about it. " * 20}"""\n\n{text}')
    assert (
        "\n  if not path.exists(): raise MissingError(path); for line in read(path): if line: yield parse(line) L4-8"
        in shown
    )


def test_rows_of_a_long_block_are_told_below_it() -> None:
    calls = "".join(f'    cfg.register("service number {n}", new Service{n}(options));\n' for n in range(6))
    shown = told("a.ts", f"{LICENCE}export function build(options) {{\n  return make((cfg) => {{\n{calls}  }});\n}}\n")
    assert "\n  return make((cfg) => L42-49\n    cfg.register" in shown
    assert 'cfg.register("service number 5", new Service5(options))' in shown


def test_refusals_of_a_function_come_before_its_assignments() -> None:
    assigned = "".join(f"\tvalue{n} := compute{n}(first, second, third)\n" for n in range(120))
    text = f'package a\n\nfunc Run() error {{\n{assigned}\tif value1 < 0 {{\n\t\tpanic("below zero")\n\t}}\n}}\n'
    shown = told("a.go", text)
    assert 'if value1 < 0 { panic("below zero") } L124-126' in shown
    assert estimate(shown) <= target(estimate(text))


def test_entries_of_a_long_value_are_told() -> None:
    entries = "".join(f"        'key {n}' => 'text of number {n}',\n" for n in range(60))
    shown = told("a.php", f"<?php\nclass A\n{{\n    public const CASES = [\n{entries}    ];\n}}\n")
    assert "'key 0' => 'text of number 0'" in shown


def test_statements_without_a_definition_are_told_but_imports_are_not() -> None:
    text = f"{LICENCE}import express from 'express';\n\nconst app = express();\n\napp.disable('x-powered-by');\n"
    shown = told("a.js", text)
    assert "app.disable('x-powered-by')" in shown
    assert "from 'express'" not in shown


def test_the_doc_of_a_definition_is_not_told_as_a_statement() -> None:
    text = f"{LICENCE}class A {{\n  /** Opens it. */\n  open() {{\n    this.door.turn();\n  }}\n}}\n"
    assert told("a.ts", text).count("Opens it") == 1


def test_a_text_of_several_lines_does_not_break_the_nesting() -> None:
    printed = "".join(f'case "$1" in\n  {n}) echo "the number {n}" ;;\nesac\n' for n in range(9))
    text = f'{LICENCE}func script() -> String {{\n  if ready {{\n    out += """\n{printed}"""\n  }}\n'
    assert '\n  guard done else { return "" } L' in told(
        "a.swift", text + '  guard done else {\n    return ""\n  }\n}\n'
    )


@pytest.mark.parametrize("path", ["a.py", "a.js", "a.rb", "a.kt"])
def test_a_key_in_a_body_is_hidden_even_if_only_its_form_tells(path: str) -> None:
    opened = {"a.py": "def run(x):", "a.js": "function run(x) {", "a.rb": "def run(x)", "a.kt": "fun run(x: Int) {"}[
        path
    ]
    closed = {"a.py": "", "a.js": "}", "a.rb": "end", "a.kt": "}"}[path]
    lead = "#" if path in ("a.py", "a.rb") else "//"
    key = "glpat-" + "wUTtzUA-raLEAHNQULPh"
    words = "".join(f"{lead} Copyright of somebody who licensed these words, line {n}\n" for n in range(40))
    shown = told(path, f"{words}\n{opened}\n    client = Client('{key}', retries=3)\n{closed}\n")
    assert "Client(" in shown
    assert key not in shown


def test_deep_nesting_and_long_lines_cost_nothing() -> None:
    deep = "function a() {\n" + "".join(" " * n + "if (x) {\n" for n in range(3_000)) + "}\n" * 3_001
    assert outline("a.js", deep.encode(), "").fault == ""
    for long in ("y", "? ", "{ ", "( "):
        assert outline("a.js", f"function a() {{\n  x = '{long * 30_000}'\n}}\n".encode(), "").fault == ""


def test_paragraphs_of_a_short_text_are_told_whole() -> None:
    words = "Every sentence of it is told, since there is room for all of them. This is the second one."
    text = (
        f"# Title\n\n{words}\n\n- first item of a list\n- second item\n\n```sh\nmake all\nmake install\n```\n{LICENCE}"
    )
    lines = told("README.md", text).split("\n")
    assert lines[2:6] == [
        f"  {words} L3",
        "  - first item of a list L5",
        "  - second item L6",
        "  make all; make install L8-11",
    ]


def test_paragraphs_that_do_not_all_fit_are_not_told_whole() -> None:
    words = "The first sentence tells what it is about. " + "More words follow that say what else there is. " * 12
    shown = told("README.md", "# Title\n" + f"\n## Part\n\n{words}\n" * 120)
    assert "More words follow" not in shown


def test_a_test_tells_what_it_expects_before_that_its_steps_went_well() -> None:
    parts = "".join(
        f"func TestPart{n}(t *testing.T) {{\n\tfile, err := fs.Open(parts)\n"
        "\tif err != nil {\n\t\tt.Fatal(err)\n\t}\n"
        f'\tif file.Size() != {n} {{\n\t\tt.Errorf("size {n}, got %v", file)\n\t}}\n}}\n\n'
        for n in range(30)
    )
    shown = told("parts_test.go", f"package parts\n\n{parts}")
    assert shown.count("t.Errorf(") > 10
    assert shown.count("t.Fatal(err)") < 4


def test_a_haskell_comment_about_the_line_above_is_no_doc_of_the_next() -> None:
    text = "data Command\n    = Build Int\n    -- ^ Makes it.\n    | Check {links :: Bool}\n"
    text += "    -- ^ Looks at it.\n    | Clean\n"
    record = outline("A.hs", f"module A where\n\n{text}".encode(), "")
    docs = {case.name: case.doc for case in record.symbols[-1].children}
    assert docs.get("Check") != "Makes it"
    assert docs.get("Clean") != "Looks at it"


def test_definitions_behind_the_lines_that_are_looked_at_stay_in_the_outline() -> None:
    text = "".join(f"export function f{n}(value) {{\n  return value * {n};\n}}\n\n" for n in range(1_100))
    record = outline("a.ts", text.encode(), "")
    assert not record.fault
    assert [symbol.name for symbol in record.symbols][-1] == "f1099"


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("a.rs", 'fn real() {\n    run(\n        r#"\n        fn example() {\n        }\n        "#,\n    );\n}\n'),
        (
            "a.kt",
            'fun real() {\n  val source = kotlin("""\n    class example : Service {\n    }\n  """)\n  go(source)\n}\n',
        ),
        ("a.py", '"""Reads.\n\nUse::\n\n    def example(self):\n        pass\n"""\n\n\ndef real():\n    go()\n'),
    ],
)
def test_definitions_inside_texts_are_left_out(path: str, text: str) -> None:
    shown = told(path, text + LICENCE.replace("//", "#" if path == "a.py" else "//"))
    assert "real" in shown
    assert "example" not in shown


def test_an_include_guard_and_the_end_of_a_typedef_are_not_told() -> None:
    header = (
        '#ifndef CART_H\n#define CART_H\n\n#ifdef __cplusplus\nextern "C" {\n#endif\n\n'
        "typedef enum CART_TYPED {\n  CART_EMPTY = 0,\n  CART_FULL = 1,\n} CartState;\n\nint cart_sum(int id);\n"
        "#ifdef __cplusplus\n}\n#endif\n#endif\n"
    )
    shown = told("cart.h", LICENCE + header)
    assert "#ifndef" not in shown
    assert "__cplusplus" not in shown
    assert shown.count("CartState L") == 1


def test_a_namespace_that_the_parser_ends_early_reaches_to_its_last_definition() -> None:
    members = [OutlineDraft("function", name, at, at + 3, f"int {name}()") for name, at in (("sum", 5), ("tax", 90))]
    inner = OutlineDraft("module", "fast", 2, 40, "namespace fast", children=members)
    alias = OutlineDraft("module", "other", 3, 40, "namespace other = lib::fast;")
    outer = OutlineDraft("module", "cart", 1, 40, "namespace cart", children=[alias, inner])
    extend_namespaces([outer])
    assert (outer.end, inner.end, alias.end) == (93, 93, 3)
