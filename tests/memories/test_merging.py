"""Nothing is lost and nothing is said twice."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sidecar.memories.recording.merging import contains, merge, union

TEXTS = st.one_of(
    st.text(min_size=1, max_size=60).filter(lambda text: text.strip() == text),
    st.lists(st.sampled_from(["use npm", "never", "- a.", "b", "c,", "\n", "x != 1", "x = 1", "..."]), min_size=1)
    .map(" ".join)
    .map(str.strip)
    .filter(bool),
)


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("Use pnpm, not npm.", "use pnpm"),
        ("- Run the tests with -q\n- Use pnpm", "Use  pnpm."),
        ("Use pnpm\nrather than npm.", "use pnpm rather than npm"),
        ("One. Two. Three.", "Two."),
        ("A", "A"),
    ],
)
def test_a_clause_that_stands_there_is_contained(text: str, part: str) -> None:
    assert contains(text, part)
    assert merge(text, part) == text


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("Never use npm.", "use npm"),
        ("Use tabs only in Makefiles.", "Use tabs"),
        ("Use pnpm instead.", "use p"),
        ("Check that x != 1.", "Check that x = 1."),
        ("Pass -q to pytest", "Pass q to pytest"),
    ],
)
def test_part_of_a_clause_is_not_contained(text: str, part: str) -> None:
    assert not contains(text, part)
    assert merge(text, part) == f"{text}\n{part}"


def test_a_text_that_contains_the_kept_one_replaces_it() -> None:
    assert merge("Use pnpm.", "Use pnpm. It is faster.") == "Use pnpm. It is faster."


@given(TEXTS, TEXTS)
def test_both_texts_are_contained_in_the_merged_one(one: str, other: str) -> None:
    merged = merge(one, other)
    assert contains(merged, one)
    assert contains(merged, other)


@given(TEXTS, TEXTS)
def test_merging_again_changes_nothing(one: str, other: str) -> None:
    merged = merge(one, other)
    assert merge(merged, other) == merged
    assert merge(merged, one) == merged
    assert merge(merged, merged) == merged


@given(st.lists(st.text(max_size=3)), st.lists(st.text(max_size=3)))
def test_union_keeps_order_and_holds_each_once(kept: list[str], added: list[str]) -> None:
    united = union(kept, added)
    assert set(united) == {*kept, *added}
    assert len(united) == len(set(united))
    assert list(united[: len(set(kept))]) == list(dict.fromkeys(kept))


def test_two_statements_are_not_replaced_by_one_that_runs_through_both() -> None:
    kept = merge("not npm", "use pnpm")
    assert merge(kept, "run -q. not npm use pnpm") == f"{kept}\nrun -q. not npm use pnpm"
    assert merge(kept, "run -q. not npm. use pnpm") == "run -q. not npm. use pnpm"
