"""Languages described by queries: cases beyond the samples, and what must never happen."""

from __future__ import annotations

import random
import time
from collections.abc import Iterable
from pathlib import Path

import pytest

from sidecar.files.language import CODE, language_of
from sidecar.files.outline import outline
from sidecar.store.records import SymbolRecord

pytestmark = pytest.mark.slow

SAMPLES = [
    path
    for path in sorted((Path(__file__).parent / "samples").iterdir())
    if path.suffix != ".outline" and language_of(path.name, path.read_bytes()) in CODE
]
ODD = [
    *"{}()[]<>\"'`#%$\\\n\0=;:|",
    '"""',
    "<<<",
    "/*",
    "(*",
    "{-",
    "--",
    "=>",
    "do\n",
    "end\n",
    "\U000cd121",
    "\ufeff",
]


def names(symbols: Iterable[SymbolRecord]) -> set[str]:
    return {name for symbol in symbols for name in ({symbol.name} | names(symbol.children))}


@pytest.mark.parametrize("path", SAMPLES, ids=lambda path: str(path.name))
def test_broken_text_is_told_as_far_as_it_goes_and_soon(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    chance = random.Random(7)
    for _ in range(40):
        at = chance.randrange(len(text))
        broken = text[:at] + chance.choice(ODD) * chance.choice((1, 1, 400)) + text[at + chance.randrange(40) :]
        began = time.thread_time()
        record = outline(path.name, broken.encode("utf-8"), "")
        assert record.fault == ""
        assert time.thread_time() - began < 3


@pytest.mark.parametrize("path", SAMPLES, ids=lambda path: str(path.name))
def test_unparsed_parts_are_found_by_keywords_and_called_partial(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    whole = outline(path.name, text.encode(), "")
    record = outline(path.name, f"{text}\n)))) ((( {{ [".encode(), "")
    assert record.partial
    found = names(record.symbols) & names(whole.symbols)
    assert len(found) >= 0.8 * len(names(whole.symbols))


@pytest.mark.parametrize("quotes", ['~S"""', '@x """', "~s'''"])
def test_a_heredoc_hides_nothing_that_follows_it_in_elixir(quotes: str) -> None:
    text = f"defmodule A do\n  {quotes}\n  def no, do: 1\n  {quotes[-3:]}\n  def yes, do: 1\nend\n"
    assert names(outline("a.ex", text.encode(), "").symbols) == {"A", "yes"}


def test_requirements_of_a_script_are_no_description() -> None:
    text = b"#Requires -Version 7.0\n\nfunction Build {\n}\n"
    assert outline("a.ps1", text, "").doc is None


def test_the_header_comment_is_the_description_and_a_licence_is_not() -> None:
    text = b"// Copyright me\n//\n// Sends mail. Fast.\n\nimport 'a';\n/// Other.\nclass A {}\n"
    found = outline("a.dart", text, "")
    assert (found.doc, found.symbols[0].doc) == ("Sends mail", "Other")


def test_a_terraform_block_tells_its_type_default_value_source_and_description() -> None:
    text = b"""variable "region" {
  description = "Where the buckets lie."
  type        = string
  default     = "eu-west-1"
}
variable "db_password" {
  type      = string
  default   = "hunter2hunter2"
  sensitive = true
}
output "arn" { value = aws_s3_bucket.this.arn }
module "vpc" {
  source  = "terraform-aws-modules/vpc/aws"
  version = "~> 5.0"
}
module "broken" { source =
"""
    region, password, arn, vpc, *_ = outline("main.tf", text, "").symbols
    assert (region.signature, region.doc) == ('variable "region": string = "eu-west-1"', "Where the buckets lie")
    assert "hunter2" not in password.signature
    assert password.signature.endswith("= [hidden], sensitive true")
    assert arn.signature == 'output "arn" = aws_s3_bucket.this.arn'
    assert vpc.signature == 'module "vpc" from "terraform-aws-modules/vpc/aws" "~> 5.0"'


def test_tests_of_julia_and_scala_are_named_and_hide_their_values() -> None:
    julia = outline("a.jl", b'module A\n@testset "joins" begin\n    x = 1\n    @test x == 1\nend\nend\n', "").symbols[0]
    assert [(child.signature, child.start, child.end) for child in julia.children] == [('@testset "joins"', 2, 5)]
    text = b'class A extends F {\n  it should "add" in {\n    val a = 1\n  }\n  test("b") { val c = 1 }\n}\n'
    scala = outline("a.scala", text, "").symbols[0]
    assert [(child.kind, child.name, child.children) for child in scala.children] == [
        ("test", 'it should "add"', ()),
        ("test", '"b"', ()),
    ]


def test_the_comment_at_the_start_of_a_ruby_module_describes_its_first_class() -> None:
    module = outline("a.rb", b"module A\n  # Reads pages.\n  class B\n    def c; end\n  end\nend\n", "").symbols[0]
    assert module.children[0].doc == "Reads pages"


def test_long_clauses_of_elixir_and_methods_of_julia_are_listed_by_themselves() -> None:
    clause = "  def walk(%{kind} = node) do\n    a(node)\n    b(node)\n  end\n"
    text = "defmodule A do\n" + clause.replace("kind", "a: 1") + "\n" + clause.replace("kind", "b: 2") + "end\n"
    (module,) = outline("a.ex", text.encode(), "").symbols
    assert [(child.start, child.end) for child in module.children] == [(2, 5), (7, 10)]
    text = "function f(a::A)\n  x\n  y\nend\n\n# the other\nfunction f(b::B)\n  x\n  y\nend\n"
    assert [(symbol.start, symbol.end, symbol.doc) for symbol in outline("a.jl", text.encode(), "").symbols] == [
        (1, 4, None),
        (7, 10, "the other"),
    ]


def test_packages_with_a_body_hold_their_classes_and_a_clause_at_the_top_holds_nothing() -> None:
    text = (
        b"package org.shop\n\npackage made {\n  class Point(x: Int)\n}\n\npackage written {\n  class Point(x: Int)\n}\n"
    )
    found = outline("a.scala", text, "").symbols
    assert [(one.kind, one.name, one.start, one.end) for one in found] == [
        ("package", "made", 3, 5),
        ("package", "written", 7, 9),
    ]
    assert [[one.name for one in package.children] for package in found] == [["Point"], ["Point"]]
