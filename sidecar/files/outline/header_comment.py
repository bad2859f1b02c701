"""The description of a file in the comments before its first definition."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Final

from sidecar.files.outline.builder import OutlineBuilder
from sidecar.files.outline.source import last_row
from sidecar.files.structure.comments import doc_of, strip_markers
from sidecar.text.lazy_patterns import patterns

if TYPE_CHECKING:
    from tree_sitter import Node

_PATTERNS: Final = patterns(Path(__file__), "header_comment")
_SKIPPED: Final = frozenset(
    {"text", "cpp", "hash_bang_line", "shebang", "shebang_line", "hashbang", "php_tag", "empty_statement", "pragma"}
)
_INNER_DOCS: Final = ("/*!", "//!")  # begin comments about the file
_MAX_GROUPS: Final = 12
_STATEMENTS: Final = frozenset({"expression_statement", "call", "function_call"})  # may be all that a file does
_ALONE: Final = re.compile(rb"[ \t]*\n?[ \t]*\n")
_APART: Final = re.compile(rb"[^\n]?\n[ \t]*\n")  # a comment's end and an empty line


def header_doc(builder: OutlineBuilder, root: Node) -> str | None:
    """Return the first sentence of the first group of comments that describes the file."""
    groups, early, following = _groups(builder, root)
    for index, group in enumerate(groups):
        text = "\n".join(builder.source.text(comment).rstrip("\n") for comment in group)
        belongs = (
            index == len(groups) - 1
            and following is not None
            and following.start_point.row <= last_row(group[-1]) + 1
            and not text.startswith(_INNER_DOCS)
            and not _PATTERNS["file_tag"].search(text)
            and (following.type not in _STATEMENTS or 2 * (last_row(following) - last_row(group[-1])) < last_row(root))
        )
        if belongs:
            continue
        found = doc_of(strip_markers(text))
        if found is None or not _PATTERNS["tells"].search(found) or _is_banner(text, found):
            continue
        if builder.language == "terraform" and _PATTERNS["section"].fullmatch(text):
            continue
        alone = _ALONE.match(builder.source.data, group[-1].end_byte) is not None
        apart = _APART.match(builder.source.data, group[-1].end_byte - 1) is not None
        if not apart and "\n" not in text and _PATTERNS["step"].match(found):
            continue  # what the next statement does
        if index < early or (alone and _PATTERNS["late"].match(found) and not _PATTERNS["ruled_line"].search(text)):
            return found
    return None


def _is_banner(text: str, sentence: str) -> bool:
    """Return whether a comment only names the project or its owner."""
    words = re.findall(r"\w+", sentence)
    named = len(words) <= 4 and any(word[0].isupper() for word in words[1:])
    tag = _PATTERNS["licence_tag"].search(text)
    licensed = tag is not None and ("://" in sentence or named or _PATTERNS["slogan"].match(sentence) is not None)
    return licensed or (len(words) <= 9 and "\n" not in text and _PATTERNS["ruled"].fullmatch(text) is not None)


def _groups(builder: OutlineBuilder, root: Node) -> tuple[list[list[Node]], int, Node | None]:
    """Return the groups of comments before the first definition, how many stand before imports, and the definition."""
    groups: list[list[Node]] = []
    row, early = -10, -1
    for node in root.children[:200]:
        if node.type in builder.rules.comments:
            if builder.source.data.startswith(b"#!") and node.start_byte == 0:
                continue
            block = builder.source.data.startswith(b"/*", node.start_byte)
            if groups and node.start_point.row <= row + 1 and not block:
                groups[-1].append(node)
            elif len(groups) < _MAX_GROUPS:
                groups.append([node])
            row = last_row(node)
        elif _PATTERNS["import"].match(node.type):
            near = groups and node.start_point.row <= row + 1
            if near and (early >= 0 or node.type not in builder.rules.carriers):
                groups.pop()  # a comment about the imports
            early = len(groups) if early < 0 else early
        elif node.type in _SKIPPED or not node.is_named or _directive(builder, node):
            continue
        else:
            carries = node.type in builder.rules.carriers
            return groups, early if early >= 0 else len(groups), None if carries else node
    return groups, early if early >= 0 else len(groups), None


def _directive(builder: OutlineBuilder, node: Node) -> bool:
    """Return whether a statement only sets an option: `"use strict"`, `declare(strict_types=1)`, `#pragma once`."""
    if node.type == "preproc_def":  # an include guard, or a switch for a system header
        return node.child_by_field_name("value") is None
    if node.type not in ("expression_statement", "declare_statement", "preproc_call"):
        return False
    start = builder.source.text(node)[:20].lstrip()
    return start.startswith(("'use ", '"use ', "declare", "#pragma"))
