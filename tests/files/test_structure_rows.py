"""Texts shown by their rows: nesting, ranges, what is left out, and that no secret is among them."""

from __future__ import annotations

import random
import re

import pytest

from sidecar.files.briefing.render import render
from sidecar.files.outline import outline
from sidecar.files.outline.target import CEILING_TOKENS
from sidecar.text.tokens import estimate


def told(path: str, text: str, budget: int | None = None) -> str:
    record = outline(path, text.encode(), "0" * 32)
    return render(record, path=path, project_imports=(), budget=budget)


FEATURE = """# Copyright 2020 Someone. Licensed under the Apache License, Version 2.0.
#
# What buyers can do.

Feature: Basket
  Buyers collect goods.

  Scenario: An empty basket
    Given a buyer
    When she opens the basket
    Then it is empty

  Scenario: A full basket
    Given a basket with 3 goods
    Then the total is 30
"""


def test_a_format_without_rules_is_told_by_nested_rows_with_their_ranges() -> None:
    lines = told("a.feature", FEATURE + "\n".join(f"    And {number} more goods" for number in range(40))).split("\n")
    assert lines[0] == "a.feature (text, 55 lines): What buyers can do"
    assert lines[1:3] == ["Feature: Basket L5-55", "  Buyers collect goods. L6"]
    assert "  Scenario: An empty basket: Given a buyer; When she opens the basket; Then it is empty L8-11" in lines
    assert "  Scenario: A full basket L13-55" in lines


def test_small_settings_are_shown_whole() -> None:
    text = "[server]\nport = 8080\nhost = localhost\nmode = strict\n[log]\nlevel = warning\nkeep = 7 days\n"
    assert told("app.ini", "# padding\n" * 90 + text).split("\n")[1:5] == [
        "[server]: port = 8080; host = localhost; mode = strict L91-94",
        "[log]: level = warning; keep = 7 days L95-97",
    ]


def test_headings_hold_what_follows_them() -> None:
    text = ".TH tool 1\n.SH NAME\ntool \\- does much\n.SH OPTIONS\nverbose tells much\n" + "more\n" * 200
    shown = told("tool.1", text)
    assert ".SH NAME: tool \\- does much L2-3" in shown
    assert ".SH OPTIONS: verbose tells much; more L4-" in shown


def test_of_many_rows_alike_the_first_are_shown_and_the_rest_counted() -> None:
    shown = told("a.list", "".join(f"entry-{number} means something\n" for number in range(2_000)))
    numbers = [int(word.split("-")[1]) for word in shown.replace(";", " ").split() if word.startswith("entry-")]
    assert numbers == list(range(len(numbers)))
    assert shown.endswith(f"… {2_000 - len(numbers):,} more from L{len(numbers) + 1} to L2000")
    assert estimate(shown) <= CEILING_TOKENS


def test_bare_numbers_are_not_listed() -> None:
    shown = told("a.mesh", "".join(f"{number} {number + 1} {number + 2}\n" for number in range(5_000)))
    assert estimate(shown) < 80
    assert shown.endswith("0 1 2; 1 2 3; 2 3 4 L1-3\n… 4,997 more from L4 to L5000")


def test_a_patch_tells_its_files_and_hunks() -> None:
    text = "".join(
        f"diff --git a/{name} b/{name}\n--- a/{name}\n+++ b/{name}\n@@ -1 +1,2 @@ def f():\n same\n+more\n"
        for name in ("one.py", "two.py")
    )
    shown = told("a.patch", text + "-- \n2.4\n" + " context\n" * 600)
    assert "one.py +1 -0 L3-6\n  @@ -1 +1,2 @@ +1 -0 def f(): +more L4-6" in shown


def test_entries_of_an_object_are_told_side_by_side_each_with_its_end() -> None:
    entries = ",\n".join(
        f'  "{name}": {{\n    "given": [\n      "a",\n      "b"\n    ],\n    "name": "{"x" * 90}"\n  }}'
        for name in [f"language{number}" for number in range(160)]
    )
    shown = told("a.json", "{\n" + entries + "\n}\n")
    assert '\n"language0": L2-8\n' in shown
    assert '\n"language60": L422-428\n' in shown


def test_a_section_of_any_file_name_is_told_and_a_licence_is_not() -> None:
    text = "# SPDX-License-Identifier: MIT\n\nroot=true\n\n[*]\nindent_size=4\n\n[*.md]\nindent_size=2\n"
    shown = told(".editorconfig", text + "\n# about\n# what follows\n" * 60)
    assert "[*]: indent_size=4 L5-6" in shown
    assert "SPDX" not in shown


def test_comments_head_what_follows_in_a_text_without_indentation() -> None:
    text = "".join(f"# part {number}\n*.{number}a\n*.{number}b\n\n" for number in range(40))
    shown = told("some.ignored", text)
    assert "\n\\# part 1 L5-7" in shown
    assert "\n\\# part 3" in shown


def test_definitions_come_before_what_surrounds_them() -> None:
    calls = "".join(f"PREPARE({number} => 'all of what comes next');\n" for number in range(90))
    shown = told("a.unknown", calls + "\nproc serve {port} {\n  listen\n}\n" + calls)
    assert "proc serve {port} { listen } L92-94" in shown


def test_attributes_on_their_own_lines_belong_to_their_tag() -> None:
    text = "<a>\n" + '  <step\n    kind="x"\n    time="y">\n    <run />\n  </step>\n' * 20 + "</a>\n"
    assert '<step kind="x" time="y"> <run /> L2-6' in told("a.unknown", text)


def test_names_of_settings_that_rows_have_no_room_for_are_listed() -> None:
    text = "".join(f"service.part{number}.url = https://example.org/{'x' * 60}/{number}\n" for number in range(60))
    shown = told("a.properties", text)
    assert sum(f"service.part{number}.url" in shown for number in range(60)) > 20


def test_rows_left_out_of_a_long_list_are_counted() -> None:
    text = (
        "<r>\n" + "".join(f'  <string name="text_{number}">v{number}</string>\n' for number in range(1100)) + "</r>\n"
    )
    shown = told("a.xml", text)
    names = {int(number) for number in re.findall(r"text_(\d+)", shown)}
    left = int(shown.rsplit("… ", 1)[1].removeprefix("and ").split()[0].replace(",", ""))
    assert max(names) > 100
    assert abs(1_100 - len(names) - left) <= 3


def test_a_script_names_its_functions_first() -> None:
    body = "".join(f"curl https://example.org/{number}\n" for number in range(30))
    shown = told("deploy.sh", f"#!/bin/bash\n# Fetch all.\n{body}\nfetch() {{\n{body}}}\n")
    assert "fetch() L34-65" in shown


SECRET = "hunter2x"
ATTACKS = {
    "a.ini": f"[db]\npassword = {SECRET}\n",
    "a.properties": f"db.password={SECRET}\nspring.datasource.password: {SECRET}\n",
    "a.conf": f"server {{\n  requirepass {SECRET}\n  auth_token {SECRET};\n}}\n",
    "a.netrc": f"machine example.org login me password {SECRET}\n",
    "a.yaml": f"db:\n  password: {SECRET}\nenv:\n  - name: DB_PASSWORD\n    value: {SECRET}\n",
    "b.yaml": f"password:\n  value: {SECRET}\n  default: {SECRET}\n",
    "c.yaml": f"passwords:\n  - {SECRET}\n  - {SECRET}\n",
    "d.yaml": f"env:\n- value: {SECRET}\n  name: DB_PASSWORD\n",
    "a.toml": f'[db]\npassword = "{SECRET}"\n[passwords]\nadmin = "{SECRET}"\n',
    "a.json": f'{{\n  "db": {{\n    "password": "{SECRET}"\n  }},\n  "x": 1\n}}\n',
    "b.json": f'{{\n  "env": [\n    {{\n      "name": "API_TOKEN",\n      "value": "{SECRET}"\n    }}\n  ]\n}}\n',
    "a.xml": f'<a>\n  <password>{SECRET}</password>\n  <add key="Password" value="{SECRET}" />\n</a>\n',
    "a.config": f'<a>\n  <add\n    key="Password"\n    value="{SECRET}"\n  />\n</a>\n',
    "a.plist": f"<plist>\n<dict>\n  <key>password</key>\n  <string>{SECRET}</string>\n</dict>\n</plist>\n",
    "a.xaml": f'<Grid>\n  <PasswordBox Password="{SECRET}" />\n</Grid>\n',
    "a.feature": f"Feature: a\n  Scenario: b\n    Given the password is {SECRET}\n    And password {SECRET}\n",
    "a.spec": f"%prep\nexport PASSWORD={SECRET}\n%install\nlogin --password {SECRET}\n",
    "a.gradle": f"android {{\n  signing {{\n    storePassword '{SECRET}'\n    keyPassword = '{SECRET}'\n  }}\n}}\n",
    "a.gd": f'const PASSWORD = "{SECRET}"\nfunc f():\n\tlogin("me", "{SECRET}") # password\n',
    "a.kak": f"set-option global password {SECRET}\n",
    "a.mk": f"PASSWORD := {SECRET}\nall:\n\tcurl --password {SECRET} x\n",
    "a.patch": f"+++ b/a.env\n@@ -1 +1 @@\n-PASSWORD={SECRET}\n+PASSWORD: {SECRET}\n",
    "a.j2": f"{{% if x %}}\npassword {SECRET}\n{{% endif %}}\n",
    "a.tscn": f'[node name="a"]\npassword = "{SECRET}"\n',
    "a.pp": f"user {{ 'x':\n  password => '{SECRET}',\n}}\n",
    "a.txt": f"user: me\npassword: {SECRET}\nurl: https://me:{SECRET}@example.org/\n",
    "a.url": f"server=example.org;user=me;Password={SECRET};\n",
    "a.nix": f'{{ config }}:\n{{\n  services.a.password = "{SECRET}";\n  b = {{ token = "{SECRET}"; }};\n}}\n',
    "a.tf": f'resource "a" "b" {{\n  password = "{SECRET}"\n}}\nvariable "token" {{\n  default = "{SECRET}"\n}}\n',
    "a.bat": f"set PASSWORD={SECRET}\n:run\nlogin /password {SECRET}\n",
    "a.sh": f'export PASSWORD={SECRET}\nlogin --password {SECRET}\nif [ "$PASSWORD" = "{SECRET}" ]; then\n  x\nfi\n',
    "a.py": f'TOKEN = "{SECRET}"\nSETTINGS = {{\n    "password": "{SECRET}",\n}}\n',
    "a.rb": f'gem "x"\nset :session_secret, "{SECRET}"\n',
    "b.xml": f"<a>\n  <entry>\n    <key>password</key>\n    <value>{SECRET}</value>\n  </entry>\n</a>\n",
    "d.xml": f"<a>\n  <b>\n    <c>1</c>\n    <key>token</key>\n    <string>{SECRET}</string>\n  </b>\n</a>\n",
    "b.ini": f"psk = {SECRET}\n",
    "a.csv": f"name,password\nme,{SECRET}\n",
    ".env": f"NAME={SECRET}\n",
}


@pytest.mark.parametrize("path", ATTACKS)
@pytest.mark.parametrize("padding", ["", "\nplain words follow here\n" * 40])
def test_no_secret_is_among_the_rows(path: str, padding: str) -> None:
    assert SECRET not in told(path, ATTACKS[path] + padding)


@pytest.mark.parametrize("path", ["a.yaml", "a.ini", "a.toml", "a.xml", "a.txt"])
def test_likely_passwords_are_hidden_beside_any_name(path: str) -> None:
    shown = told(path, "short: Manage\nplace: a8Zk29xQ\nother = x9Kq27Lm\nimage: nginx:1.25-alpine3\nos: x86_64\n")
    assert "a8Zk29xQ" not in shown
    assert "x9Kq27Lm" not in shown


@pytest.mark.slow
@pytest.mark.parametrize("path", ["a.txt", "a.yaml", "a.json", "a.xml", "a.ini", "a.patch", "Makefile", "a.css"])
def test_mutated_texts_never_fail_and_ranges_lie_inside(path: str) -> None:
    rng = random.Random(path)
    source = "".join(ATTACKS.values()) + FEATURE + "====\n/* a\n{{/* b\n\\\n[x]\n" * 3
    for _ in range(20):
        cut = [rng.choice(source) if rng.random() < 0.05 else char for char in source[rng.randrange(len(source)) :]]
        record = outline(path, "".join(cut).encode(), "0" * 32)
        assert not record.fault
        todo = list(record.inside)
        for one in todo:
            assert 0 <= one.start <= one.end <= max(1, record.lines)
            todo += one.children


def test_budgets_are_kept() -> None:
    text = "".join(f"section {number}:\n  value-{number}: some words\n" for number in range(400))
    for budget in (10, 40, 60, 120, 300):
        assert estimate(told("a.conf", text, budget)) <= budget


def test_deep_nesting_costs_nothing() -> None:
    assert told("a.txt", "\n".join(" " * number + "x" for number in range(3_000)))


def test_a_property_list_tells_each_key_with_its_value() -> None:
    values = "".join(f"\t<key>CFBundleKey{at}</key>\n\t<string>value {at}</string>\n" for at in range(9))
    shown = told("Info.plist", f'<plist version="1.0">\n<dict>\n{values}</dict>\n</plist>\n')
    assert "\n  CFBundleKey6: <string> value 6 L15-16" in shown


def test_packages_of_a_control_file_have_their_fields_below() -> None:
    packages = "".join(f"\nPackage: thing{at}\nArchitecture: any\nDescription: thing {at}\n" for at in range(9))
    assert "\nPackage: thing4 L19-21\n" in told("debian/control", f"Source: thing\n{packages}")


def test_declarations_about_secrets_are_no_secrets() -> None:
    code = "class Parser {\n  private function readToken(reader : Reader) : Void {\n    advance();\n  }\n}\n"
    shown = told("Parser.hx", code + "%token<id> tok_identifier\n" + "// more\n\n" * 60)
    assert "readToken(reader : Reader)" in shown
    assert "%token<id> tok_identifier" in shown


def test_a_short_script_is_told_by_its_rows() -> None:
    script = '#!/bin/bash\nset -e\ntool="$(which tool)"\nif [ -z "$tool" ]; then\n  exit 1\nfi\nexec "$tool" -m "$1"\n'
    shown = told("run", script + "# nothing else\n" * 8)
    assert shown.split("\n")[1:4] == ['tool="$(which tool)" L3', 'if [ -z "$tool" ]; L4-6', "  exit 1 L5"]


def test_a_comment_at_the_end_of_a_block_stays_inside_it() -> None:
    block = 'resource "a_b" "c" {\n  name = "d"\n\n  # Never ignore this\n  # https://a.example/1\n}\n\n'
    lines = told("a.tf", block + 'resource "e_f" "g" {\n  kind = "h"\n}\n' * 60).split("\n")
    assert any(line.startswith('resource "a_b" "c"') and line.endswith("L1-6") for line in lines)
    assert not any(line.startswith("\\# Never") for line in lines)


def test_ends_of_shell_conditions_are_no_rows() -> None:
    body = "  if [ ! -d $1 ]; then\n    git clone $1\n    cd $1\n  else\n    return 1\n  fi;\n"
    text = "".join(f"function check_{number} {{\n{body}}}\n" for number in range(9))
    assert not re.search(r"^\s*fi\b", told("a.sh", text), re.MULTILINE)


def test_a_view_tells_its_fields_links_and_conditions_by_name() -> None:
    text = """<h2>Search</h2>
<%= form_tag search_url, method: :get do %>
  <% if @user %>
    <%= link_to t(".all"), carts_path, class: "p-2 text-lg font-bold" %>
  <% end %>
  <%= password_field_tag :password, "correct-horse-9" %>
  <%= text_field_tag :name, "", class: "w-full" %>
<% end %>
"""
    shown = told("app/views/search.html.erb", text + "<br>\n" * 60)
    assert "form_tag search_url, method: :get" in shown
    assert "if @user" in shown
    assert 'link_to t(".all"), carts_path' in shown
    assert "password_field_tag :" in shown
    assert 'text_field_tag :name, ""' in shown
    assert "font-bold" not in shown
    assert "horse" not in shown


def test_a_page_of_phoenix_tells_its_components_and_conditions() -> None:
    text = """<Layouts.app>
  <p :if={@mode == :token}>Please enter the token that was shown.</p>
  <.link navigate={~p"/carts"}>Carts</.link>
  <form method="post"><input type="password" name="password" /></form>
</Layouts.app>
"""
    shown = told("cart.html.heex", text + "<br>\n" * 60)
    assert "p :if={@mode == :token}" in shown
    assert '.link navigate={~p"/carts"}' in shown
    assert "form: input password password L4" in shown


def test_a_template_of_sql_tells_the_statement_before_its_condition() -> None:
    text = (
        "{% if data.name and\n  data.old %}\nALTER TABLE {{ data.name }} RENAME TO cart;\n{% endif %}\nDROP TABLE a;\n"
    )
    assert "ALTER TABLE {{ data.name }} RENAME TO cart (if data.name and data.old) L1-3" in told(
        "update.sql", text + "-- more words about what is done\n" * 40
    )


def test_icons_whose_names_begin_alike_share_their_beginning() -> None:
    rules = "".join(f'.fa-icon{name}:before {{\n  content: "{name}";\n}}\n' for name in "abcdefgh" * 12)
    assert ".fa-… L1-288" in told("icons.css", rules)


def test_arguments_of_a_nix_file_share_one_row() -> None:
    names = "".join(f"  package{letter},\n" for letter in "abcdefgh")
    shown = told("shell.nix", "{\n" + names + '}:\nmkShell {\n  name = "cart";\n}\n' + "# more\n" * 60)
    assert "arguments: packagea, packageb, packagec" in shown
