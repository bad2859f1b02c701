"""Names, extensions and first lines decide the language of a file."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sidecar.files.language import CODE, language_of


@pytest.mark.parametrize(
    ("path", "head", "language"),
    [
        ("src/app.py", b"", "python"),
        ("types.pyi", b"", "python"),
        ("CONDUCT.md.erb", b"", "markdown"),
        ("page.html.erb", b"", "erb"),
        ("src/meson.build", b"", "meson"),
        ("a/b/Main.JAVA", b"", "java"),
        ("x.test.tsx", b"", "tsx"),
        ("x.d.ts", b"", "typescript"),
        ("x.mjs", b"", "javascript"),
        ("x.jsx", b"", "jsx"),
        ("Makefile", b"", "makefile"),
        ("Dockerfile.prod", b"", "dockerfile"),
        ("CMakeLists.txt", b"", "cmake"),
        ("Gemfile", b"", "ruby"),
        (".bashrc", b"", "bash"),
        (".env.local", b"", "dotenv"),
        ("README.md", b"", "markdown"),
        ("pyproject.toml", b"", "toml"),
        ("notes.txt", b"", "text"),
        ("LICENSE", b"", "text"),
        ("", b"", "text"),
        ("dir/", b"", "text"),
        ("ring.h", b"int f(void);", "c"),
        ("ring.h", b"namespace a { }", "cpp"),
        ("ring.h", b"#include <vector>\n", "cpp"),
        ("ring.h", b"@interface A : B\n", "objc"),
        ("plot.m", b"function y = plot(x)", "matlab"),
        ("View.m", b"#import <UIKit/UIKit.h>", "objc"),
        ("bin/tool", b"#!/usr/bin/env python3\n", "python"),
        ("bin/tool", b"#!/usr/bin/env -S node --harmony\n", "javascript"),
        ("bin/tool", b"#! /bin/sh -e\n", "bash"),
        ("bin/tool", b"\xef\xbb\xbf#!/usr/bin/ruby2.7\n", "ruby"),
        ("bin/tool", b"#!/usr/bin/env LC_ALL=C lua5.4\n", "lua"),
        ("bin/tool", b"#!/opt/unheard-of\n", "text"),
        ("bin/tool", b"#!\n", "text"),
        ("tool.unknown", b"#!/bin/bash\n", "bash"),
        ("win\\style\\a.rs", b"", "rust"),
    ],
)
def test_a_file_has_the_language_of_its_name_or_first_line(path: str, head: bytes, language: str) -> None:
    assert language_of(path, head) == language


def test_a_known_extension_wins_over_the_shebang() -> None:
    assert language_of("run.py", b"#!/bin/sh\n") == "python"


@given(st.text(), st.binary(max_size=400))
def test_any_name_and_any_bytes_have_a_language(path: str, head: bytes) -> None:
    assert language_of(path, head)


def test_code_languages_are_reached_by_an_extension() -> None:
    extensions = (
        "py js jsx ts tsx go rs java c cpp cs rb php kt swift lua sh ex scala dart hs jl zig sol ml mli ps1 nix tf"
    ).split()
    assert {language_of(f"a.{extension}") for extension in extensions} == CODE
