"""Single rules: header docs, doc sentences, imports, visibility, signatures, bounds."""

from __future__ import annotations

import pytest

from sidecar.files.outline import outline
from sidecar.files.outline.languages import facts_of
from sidecar.files.outline.preprocessor import without_macros
from sidecar.files.outline.source import SIGNATURE_CHARS, shorten_signature, signature_line
from sidecar.files.structure.comments import doc_of, docstring, first_sentence, strip_markers
from sidecar.store.records import ContentRecord, SymbolRecord, every_symbol


def read(path: str, text: str) -> ContentRecord:
    return outline(path, text.encode(), "h")


def one(path: str, text: str) -> SymbolRecord:
    return read(path, text).symbols[0]


@pytest.mark.parametrize(
    ("path", "text", "doc"),
    [
        ("a.py", '#!/usr/bin/python\n# coding: utf-8\n"""What it is.\n\nMore."""\n', "What it is"),
        ("a.py", "# Copyright 2026 Someone.\n# Licensed under MIT.\n\n# Reads things.\n\nimport os\n", "Reads things"),
        ("a.py", "# Reads things.\ndef f():\n    pass\n", None),
        ("a.js", "'use strict';\n/* eslint-env node */\n// Serves pages. Well.\n\nfoo();\n", "Serves pages"),
        ("a.js", "/**\n * Copyright (c) Someone.\n *\n * @license MIT\n */\nfoo();\n", None),
        ("a.php", "<?php\n/**\n * Shop (https://shop.x)\n *\n * @license MIT\n */\n\nnamespace A;\n", None),
        ("a.go", "// Copyright someone\n\n// Package a reads.\npackage a\n", "Package a reads"),
        ("a.h", "// #define BOARD_ONE\n// #define BOARD_TWO\n\nint a(void);\n", None),
        ("a.rs", "// Licensed to you.\n\n//! Reads <b>things</b>.\n//! More.\nuse a;\n", "Reads things"),
        (
            "a.c",
            "/* SPDX-License-Identifier: MIT */\n/*\n * a.c -- reads things\n */\n#include <a.h>\n",
            "reads things",
        ),
        ("a.h", "#ifndef A_H\n#define A_H\n/* Reads things. */\n#include <a.h>\n#endif\n", "Reads things"),
        ("a.sh", "#!/bin/sh\n# Reads things, e.g. files. Twice.\nset -e\n", "Reads things, e.g. files"),
        ("a.rb", "# frozen_string_literal: true\n\n# Reads things.\n\nclass A\nend\n", "Reads things"),
        ("a.lua", "-- Reads things.\nlocal M = {}\nreturn M\n", "Reads things"),
        ("a.swift", "//\n//  a.swift\n//  Created by A B on 1/2/2026.\n//\nimport Foundation\n", None),
        ("a.ts", "/// <reference types='x' />\n// Reads things.\nimport a from 'a';\n", "Reads things"),
    ],
)
def test_the_header_describes_the_file(path: str, text: str, doc: str | None) -> None:
    assert read(path, text).doc == doc


@pytest.mark.parametrize(
    ("comment", "doc"),
    [
        ("/** Adds {@link A#b two} numbers. Slowly. */", "Adds A#b two numbers"),
        ("/**\n * <p>Adds <code>a</code>.</p>\n * @param a one\n */", "Adds a"),
        ('/// <summary>\n/// Adds <see cref="T:N.A"/> up.\n/// </summary>', "Adds N.A up"),
        ("/// Adds [`a`] and [b](https://x.y).", "Adds a and b"),
        ("///////////////////\n////  base type  ////\n///////////////////", "base type"),
        ("# ----------\n# Section\n# ----------", "Section"),
        ("--[[ Adds things.\nMore. ]]", "Adds things"),
        ("// return x;", None),
        ("// eslint-disable-next-line no-console", None),
        ('// line 1 "parser.java.rl"', None),
        ("/* @param a */", None),
        ("// ======", None),
        ("//日本語の説明。続き", "日本語の説明。"),
    ],
)
def test_a_doc_is_the_first_sentence_without_markup(comment: str, doc: str | None) -> None:
    assert doc_of(strip_markers(comment)) == doc


def test_a_long_sentence_is_cut_at_a_word() -> None:
    found = first_sentence("word " * 200)
    assert found is not None
    assert found.endswith("word…")
    assert len(found) <= 240


def test_a_docstring_keeps_roles_readable_and_stops_at_an_underline() -> None:
    assert docstring('r"""Title of :mod:`~a.b`\n=====\nText."""') == "Title of a.b"
    assert docstring("''") is None


@pytest.mark.parametrize(
    ("path", "text", "imports"),
    [
        ("a.py", "import a.b as c, d\nfrom .x import y, Z\nfrom .. import q\nfrom e import *\n", "a.b d .x .x.y ..q e"),
        ("a.py", "def f():\n    from a import (\n        b,\n    )\n'''\n    import no\n'''\n", "a a.b"),
        (
            "a.ts",
            "import 'a'; export {x} from './b'; const c = await import(`./c`); import d = require('d');",
            "a ./b ./c d",
        ),
        ("a.js", "const {a} = require('a').b;\nif (x) require('./late');\n// require('no')\n", "a ./late"),
        ("a.go", 'package a\nimport "fmt"\nimport (\n\t_ "a/b"\n\t. `c`\n)\n', "fmt a/b c"),
        ("a.rs", "use a::{b::{c, d as e}, self, f::*};\nmod m;\nextern crate g;\n", "a::b::c a::b::d a a::f self::m g"),
        ("A.java", "import static a.B.c;\nimport a.*;\n", "a.B.c a.*"),
        ("a.c", '#include <stdio.h>\n#  include "x/y.h"\n', '<stdio.h> "x/y.h"'),
        ("a.cs", "using A.B;\nusing static C;\nusing D = E.F;\nglobal using G;\n", "A.B C E.F G"),
        ("a.rb", "require 'a'\nrequire_relative '../b'\nrequire_relative 'c'\nload \"d.rb\"\n", "a ../b ./c d.rb"),
        (
            "a.php",
            "<?php use A\\B; use C\\{D, E\\F as G}; require dirname(__FILE__) . '/h.php';",
            "A\\B C\\D C\\E\\F ./h.php",
        ),
        ("a.kt", "import a.b\nimport c.*\nimport d as e\n", "a.b c.* d"),
        ("a.swift", "import A\nimport struct B.C\n", "A B"),
        ("a.lua", "local a = require('a.b')\nlocal f = function() return require 'c' end\n", "a.b c"),
        ("a.sh", 'source a.sh\n. "$D/b.sh"\n', "a.sh $D/b.sh"),
    ],
)
def test_imports_have_the_documented_form(path: str, text: str, imports: str) -> None:
    assert read(path, text).imports == tuple(imports.split())


def test_rust_use_trees_are_read_to_every_leaf() -> None:
    assert facts_of("rust").imported(["a::b"]) == ["a::b"]
    assert facts_of("rust").imported(["{a, b::{c, {d}}}"]) == ["a", "b::c", "b::d"]
    assert facts_of("rust").imported(["}{,"]) == []


@pytest.mark.parametrize(
    ("path", "text", "public"),
    [
        ("a.py", "def a(): ...\ndef _b(): ...\n", ["a"]),
        ("a.py", "__all__ = ['_b']\n__all__ += ['c']\ndef a(): ...\ndef _b(): ...\nc = 1\n", ["_b", "c"]),
        ("a.js", "function a() {}\nconst b = 1;\n", ["a", "b"]),
        ("a.js", "function a() {}\nfunction b() {}\nmodule.exports = a;\n", ["a"]),
        ("a.ts", "const a = 1; function b() {}\nexport { b as c };\n", ["b"]),
        ("a.go", "package a\nfunc A() {}\nfunc b() {}\n", ["A"]),
        ("a.rs", "pub fn a() {}\nfn b() {}\npub(crate) fn c() {}\n", ["a", "c"]),
        (
            "a.c",
            "static int a(void) { return 0; }\nint b(void);\nstatic inline int c(void) { return 0; }\n",
            ["b", "c"],
        ),
        ("a.kt", "private fun a() {}\nfun b() {}\n", ["b"]),
        ("a.swift", "fileprivate func a() {}\nfunc b() {}\n", ["b"]),
        ("a.lua", "local function a() end\nfunction b() end\nlocal c = {}\nreturn c\n", ["b", "c"]),
        ("a.sh", "_a() { :; }\nb() { :; }\n", ["b"]),
    ],
)
def test_public_follows_the_rule_of_the_language(path: str, text: str, public: list[str]) -> None:
    assert [symbol.name for symbol in read(path, text).symbols if symbol.public] == public


def test_a_long_signature_keeps_whole_parameters_and_the_return_type() -> None:
    parameters = ", ".join(f"parameter_{number}: dict[str, tuple[int, ...]]" for number in range(20))
    signature = one("a.py", f"def f({parameters}) -> dict[str, int]:\n    pass\n").signature
    assert len(signature) <= SIGNATURE_CHARS
    assert signature.startswith("def f(parameter_0: dict[str, tuple[int, ...]], ")
    assert signature.endswith("]], …) -> dict[str, int]")
    assert shorten_signature("x" * 500) == "x" * (SIGNATURE_CHARS - 1) + "…"
    assert shorten_signature("f(" + "(" * 500 + ")") == "f(…)"


def test_a_long_signature_keeps_the_names_that_a_parameter_is_taken_apart_into() -> None:
    names = ", ".join(f"property_{number}" for number in range(10))
    types = "; ".join(f"property_{number}: string" for number in range(10))
    assert one("a.ts", f"const View = ({{ {names} }}: {{ {types} }}) => 1;\n").signature == (
        f"const View = ({{ {names} }}: {{…}})"
    )
    names = ", ".join(f"property_{number}" for number in range(40))
    signature = one("a.js", f"function view({{ {names} }}) {{}}\n").signature
    assert signature.startswith("function view({ property_0, property_1, ")
    assert signature.endswith(", … })")
    assert len(signature) <= SIGNATURE_CHARS


def test_signatures_are_one_line_without_comments() -> None:
    assert one("a.ts", "function f(\n  a: string, // the name\n  /* none */ b = '//',\n): void {}").signature == (
        "function f(a: string, b = '//'): void"
    )
    assert signature_line("f( a ,\n  b,\n )") == "f(a, b)"
    assert signature_line("type F<\n  A,\n  B = C,\n> = D") == "type F<A, B = C> = D"


def test_values_are_kept_while_short() -> None:
    assert one("a.py", "MAX = 16\n").signature == "MAX = 16"
    assert one("a.py", f"TABLE = {list(range(50))}\n").signature == "TABLE = […]"
    assert one("a.go", 'package a\nconst A = "' + "x" * 100 + '"\n').signature == "const A = …"


def test_lines_take_in_decorators_and_attributes() -> None:
    symbol = one("a.py", "\n@a\n@b(\n  1)\ndef f():\n    pass\n\n\n")
    assert (symbol.start, symbol.end) == (2, 6)
    symbol = one("a.rs", "/// Doc.\n#[a]\n#[b]\npub fn f() {\n}\n")
    assert (symbol.start, symbol.end, symbol.doc) == (2, 5, "Doc")


def test_a_doc_needs_to_stand_right_before_its_symbol() -> None:
    assert one("a.go", "package a\n\n// Far.\n\nfunc A() {}\n").doc is None
    assert one("a.go", "package a\n\n// Near.\nfunc A() {}\n").doc == "Near"


def test_blanking_macros_keeps_every_offset() -> None:
    text = b"#if A\nAPI_X int f(void) ATTR_Y;\n#else\nclass API_X B : C {\n#endif\n};\nEND_NS\n"
    masked = without_macros(text)
    assert len(masked) == len(text)
    assert [len(line) for line in masked.split(b"\n")] == [len(line) for line in text.split(b"\n")]
    assert b"int f(void)" in masked
    assert b"API_X" not in masked
    assert b"ATTR_Y" not in masked


def test_branches_that_open_the_same_brace_give_one_function() -> None:
    text = "#ifdef A\nint f(int a) {\n#else\nint f(long a) {\n#endif\n  return 0;\n}\nint g(void) { return 1; }\n"
    record = read("a.c", text)
    assert [symbol.name for symbol in record.symbols] == ["f", "g"]
    assert not record.partial


def test_members_outside_their_type_are_grouped() -> None:
    go = read("a.go", "package a\nfunc (t *T) M() {}\ntype T struct{}\nfunc (u U) N() {}\n")
    assert [(symbol.name, [child.name for child in symbol.children]) for symbol in go.symbols] == [
        ("T", ["M"]),
        ("U.N", []),
    ]
    rust = read("a.rs", "impl A { pub fn b() {} }\npub struct A;\nimpl C for A { fn d() {} }\n")
    assert [(symbol.kind, symbol.name) for symbol in rust.symbols] == [("struct", "A")]
    assert [(child.kind, child.name) for child in rust.symbols[0].children] == [("method", "b"), ("extension", "C")]


def test_languages_without_a_grammar_go_to_the_structure_room() -> None:
    record = read("a.md", "# Title\n\nText.\n")
    assert record.language == "markdown"
    assert [symbol.name for symbol in record.symbols] == ["Title"]


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("a.rb", "# frozen_string_literal: true\n# rubocop:disable all\n\nA = 1\n"),
        ("a.css", "/* Copyright (c) 2008, A company. All rights reserved. */\n.a { color: red }\n"),
        ("a.pl", "#!/usr/bin/env perl\nuse strict;\nsub f {}\n"),
        ("a.c", "/*\n a.c : shop\n\n    Copyright (C) 1999 Somebody\n*/\n\nint f(void) { return 1; }\n"),
        ("a.php", "<?php\n/*\n * This file is part of Shop.\n *\n * (c) A B <a@b.c>\n */\n\nfoo();\n"),
        ("a.scala", "/*\n * Shop (https://www.shop.org/)\n *\n * Copyright A\n */\n\nclass A\n"),
        ("a.h", "#ifndef A_H\n#define A_H\n\n#ifdef WIN32\n/* For WriteFile() below */\n#include <windows.h>\n"),
        ("a.swift", "// swift-tools-version: 6.2\n\nlet a = 1\n"),
        ("a.html", "<title><%= title %></title><h1>A</h1>"),
    ],
)
def test_boilerplate_describes_no_file(path: str, text: str) -> None:
    assert read(path, text).doc is None


@pytest.mark.parametrize(("path", "text"), [("a.md", "<!-- This file is generated, do not edit. -->\n\n- a\n")])
def test_a_generated_file_says_so(path: str, text: str) -> None:
    assert read(path, text).doc == "Generated, do not edit"


@pytest.mark.parametrize(
    ("path", "text", "doc"),
    [
        ("a.ts", "/**\n * Generated by Orbit\n * See `gen` in package.json\n */\n\nfoo()\n", "Generated by Orbit"),
        ("a.go", "// Code generated by mock. DO NOT EDIT.\n\npackage a\n", "Code generated by mock"),
        ("a.lua", "local _base_0 = { run = function() end }\nreturn _base_0\n", "Generated from MoonScript"),
    ],
)
def test_generated_code_says_what_made_it(path: str, text: str, doc: str) -> None:
    assert read(path, text).doc == doc


@pytest.mark.parametrize(
    ("path", "text", "doc"),
    [
        (
            "a.el",
            ";;; a.el --- Shows things  -*- lexical-binding:t -*-\n\n;; Author: A B <a@b.c>\n;;; Code:\n(defun f ())\n",
            "Shows things",
        ),
        ("a.d.ts", "// Types of things\n// Project: https://x.y\n// Definitions by: A\n\nfoo()\n", "Types of things"),
        (
            "a.ts",
            "// Tells whether a node is a `<div>` or a <b>bold</b> one\n\nfoo()\n",
            "Tells whether a node is a `<div>` or a bold one",
        ),
        (
            "a.tsx",
            "/**\n * @file: a.tsx\n * @description: Page of a shop\n * @dependencies: x\n */\n\nfoo()\n",
            "Page of a shop",
        ),
        ("a.bat", "rem Starts the nodes\nset A=1\n:run\n", "Starts the nodes"),
    ],
)
def test_header_comment_describes_the_file(path: str, text: str, doc: str) -> None:
    assert read(path, text).doc == doc


def test_many_decorators_leave_room_for_what_they_decorate() -> None:
    options = "".join(f'@click.option("--option-{number}", default=None, help="Sets it.")\n' for number in range(5))
    signature = one("a.py", f"{options}def main(port: int) -> None: ...\n").signature
    assert signature.startswith("@click.option")
    assert signature.endswith("def main(port: int) -> None")


@pytest.mark.parametrize(
    ("comment", "doc"),
    [
        ("Load reads all rows.", "Reads all rows"),
        ("Load is how rows come in.", "How rows come in"),
        ("Load of all rows there.", "Load of all rows there"),
        ("Loads all rows there.", "Loads all rows there"),
    ],
)
def test_a_doc_does_not_repeat_the_name_it_describes(comment: str, doc: str) -> None:
    assert one("a.go", f"package a\n\n// {comment}\nfunc Load() {{}}\n").doc == doc


def test_members_in_a_file_that_does_not_parse_end_inside_their_holder() -> None:
    broken = "void f(int a) {\n  int = ;\n  if (a) {\n    g(a);\n  }\n}\n"
    text = f"struct App {{\n  Base parent;\n  char** args;\n}};\n\n{broken}"
    (app, *_) = read("app.cc", text).symbols
    assert [(child.name, child.start, child.end) for child in app.children] == [("parent", 2, 2), ("args", 3, 3)]


def test_the_comment_on_the_next_definition_is_no_part_of_one_without_braces() -> None:
    text = "object A:\n  def a: Int =\n    1\n\n  // about the other\n  def b: Int = 2\n"
    (holder,) = outline("A.scala", text.encode(), "").symbols
    assert [(one.name, one.start, one.end) for one in holder.children] == [("a", 2, 3), ("b", 6, 6)]


def listed(path: str, text: str) -> list[tuple[str, str, bool]]:
    return [(symbol.kind, symbol.name, symbol.public) for symbol in every_symbol(read(path, text).symbols)]


def test_a_plugin_given_to_a_function_run_at_once_tells_its_definitions() -> None:
    plugin = "  var limit = 3;\n  $.fn.tabs = function (options) {};\n" + "  work();\n" * 40
    text = f"(function (factory) {{\n  factory(jQuery);\n}}(function ($) {{\n{plugin}}}));\n"
    assert listed("a.js", text)[-2:] == [("variable", "limit", True), ("method", "$.fn.tabs", True)]


def test_definitions_in_callbacks_and_conditions_of_scripts_are_local() -> None:
    text = "if (x) {\n  module.exports = f;\n  function g() {}\n}\ndescribe('s', () => {\n  const h = () => 1;\n});\n"
    names = {name for _, name, _ in listed("a.js", text + "function f() {}\nfunction k() {}\n")}
    assert names >= {"f", "k"}
    assert names.isdisjoint({"g", "h", "module.exports"})
    assert listed("a.js", text + "function k() {}\n")[-1] == ("function", "k", True)


def test_each_name_of_a_script_statement_has_its_own_rows_and_export() -> None:
    text = "var a = 1,\n  // Counts.\n  b = 2;\nexports.b = b;\nexport_ = require('x').y;\n"
    symbols = {symbol.name: symbol for symbol in read("a.js", text).symbols}
    assert (symbols["b"].start, symbols["b"].doc, symbols["b"].public) == (3, "Counts", True)
    assert not symbols["a"].public


def test_ambient_exports_are_public_and_other_declarations_are_not() -> None:
    text = "export declare function f(): void;\ndeclare namespace N {\n  export const x: number;\n}\n"
    assert listed("a.d.ts", text) == [("function", "f", True), ("module", "N", False), ("constant", "x", True)]
