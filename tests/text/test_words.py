"""The words that a text is searched by."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sidecar.text.words import query_terms, terms


def test_english_is_stemmed_and_stop_words_go() -> None:
    assert terms("The dogs were running to the parsers") == ["dog", "run", "parser"]
    assert terms("She bought children's books") == ["buy", "child", "book"]
    assert query_terms("What did she buy for the child?") == ["buy", "child"]


def test_a_text_of_nothing_but_stop_words_keeps_them() -> None:
    assert terms("to be or not to be") == ["to", "be", "or", "not", "to", "be"]
    assert query_terms("who are you?") == ["who"]
    assert query_terms("it is") == ["it", "is"]
    assert query_terms("") == []
    assert query_terms("?!") == []


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("parseHTTPHeader", ["parsehttpheader", "pars", "http", "header"]),
        ("max_retry_count", ["max_retry_count", "max", "retri", "count"]),
        ("__init__", ["init"]),
        ("os.path.join", ["os.path.join", "os.path", "os", "path", "join"]),
        ("./src/text/words.py", ["src/text/words.py", "words.py", "src", "text", "word"]),
        ("src\\text\\a_b.test.ts", ["src/text/a_b.test.ts", "a_b.test.ts", "a_b.test", "src", "text", "a_b", "test"]),
        ("v2.0.1", ["v2.0.1", "2.0.1"]),
        ("3.11", ["3.11"]),
        ("#34", ["#34", "34"]),
        ("!12,", ["!12", "12"]),
        ("2024-05-01", ["2024-05-01", "2024", "05", "01"]),
        ("re-index", ["reindex", "re", "index"]),
        ("don't", ["don't"]),
        ("C++ and C#", ["c++", "c#"]),
        ("utf8", ["utf8", "utf"]),
        ("🎉", ["🎉"]),
        ("café Łódź", ["cafe", "lodz"]),
        ("ﬁle", ["file"]),
    ],
)
def test_names_paths_numbers_and_marks(text: str, expected: list[str]) -> None:
    assert terms(text) == expected


def test_scripts_without_blanks_give_pairs_and_single_characters() -> None:
    assert terms("数据库") == ["数据", "据库", "数", "据", "库"]
    assert query_terms("数据库") == ["数据", "据库"]
    assert query_terms("库") == ["库"]
    assert terms("データ") == ["デー", "ータ"]
    assert terms("검색 엔진") == ["검색", "검", "색", "엔진", "엔", "진"]
    assert terms("ค้นหา") == ["ค้", "้น", "นห", "หา"]
    assert terms("Python用の関数") == ["python", "用の", "の関", "関数", "用", "関", "数"]


@pytest.mark.parametrize(
    ("document", "query"),
    [
        ("Собаки бегали по улицам", "собака на улице"),
        ("Die Häuser sind nicht mit dem Auto zu erreichen", "Haus"),
        ("les bases de données sont dans le serveur", "base"),
        ("Οι σκύλοι τρέχουν", "σκύλος"),
        ("المكتبات الكبيرة", "مكتبة"),
        ("लड़कियाँ किताबें पढ़ती हैं", "किताब"),
        ("ข้อมูลในฐานข้อมูล", "ฐานข้อมูล"),
        ("東京タワーの高さ", "東京"),
        ("데이터베이스를 검색한다", "데이터베이스"),
        ("cafe in Paris", "CAFÉ"),
        ("the function getUserName fails", "user name"),
        ("call get_user_name", "getUserName user"),
        ("see src/store/lexical.py", "lexical.py"),
        ("see src/store/lexical.py", "lexical"),
        ("fixed in #34", "issue 34"),
        ("we use SQLite-vec", "sqlite vec"),
        ("e-mail is sent", "email"),
        ("ｆｕｌｌｗｉｄｔｈ", "fullwidth"),
        ("Straße", "STRASSE"),
    ],
)
def test_a_query_meets_the_document(document: str, query: str) -> None:
    assert set(query_terms(query)) & set(terms(document))


def test_the_language_of_a_long_text_never_hides_it_from_a_short_query() -> None:
    document = "Wir haben die Sitzungen und die Verbindungen nicht geschlossen, wenn der Server neu startet"
    for word in ("Sitzungen", "Verbindungen", "geschlossen", "Server", "startet"):
        assert set(query_terms(word)) <= set(terms(document))
    assert set(query_terms("Warum ist die Verbindung nicht offen und der Server weg?")) & set(terms(document))


def test_overlong_words_are_dropped() -> None:
    assert terms("a" * 65) == []
    assert terms("data " + "QUJD" * 40 + " end") == ["data", "end"]
    assert terms("3f786850e387550fdab836ed7e6dc881de23001b") == ["3f786850e387550fdab836ed7e6dc881de23001b"]


@given(st.text(max_size=200))
def test_any_text_gives_terms_without_blanks(text: str) -> None:
    for term in terms(text):
        assert term
        assert not any(char.isspace() for char in term)


@given(st.text(alphabet=st.sampled_from("aбדع日ก한é _./-'1#\u0301"), max_size=80))
def test_the_terms_of_a_query_are_found_in_its_own_text(text: str) -> None:
    assert set(query_terms(text)) <= set(terms(text))


@given(st.lists(st.sampled_from(["dog", "parseHeader", "src/a.py", "#3", "数据", "бегали", "3.11"]), max_size=8))
def test_words_are_analysed_each_for_itself(words: list[str]) -> None:
    assert terms(" ".join(words)) == [term for word in words for term in terms(word)]


@given(st.text(st.characters(max_codepoint=127), max_size=80))
def test_text_of_ascii_alone_is_cut_as_any_text_is(text: str) -> None:
    assert terms(f"{text} x9 数") == [*terms(f"{text} x9"), "数"]


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("getUserById", {"getuserbyid", "user", "id"}),
        ("GetUserByID", {"getuserbyid", "user", "id"}),
        ("useridByName", {"useridbyname", "userid", "name"}),
        ("k8sConfig", {"k8sconfig", "config"}),
        ("setIsOk2", {"setisok2", "set", "ok"}),
    ],
)
def test_identifiers_of_short_words_are_split(name: str, words: set[str]) -> None:
    assert words <= set(terms(name))


@pytest.mark.parametrize("text", ["3f7868a5e3", "a1b2c3d4", "e3b0c44298fc1c14", "aBcDeFgHiJ", "dQw4w9WgXcQ"])
def test_hashes_are_not_split_into_words(text: str) -> None:
    assert terms(text) == [text.casefold()]
