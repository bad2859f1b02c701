"""The options and commands that a shell script accepts, and its Bats tests."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Final

from sidecar.files.outline.draft import OutlineDraft
from sidecar.files.outline.grammars import MAX_MATCHES, captures
from sidecar.files.outline.source import shorten_signature
from sidecar.files.outline.walker import Walker, child_of_type
from sidecar.text.lazy_patterns import patterns

if TYPE_CHECKING:
    from tree_sitter import Node

_CASES: Final = "(case_statement) @case"
_COMMANDS: Final = "(command name: (command_name)) @command"
_CHARS: Final = 200
_NAME_CHARS: Final = 80
_FORMS: Final = patterns(Path(__file__), "shell")


def add_shell(walker: Walker) -> None:
    symbols = walker.out.symbols
    tests = _tests(walker.source.whole().split("\n"))
    inside = {row for test in tests for row in range(test.start, test.end + 1)}
    symbols[:] = [symbol for symbol in symbols if symbol.kind == "function" or symbol.start not in inside] + tests
    cases = captures("bash", _CASES, walker.root)
    calls = captures("bash", _COMMANDS, walker.root)
    _add_summary(walker, "options", _options(walker, cases, calls))
    _add_summary(walker, "commands", _commands(walker, cases))
    symbols.sort(key=lambda symbol: symbol.start)


def _tests(rows: list[str]) -> list[OutlineDraft]:
    found: list[OutlineDraft] = []
    unfinished = False
    for number, row in enumerate(rows, 1):
        match = _FORMS["test"].match(row) if row.startswith("@test") else None
        if match is not None and len(found) < MAX_MATCHES:
            title = " ".join(match["title"].split())
            found.append(OutlineDraft("test", title, number, number, shorten_signature(f'@test "{title}"')))
            unfinished = not match["inside"].rstrip().endswith("}")
        elif unfinished and row.startswith("}"):
            found[-1].end, unfinished = number, False
    return found


def _add_summary(walker: Walker, label: str, found: dict[str, Node]) -> None:
    if found:
        rows = [node.start_point.row + 1 for node in found.values()]
        shown = any(symbol.public for symbol in walker.out.symbols) or not walker.out.symbols
        name = f"{label} {', '.join(found)}"[:_NAME_CHARS]
        text = shorten_signature(f"{label}: {', '.join(found)}", _CHARS)
        walker.out.symbols.append(OutlineDraft("call", name, min(rows), max(rows), text, public=shown))


def _patterns(walker: Walker, case: Node) -> list[tuple[str, Node]]:
    """Return the pattern of each branch of a `case`, without quotes and blanks."""
    found = []
    for item in case.named_children[1:]:
        end = child_of_type(item, ")")
        if item.type == "case_item" and end is not None:
            text = walker.source.slice(item.start_byte, min(end.start_byte, item.start_byte + 200))
            found.append(("".join(re.sub(r"[\"'(]", "", text).split()), item))
    return found


def _options(walker: Walker, cases: list[Node], calls: list[Node]) -> dict[str, Node]:
    found: dict[str, Node] = {}
    for case in cases:
        for text, item in _patterns(walker, case):
            names = [match[0] for pattern in text.split("|") if (match := _FORMS["option"].match(pattern))]
            if names:
                found.setdefault("|".join(dict.fromkeys(names)), item)
    for call in calls:
        words = [walker.source.text(word).strip("\"'") for word in call.named_children[:2]]
        if words[0] == "getopts" and len(words) > 1:
            for letter in re.findall(r"\w", words[1]):
                if not any(f"-{letter}" in option.split("|") for option in found):
                    found[f"-{letter}"] = call
    return found


def _commands(walker: Walker, cases: list[Node]) -> dict[str, Node]:
    """Return the commands that a `case` over the first argument distinguishes."""
    found: dict[str, Node] = {}
    for case in cases:
        if case.named_children and _FORMS["argument"].match(walker.source.text(case.named_children[0])):
            words = [
                (text, item)
                for text, item in _patterns(walker, case)
                if all(map(_FORMS["word"].match, text.split("|")))
            ]
            found |= dict(words) if len(words) > 1 else {}
    return found
