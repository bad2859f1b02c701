"""Rows for want of room: names before detail, what is left out counted with its lines, and no text as code."""

from __future__ import annotations

import re

import pytest

from sidecar.files.briefing.render import render
from sidecar.files.outline import outline


def told(path: str, text: str, budget: int | None = None) -> str:
    record = outline(path, text.encode(), "0" * 32)
    return render(record, path=path, project_imports=(), budget=budget)


def test_rows_a_small_budget_drops_are_counted_with_their_lines() -> None:
    text = "".join(f"[table_{number}]\nsize = {number}\ncolour = 'red'\n\n" for number in range(40))
    shown = told("a.toml", text, budget=120)
    counted = re.search(r"… and (\d+) more L(\d+)-(\d+)$", shown)
    assert counted is not None
    assert shown.count("[table_") + int(counted[1]) == 40


def test_ruled_titles_name_the_sections_of_a_style_sheet() -> None:
    section = "/*-----*\\\n  ${}\n\\*-----*/\n\np {{\n  color: red;\n}}\n\na {{\n  color: blue;\n}}\n\n"
    shown = told("site.css", "".join(section.format(name) for name in ("FOOTER", "BANNER", "DOCS")) * 2)
    assert [f"# ${name} L" in shown for name in ("FOOTER", "BANNER", "DOCS")] == [True] * 3


def test_rules_of_ids_are_no_comments() -> None:
    shown = told("site.css", "#menu {\n  color: red;\n}\n#menu a {\n  color: blue;\n}\n" * 8)
    assert "# menu" not in shown.replace("\\", "")
    assert "#menu { color: red } L1-3" in shown.replace("\\", "")


@pytest.mark.parametrize(
    ("path", "text", "after"),
    [
        ("a.sh", 'say="Changes\n\nBuild URL: $URL\nelse nothing"\n\n', "git push origin main"),
        ("a.ps1", "$code = @'\nclass Inner\nelse nothing\n'@\n\n", "Publish-All -To main"),
        ("a.toml", 'text = """\nBuild URL: $URL\nelse nothing"""\n', "after = 3"),
    ],
)
def test_lines_inside_a_string_are_no_rows_and_those_after_it_are(path: str, text: str, after: str) -> None:
    shown = told(path, text + after + "\n" + "# padding of the file\n" * 24)
    assert "\nBuild URL" not in shown
    assert "\nclass Inner" not in shown
    assert after in shown


def test_a_terraform_output_is_told_with_its_description() -> None:
    text = 'output "arn" {\n  description = "The ARN of the bucket"\n  value       = aws_s3_bucket.this.arn\n}\n\n'
    shown = told("outputs.tf", text + text.replace("arn", "id").replace("ARN", "name") + "# padding\n\n" * 40)
    assert "lines): Terraform outputs" in shown
    assert 'output "arn" = aws_s3_bucket.this.arn L1-4 — The ARN of the bucket' in shown
    assert "description" not in shown


def test_every_variable_of_a_terraform_file_is_named_and_the_first_told_with_type_and_default() -> None:
    text = "".join(
        f'variable "size_{n}" {{\n  description = "Size number {n} of all of the disks of the machine"\n'
        f"  type = number\n  default = {n}\n}}\n\n"
        for n in range(60)
    )
    shown = told("variables.tf", text)
    assert 'variable "size_0": number = 0 L1-5' in shown
    assert all(f"size_{n}" in shown for n in range(60))


def test_rules_that_begin_alike_are_nested_and_what_follows_them_is_told() -> None:
    rules = "".join(f".code .part{n} {{\n  color: #{n:06};\n  font-style: italic;\n}}\n\n" for n in range(90))
    shown = told("site.css", rules + ".message {\n  margin: 0;\n}\n\n.token .keyword.token {\n  margin: 1px;\n}\n")
    assert "\n.code … L1-" in shown
    assert ".message { margin: 0 }" in shown
    assert ".token .keyword.token { margin: " in shown


@pytest.mark.parametrize("call", ["pass( 'simple' )", 'test -z "$API_TOKEN"', "plugin:es/restrict-to-es2018"])
def test_calls_variables_and_names_of_words_are_not_masked(call: str) -> None:
    assert "[hidden]" not in told("a.sh", f"run {call}\n" + "# padding of the file\n\n" * 12)


def test_a_value_beside_a_secret_in_a_variable_default_stays_masked() -> None:
    assert "hunter2x" not in told("a.sh", 'key="${API_TOKEN:-hunter2x}"\n' + "# padding of the file\n\n" * 12)


def test_rows_without_room_are_named_where_their_names_fit() -> None:
    text = "".join(f"part{n}:\n" + "".join(f"  key{m}: some words of {m}\n" for m in range(5)) for n in range(20))
    shown = told("settings.yml", text)
    assert "part0: key0: some words of 0; key1: " in shown
    assert "part19" in shown
