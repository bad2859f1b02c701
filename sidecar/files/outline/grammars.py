"""From a language to its tree-sitter grammar, loaded when first asked for, and from text to a tree."""

from __future__ import annotations

import functools
import importlib
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from tree_sitter import Language, Tree

# C has no wheel in the default install: the C++ grammar reads nearly all of it. The same for JavaScript and TSX.
_GRAMMARS: Final = {
    "python": ("tree_sitter_python", "language"),
    "javascript": ("tree_sitter_typescript", "language_tsx"),
    "jsx": ("tree_sitter_typescript", "language_tsx"),
    "typescript": ("tree_sitter_typescript", "language_typescript"),
    "tsx": ("tree_sitter_typescript", "language_tsx"),
    "go": ("tree_sitter_go", "language"),
    "rust": ("tree_sitter_rust", "language"),
    "java": ("tree_sitter_java", "language"),
    "c": ("tree_sitter_cpp", "language"),
    "cpp": ("tree_sitter_cpp", "language"),
    "csharp": ("tree_sitter_c_sharp", "language"),
    "ruby": ("tree_sitter_ruby", "language"),
    "php": ("tree_sitter_php", "language_php"),
    "kotlin": ("tree_sitter_kotlin", "language"),
    "swift": ("tree_sitter_swift", "language"),
    "lua": ("tree_sitter_lua", "language"),
    "bash": ("tree_sitter_bash", "language"),
}

# Longer text is cut at a line end before it is parsed: a parse takes about a second per megabyte at worst.
MAX_BYTES: Final = 2_000_000


@functools.cache
def grammar(language: str) -> Language:
    """The grammar of a code language; immutable, so it is kept and shared between threads."""
    from tree_sitter import Language

    module, function = _GRAMMARS[language]
    return Language(getattr(importlib.import_module(module), function)())


def parse(language: str, data: bytes) -> Tree:
    """The tree of `data` (UTF-8). A parser costs half a microsecond and is not thread-safe, so none is kept."""
    from tree_sitter import Parser

    tree = Parser(grammar(language)).parse(data)
    if tree is None:  # only without a language
        raise RuntimeError(f"no tree for {language}")
    return tree
