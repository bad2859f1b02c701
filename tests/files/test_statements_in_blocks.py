"""What briefings show of files whose outline alone tells little: build scripts, queries, mails, documents."""

from __future__ import annotations

from sidecar.files.briefing.render import render
from sidecar.files.outline import outline


def _briefing(path: str, text: str) -> str:
    return render(outline(path, text.encode(), "0"), path=path, project_imports=[])


def test_long_queries_name_the_tables_they_read() -> None:
    columns = ",\n".join(f"    column_{number}" for number in range(12))

    shown = _briefing(
        "sql/orders.sql", f"SELECT\n{columns}\nFROM orders o\nJOIN customers c\n  ON c.id = {{{{ cid }}}};\n"
    )

    assert "reads orders, customers; given cid" in shown


def test_translated_messages_are_named_by_their_language() -> None:
    shown = _briefing("lang/ca/validation.php", "<?php\n\nreturn [\n    'accepted' => 'Acceptat.',\n];\n")

    assert "Translations into `ca` of the texts `validation`" in shown


def test_gradle_blocks_show_their_settings() -> None:
    flavors = "".join(f"    flavor{number} {{\n        suffix = name({number})\n    }}\n" for number in range(8))

    assert "flavor0 { suffix = name(0) }" in _briefing("app/build.gradle", f"android {{\n{flavors}}}\n")


def test_objective_c_methods_show_their_statements() -> None:
    methods = "".join(
        f"- (void)clear{number} {{\n  [self.items removeAll];\n  count{number} = reset({number});\n}}\n\n"
        for number in range(5)
    )

    assert "count0 = reset(0)" in _briefing("src/Store.m", f"@implementation Store\n{methods}@end\n")


def test_components_name_the_markup_they_return() -> None:
    fields = "".join(f'      <TextField{number} label="x" />\n' for number in range(5))
    shown = _briefing(
        "src/form.tsx", f"export const Form = () => {{\n  return (\n    <form>\n{fields}    </form>\n  )\n}}\n"
    )

    assert "renders form, TextField0 'x'" in shown or "renders form, TextField0" in shown


def test_comments_stand_in_the_block_they_are_in() -> None:
    work = "".join(f"    total = total + compute(total, {number});\n" for number in range(18))
    shown = _briefing(
        "a.js", f"function a(total) {{\n  if (total > 3) {{\n    // Add the rates\n{work}  }}\n  stop(total);\n}}\n"
    )

    assert shown.index("if (total > 3)") < shown.index("Add the rates") < shown.index("stop(total)")


def test_text_mails_show_their_lines() -> None:
    shown = _briefing(
        "app/views/mailer/notice.text.erb", "Hi <%= @user.name %>\n\nWHAT HAPPENED\n\nThe key was expired.\n" * 4
    )

    assert "WHAT HAPPENED L3" in shown


def test_captions_stand_beside_their_fields() -> None:
    fields = "".join(
        f'<input type="checkbox" id="field{number}">\n<p>Include the results of number {number} in it.</p>\n'
        for number in range(6)
    )
    shown = _briefing("page.html", f"<html><body><form>\n{fields}</form></body></html>\n")

    assert "input checkbox field1; “Include the results of number 1 in it.” L" in shown


def test_chained_listeners_name_their_event() -> None:
    shown = _briefing(
        "a.js",
        "document.querySelector('.a')\n  .addEventListener('pageshow', () => {\n    load();\n    show();\n  });\n",
    )

    assert "document.querySelector('.a').addEventListener('pageshow')" in shown


def test_a_comment_above_the_only_statement_describes_the_file() -> None:
    shown = _briefing("a.js", "// Add links to section headings\nwhen('ready', () => {\n  a();\n  b();\n  c();\n});\n")

    assert "): Add links to section headings" in shown


def test_a_comment_about_a_first_step_does_not_describe_the_file() -> None:
    shown = _briefing(
        "vi.lua", "-- Start with the default layout\nlocal vi = dofile('en.lua')\n\nfunction wrap(a)\n  return a\nend\n"
    )

    assert "): Start with" not in shown


def test_a_doc_may_say_that_a_value_is_below_another() -> None:
    shown = _briefing(
        "a.go",
        "package a\n\n// Raise sets the limit to the maximum if it is below that.\nfunc Raise() int {\n\treturn 1\n}\n",
    )

    assert "Sets the limit to the maximum" in shown


def test_functions_of_one_class_name_it_once() -> None:
    methods = "".join(f"int Model::part{number}(int a)\n{{\n    return a + {number};\n}}\n\n" for number in range(3))

    assert "Functions of Model: part0, part1, part2" in _briefing("model.cpp", methods)


def test_a_property_is_shown_once_below_its_attribute() -> None:
    text = "public class A\n{\n    [Generated(Option.Identity)]\n    public int Id { get; private set; }\n}\n"

    assert _briefing("A.cs", text).count("public int Id") == 1


def test_commands_come_before_messages() -> None:
    names = ("tar", "cp", "mv", "ln", "zip", "scp", "cmp", "gpg")
    steps = "".join(
        f'echo "The next step takes some time: {name}"\n{name} --quiet --input {name}.in --output out/{name}.out\n\n'
        for name in names
    )
    shown = _briefing("build.sh", f"set -e\n{steps}")

    assert all(f"{name}.in" in shown for name in names)


def test_each_section_of_a_long_document_is_described() -> None:
    words = "This part says what it is about. " + "More words follow that say what else there is. " * 3
    parts = "".join(f"## Part {number}\n\n" + f"{words}\n\n" * 4 for number in range(20))
    shown = _briefing("docs/a.md", f"---\ntitle: Of parts\n---\n\n# All\n\n{parts}")

    assert shown.count("This part says what it is about L") >= 20
    assert "title: Of parts L" not in shown
