"""Test files whose suites and tests are calls with a title."""

from __future__ import annotations

import pytest

from sidecar.files.outline import outline
from sidecar.store.records import SymbolRecord


def shape(symbols: tuple[SymbolRecord, ...]) -> list[object]:
    return [(symbol.kind, symbol.name, symbol.start, symbol.end, shape(symbol.children)) for symbol in symbols]


RUBY = """\
RSpec.describe Shop::Cart do
  let(:cart) { described_class.new }
  context "when empty" do
    it "has no total" do
      expect(cart.total).to eq 0
    end
    it { is_expected.to be_empty }
  end
  it 'counts' do
  end
end

class CartTest < Minitest::Test
  test "adds" do
    add
  end
  def test_plain; end
end
"""


def test_groups_and_examples_of_ruby() -> None:
    record = outline("cart_spec.rb", RUBY.encode(), "")
    empty: object = ("suite", "when empty", 3, 8, [("test", "has no total", 4, 6, [])])
    assert shape(record.symbols) == [
        ("suite", "Shop::Cart", 1, 11, [("property", "cart", 2, 2, []), empty, ("test", "counts", 9, 10, [])]),
        ("class", "CartTest", 13, 18, [("test", "adds", 14, 16, []), ("method", "test_plain", 17, 17, [])]),
    ]


METHODS = """\
FOO ||= 1
Base = Class.new(Plain) do
  def made; end
end
namespace :db do
  task seed: :env do
    def fill; end
  end
end
class Cart
  scope :open, -> { where(open: true) }
  delegate :name, :email, to: :user
  memoize def total; end
  private attr_reader :lines
  define_method(:sum) { 1 }
  included do
    def inside; end
  end
  class << self
    private
    def hidden; end
  end
  def last; end
end
"""


def test_ruby_definitions_by_calls_and_blocks_are_named() -> None:
    record = outline("cart.rb", METHODS.encode(), "")
    constant, base, tasks, cart = record.symbols
    assert (constant.name, base.kind, base.children[0].name) == ("FOO", "class", "made")
    seed: object = ("task", "seed", 6, 8, [("method", "fill", 7, 7, [])])
    assert shape((tasks,)) == [("block", "db", 5, 9, [seed])]
    public = [child.name for child in cart.children if child.public]
    assert public == ["open", "name", "email", "total", "sum", "inside", "last"]
    assert [child.name for child in cart.children if not child.public] == ["lines", "hidden"]


def test_the_banner_of_an_editor_is_no_description() -> None:
    banner = "//\n//  Cart.swift\n//  Shop\n//\n//  Created by A. B. on 1/2/21.\n//\n\nimport Foundation\n"
    assert outline("Cart.swift", (banner + "struct Cart {}\n").encode(), "").doc is None


def test_code_without_symbols_shows_its_head() -> None:
    record = outline("a.kts", b"x = 1 + 2\n", "")
    assert record.symbols == ()
    assert record.head == "x = 1 + 2"
    assert outline("a.py", b"def f(): ...\n", "").head is None


def test_a_lua_table_that_is_returned_through_a_call_is_public() -> None:
    text = "local git = {}\nlocal x = {}\ngit.files = function(opts) end\nreturn apply_checks(git)\n"
    record = outline("git.lua", text.encode(), "")
    assert [(symbol.name, symbol.public) for symbol in record.symbols] == [("git", True), ("x", False)]
    assert record.symbols[0].children[0].name == "files"


def test_symbols_of_a_broken_file_are_named_without_a_colon() -> None:
    text = "def f(:\n  pass\nclass A:\n  def g(self): ...\nclass B:\n  x = (\n"
    names = [symbol.name for symbol in outline("a.py", text.encode(), "").symbols]
    assert names == ["f", "A", "B"]


@pytest.mark.parametrize(
    ("path", "text", "told"),
    [
        ("a.js", "app.get('/x', (q, r) => {\n  r()\n})\nrun('x')\n", [("app.get('/x')", 1, 3)]),
        ("a.php", "<?php\nRoute::get('/x', f());\nreturn [\n 'a' => 1,\n];\n", [("Route::get('/x')", 2, 2)]),
        ("a.gradle.kts", 'plugins {\n  java\n  id("b")\n}\n', [("plugins", 1, 4)]),
        ("a.ps1", "param(\n[switch] $Merge,\n[string] $To = 1\n)\n", [("param($Merge, $To)", 1, 4)]),
        (
            "a.py",
            'p = P()\np.add("--a")\np.add(\n"--b")\np.add("--c")\n',
            [('p.add("--a")', 2, 2), ('p.add("--b", "--c")', 3, 5)],
        ),
    ],
)
def test_statements_of_a_file_without_declarations_are_outlined(
    path: str, text: str, told: list[tuple[str, int, int]]
) -> None:
    found = [symbol for symbol in outline(path, text.encode(), "").symbols if symbol.kind == "call"]
    assert [(one.signature, one.start, one.end) for one in found] == told


def test_routes_stand_in_their_class_and_what_they_hold_is_local() -> None:
    text = 'trait C {\n  get("/a/:id")(users { r =>\n    val x = 1\n    ok\n  })\n  def f = 1\n}\n'
    (trait,) = outline("a.scala", text.encode(), "").symbols
    assert [(child.name, child.start, child.end) for child in trait.children] == [('get("/a/:id")', 2, 5), ("f", 6, 6)]


def test_a_literal_in_a_call_that_may_be_a_secret_is_not_kept() -> None:
    record = outline("a.rb", b'class A\n  sha "ee21092a5ee427353392360929dc64645c54479aef"\nend\n', "")
    assert "ee21092a" not in str(record.symbols)


def test_lines_that_no_grammar_reads_are_named() -> None:
    record = outline("a.go", b"package a\n\nfunc f() {\n}\n\nfunc ) (\n\nfunc g() {\n}\n", "")
    assert record.partial
    assert record.unparsed[0] == (6, 6)
