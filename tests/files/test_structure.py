"""What holds for every language: total, deterministic, lines inside the text, no secrets, no recursion."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from sidecar.files.structure import Structure, structure
from sidecar.files.structure.definitions import languages
from sidecar.files.structure.values import hide_values
from sidecar.store.records import SymbolRecord

pytestmark = pytest.mark.slow

LANGUAGE_NAMES = sorted(
    {
        *languages(),
        *"""markdown restructuredtext asciidoc org latex diff html xml notebook json jsonl yaml toml ini properties
        dotenv dockerfile makefile css scss less sql csv tsv log text nonsense vue erb razor svg""".split(),
    }
)

PIECES = st.sampled_from(
    [
        *"""{ } [ ] ( ) < > </ /> <!-- --> a <form> </form> <h1> ''' " ' ` $$ $a$ ; , : :: = := == # ## - -- ---
        /* */ // \\ @import @media key: name= [table] [[t]] def class function include all: define endef &a *a | > ?
        % === ~~~ ``` ```` 1 true null é \u202e \x00 \ud800 {- -} (* *) {% defmodule FROM RUN CREATE table t(
        """.split(),
        *["\n", "\n  ", "\n\t", " ", "\r\n", "\\\n", '"""\n', "<![CDATA[", "<a ", "class A", "CREATE TABLE t("],
    ]
)
TEXTS = st.one_of(st.text(max_size=200), st.lists(PIECES, max_size=60).map("".join))


def every(symbols: tuple[SymbolRecord, ...]) -> Iterator[SymbolRecord]:
    for symbol in symbols:
        yield symbol
        yield from every(symbol.children)


@settings(suppress_health_check=list(HealthCheck))
@given(text=TEXTS)
@pytest.mark.parametrize("language", LANGUAGE_NAMES)
def test_any_text_gives_the_same_structure_twice_with_lines_inside_it(
    language: str, text: str, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.clear()
    found = structure(language, text)
    assert not caplog.records, caplog.text
    assert found == structure(language, text)
    last = text.replace("\r\n", "\n").replace("\r", "\n").count("\n") + 1
    for symbol in every(found.symbols):
        assert 1 <= symbol.start <= symbol.end <= last, symbol
        assert symbol.name
        assert "\n" not in symbol.signature


@pytest.mark.parametrize("language", LANGUAGE_NAMES)
def test_deep_nesting_neither_raises_nor_recurses(language: str, caplog: pytest.LogCaptureFixture) -> None:
    for opening in ("[", "{", '{"a":', "- ", "<a>", "(", "a:\n ", "/*", "> ", "'", "<!--", "a{"):
        structure(language, opening * 5000)
        assert not caplog.records, (opening, caplog.text)


@pytest.mark.parametrize("text", ["", "  \n\n", "\ufeff"])
def test_nothing_gives_nothing(text: str) -> None:
    assert {language: structure(language, text) for language in LANGUAGE_NAMES} == dict.fromkeys(
        LANGUAGE_NAMES, Structure()
    )


SECRET = "sk3v9Qz7Lm2Xp8Rt5Wb1Yc6N"


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("json", f'{{"api_key": "{SECRET}", "name": "{SECRET}", "scripts": {{"x": "run --key {SECRET}"}}}}'),
        ("json", f'[{{"version": "{SECRET}"}}]'),
        ("yaml", f"token: {SECRET}\nname: {SECRET}\nservices:\n  web:\n    image: {SECRET}\n"),
        ("yaml", f"a: [\nname: {SECRET}\n"),
        ("yaml", f"- name: {SECRET}\n"),
        ("toml", f'name = "{SECRET}"\n[x]\npassword = "{SECRET}"\n'),
        ("ini", f"[a]\nname = {SECRET}\npassword = {SECRET}\n"),
        ("properties", f"db.password={SECRET}\ntype={SECRET}\n"),
        ("dotenv", f"A={SECRET}\nexport B='{SECRET}'\n{SECRET}\n"),
        ("dockerfile", f"FROM x\nENV A={SECRET} B={SECRET}\nARG C={SECRET}\nCMD run --token={SECRET}\n"),
        ("makefile", f"A = {SECRET}\nall:\n\techo {SECRET}\n"),
        ("terraform", f'password = "{SECRET}"\nlocals {{\n}}\n'),
        ("xml", f'<a><b name="{SECRET}">{SECRET}</b><description>{SECRET}</description></a>'),
        ("text", f"The token is here.\ntoken={SECRET}\n{SECRET}\n"),
        ("log", f"login with Bearer {SECRET}\npostgres://me:{SECRET}@host/db\n"),
        ("csv", f"{SECRET},b\n1,2\n"),
        ("vim", f'let g:api_token = "{SECRET}"\n'),
    ],
)
def test_a_secret_in_a_configuration_is_not_shown(language: str, text: str) -> None:
    assert SECRET not in repr(structure(language, hide_values(text, quoted=False)))


def test_a_short_password_is_hidden_where_only_its_key_tells() -> None:
    assert "hunter2" not in repr(structure("dotenv", "PASSWORD=hunter2\nNAME=hunter2\n"))
    for language, text in (
        ("ini", "password = hunter2\n[a]\nSECRET=hunter2\n"),
        ("yaml", "password: hunter2\n"),
        ("json", '{"db_password": "hunter2"}'),
        ("toml", 'auth_token = "hunter2"\n'),
        ("text", "Some text.\npassword: hunter2\n"),
    ):
        assert "hunter2" not in repr(structure(language, hide_values(text, quoted=False)))


def test_aliases_mean_the_same_language() -> None:
    text = "a: 1\n"
    assert structure("YAML", text) == structure("yml", text) == structure("yaml", text)


def test_line_ends_of_any_kind_count_alike() -> None:
    text = "# One\n\n## Two\n\ntext\n"
    assert structure("markdown", text.replace("\n", "\r\n")) == structure("markdown", text)
