"""The language of a file, detected by its name, extension or first line."""

from __future__ import annotations

import os
import re
import sys
from functools import cache
from pathlib import Path
from typing import Any, Final

from sidecar.text.lazy_patterns import lazy
from sidecar.text.toml import read_toml

# Haskell's grammar corrupts the heap there (tree-sitter/tree-sitter-haskell, issue 144), and is not installed.
_UNINSTALLED: Final = {"haskell"} if sys.platform == "linux" and os.uname().machine == "aarch64" else set[str]()

# Languages outlined with a grammar; all others go to the package `structure`.
CODE: Final = frozenset(
    {
        "python", "javascript", "jsx", "typescript", "tsx", "go", "rust", "java", "c", "cpp", "csharp",
        "ruby", "php", "kotlin", "swift", "lua", "bash", "elixir", "scala", "dart", "haskell", "julia", "zig",
        "solidity", "ocaml", "ocaml-interface", "powershell", "nix", "terraform",
    }
) - _UNINSTALLED  # fmt: skip

# Languages that embed code of others.
HOSTS: Final = frozenset({"vue", "svelte", "astro", "html", "erb", "razor", "notebook"})

# Read on import, because a server may outlive the files of its version.
_TABLE: Final = (Path(__file__).parent / "languages.toml").read_text(encoding="utf-8")


@cache
def table() -> dict[str, dict[str, Any]]:
    return read_toml(_TABLE)


@cache
def languages_by(key: str) -> dict[str, str]:
    """Map each word listed under `key` to its language."""
    return {word: language for language, traits in table().items() for word in traits.get(key, "").split()}


# Text that only C++ has; decides what a .h file is. Each match is bounded to one line, so backtracking stays short.
_CPP_HEADER: Final = lazy(
    rb"^[ \t]*(?:template[ \t]*<|namespace\b|class[ \t]+\w|using[ \t]+\w|public:|private:|protected:)"
    rb"|\bstd::|^[ \t]*#[ \t]*include[ \t]*<(?:string|vector|memory|cstd\w+|map|utility|functional"
    rb"|type_traits)>"
    rb"|-\*-[ \t]*C\+\+[ \t]*-\*-",
    re.MULTILINE,
)
_OBJC_HEADER: Final = lazy(rb"^[ \t]*@(?:interface|protocol|class|import)\b", re.MULTILINE)
# How a MATLAB file, rather than an Objective-C one, begins.
_MATLAB: Final = lazy(rb"\A\s*(?:%|function\b|classdef\b)")
_HEAD_BYTES: Final = 16_384


def language_of(path: str, head: bytes = b"") -> str:
    """Return the language of the file at `path`, whose content begins with `head`; "text" if nothing tells.

    The name decides first, then the extension, then the shebang. Only the first 16 KiB of `head` are examined.
    """
    head = head[:_HEAD_BYTES]
    name = path.replace("\\", "/").rsplit("/", 1)[-1].lower()
    language = languages_by("names").get(name)
    if language is not None:
        return language
    if name.endswith(".blade.php"):
        return "blade"
    stem, dot, extension = name.rpartition(".")
    if dot and (stem or extension in languages_by("suffixes")):
        if extension == "h":
            return _header(head)
        if extension == "m" and _MATLAB.match(head):
            return "matlab"
        if extension == "erb" and stem.endswith(".md"):
            return "markdown"
        by_suffix = languages_by("suffixes").get(extension)
        if by_suffix is not None:
            return (_shebang(head) if by_suffix == "ini" else None) or by_suffix
    if stem in ("dockerfile", "containerfile", "makefile") and dot:
        return languages_by("names")[stem]
    if name.startswith(".env"):
        return "dotenv"
    return _shebang(head) or "text"


def _header(head: bytes) -> str:
    if _OBJC_HEADER.search(head):
        return "objc"
    return "cpp" if _CPP_HEADER.search(head) else "c"


def _shebang(head: bytes) -> str | None:
    """Return the language of the interpreter in the first line: `#!/usr/bin/env -S python3 -u`."""
    line = head.removeprefix(b"\xef\xbb\xbf").split(b"\n", 1)[0]
    if not line.startswith(b"#!"):
        return None
    words = line[2:].decode("latin-1").split()
    while words and (words[0].rsplit("/", 1)[-1] == "env" or words[0].startswith("-") or "=" in words[0]):
        words.pop(0)
    if not words:
        return None
    program = words[0].rsplit("/", 1)[-1]
    patterns = ((language, traits["interpreter"]) for language, traits in table().items() if "interpreter" in traits)
    return next((language for language, pattern in patterns if re.fullmatch(pattern, program)), None)
