"""Ways of working that users ask for again and again, whatever the words."""

from __future__ import annotations

import pytest

from sidecar.learning.practices import MAX_SENTENCE, practices
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
    "Bring it over, then update @server/README.md and the READMEs.": ["keep the documentation up to date"],
    "You forgot to update the changelog": ["keep the changelog up to date"],
    "Start with a failing test for the parser": ["write the test first"],
    "No unit tests needed.": ["write no tests unasked"],
    "Validate the tests are all green as you move on.": ["run the tests"],
    "Lint everything before you stop": ["run linters and type checks"],
    "Explain WITHOUT touching any code why it stalls": ["write no code before it is wanted"],
    "Don't implement it yet": ["write no code before it is wanted"],
    "Don't run anything, tell me why": ["write no code before it is wanted"],
    "Talk me through your approach": ["talk it through before the work"],
    "Describe the new cache before you change it": ["talk it through before the work"],
    "If a column seems odd, please ask.": ["ask what is unclear"],
    "let me know if you have open questions": ["ask what is unclear"],
    "There's no need to wait for me between chapters.": ["work on without asking"],
    "Start the importer yourself": ["work on without asking"],
    "Fix these one by one": ["work in small steps"],
    "Tick the finished rows off in the plan": ["keep track of what is done"],
    "Read the whole project carefully": ["read the code and documents first"],
    "Think harder about the ledger": ["think hard and be careful"],
    "prove to me that it balances": ["check the work before it is called done"],
    "Limit your fixes to the importer": ["change nothing else"],
    "Don't push before Monday": ["commit only when told"],
    "Commit after every chapter": ["commit and push"],
    "I'll run the importer myself": ["leave to the user what they run themselves"],
    "Quiero que ejecutes pruebas; hazlo sin romper nada": ["change nothing else"],
    "Pregúntame lo que haga falta": ["ask what is unclear"],
    "Não mude nada além disso": ["change nothing else"],
    "Ne touche pas au menu": ["change nothing else"],
    "Schreib noch keinen Code": ["write no code before it is wanted"],
    "先看代码": ["read the code and documents first"],
    "补充文档": ["keep the documentation up to date"],
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
    "update @rules/Ledger-style.mdc with the new colours",
    "fix the npm run build errors",
    "I can build the plugin here.",
    "Add the rule to test.mdc",
    "I'll do the colours myself.",
    "Do not commit generated sources of the parser.",
    "The wizard leads people through the shop step by step.",
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
    assert [statement.practice for statement in statements("Run the tests. Then run the tests again.")] == [
        "run the tests"
    ]


def test_hostile_text_is_read_in_time() -> None:
    assert practices("run " * (MAX_SENTENCE // 4)) == []
    assert practices("please and then " * 12) == []


@pytest.mark.parametrize(
    "text",
    [
        "Never without asking me.",
        "Do not commit the lock file without asking me.",
        "Please do not open pull requests yourself.",
        "Please do not fix the tests yourself.",
        "Please do not remove the comments.",
        "Do not delete emojis in the templates.",
        "Please don't go step by step, do it all at once.",
        "never run the build, it takes an hour",
        "please don't update the changelog",
    ],
)
def test_a_negation_never_turns_into_the_practice_that_it_refuses(text: str) -> None:
    assert practices(text) in ([], ["commit only when told"])


def test_a_double_negation_asks() -> None:
    assert practices("Don't forget to update the changelog") == ["keep the changelog up to date"]
    assert practices("please fix it without asking me again") == ["work on without asking"]
