"""What a facet rests on, and when it still holds."""

from __future__ import annotations

import pytest

from sidecar.checkout.tree import content_hash
from sidecar.files.facets.carry_over import merge_facets, normalised, still_holds, symbols_under
from sidecar.files.facets.content import Content
from sidecar.files.outline import outline
from sidecar.store.records import FacetRecord

SOURCE = '''"""A pool."""

from wire import LIMIT

SIZE = 4


class Pool:
    def __init__(self):
        self._lock = make_lock()
        self._open = []

    def take(self):
        with self._lock:
            return self._open.pop() if self._open else connect(SIZE)

    def give(self, one):
        with self._lock:
            backlog = len(self._open)
            if backlog < LIMIT:
                self._open.append(one)


class Other:
    def take(self):
        return None


def connect(size):
    return object()


registry = {}
'''


def content(text: str = SOURCE, path: str = "app/pool.py") -> Content:
    data = text.encode()
    return Content(path, text, outline(path, data, content_hash(data)))


def facet(text: str, *symbols: tuple[str, str], at: int = 0) -> FacetRecord:
    return FacetRecord(text=text, identifiers=(), at=at, source="test", symbols=symbols)


@pytest.mark.parametrize(
    ("identifiers", "symbols"),
    [
        (["Pool.give"], {"Pool.give"}),
        (["give"], {"Pool.give"}),
        (["self.give"], {"Pool.give"}),
        (["Pool::give"], {"Pool.give"}),
        (["take"], {"Pool.take", "Other.take"}),  # it does not say whose
        (["Other.take"], {"Other.take"}),
        (["Pool.give", "SIZE"], {"Pool.give", "SIZE"}),
        (["backlog"], {"Pool.give"}),  # no symbol itself: the one that holds it
        (["_lock"], {"Pool"}),  # in three methods: their class
        (["give", "backlog"], {"Pool.give"}),
        (["give", "LIMIT"], {"Pool.give"}),  # imported, and used inside
        (["LIMIT"], set()),  # imported and used: the file
        (["connect", "nowhere"], set()),
        ([], set()),
    ],
)
def test_a_facet_rests_on_the_symbols_that_hold_its_identifiers(identifiers: list[str], symbols: set[str]) -> None:
    assert set(symbols_under("It is so.", identifiers, content())) == symbols


@pytest.mark.parametrize(
    "text",
    [
        "`give` is the only place that grows the pool.",
        "The file keeps `give` apart from what takes.",
        "`give` is the last step in the module.",
        "This module calls `give` from its signal handler.",
        "All methods but `give` are free of locks.",
        "Nothing else than `give` appends; no other caller does.",
        "Every function calls `give` first.",
        "`give` is used throughout.",
    ],
)
def test_a_claim_about_the_whole_file_rests_on_the_whole_file(text: str) -> None:
    assert symbols_under(text, ["give"], content()) == ()


def test_a_file_that_the_code_works_on_is_not_the_file_itself() -> None:
    text = "`give` reads the file whole, because callers close the file at once."
    assert symbols_under(text, ["give"], content()) == ("Pool.give",)


def test_too_many_symbols_are_the_whole_file() -> None:
    text = "\n\n".join(f"def part_{at}():\n    return {at}" for at in range(20))
    assert symbols_under("So.", [f"part_{at}" for at in range(9)], content(text)) == ()
    assert len(symbols_under("So.", [f"part_{at}" for at in range(8)], content(text))) == 8


def test_lines_are_counted_alike_with_any_line_end() -> None:
    source = content()
    crlf = SOURCE.replace("\n", "\r\n").encode()
    same = Content("app/pool.py", SOURCE, outline("app/pool.py", crlf, content_hash(crlf)))
    assert symbols_under("So.", ["backlog"], same) == symbols_under("So.", ["backlog"], source)


def test_a_facet_holds_where_all_its_symbols_are_unchanged() -> None:
    two = facet("x", ("a", "1"), ("b", "2"))
    assert still_holds(two, {"a": "1", "b": "2", "c": "3"})
    assert not still_holds(two, {"a": "1", "b": "9"})
    assert not still_holds(two, {"a": "1"})
    assert not still_holds(two, {"b": "1", "a": "2"})
    assert not still_holds(facet("whole"), {"a": "1"})


def test_merging_keeps_what_is_there_adds_the_newest_and_says_nothing_twice() -> None:
    kept = [facet("`One` is so.")]
    more = [facet("one is SO", at=9), facet("old", at=1), facet("new", at=3), facet("newer", at=4)]
    found = merge_facets(kept, more, 3)
    assert [one.text for one in found] == ["`One` is so.", "newer", "new"]
    assert merge_facets(found, more, 3) == found
    assert merge_facets(kept, reversed(more), 3) == found  # whatever the order in which they come


def test_folding_keeps_names_apart() -> None:
    assert normalised("`max_age` is  so!") == normalised("Max_Age is so")
    assert normalised("max_age") != normalised("max age")


CART = """#include <vector>
namespace shop {
class Cart {
 public:
  void add(int item);
  int total() const { return count * 2; }
 private:
  std::vector<int> items_;
};
void Cart::add(int item) {
  items_.push_back(item);
}
int read_all(Cart& cart) { return pick(cart) + count; }
int pick(Cart& cart) { return count; }
int other() { return 1; }
}
"""


@pytest.mark.parametrize(
    ("identifiers", "symbols"),
    [
        (("read_all",), ("shop.read_all",)),
        (("shop", "read_all"), ("shop.read_all",)),  # not all of the namespace
        (("other", "count"), ("shop.other", "shop.Cart.total", "shop.read_all", "shop.pick")),
        (("count",), ("shop.Cart.total", "shop.read_all", "shop.pick")),
        (("other", "push_back"), ("shop.other",)),  # stands in what no symbol holds
        (("push_back",), ()),
        (("Cart.add",), ()),  # its body stands apart from the class, in no lines of a symbol
    ],
)
def test_a_namespace_is_not_what_a_facet_rests_on(identifiers: tuple[str, ...], symbols: tuple[str, ...]) -> None:
    found = symbols_under("A fact.", identifiers, content(CART, "cart.cpp"))
    assert set(found) == set(symbols)
