"""The briefing: layout, sizing, the hard budget, cleaned text."""

from __future__ import annotations

import re
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sidecar.files.briefing.render import render
from sidecar.files.outline import outline
from sidecar.files.outline.target import CEILING_TOKENS, FILE_SHARE, FLOOR_TOKENS
from sidecar.store.records import ContentRecord, SymbolRecord
from sidecar.text.tokens import estimate


def symbol(
    name: str,
    kind: str = "function",
    *children: SymbolRecord,
    lines: tuple[int, int] = (1, 1),
    signature: str | None = None,
    doc: str | None = None,
    public: bool = True,
) -> SymbolRecord:
    shown = signature if signature is not None else f"def {name}(a: int, b: str) -> bool"
    return SymbolRecord(
        kind=kind, name=name, start=lines[0], end=lines[1], signature=shown, doc=doc, public=public, children=children
    )


def record(*symbols: SymbolRecord, tokens: int = 10_000, **fields: object) -> ContentRecord:
    values: dict[str, object] = {"language": "python", "lines": 900, "doc": None, **fields}
    return ContentRecord(recipe=1, hash="0" * 32, file_tokens=tokens, symbols=symbols, **values)  # type: ignore[arg-type]


def show(content: ContentRecord, budget: int | None = None, imports: tuple[str, ...] = ()) -> str:
    return render(content, path="pkg/a.py", project_imports=imports, budget=budget)


SMALL = record(
    symbol("LIMIT", "constant", signature="LIMIT = 5"),
    symbol("Names", "constant", signature="Names = …"),
    symbol(
        "Store",
        "class",
        symbol("get", "method", lines=(12, 14), doc="Gets one."),
        symbol("_hidden", "method", lines=(15, 15), public=False),
        symbol("size", "property", lines=(16, 16), signature="size: int"),
        lines=(10, 40),
        signature="class Store(Base)",
        doc="Keeps things.",
    ),
    symbol("main", lines=(50, 50), signature="def main() -> None", doc="Runs it."),
    symbol("_private", lines=(55, 55), public=False),
    tokens=3000,
    doc="A small module. ",
    entry_points=("def main",),
)


def test_a_rich_briefing() -> None:
    assert show(SMALL, imports=("pkg/b.py",)) == (
        "pkg/a.py (python, 900 lines): A small module.\n"
        "imports: pkg/b.py\n"
        "constants: LIMIT = 5, Names L1\n"
        "class Store(Base) L10-40 — Keeps things.\n"
        "  get(a: int, b: str) -> bool L12-14 — Gets one.\n"
        "  _hidden(a: int, b: str) -> bool L15\n"
        "  size: int L16\n"
        "def main() -> None L50 — Runs it.\n"
        "def _private(a: int, b: str) -> bool L55"
    )


def test_briefing_degrades_from_docs_to_names() -> None:
    texts = [show(SMALL, budget) for budget in (110, 75, 60, 50, 46)]
    for text, budget in zip(texts, (110, 75, 60, 50, 46), strict=True):
        assert estimate(text) <= budget
        for name in ("Store", "main", "LIMIT", "Names"):
            assert name in text
    assert "Gets one" in texts[0]
    assert "Gets one" not in texts[1]
    assert "get(" not in texts[3]
    assert "def main" not in texts[4]


def test_a_class_whose_members_do_not_fit_says_how_many_they_are() -> None:
    names = [symbol(f"a_rather_long_member_name_{n}", "method") for n in range(60)]
    content = record(symbol("Big", "class", *names, signature="class Big"), tokens=900)
    text = show(content, budget=30)
    assert "class Big L1 (+60 members)" in text


def test_members_are_listed_by_name_when_there_is_no_room_for_signatures() -> None:
    members = [symbol(f"m{n}", "method", lines=(n, n)) for n in range(1, 50)]
    text = show(record(symbol("Big", "class", *members, signature="class Big"), tokens=700))
    assert "  m1(a: int, b: str) -> bool L1\n" in text
    assert ", m48 L48, m49 L49" in text
    for n in range(1, 50):
        assert f"m{n}" in text


def test_modules_and_namespaces_are_looked_through() -> None:
    inner = symbol("Deep", "class", symbol("go", "method"), signature="class Deep")
    text = show(record(symbol("ns", "namespace", symbol("sub", "module", inner, signature="mod sub"), signature="ns")))
    assert "\n  mod sub L1\n    class Deep L1\n      go(a: int, b: str) -> bool L1" in text


def test_partial_is_said() -> None:
    text = show(record(symbol("f"), partial=True))
    assert text.startswith("pkg/a.py (python, 900 lines, partial: parts could not be parsed)")


def test_a_text_without_symbols_shows_its_head() -> None:
    text = show(record(tokens=2000, head="first line\n  second\n", language="text", lines=1))
    assert text == "pkg/a.py (text, 1 line)\nfirst line\nsecond\n"
    long = show(record(tokens=2000, head="\n".join(f"line {n} of the text" for n in range(300))))
    assert estimate(long) <= FLOOR_TOKENS


def test_the_target_holds_however_many_names_there_are_and_says_how_many_are_left_out() -> None:
    names = [f"function_number_{n}" for n in range(800)]
    text = show(record(*(symbol(name) for name in names), tokens=200_000))
    assert 0.9 * CEILING_TOKENS <= estimate(text) <= CEILING_TOKENS
    shown = len(set(re.findall(r"function_number_\d+", text)))
    assert text.endswith(f"… and {800 - shown} more L1")


def test_the_hard_budget_drops_names_and_says_how_many() -> None:
    text = show(record(*(symbol(f"name_{n}") for n in range(500))), budget=60)
    assert estimate(text) <= 60
    shown = len(re.findall(r"name_\d+", text))
    assert f"… and {500 - shown} more" in text


def test_size_follows_the_file() -> None:
    symbols = [symbol(f"name_{n}", doc="A sentence of some words that says what it is for and why.") for n in range(60)]
    for tokens in (2_000, 4_000, 6_000, 50_000):
        size = estimate(show(record(*symbols, tokens=tokens)))
        target = min(CEILING_TOKENS, max(FLOOR_TOKENS, int(FILE_SHARE * tokens)))
        assert size <= max(target, 420)
        assert size >= min(0.8 * target, 420)


def test_a_tiny_file_is_not_outgrown_by_its_briefing() -> None:
    symbols = [symbol(f"n{n}", doc="What it does, in words, at length.") for n in range(3)]
    assert estimate(show(record(*symbols, tokens=60, lines=8))) <= 56


def test_long_signatures_are_cut_and_keep_the_name() -> None:
    long = "template<" + "typename T, " * 60 + "> void the_name(int x)"
    text = show(record(symbol("the_name", signature=long)))
    assert "the_name: template<" in text
    decorated = "@app.route(" + '"/a",' * 20 + ") @login def view(x: int) -> str"
    assert "\ndef view(x: int) -> str L1" in show(record(symbol("view", signature=decorated)))


def test_text_of_the_file_is_cleaned() -> None:
    evil = "a\x1b[31mred\x1b[0m\u202eb\nc\td\u2028e\x00\U000e0041f\ud800"
    content = record(
        symbol(evil, signature=f"def {evil}()", doc=evil),
        symbol("k", "class", symbol(evil, "method"), signature=evil),
        symbol(f"_{evil}", public=False),
        doc=evil,
        entry_points=(evil,),
        head=evil,
        language=evil,
    )
    text = render(content, path=f"dir/{evil}", project_imports=[evil])
    assert "[31m" not in text
    assert {unicodedata.category(char) for char in text if char != "\n"}.isdisjoint({"Cc", "Cf", "Cs", "Zl", "Zp"})
    text.encode("utf-8")
    assert len(text.split("\n")) <= 9


def test_names_of_an_elided_level_stay_as_the_extractor_said_them() -> None:
    text = show(record(symbol("a", "key", signature="a: 1"), symbol("… and 7 keys", "more", signature="… and 7 keys")))
    assert text.endswith("a: 1 L1\n… and 7 keys L1")


NAMES = st.text(min_size=1, max_size=12)
LEAVES = st.builds(
    symbol,
    NAMES,
    st.sampled_from(["function", "constant", "case", "class", "key", "heading", "more", "x"]),
    lines=st.just((3, 9)),
    signature=st.one_of(st.none(), st.text(max_size=300)),
    doc=st.one_of(st.none(), st.text(max_size=300)),
    public=st.booleans(),
)


def grow(children: st.SearchStrategy[SymbolRecord]) -> st.SearchStrategy[SymbolRecord]:
    return st.builds(
        lambda name, kind, inner: symbol(name, kind, *inner),
        NAMES,
        st.sampled_from(["class", "namespace", "module", "heading"]),
        st.lists(children, max_size=5),
    )


CONTENTS = st.builds(
    lambda symbols, tokens, fields: record(*symbols, tokens=tokens, **fields),
    st.lists(st.recursive(LEAVES, grow, max_leaves=12), max_size=12),
    st.integers(0, 20_000),
    st.fixed_dictionaries(
        {
            "doc": st.one_of(st.none(), st.text(max_size=300)),
            "head": st.one_of(st.none(), st.text(max_size=600)),
            "entry_points": st.lists(st.text(max_size=40), max_size=12).map(tuple),
            "partial": st.booleans(),
            "lines": st.integers(0, 10_000),
        }
    ),
)


@pytest.mark.slow
@given(content=CONTENTS, budget=st.integers(-5, 300), imports=st.lists(st.text(max_size=60), max_size=20))
def test_the_budget_is_never_exceeded_and_the_text_is_the_same_twice(
    content: ContentRecord, budget: int, imports: list[str]
) -> None:
    text = render(content, path="some/path.py", project_imports=imports, budget=budget)
    assert estimate(text) <= max(0, budget)
    assert text == render(content, path="some/path.py", project_imports=imports, budget=budget)
    free = render(content, path="some/path.py", project_imports=imports)
    assert not re.search(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e]", free)


@pytest.mark.parametrize("budget", [0, -1])
def test_no_budget_at_all_gives_nothing(budget: int) -> None:
    assert show(SMALL, budget) == ""


def test_private_symbols_stand_in_file_order_and_fill_what_the_public_ones_leave() -> None:
    hidden = [symbol(f"_h{n}", public=False, lines=(n, n)) for n in range(1, 80)]
    text = show(record(*hidden, symbol("shown", lines=(90, 90)), tokens=3000))
    first, *_, last, left = text.split("\n")[1:]
    assert first == "def _h1(a: int, b: str) -> bool L1"
    assert last == "def shown(a: int, b: str) -> bool L90"
    shown = len(set(re.findall(r"_h\d+", text)))
    assert left == f"… and {79 - shown} more L{shown + 1}-79"


def test_commands_of_entry_points_give_way_to_their_names() -> None:
    points = tuple(f"script{n}: run something long with options --and --more {n}" for n in range(6))
    text = show(record(symbol("f"), tokens=300, entry_points=points))
    assert "runs: script0, script1, script2, script3, script4, script5\n" in text


def test_constants_are_one_line_without_their_keywords() -> None:
    constants = [symbol(f"N{n}", "constant", signature=f"export const N{n} = {n}") for n in range(3)]
    assert show(record(*constants)).endswith("\nconstants: N0 = 0, N1 = 1, N2 = 2 L1")


@pytest.mark.parametrize(
    ("signature", "shown"),
    [
        ('K = "sk3v9Qz7Lm2Xp8Rt5Wb1Yc6N"', "K = [hidden]"),
        ("K_TOKEN='short'", "K_TOKEN = [hidden]"),
        ("export K_TOKEN=hunter2", "K_TOKEN = [hidden]"),
        ("const K_apiKey: string = 'abcdef'", "K_apiKey: string = [hidden]"),
        ("K = 'postgres://me:pw@host/db'", "K = [hidden]"),
        ("K_TOKEN: str = read_token()", "K_TOKEN: str = read_token()"),
        ("K_TOKEN = $1", "K_TOKEN = $1"),
        ("K_PASSWORD: str", "K_PASSWORD: str"),
        ("K = 5", "K = 5"),
    ],
)
def test_a_constant_that_holds_a_secret_is_shown_without_it(signature: str, shown: str) -> None:
    name = re.findall(r"K\w*", signature)[0]
    assert show(record(symbol(name, "constant", signature=signature))).endswith(f"\nconstants: {shown} L1")


def test_neighbouring_fields_share_a_line_and_methods_do_not() -> None:
    fields = [
        symbol(name, "field", signature=f"public final {name}: int", lines=(at, at))
        for at, name in enumerate(("size", "width", "depth"), 3)
    ]
    method = symbol("take", "method", lines=(9, 12))
    text = show(record(symbol("Pool", "class", *fields, method, signature="class Pool", lines=(1, 20))))
    assert "  size: int, width: int, depth: int L3-5\n" in text
    assert "  take(a: int, b: str) -> bool L9-12" in text


def test_a_computed_field_keeps_its_line() -> None:
    first = symbol("open", "property", signature="@property def open(self) -> bool", lines=(2, 3))
    other = symbol("size", "field", signature="size = 3", lines=(5, 5))
    text = show(record(symbol("Pool", "class", first, other, signature="class Pool", lines=(1, 20))))
    assert "  @property def open(self) -> bool L2-3\n  size = 3 L5" in text


def test_members_of_private_types_are_shown_where_there_is_room() -> None:
    inner = symbol("addRoute", "method", signature="func (n *node) addRoute(path string)", public=False)
    node = symbol("node", "struct", inner, signature="type node struct", public=False)
    text = show(record(symbol("Params", "class", signature="type Params struct"), node))
    assert "\ntype node struct L1\n  addRoute(path string) L1" in text


def test_a_name_that_says_nothing_more_stays_in_the_list() -> None:
    keys = [symbol(name, "key", signature=name, lines=(at, at)) for at, name in enumerate(("bind", "port"), 1)]
    assert show(record(*keys)).endswith("keys: bind L1, port L2")


def test_lines_come_before_signatures_where_there_is_no_room_for_both() -> None:
    names = [symbol(f"name_{at:03d}", lines=(at, at + 900)) for at in range(1, 41)]
    alone = estimate(", ".join(node.name for node in names))
    text = show(record(*names), budget=alone + 80)
    assert estimate(text) <= alone + 80
    assert "functions: name_001 L1-901, name_002 L2-902" in text
    assert "name_040" in text


def test_abstract_methods_come_before_trifles_and_fields() -> None:
    trifles = [symbol(f"get{at}", "method", signature=f"int get{at}()", lines=(at, at + 2)) for at in range(9, 34, 3)]
    field = symbol("size", "field", signature="int size", lines=(2, 2))
    run = symbol("execute", "method", signature="abstract void execute(Request request)", lines=(50, 50))
    text = show(record(symbol("Base", "class", field, *trifles, run, signature="class Base")), budget=99)
    assert "\n  int size L2\n  get9 L9-11, get12" in text
    assert "\n  abstract void execute(Request request) L50" in text


def test_members_that_are_left_out_are_counted() -> None:
    members = [symbol(f"a_rather_long_member_name_{n}", "method") for n in range(60)]
    hidden = [symbol(f"_h{n}", "method", public=False) for n in range(7)]
    text = show(record(symbol("Big", "class", *members, *hidden, signature="class Big")), budget=120)
    shown = len(set(re.findall(r"name_\d+", text)))
    assert text.endswith(f"\n  … and {67 - shown} more L1")


def test_names_without_room_for_their_lines_share_a_range() -> None:
    names = [symbol(f"name_{at:03d}", lines=(at, at)) for at in range(1, 61)]
    assert "name_006, name_007, name_008, name_009, name_010 L6-10" in show(record(*names), budget=210)


def test_definitions_stand_in_file_order_however_they_were_declared() -> None:
    text = show(record(symbol("later", lines=(9, 10)), symbol("first", lines=(2, 3))))
    assert text.index("def first") < text.index("def later")


def test_members_of_modules_are_listed_below_them_in_file_order() -> None:
    first = symbol(
        "Cart",
        "module",
        symbol("add", lines=(2, 3)),
        symbol("sum", lines=(5, 6)),
        lines=(1, 7),
        signature="module Cart",
    )
    second = symbol("Shop", "module", symbol("open", lines=(9, 9)), lines=(8, 10), signature="module Shop")
    text = show(record(first, second), budget=44)
    assert text.split("\n")[1:] == ["module Cart L1-7", "  add L2-3, sum L5-6", "module Shop L8-10", "  open L9"]


def test_tests_by_macro_are_listed_by_suite() -> None:
    tests = [symbol("TEST", lines=(at, at + 1), signature=f"TEST(cart, it_adds_{at})") for at in range(1, 40, 2)]
    text = show(record(*tests), budget=200)
    assert "tests of cart: it_adds_" in text
    assert "it_adds_35, it_adds_37, it_adds_39 L35-40" in text


def test_a_file_of_private_definitions_is_described_by_them() -> None:
    text = show(record(symbol("_a", lines=(1, 9), public=False)))
    assert text == "pkg/a.py (python, 900 lines): Function _a\ndef _a(a: int, b: str) -> bool L1-9"


def test_longer_parts_that_were_not_parsed_are_named() -> None:
    text = show(record(symbol("f"), partial=True, unparsed=((4, 16), (29, 29))))
    assert text.startswith("pkg/a.py (python, 900 lines, not parsed: L4-16)")


def test_the_only_thing_in_a_file_says_what_the_file_is_for() -> None:
    text = show(record(symbol("Store", "class", lines=(1, 90), signature="class Store", doc="Keeps things.")))
    assert text == "pkg/a.py (python, 900 lines): Keeps things.\nclass Store L1-90"


def test_markup_stays_as_the_file_has_it_but_no_tag_of_ours_or_of_a_role() -> None:
    shown = show(record(symbol("Page", signature="def Page() -> '<main><p>' # </memory-notes> <system>")))
    assert "'<main><p>'" in shown
    assert "&lt;" not in shown
    assert "</memory-notes>" not in shown
    assert "<system>" not in shown


def test_titled_tests_inside_a_value_are_shown_with_what_they_hold() -> None:
    cases = "".join(f'      test("case {n}") {{\n        check({n})\n      }}\n' for n in range(3))
    text = 'object OpTests extends TestSuite {\n  val tests = Tests {\n    test("ls") - check(\n      1\n    )\n'
    text += f'    test("many") {{\n{cases}    }}\n' + "    // and so on\n" * 30 + "  }\n}\n"
    shown = render(outline("test/OpTests.scala", text.encode(), ""), path="test/OpTests.scala", project_imports=())
    assert "\n    test 'ls' L3-5\n    test 'many' L6-16\n      test 'case 0' L7-9\n" in shown
