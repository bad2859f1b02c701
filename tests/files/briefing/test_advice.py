"""When to read the file instead."""

from __future__ import annotations

from sidecar.files.briefing.advice import advice


def test_a_briefing_of_a_long_file_will_do() -> None:
    assert advice(400, 4000, 400, "explore", False) is None


def test_an_edit_needs_the_exact_text_whatever_else_holds() -> None:
    text = "Read the file before you edit it: an edit needs its exact text."
    assert advice(400, 4000, 400, "edit", False) == text
    assert advice(3, 10, 9, "edit", True) == text


def test_a_partial_outline_is_not_the_whole_truth() -> None:
    assert advice(400, 4000, 400, "explore", True) == (
        "Read the file where details matter: it could only be parsed in part."
    )


def test_a_short_file_is_read_itself() -> None:
    assert advice(49, 400, 100, "explore", False) == "Read the file itself: it has only 49 lines."
    assert advice(1, 400, 100, "explore", False) == "Read the file itself: it has only 1 line."
    assert advice(50, 400, 100, "explore", False) is None


def test_a_briefing_that_saves_little_says_so() -> None:
    assert advice(60, 100, 95, "explore", False) == "Read the file itself: this briefing saves little."
    assert advice(60, 100, 94, "explore", False) is None
    assert advice(60, 0, 5, "explore", False) is None


def test_advice_names_what_could_not_be_parsed() -> None:
    said = advice(400, 4000, 400, "explore", True, ((4, 6), (9, 9)))
    assert said == "Read L4-6, 9 where details matter: it could not be parsed."


def test_a_briefing_of_a_file_of_some_lines_that_leaves_out_names_says_so() -> None:
    text = "class A L1-60 (+3 members)\nprivate: _a … and 1,002 more"
    assert advice(99, 900, 200, "explore", False, (), text) == (
        "Read the file itself: it has only 99 lines, and this briefing leaves out 1005 names."
    )
    assert advice(101, 900, 200, "explore", False, (), text) is None


def test_nobody_is_sent_to_read_a_very_large_file_whole() -> None:
    assert advice(1, 95_000, 60, "explore", True) == (
        "Search the file where details matter: it is large, and could only be parsed in part."
    )


def test_an_empty_file_is_not_to_be_read() -> None:
    assert advice(0, 0, 10, "explore", False) == "The file is empty."
