"""Languages without a grammar: definitions found by their keywords."""

from __future__ import annotations

import pytest

from sidecar.files.structure import structure

SAMPLES: dict[str, tuple[str, list[tuple[str, str, int, int, bool, list[str]]]]] = {
    "protobuf": (
        'syntax = "proto3";\nmessage User {\n  string name = 1;\n'
        "  map<string, int32> m = 2;\n}\nservice S {\n  rpc Get(User) returns (User);\n"
        "}\n",
        [
            ("message", "message User", 2, 5, True, ["string name = 1", "map<string, int32> m = 2"]),
            ("service", "service S", 6, 8, True, ["rpc Get(User) returns (User)"]),
        ],
    ),
    "graphql": (
        "type Query {\n  user(id: ID!): User\n}\nenum E {\n  AB\n}\n",
        [("type", "type Query", 1, 3, True, ["user(id: ID!): User"]), ("enum", "enum E", 4, 6, True, ["AB"])],
    ),
    "vim": (
        "function! s:hid()\nendfunction\nfunction! A#b(x)\nendfunction\ncommand! -nargs=1 Foo call x\n",
        [
            ("function", "function! s:hid()", 1, 2, False, []),
            ("function", "function! A#b(x)", 3, 4, True, []),
            ("command", "command! -nargs=1 Foo call x", 5, 5, True, []),
        ],
    ),
    "r": ("f <- function(x) {\n  x\n}\n", [("function", "f <- function(x)", 1, 3, True, [])]),
    "perl": (
        "package A::B;\nsub go {\n}\nsub _no {\n}\n",
        [
            ("package", "package A::B", 1, 1, True, []),
            ("function", "sub go", 2, 3, True, []),
            ("function", "sub _no", 4, 5, False, []),
        ],
    ),
    "erlang": (
        "-module(m).\nf(0) -> 1;\nf(X) -> X.\n",
        [("module", "-module(m).", 1, 1, True, []), ("function", "f(0) -> 1", 2, 3, True, [])],
    ),
    "clojure": (
        "(ns a.b)\n(defn go [x]\n  x)\n(defn- no [] 1)\n",
        [
            ("namespace", "(ns a.b)", 1, 1, True, []),
            ("function", "(defn go [x]", 2, 3, True, []),
            ("function", "(defn- no [] 1)", 4, 4, False, []),
        ],
    ),
    "cmake": (
        "project(app)\nadd_executable(run main.c)\nfunction(go)\nendfunction()\n",
        [
            ("project", "project(app)", 1, 1, True, []),
            ("target", "add_executable(run main.c)", 2, 2, True, []),
            ("function", "function(go)", 3, 4, True, []),
        ],
    ),
    "gomod": (
        "module a.b/c\n\ngo 1.22\n\nrequire (\n\tx.y/z v1.0.0\n)\n",
        [("module", "module a.b/c", 1, 1, True, []), ("go", "go 1.22", 3, 3, True, [])],
    ),
}


@pytest.mark.parametrize("language", sorted(SAMPLES))
def test_definitions_have_signatures_and_children(language: str) -> None:
    text, expected = SAMPLES[language]
    found = structure(language, text)
    assert [
        (
            symbol.kind,
            symbol.signature,
            symbol.start,
            symbol.end,
            symbol.public,
            [child.signature for child in symbol.children],
        )
        for symbol in found.symbols
    ] == expected
    assert not found.partial


def test_imports_of_a_definition_file() -> None:
    assert structure("gomod", SAMPLES["gomod"][0]).imports == ("x.y/z",)


def test_the_header_comment_is_the_description_and_a_licence_is_not() -> None:
    text = "// Copyright me\n//\n// Sends mail. Fast.\n\nimport 'a';\n/** Other. */\nclass A {}\n"
    found = structure("groovy", text)
    assert (found.doc, found.symbols[0].doc) == ("Sends mail", "Other")


def test_definitions_inside_block_comments_do_not_count() -> None:
    found = structure("groovy", "/*\nclass No {}\n*/\nclass Yes {}\n")
    assert [symbol.name for symbol in found.symbols] == ["Yes"]


def test_a_source_file_without_definitions_gives_its_head() -> None:
    found = structure("erlang", "% Only words here.\nx.\n")
    assert (found.doc, found.symbols, found.head) == ("Only words here", (), "% Only words here.\nx.")
