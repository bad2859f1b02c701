"""The comment at the top of a file, when it describes the file and not its first declaration."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from sidecar.files.outline.comments import doc_of, strip_markers

if TYPE_CHECKING:
    from tree_sitter import Node

    from sidecar.files.outline.walker import Walker

# A tag that says that a comment is about the file, wherever it stands.
_FILE_TAG: Final = re.compile(r"[@\\](?:file|fileoverview|overview|module|packageDocumentation)\b")
_LICENCE_TAG: Final = re.compile(
    r"@(?:licen[sc]e|copyright|link)\b|^//\s+Created by .{1,60} on \d", re.MULTILINE
)
_SKIPPED: Final = frozenset(
    {"text", "hash_bang_line", "shebang", "shebang_line", "hashbang", "php_tag", "empty_statement", "pragma"}
)
_GROUPS: Final = 12


def header_doc(walker: Walker, root: Node) -> str | None:
    """First sentence of the first comment group at the top that is no licence and no symbol's own doc."""
    groups, following = _groups(walker, root)
    for index, group in enumerate(groups):
        text = "\n".join(walker.source.text(one).rstrip("\n") for one in group)
        belongs = (
            index == len(groups) - 1
            and following is not None
            and following.start_point.row <= _last_row(group[-1]) + 1
            and (following.type not in walker.rules.doc_carriers or _after_directive(walker, group[0]))
            and not text.startswith(walker.rules.inner_docs)
            and not _FILE_TAG.search(text)
        )
        if belongs:
            continue
        found = doc_of(strip_markers(text))
        if found is not None and not _is_banner(text, found):
            return found
    return None


def _after_directive(walker: Walker, comment: Node) -> bool:
    """Whether a comment of C stands inside of an `#ifdef`: it says what the next directive is for."""
    above = walker.source.data[: comment.start_byte].rstrip().rpartition(b"\n")
    return walker.language in ("c", "cpp") and bool(above[0]) and above[2].startswith(b"#if")


def _is_banner(text: str, sentence: str) -> bool:
    """Whether a comment only says whose the file is: the project's name or address above a licence or author line."""
    return _LICENCE_TAG.search(text) is not None and ("://" in sentence or len(sentence.split()) <= 3)


def _last_row(node: Node) -> int:
    end = node.end_point
    return end.row - 1 if end.column == 0 and end.row > node.start_point.row else end.row


def _groups(walker: Walker, root: Node) -> tuple[list[list[Node]], Node | None]:
    """Comments before the first declaration, grouped by empty lines; and that declaration."""
    groups: list[list[Node]] = []
    row = -10
    node = root.children[0] if root.child_count else None
    if node is not None and node.type in walker.rules.transparent and node.child_count:
        children = [*node.children, *root.children[1:40]]
    else:
        children = root.children[:200]
    for node in children:
        if node.type in walker.rules.comments:
            if walker.source.data.startswith(b"#!") and node.start_byte == 0:
                continue
            block = walker.source.data.startswith(b"/*", node.start_byte)
            if groups and node.start_point.row <= row + 1 and not block:
                groups[-1].append(node)
            elif len(groups) < _GROUPS:
                groups.append([node])
            row = _last_row(node)
        elif node.type in _SKIPPED or not node.is_named or _directive(walker, node):
            continue
        else:
            return groups, node
    return groups, None


def _directive(walker: Walker, node: Node) -> bool:
    """`"use strict"`, `declare(strict_types=1)`, `#pragma once`: statements that describe nothing."""
    if node.type == "preproc_def":  # an include guard, or a switch for a system header
        return node.child_by_field_name("value") is None
    if node.type not in ("expression_statement", "declare_statement", "preproc_call"):
        return False
    start = walker.source.text(node)[:20].lstrip()
    return start.startswith(("'use ", '"use ', "declare", "#pragma"))
