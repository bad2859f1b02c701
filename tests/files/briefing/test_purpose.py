"""What a briefing says a file is for where the file itself does not."""

from __future__ import annotations

import pytest

from sidecar.files.briefing.render import render
from sidecar.files.outline import outline


def title(path: str, text: str, *imports: str) -> str:
    return render(outline(path, text.encode(), ""), path=path, project_imports=imports).split("\n")[0]


@pytest.mark.parametrize(
    ("path", "text", "purpose"),
    [
        (".github/workflows/ci.yml", "on: push\njobs: {}\n", "GitHub Actions workflow"),
        (".rubocop.yml", "AllCops:\n  NewCops: enable\n", "Configuration of rubocop"),
        ("web/webpack.config.js", "module.exports = { mode: 'none' }\n", "Configuration of webpack"),
        ("vpc/variables.tf", 'variable "size" {}\n', "Terraform input variables of `vpc`"),
        ("lib/cart.rb", "# Adds up prices of a cart.\n\nclass Cart\nend\n", "Adds up prices of a cart"),
        ("src/Web/Cart.cs", "/// <summary>Adds up prices.</summary>\nclass Cart { int a; }\n", "Adds up prices"),
    ],
)
def test_a_file_without_a_description_is_described_by_its_place_or_main_type(
    path: str, text: str, purpose: str
) -> None:
    assert title(path, text).partition("): ")[2].startswith(purpose)


@pytest.mark.parametrize(
    ("path", "text", "purpose"),
    [
        (
            "src/CartService.cs",
            "class CartService : Service { public void Add() {} }\n",
            "Cart service: class CartService (Service) with Add",
        ),
        ("cart.py", "def add(a):\n    pass\n\n\ndef _own():\n    pass\n", "Function add"),
        ("run", "#!/usr/bin/env python3\nSIZE = 3\n\n\ndef scan():\n    pass\n", "Script: function scan"),
        ("examples/cart.js", "function add() {}\nfunction sum() {}\n", "Example `cart`: functions add, sum"),
        ("examples/sum/sum.js", "function add() {}\nfunction sum() {}\n", "Example of `sum`: functions add, sum"),
        ("Cart.vue", "<script setup>\nfunction add() {}\n</script>\n", "Vue component Cart: function add"),
        ("Cart.tsx", "export function Cart() {\n  return <p>Cart</p>\n}\n", "Component Cart"),
        ("carts.tsx", "export function useCart() {\n  return 1\n}\n", "Function useCart"),
    ],
)
def test_a_file_that_nothing_describes_is_described_by_what_it_defines(path: str, text: str, purpose: str) -> None:
    assert title(path, text).endswith(f"): {purpose}")


def test_a_file_of_tests_names_what_it_tests() -> None:
    assert title("tests/test_cart.py", "def test_a():\n    pass\n").endswith("Tests of cart")
    assert title("tests/test_cart.py", "import cart\n", "src/cart.py").endswith("Tests of src/cart.py")
    assert title("src/CartTest.java", "class CartTest { }\n").endswith("Tests of Cart")


def test_the_doc_of_a_helper_does_not_describe_a_file_of_tests() -> None:
    helper = (
        "# Return a cart that holds this\n# many things, all different.\ndef filled(count)\n  (1..count).to_a\nend\n"
    )
    assert title("cart_test.rb", helper + "\n\ndef test_sum\n  assert filled(2)\nend\n").endswith("Tests of cart")
    assert "Return a cart" in title("cart.rb", helper)


def test_import_statements_of_a_page_do_not_describe_it() -> None:
    page = "import Cart from './Cart.astro';\nimport Row from './Row.astro';\n\n# Carts\n\nHow carts are drawn.\n"
    assert title("carts.mdx", page).endswith("How carts are drawn.")


def test_a_short_heading_is_followed_by_what_a_file_defines() -> None:
    rules = "# Default rule\n.PHONY: all\nall:\n\tmake -C src\n\ncheck:\n\tmake -C tests\n"
    assert title("Makefile", rules).endswith("Default rule: targets all, check")


@pytest.mark.parametrize(
    ("path", "text", "purpose"),
    [
        (
            "app/policies/cart_policy.rb",
            "class CartPolicy < Policy\n  def add?\n  end\nend\n",
            "Authorization policy of",
        ),
        ("app/views/carts/_row.html.erb", "<p><%= link_to 'Cart', path %></p>\n", "Partial view `row` of `carts`"),
        ("app/views/cart_mailer/paid.html.erb", "<p>Your order was paid today.</p>\n", "Mail `paid`"),
        ("shaders/sky.frag", "void main() {\n  color = sky(uv);\n}\n", "Fragment shader `sky`"),
        ("lang/de_informal/cart.php", "<?php return ['add' => 'Dazu'];\n", "Translations into `de_informal`"),
        ("nix/flake.nix", "{\n  outputs = { self }: { };\n}\n", "Nix flake"),
        (
            "Cart.vue",
            "<template>\n  <h1>Your cart</h1>\n  <CartRow />\n</template>\n",
            "Vue component Cart titled “Your",
        ),
    ],
)
def test_a_name_or_title_tells_what_a_file_is(path: str, text: str, purpose: str) -> None:
    assert title(path, text).partition("): ")[2].startswith(purpose)


def test_a_usage_line_or_a_dialog_title_describes_code() -> None:
    usage = 'class Program { static void Main() { Console.Write("Usage: sum.exe <cart> [<cart>...]"); } }\n'
    assert title("Program.cs", usage).endswith("): Usage: sum.exe <cart> [<cart>...]")
    dialog = (
        "export function DeleteCart() {\n  return <DialogTitle>\n    <Trans>Delete cart</Trans>\n  </DialogTitle>\n}\n"
    )
    assert "Cart delete dialog titled “Delete cart”" in title("cart-delete-dialog.tsx", dialog)


def test_a_project_banner_does_not_describe_a_file() -> None:
    banner = "/* Carts: A Digital Shop\n\n@file Basket.cpp\n\nSomebody */\n\n#include <a>\n\nint sum() { return 1; }\n"
    assert "Digital Shop" not in render(
        outline("Basket.cpp", banner.encode(), ""), path="Basket.cpp", project_imports=()
    )


def test_a_program_is_described_by_what_it_tells_its_users() -> None:
    text = 'import argparse\n\nparser = argparse.ArgumentParser(prog=None, description="Print the sum of a cart.")\n'
    assert title("sum.py", text).endswith("Print the sum of a cart")


@pytest.mark.parametrize(
    "note", ["Based on https://example.org/cart", "HELPERS", "Note: see cart.c", "Keep the two below"]
)
def test_a_comment_about_something_else_describes_no_file(note: str) -> None:
    assert title("cart.c", f"/* {note} */\n\nint sum(int a);\n").endswith("lines): Function sum")


def test_a_small_part_of_a_file_describes_it_by_name_only() -> None:
    part = '"""Mailer."""\n\n\ndef connect(host):\n    """Open the socket of a host."""\n    return host\n\n'
    assert (
        title("mailer.py", part + "".join(f"SIZE_{n} = {n}\n" for n in range(60)))
        == "mailer.py (python, 67 lines): connect: Open the socket of a host"
    )


@pytest.mark.parametrize("note", ["external dependencies", "Third-party code", "Standard includes"])
def test_a_heading_above_imports_describes_no_file(note: str) -> None:
    text = f'# frozen_string_literal: true\n\n# {note}\nrequire "rack"\n\nmodule Site\n  def a; end\nend\n'
    assert note not in title("base.rb", text)


def test_the_only_type_that_carries_the_name_of_a_file_tells_its_purpose() -> None:
    text = "package run\n\n// OrphansReaper handles orphaned child processes.\ntype OrphansReaper struct{}\n"
    told = render(outline("run/reaper.go", text.encode(), ""), path="run/reaper.go", project_imports=())
    assert told.split("\n")[0].endswith("andles orphaned child processes")


def test_a_fixture_is_not_called_tests() -> None:
    text = b"module.exports = {\n  config: {\n    type: 'line'\n  }\n};\n"
    path = "test/fixtures/filler/stack.js"
    assert "Test fixture stack (filler)" in render(outline(path, text, ""), path=path, project_imports=())


def test_a_comment_between_imports_and_definitions_describes_a_file() -> None:
    text = "#include <stdio.h>\n\n/*\n * A small example of parsing numbers.\n */\n\nint parse(void);\n"
    assert title("parse.c", text).endswith("A small example of parsing numbers")
    about = text.replace(".\n */\n\n", ".\n */\n")
    assert title("numbers.c", about).endswith("A small example of parsing numbers")


def test_definitions_with_docs_describe_a_file_by_these() -> None:
    text = "".join(
        f"/** {doc}. */\nint {name}(void);\n\n" for name, doc in (("load", "Reads it"), ("save", "Writes it"))
    )
    assert title("store.c", text).endswith("load: Reads it; save: Writes it")


def test_implementations_of_traits_describe_a_file() -> None:
    text = "impl<T> Show for Text<T> {\n    fn show(&self) {}\n}\n\nimpl Show for Word {\n    fn show(&self) {}\n}\n"
    assert title("show.rs", text).endswith("Implements Show for Text, Show for Word")


def test_a_test_names_the_imported_module_that_it_tests() -> None:
    text = "<?php\nuse Apache\\Avro\\AvroName;\n\nclass NameTest extends TestCase\n{\n    function test_a() {}\n}\n"
    assert title("lang/php/test/NameTest.php", text).endswith("Tests of Apache\\Avro\\AvroName")


def test_a_notice_of_a_generator_is_followed_by_what_a_script_defines() -> None:
    text = "# This file was generated on 2024-09-03T15:05 from a template of another one.\n\nbuild() {\n  make\n}\n"
    head = render(outline("a.sh", text.encode(), "0" * 32), path="a.sh", project_imports=()).split("\n")[0]
    assert head.endswith("Generated, do not edit: Shell script: function build")


def test_the_text_of_a_section_below_others_describes_no_document() -> None:
    text = "# Questions\n\n## Design\n\n### Why fast?\n\nOf course, most programs will not notice it.\n"
    assert outline("FAQ.md", text.encode(), "0" * 32).doc is None


def test_names_of_members_stand_without_their_values_and_no_name_is_a_mere_underscore() -> None:
    text = "local feed = {}\n\nfeed.call = setmetatable({\n  all = {},\n}, {\n"
    text += "  __call = function(self, keys)\n    x(keys)\n  end,\n})\n"
    head = render(outline("feed.lua", text.encode(), "0" * 32), path="feed.lua", project_imports=()).split("\n")[0]
    assert "=" not in head
    text = "let [_, _f, built] = process.argv;\nlet other = 1;\nconsole.log(built);\n"
    head = render(outline("b.js", text.encode(), "0" * 32), path="b.js", project_imports=()).split("\n")[0]
    assert "_," not in head


def test_helpers_of_tests_are_not_called_tests() -> None:
    text = "#!/bin/sh\n\n" + "".join(f'assert_{n}() {{\n  die "$1 of {n}"\n}}\n\n' for n in range(200))
    record = outline("test/common.sh", text.encode(), "")
    assert render(record, path="test/common.sh", project_imports=()).startswith(
        "test/common.sh (bash, 802 lines): Test helpers: functions assert_0"
    )


@pytest.mark.parametrize(
    ("path", "text", "purpose"),
    [
        ("LICENSE.md", "Copyright (c) 2012, Ann.\n\nPermission is hereby granted, free of charge, to\n", "MIT license"),
        ("lib/cart.min.js", f"/*! cart.js v2.0 */\n{'function a(b){return b}' * 60}\n", "Minified, edit the source"),
        (
            "a--1.0--1.1.sql",
            "-- complain if script is sourced in psql\n\\echo Use it\nSELECT 1;\n",
            "upgrade a--1.0--1.1",
        ),
        ("a.php", "<?php\n/**\n * Shop - carts for all\n * @author A\n */\n\n/** Adds up. */\nclass A {}\n", "Adds up"),
        ("a.html", "<p>x</p><footer>Generated using <a href='a'>TypeDoc</a></footer>\n", "Generated by TypeDoc"),
    ],
)
def test_a_notice_or_slogan_gives_way_to_what_the_file_is(path: str, text: str, purpose: str) -> None:
    assert purpose in title(path, text)
