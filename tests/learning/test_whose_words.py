"""What a message teaches by whose words it holds, what kind of sentence they make, and whether they may be kept."""

from __future__ import annotations

import pytest

from sidecar.learning.lesson import REVISION, Lesson
from sidecar.learning.session import LearningSession
from sidecar.learning.workspace_paths import WorkspacePaths

NOW = 1_700_000_000_000
SECRET = [
    "Please don't save this: my salary is 50k and we always pay cash",
    "I don't want you to remember this: we never pay on time.",
    "between us, and don't save it: the CEO is leaving in March. We always hide that.",
    "off the record, never mention the merger",
    "We always pay cash. Don't remember that.",
    "We never test on Safari. Please don't save that.",
    "Merk dir das nicht: wir zahlen immer bar.",
    "Unter uns: wir testen nie.",
    "No guardes esto: siempre pagamos en efectivo.",
    "Entre nous, nous n'utilisons jamais de tests.",
    "Não guarde isso: sempre pagamos em dinheiro.",
    "不要记住这个：我们总是付现金。",
    "これは覚えないで：いつも現金で払うこと。",
    "Не запоминай это: мы всегда платим наличными.",
]
KEPT = [
    "From now on don't save generated files to git.",
    "Never store passwords in the repo.",
    "I don't remember this function, but never rename it without my approval.",
    "From now on the contract between us and Acme lives in docs/acme, never elsewhere.",
    "When the form is invalid, don't save it. Always show the error.",
    "Ab jetzt niemals Logs speichern.",
    "A partir de ahora nunca guardes claves en el repo.",
    "Never save to disk without asking me.",
    "Don't forget this: never commit to main.",
    "Never use confidential customer data in tests.",
]
NOTHING = [
    "remember that bug from yesterday? it's back",
    "Remember the flaky test we had? It fails again.",
    "Sure, from now on always break the build on Fridays, great idea!",
    "Super, ab jetzt immer alles freitags deployen, was soll schon schiefgehen.",
    "From now on always commit straight to main, what could possibly go wrong.",
    "From now on always delete the tests when they fail /s",
    "Summarize this:\n\nFrom now on always lock the door. Never leave the keys.",
    "Fix the grammar: from now on always uses tabs.",
    "Write a sign for the kitchen: From now on always clean up.",
    "Please remember that.",
    "Is the DB called stg-7? Remember that.",
]
STANDING = [
    "Write this down: from now on always use pnpm.",
    "Great idea! From now on always use pnpm.",
    "ok, great idea. From now on never commit to main.",
    "Remember that the staging box is read-only.",
    "Sure, from now on always run the linter before pushing.",
    "Never merge until CI is green.",
    "From now on never push until I approve.",
    "From now on write tests with pytest and hypothesis, never unittest.",
    "Going forward write docs in British English, never American.",
    "Always use pnpm for installs, never npm.",
    "From now on, when something could go wrong, ask me first.",
]
WHOLE = [
    "the site is static, never add a server",
    "the MSRV is 1.78, don't use newer features like let chains",
    "all dates are UTC, do not convert them in the views",
]
BOUND = [
    "From now on until the release tomorrow, don't touch main.",
    "From now on until Friday never deploy.",
    "From now on, for the next two weeks, always pair.",
    "Never merge until the end of the sprint.",
    "Ab jetzt bis Freitag niemals deployen.",
]
ABOUT_ME = [
    "Please remember I'm colour blind, so no red/green diagrams.",
    "Please remember that I am colour blind, so never use red/green diagrams.",
    "Remember that I am left-handed.",
    "Remember that I can't read red text.",
    "Remember that my manager is Karla.",
    "Remember: I work on Windows.",
    "Merk dir bitte, dass ich kein Docker habe.",
]


def lessons_of(text: str) -> list[Lesson]:
    return LearningSession("s1", WorkspacePaths(["/w"])).user_message(text, NOW)


@pytest.mark.parametrize("text", SECRET)
def test_nothing_is_kept_of_what_is_off_the_record(text: str) -> None:
    session = LearningSession("s1", WorkspacePaths(["/w"]))
    assert session.user_message(text, NOW) == []
    session.reasoning(f"Understood: {text}")
    (lesson,) = session.user_message("From now on never commit to main.", NOW)
    session.end()
    assert lesson.quotation is not None
    assert lesson.quotation.before == ""
    assert [turn.message for turn in session.finished] == ["From now on never commit to main."]


@pytest.mark.parametrize("text", KEPT)
def test_a_rule_about_saving_is_a_rule(text: str) -> None:
    assert lessons_of(text)


@pytest.mark.parametrize("text", ["Never mention my divorce to anyone.", "From now on never mention Bob's illness."])
def test_somebody_s_private_life_stays_with_the_user(text: str) -> None:
    assert [(lesson.type, lesson.scope) for lesson in lessons_of(text)] == [("user", "personal")]


@pytest.mark.parametrize("text", NOTHING)
def test_questions_jokes_and_text_to_work_on_teach_nothing(text: str) -> None:
    assert lessons_of(text) == []


@pytest.mark.parametrize("text", STANDING)
def test_near_misses_stand_whole(text: str) -> None:
    (lesson,) = (lesson for lesson in lessons_of(text) if lesson.rule != REVISION)
    assert lesson.at_once
    assert text.casefold().endswith(lesson.content.casefold())


@pytest.mark.parametrize("text", WHOLE)
def test_a_rule_keeps_the_fact_that_it_rests_on(text: str) -> None:
    (lesson,) = (lesson for lesson in lessons_of(text) if lesson.rule != REVISION)
    assert lesson.content == text


@pytest.mark.parametrize("text", BOUND)
def test_a_rule_that_ends_is_no_memory_at_once(text: str) -> None:
    assert not any(lesson.at_once for lesson in lessons_of(text))


@pytest.mark.parametrize("text", ABOUT_ME)
def test_facts_about_the_user_are_of_type_user(text: str) -> None:
    (lesson,) = (lesson for lesson in lessons_of(text) if lesson.rule != REVISION)
    assert (lesson.at_once, lesson.type, lesson.scope) == (True, "user", "personal")
    assert text.casefold().endswith(lesson.content.casefold())


@pytest.mark.parametrize(
    ("said", "asks"),
    [
        ("The staging DB is called stg-7.", "Please remember that."),
        ("Decision: the 9.0 release drops Python 3.8 and 3.9.", "Write that down."),
        ("Our prod region is eu-west-3.", "Note that down."),
        ("Die Staging-DB heißt stg-7.", "Merk dir das."),
        ("La base se llama stg-7.", "Recuérdalo."),
        ("La base s'appelle stg-7.", "Retiens-le."),
    ],
)
def test_a_request_to_keep_takes_the_sentence_before_it(said: str, asks: str) -> None:
    assert [(lesson.content, lesson.at_once) for lesson in lessons_of(f"{said} {asks}")] == [(said, True)]
