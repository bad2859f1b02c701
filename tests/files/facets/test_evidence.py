"""What the lines of a symbol say of a statement about it, and the points that a claim gets for it."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from sidecar.files.facets.claims import weight
from sidecar.files.facets.content import Content
from sidecar.files.facets.distiller import distil
from sidecar.files.facets.evidence import evidence, states_a_value
from sidecar.files.facets.grounding import named
from sidecar.files.facets.sameness import is_outline
from sidecar.text.sentences import read

STORE = """
LIMIT = 20

def load(path):
    rows = parse_rows(path)
    return keep_newest(rows, LIMIT)

def save(path, rows):
    write_rows(path + ".new", rows)
    ready = False
"""
PAD = "\n\nLet me go on and look at the other things for a while before I say more about all of this."


@pytest.fixture
def store(content: Callable[..., Content]) -> Content:
    return content(STORE, "disk/store.py")


def looked_at(text: str, store: Content) -> tuple[int, int, bool]:
    names = named(text)
    found = evidence(text, names[:1], names, store)
    return found.borne, found.absent, found.symbol


def test_names_count_where_they_stand_in_the_lines_of_the_subject(store: Content) -> None:
    assert looked_at("`load` calls `parse_rows` and `keep_newest`.", store) == (2, 0, True)
    assert looked_at("`load` calls `write_rows`.", store) == (0, 0, True)
    assert looked_at("`load` calls `open_archive`.", store) == (0, 1, True)


def test_a_subject_that_is_no_symbol_is_looked_for_in_its_lines(store: Content) -> None:
    assert looked_at("`rows` goes through `keep_newest`.", store) == (1, 0, False)


def test_the_share_of_words_found(store: Content) -> None:
    text = "`load` keeps the newest rows."
    names = named(text)
    assert evidence(text, names[:1], names, store).share == 1.0
    assert evidence("`load` paints a window green.", names[:1], names, store).share == 0.0


def test_what_the_code_bears_out_is_a_claim_and_the_same_of_another_function_is_none(store: Content) -> None:
    assert weight(read("`load` hands `rows` to `keep_newest`."), store) >= 2
    assert weight(read("`load` hands `items` to `write_archive`."), store) < 2


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("`save` leaves `ready = False` behind.", False),
        ("`save` leaves `ready = True` behind.", True),
        ('`save` sees `path == "a.db"` first.', True),
        ("`save` is called with `limit=3` at most.", False),
        ('`save` writes `"a.db.new"` first.', True),
        ('`save` adds `".new"` first.', False),
    ],
)
def test_a_value_that_the_file_does_not_give_is_of_one_run(store: Content, text: str, found: bool) -> None:
    assert states_a_value(text, store) is found


@pytest.mark.parametrize(
    "text",
    [
        "In session B `load` keeps the newest rows, so `LIMIT` matters.",
        "`load` already keeps the newest rows, so nothing is lost.",
        "For this bug `load` keeps the newest rows only.",
        "`load` → `keep_newest` → 20 rows, so the rest is lost.",
        "`load` also keeps the newest rows, so nothing is lost.",
        "The existing tests call `load` with a path, so `LIMIT` holds.",
        # met in public sessions when the rules were new
        "`load` is passing all rows to `keep_newest` without a look at them.",
        "The real issue is that `path` stays open, since `load` can't close it.",
        "`load` doesn't explicitly name `LIMIT`, so nobody sees it.",
        "The `load` function has a clean layout, so it needs no change.",
        "The `load` function, which calls `keep_newest` first.",
        "If the file is gone, `load` may return no rows, so the page is empty.",
        "`load` checks several conditions before it calls `keep_newest`.",
        "The `load` function is where `keep_newest` is called.",
        "In `load`, it only passes `rows` to `keep_newest`.",
        "`rows` gets computed before `keep_newest` is called, so it moves.",
    ],
)
def test_what_points_at_the_work_at_hand_weighs_nothing(store: Content, text: str) -> None:
    assert weight(read(text), store) == 0


def test_a_pronoun_after_a_clause_that_leads_with_the_name(store: Content) -> None:
    text = "When `load` runs, it keeps the newest rows up to `LIMIT`."
    found = distil(text + PAD, store, ()).admitted
    assert found is not None
    assert found.text == text


def test_how_two_functions_have_to_do_with_each_other_is_not_in_the_outline(store: Content) -> None:
    assert not is_outline("`load` passes `rows` to `keep_newest`.", ("load", "keep_newest"), store)
    assert is_outline("`load` takes a `path`.", ("load", "path"), store)
