"""What a user takes back by word, in the languages that the tables have."""

from __future__ import annotations

import pytest

from sidecar.learning.retraction import retractions

TAKEN_BACK = {
    "forget what I said about tabs": ["tabs"],
    "actually no, forget what I said about the tests location.": ["the tests location"],
    "It's fine to commit to main now, forget the rule about not committing to main.": ["not committing to main"],
    "You can drop the tabs rule.": ["tabs rule"],
    "actually scratch that, answer in English again.": [""],
    "I take that back.": [""],
    "Scrap the tabs rule.": ["tabs rule"],
    "I take back the tabs rule.": ["tabs rule"],
    "I changed my mind: forget what I said about tabs.": ["tabs"],
    "The port is no longer 8080, it's 9090 now.": ["The port is no longer 8080"],
    "Vergiss das mit dem Deutsch, ab jetzt wieder auf Englisch antworten.": ["Deutsch"],
    "Vergiss, was ich über Tabs gesagt habe": ["Tabs gesagt habe"],
    "Oublie ce que j'ai dit sur les tabulations": ["tabulations"],
    "Olvida lo que dije sobre los tabuladores": ["los tabuladores"],
    "Esqueça o que eu disse sobre tabs": ["tabs"],
    "忘了我之前说的关于制表符的规则": ["制表符的规则"],
}
NOTHING = [
    "don't forget what I said about tabs",
    "did you forget what I said about tabs?",
    "I always forget the rule about tabs",
    "forget it",
    "The reviewer wrote: forget the rule about tabs",
    "If you forget what I said about tabs, ask me again.",
    "Forget the previous commit",
    "drop the rules table",
    "scrap the old build directory",
    "never mind the failing test",
    "> forget what I said about tabs",
    "Subject: Tabs\nFrom: ops@example.com\n\nHi all,\nforget what I said about tabs.\nBest, Ops",
    "```\nforget what I said about tabs\n```",
]


@pytest.mark.parametrize("text", TAKEN_BACK)
def test_words_that_take_back_are_found(text: str) -> None:
    assert list(retractions(text)) == TAKEN_BACK[text]


@pytest.mark.parametrize("text", NOTHING)
def test_words_that_only_sound_alike_take_nothing_back(text: str) -> None:
    assert list(retractions(text)) == []
