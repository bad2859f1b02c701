"""What a user's message states: a memory at once, a candidate, or nothing."""

from __future__ import annotations

import pytest

from sidecar.learning.language.words import LANGUAGES, SCRIPTS, LanguageWords, table_of
from sidecar.learning.user_statements import MAX_STATEMENT_CHARS, user_statements

STANDING = [
    "Remember we only ship on Mondays.",
    "Remember: the staging credentials are now in Vault.",
    "In this repository the importers always write to a temp file first.",
    "note for next time: integration tests need docker running",
    "going forward I want you to show me the diff before you commit anything",
    "From now on, always sort imports alphabetically.",
    "From now on, never commit to main.",
    "Always close the parent ticket when its last child is closed.",
    "never rewrite old migrations please",
    "You must never print customer names in a log.",
    "Make sure to always regenerate the client after an edit of the schema.",
    "From now on answer in German.",
    "Going forward, put screenshots under media.",
    "Remember: the staging box is read-only.",
    "In this repository we indent with tabs.",
    "Whenever you touch the schema, run the generator.",
    "Do not push without my approval.",
    "Don't install packages unless I ask you to.",
    "Run the linter after every change.",
    "Ab jetzt bitte immer auf Deutsch antworten.",
    "Verwende immer die Bausteine aus dem Designsystem.",
    "nunca modifiques las migraciones ya aplicadas",
    "A partir de ahora responde en español.",
    "N'utilise jamais de variables globales.",
    "Désormais, écris les messages de commit en anglais.",
    "Sempre rode os testes antes do commit.",
    "以后请都用中文回答。",
    "Remember that the staging box is read-only.",
    "Keep in mind that all dates are in UTC.",
    "Please answer in French.",
    "Denk daran, dass alle Zeiten in UTC sind.",
    "Recuerda que usamos tabulaciones.",
    "Je souhaite dorénavant que tu me parles en français.",
    "Responda sempre em português.",
    "用中文回答",
    "记住：测试库是只读的。",
]

CANDIDATES = {
    "Filters belong in the query module and should not be in the view.": "rule",
    "I don't want exceptions for single customers in the pricing code.": "rule",
    "prefer early returns over nested ifs": "mention",
    "We deploy the site from the release branch.": "fact",
    "The design tokens live in packages/theme.": "fact",
    "Usamos uv, no pip.": "fact",
    "Nous utilisons Postgres en production.": "fact",
    "不要在提交信息里使用表情符号": "mention",
    "I also want to make sure that every export has a header.": "rule",
    "All amounts are in cents.": "fact",
}

NOTHING = [
    "I never said that the header must be blue.",
    "Add a button that should open the drawer.",
    "Do not use the current views.",
    "Por ahora el total debe salir de la caché",
    "The drawer should open on a click.",
    "",
    "thanks, looks great",
    "Why does the build always fail on Mondays?",
    "Should we always sort by date?",
    "it always crashes when I open the menu",
    "Never do that again.",
    "Please always do it like this.",
    "Every time I save, it crashes.",
    "no, tables are not there",
    "Go with 1.",
    "1. yes\n2. no, never",
    "```\nAlways use tabs.\n```",
    "> Always use tabs.",
    "Fix this error:\n\nAlways use the new runtime.",
    "The guide says — as all do — always use the new runtime.",
    "# Plan\n\nAlways use tabs.\n\n## Steps\n\nNever use spaces.",
    "warum ist das immer so langsam",
    "siempre me sale el mismo error",
    "一定要用这种方式吗，其他项目没有这个",
]


def test_quotation_marks_around_the_whole_message_are_the_agents() -> None:
    assert user_statements('"Always lint the schema."\n') == user_statements("Always lint the schema.")
    assert user_statements('He said "Always lint the schema."') == []


@pytest.mark.parametrize("text", STANDING)
def test_command_with_from_now_on_is_standing(text: str) -> None:
    (found,) = user_statements(text)
    assert found.standing
    assert found.text.casefold().rstrip(".") in text.casefold()


@pytest.mark.parametrize(
    "text",
    [
        "Always show the newest order at the top of the list.",
        "always display the button in blue please",
        "Make sure to always only render one chart per card.",
        "always 2 more than the row before",
        "Remember that it is the other one.",
        "Remember that we just moved the header.",
        "Always use the first one.",
        "As a rule of thumb, there should be a header per table.",
        "Toujours rien dans le menu de gauche",
    ],
)
def test_requirement_of_the_product_is_no_practice(text: str) -> None:
    assert not any(found.standing for found in user_statements(text))


def test_statement_about_the_talk_is_a_preference() -> None:
    assert [each.kind for each in user_statements("From now on answer in German. Always lint the schema.")] == [
        "preference",
        "rule",
    ]


@pytest.mark.parametrize(("text", "kind"), CANDIDATES.items())
def test_statement_that_may_outlive_the_task_is_a_candidate(text: str, kind: str) -> None:
    (found,) = user_statements(text)
    assert (found.kind, found.standing) == (kind, False)


@pytest.mark.parametrize(
    ("rule", "question"),
    [
        ("Всегда пиши сообщения коммитов на английском.", "Почему сборка всегда падает по пятницам?"),
        ("Ніколи не зберігай ключі в репозиторії.", "Чому збірка завжди падає?"),
        ("コミットの前に必ずテストを実行してください。", "なぜテストは必ず失敗するのですか？"),
        ("커밋하기 전에 항상 테스트를 실행하세요.", "왜 빌드가 항상 실패하나요?"),
        ("همیشه پیام‌های کامیت را به انگلیسی بنویس.", "چرا ساخت همیشه شکست می‌خورد؟"),
        ("لا تستخدم المتغيرات العامة في المشروع.", "لماذا يفشل البناء دائما؟"),
        ("कोड में हमेशा अंग्रेज़ी में टिप्पणी लिखें।", "बिल्ड हमेशा क्यों टूटता है?"),
    ],
)
def test_a_mark_of_a_rule_makes_a_statement_in_other_scripts(rule: str, question: str) -> None:
    (found,) = user_statements(rule)
    assert (found.kind, found.text) == ("rule", rule)
    assert user_statements(question) == []


@pytest.mark.parametrize(
    "text",
    ["you always forget the tests", "Maybe we should use tabs everywhere.", "Never mind, the server is up again."],
)
def test_likely_statement_never_stands(text: str) -> None:
    assert not any(found.standing for found in user_statements(text))


@pytest.mark.parametrize("text", NOTHING)
def test_talk_tasks_questions_and_pasted_text_state_nothing(text: str) -> None:
    assert user_statements(text) == []


def test_a_sentence_that_points_comes_with_the_one_before() -> None:
    (found,) = user_statements("The seeds are shared by all teams. Never update them.")
    assert found.text == "The seeds are shared by all teams. Never update them."
    assert user_statements("Where are the seeds? Never update them.") == []


def test_words_typed_before_a_document_are_read() -> None:
    typed = "Totals come from the ledger.\n\nWe deploy the site from the release branch."
    document = "\n\n".join(f"{n}. Field {n} must be bold." for n in range(20))
    assert [each.text for each in user_statements(f"{typed}\n\n{document}")] == typed.split("\n\n")


def test_a_command_behind_a_report_is_read_by_itself() -> None:
    (found,) = user_statements("the chart shows the wrong year; remember that fiscal years begin in July")
    assert (found.text, found.standing) == ("remember that fiscal years begin in July", True)


def test_an_answer_stands_behind_its_numbered_question() -> None:
    asked = "1. Should the cache live in Redis or in memory?\n2. **Which port does the API use?**\n3. Is v1 used?"
    found = user_statements("1. Redis, because we run several workers. 2. Port 8088\n3. no", asked)
    assert [(one.kind, one.text, one.standing, one.alone) for one in found] == [
        ("decision", f"{question} {answer}", False, False)
        for question, answer in (
            ("Should the cache live in Redis or in memory?", "Redis, because we run several workers."),
            ("Which port does the API use?", "Port 8088"),
        )
    ]


@pytest.mark.parametrize(
    ("before", "text", "stated"),
    [
        ("Use SQLite or PostgreSQL?", "Go with 1.", 0),
        ("A) one file\nB) many files\n\nHow do you want it?", "b please", 0),
        ("1. Shall I use UUIDs?\n2. Keep the route?", "1. UUIDs are fine\n2. no", 0),
        ("1. Use UUIDs\n2. Keep the route", "1. must be UUIDs", 0),
        ("Done.", "1. ids are always UUIDs in all tables", 1),
    ],
)
def test_an_answer_says_nothing_without_its_question(before: str, text: str, stated: int) -> None:
    assert len(user_statements(text, before)) == stated


@pytest.mark.parametrize(
    ("text", "alone"),
    [
        ("From now on answer in German.", True),
        ("The build failed with an error. Please always build at the end of your work.", True),
        ("Remember: always lint the schema.\n\nThe rest is right. Please proceed.", True),
        ("No more reports unless I ask for them (update memory). Just fix the header.", True),
        ("Use pnpm here, never npm. Now fix the login test.", True),
        ("Going forward, run ruff before you commit. Now implement the parser.", True),
        ("Use pnpm, never npm. Fix the login test.", True),
        ("Fix the header. Remember that all dates are in UTC.", True),
        ("Always lint the schema. Can you look at the header?", True),
        ("the chart shows the wrong year; remember that fiscal years begin in July", True),
        ("Never touch the seeds. " + "The header is too wide on phones and in print. " * 10, False),
        ("I want a wider map. Always lint the schema.", True),
        ("Keep in mind that all dates are in UTC. Fix the header.", True),
        ("Please commence task 1. Always commit after each task.", True),
    ],
)
def test_a_standing_statement_beside_a_short_task_is_alone(text: str, alone: bool) -> None:
    found = [each for each in user_statements(text) if each.standing]
    assert [each.alone for each in found] == [alone]


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        (
            "The mock server sits on port 9090, remember that please. Now add a retry.",
            "The mock server sits on port 9090",
        ),
        ("staging is at stg.example.org remember that for deploys", "staging is at stg.example.org"),
        ("never touch anything in legacy/, remember", "never touch anything in legacy/"),
        ("Open pull requests against main, always.", "Open pull requests against main, always."),
        ("Remember Olu owns the search service.", "Remember Olu owns the search service."),
        ("UI-Texte immer in der Du-Form, nie siezen", "UI-Texte immer in der Du-Form, nie siezen"),
        ("これからはテストを先に書いてください", "これからはテストを先に書いてください"),
    ],
)
def test_a_request_to_keep_something_stands_alone_wherever_it_is(text: str, kept: str) -> None:
    (found,) = user_statements(text)
    assert (found.text, found.standing, found.alone) == (kept, True, True)


@pytest.mark.parametrize(
    "text",
    [
        "I don't remember that",
        "Build a form that lets users remember this",
        "Show the legend always",
        "今後はこちらを使ってください",
        "これから休憩します",
    ],
)
def test_a_request_to_keep_needs_something_to_keep(text: str) -> None:
    assert not any(found.standing and found.alone for found in user_statements(text))


def test_words_of_the_agent_are_not_the_user_s() -> None:
    said = "Totals must come from the ledger service and not from the cache."
    assert user_statements(said)
    assert user_statements(said, f"I found this rule. {said} Shall I go on?") == []


def test_a_specification_gives_few_candidates_and_a_long_sentence_none() -> None:
    specified = user_statements("\n\n".join(f"Report {n} is stored in the archive." for n in range(11)))
    assert sum(not found.standing for found in specified) == 8
    assert user_statements("Always " + "check the ledger and " * 30 + "stop.") == []
    assert all(len(each.text) <= MAX_STATEMENT_CHARS for each in user_statements("Always check the ledger. " * 40))


@pytest.mark.parametrize("language", [*LANGUAGES, *SCRIPTS])
def test_a_table_names_only_what_is_read_of_it(language: str) -> None:
    assert set(table_of(language)) <= {"common", *LanguageWords._fields}
