"""Ways of working that users ask for again and again, whatever the words."""

from __future__ import annotations

import pytest

from sidecar.learning.practices import LONGEST, practices
from sidecar.learning.statements import statements

ASKED = {
    "Please update the readme as well.": ["keep the documentation up to date"],
    "make sure the docs are up to date": ["keep the documentation up to date"],
    "Actualiza la documentación, por favor.": ["keep the documentation up to date"],
    "fix it, then run the unit tests": ["run the tests"],
    "Did you run all of the tests?": ["run the tests"],
    "运行所有测试": ["run the tests"],
    "Can you add a regression test for this?": ["write tests"],
    "Don't change any code yet, and ask me questions.": ["write no code before it is wanted", "ask what is unclear"],
    "no hardcoded paths": ["hard-code nothing"],
    "Make a short plan first.": ["plan before the work"],
    "Prepare a commit title and description.": ["write the commit message"],
    "Rebuild the app so that I can try it.": ["run the build"],
    "please launch the dev server": ["start or restart what runs"],
    "Make sure to pull in the latest from origin/main": ["pull the latest first"],
    "commit and push it": ["commit and push"],
    "Please format this report in markdown.": ["answer in Markdown to copy"],
    "why are you not following @rules/Ledger-style.mdc right now?": ["follow `Ledger-style.mdc`"],
}

NOT_ASKED = [
    "The tests are green.",
    "Why does the build fail?",
    "I ran the tests and they pass.",
    "Add a test user to the seed.",
    "Show the plan of the user on the page.",
    "The documentation says that it is optional.",
    "What do the logs say?",
    "@a.mdc @b.mdc @c.mdc look at these",
    "The commit of yesterday is gone.",
    "Let the user run tests of " + "very " * 40 + "long names.",
]


@pytest.mark.parametrize(("text", "found"), ASKED.items())
def test_a_request_is_told_by_what_it_asks_for(text: str, found: list[str]) -> None:
    assert practices(text) == found


@pytest.mark.parametrize("text", NOT_ASKED)
def test_reports_questions_and_the_product_ask_for_no_practice(text: str) -> None:
    assert practices(text) == []


def test_a_standing_command_stays_what_it_is() -> None:
    (found,) = statements("Always run the tests before a commit.")
    assert (found.standing, found.practice) == (True, "")
    (asked,) = statements("Please run the tests.")
    assert (asked.standing, asked.practice) == (False, "run the tests")


def test_a_message_gives_a_practice_once() -> None:
    assert [each.practice for each in statements("Run the tests. Then run the tests again.")] == ["run the tests"]


def test_hostile_text_is_read_in_time() -> None:
    assert practices("run " * (LONGEST // 4)) == []
    assert practices("please and then " * 12) == []
