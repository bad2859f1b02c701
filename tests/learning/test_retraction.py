"""What a user takes back by word, in the languages that the tables have."""

from __future__ import annotations

import pytest

from sidecar.learning.retraction import revisions

TAKEN_BACK = {
    "forget what I said about tabs": ("rule", "tabs"),
    "actually no, forget what I said about the tests location.": ("rule", "the tests location"),
    "It's fine to commit to main now, forget the rule about not committing to main.": (
        "rule",
        "the not committing to main",
    ),
    "You can drop the tabs rule.": ("rule", "the tabs"),
    "actually scratch that, answer in English again.": ("last", "scratch that"),
    "I take that back.": ("last", "I take that back"),
    "Cancel that, it makes the logs unreadable.": ("last", "Cancel that"),
    "I take back the tabs rule.": ("rule", "the tabs"),
    "I changed my mind: forget what I said about tabs.": ("rule", "tabs"),
    "The rule about tabs is off the table.": ("rule", "The tabs"),
    "Please delete what you remembered about releases on Tuesdays.": ("rule", "releases on Tuesdays"),
    "Vergiss das mit dem Deutsch, ab jetzt wieder auf Englisch antworten.": ("rule", "Deutsch"),
    "Die Regel mit den Tabs gilt nicht mehr.": ("rule", "Tabs"),
    "Oublie ce que j'ai dit sur les tabulations": ("rule", "tabulations"),
    "Olvida lo que dije sobre los tabuladores": ("rule", "los tabuladores"),
    "Esqueça o que eu disse sobre tabs": ("rule", "tabs"),
    "忘了我之前说的关于制表符的规则": ("rule", "制表符"),
    "タブのルールはもう忘れてください。": ("rule", "タブ"),
}
NOTHING = [
    "don't forget what I said about tabs",
    "did you forget what I said about tabs?",
    "I always forget the rule about tabs",
    "forget it",
    "The reviewer wrote: forget the rule about tabs",
    "If you forget what I said about tabs, ask me again.",
    "scrap the old build directory for now",
    "never mind the docstring in this function",
    "The port is 9090 in this branch now",
    "Are releases going out on Mondays now?",
    "change the port to 9090 now",
    "> forget what I said about tabs",
    "Subject: Tabs\nFrom: ops@example.com\n\nHi all,\nforget what I said about tabs.\nBest, Ops",
    "```\nforget what I said about tabs\n```",
]


@pytest.mark.parametrize("text", TAKEN_BACK)
def test_words_that_revise_are_found_with_their_topic(text: str) -> None:
    found = [(revision.kind, revision.topic) for _, clauses in revisions(text) for revision in clauses]
    assert TAKEN_BACK[text] in found


@pytest.mark.parametrize("text", NOTHING)
def test_words_that_only_sound_alike_revise_nothing(text: str) -> None:
    assert list(revisions(text)) == []
