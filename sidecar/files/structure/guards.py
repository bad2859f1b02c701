"""Replace values that may be secret with `HIDDEN`.

A name such as `token` hides the value after it, the lines below it and its table column. Values are also hidden in a
section of users, in a file whose own name says secret, and in commands that take a password. In doubt, hide.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Sequence
from functools import lru_cache, partial
from itertools import pairwise
from pathlib import Path
from typing import Final

from sidecar.files.language import CODE
from sidecar.files.structure.values import hide_seed, secret_key, secret_literal

HIDDEN: Final = "\ue0ff"  # stands for a value until a row is shown; no letter, so that no other mask matches it

_TABLE: Final = tomllib.loads((Path(__file__).parent / "guards.toml").read_text(encoding="utf-8"))
_PATTERNS: Final = {name: re.compile(pattern) for name, pattern in _TABLE["patterns"].items()}
_FILE, _FOLDER, _NAME, _PHRASE, _SEPARATOR, _KEYED, _HARMLESS, _OPENS, _SECTION, _USERS = (
    _PATTERNS[name] for name in "file folder name phrase separator keyed harmless opens section users".split()
)
_NAME_ATTRIBUTE, _KEY_VALUE_PAIR, _ARGUMENT, _LIST_ITEM, _VALUE_AFTER_IS, _VALUE_BEFORE_IS = (
    _PATTERNS[name] for name in "named pair given item stated stated_last".split()
)
_SECRET_KIND, _COMMENT, _CELL = (_PATTERNS[name] for name in "kind comment cell".split())
_COMMANDS: Final = tuple(
    (_TABLE["needed"][name].split("|"), re.compile(pattern, re.M)) for name, pattern in _TABLE["commands"].items()
)
_STEMS: Final = tuple(_TABLE["stems"].split())
_ASCII_STEMS: Final = tuple(stem for stem in _STEMS if stem.isascii())
_TOO_GENERAL: Final = frozenset({"key", "keys", "pass", "pat", "private"})  # words that name no secret when alone
_LINE_CHARS: Final = 1_000  # the number of characters searched in a line; rows show fewer
_BARE_NAME: Final = re.compile(r"\w+(?:[.-]\w+)*")  # api_key, db.password
# Ends of names of several words, which are searched for as well.
_SPACED: Final = (" code", " key", "phrase", "erial number", " combination", " de passe", "dentified by")
_LITERAL: Final = re.compile(r"\"[^\"\n]{3,}\"|'[^'\n]{3,}'|`[^`\n]{3,}`")  # "hunter2"
# The text of an element and the value of an attribute: `<pin>1234</pin>`, `value="1234"`.
_TEXT: Final = re.compile(r"(?<=>)[^<>]*[^<>\s][^<>]*(?=<|$)|(?<==)\s*(?:\"[^\"]*\"|'[^']*')")
_BARE_VALUE: Final = re.compile(r"[^\s,;&<>\]})\"]+")
_MIXED: Final = re.compile(r"\d[A-Za-z]|[a-z]\d")  # k3y
_CLOSERS: Final = {"[": "]", "{": "}", "(": ")"}
_SHAPED: Final = frozenset({"nix", "terraform"})  # code whose rows are shown as settings are
_MAX_LINES: Final = 4_000  # the number of lines searched in a text
_PAIRED: Final = re.compile(r"\",\s*(?=\")")  # ["password", "hunter2"]
_BLOCK: Final = re.compile(r"[a-z][a-z_]* \{")  # credentials {
_UNDERLINE: Final = re.compile(r"-{3,}|={3,}")  # the line below a heading
_SCHEME: Final = re.compile(r"(?i)(?:bearer|basic|token|digest)\s+\S+")  # Bearer eyJh…


def keys_only(path: str, language: str) -> bool:
    """Return whether a file's name says that its values are secret. Code files are only about secrets."""
    if language in CODE - _SHAPED or language in {"markdown", "restructuredtext", "asciidoc", "org", "html", "sql"}:
        return False
    if path.lower().endswith(".svg"):
        return False
    *folders, name = path.lower().replace("\\", "/").split("/")
    return _FILE.search(name) is not None or any(map(_FOLDER.fullmatch, folders))


def guarded(path: str, language: str, text: str) -> str:
    """Return the text with `HIDDEN` in place of whatever may be secret. Lines keep their numbers."""
    lines = text.split("\n", _MAX_LINES)
    rest = lines[_MAX_LINES:]
    found = _Guard(keys_only(path, language), language in CODE - _SHAPED, _commands_in(text)).read(lines[:_MAX_LINES])
    return "\n".join([*found, *rest])


def hide_stated_values(text: str) -> str:
    """Hide the passwords that a sentence states: `the password is …`."""
    return _VALUE_AFTER_IS.sub(_hide_value, _VALUE_BEFORE_IS.sub(_hide_value, text))


def hide_in_prose(text: str) -> str:
    """Hide the passwords in a sentence or comment, also those in its commands."""
    text = hide_stated_values(text)
    return hide_seed(_hide_in_commands(text, _commands_in(text)), HIDDEN).replace(HIDDEN, "[hidden]")


def _hide_value(match: re.Match[str]) -> str:
    return match[0][: match.start("value") - match.start()] + HIDDEN + match[0][match.end("value") - match.start() :]


_Commands = Sequence[tuple[Sequence[str], re.Pattern[str]]]


class _Guard:
    """What is known between two lines: which section, value or quotation is open and hidden."""

    def __init__(self, keys_only: bool, code: bool, commands: _Commands) -> None:
        self.commands = commands
        self.keys_only = keys_only
        self.code = code
        self.in_secret_section = False
        self.hidden_below = -1  # lines indented more are hidden
        self.value_indent = -1  # the next line is hidden if it is indented as much or more and has no key of its own
        self.closing_quotes = ""  # the quotes that close a text of several lines
        self.below_title = False
        self.secret_column = -1
        self.separator: str | None = None

    def read(self, lines: Sequence[str]) -> Iterator[str]:
        kinds = [] if self.code else _secret_documents(lines)
        guarded_lines = _lines_to_guard(lines, self.commands) if self.code else None
        for number, line in enumerate(lines):
            inside = self.hidden_below >= 0 or self.closing_quotes
            if guarded_lines is not None and number not in guarded_lines and not inside:
                yield line
            elif not line.strip():
                self.secret_column = -1
                yield line
            elif not self.code and line.isalpha() and any(map(_UNDERLINE.fullmatch, lines[number + 1 : number + 2])):
                self.hidden_below = self.value_indent = -1
                yield line
            else:
                head, tail = line[:_LINE_CHARS], line[_LINE_CHARS:]
                shown = self._guard_line(head, head.strip() or "-", number, any(number in kind for kind in kinds))
                yield shown if tail and shown.endswith(HIDDEN) else shown + tail

    def _guard_line(self, line: str, bare: str, number: int, secret_kind: bool) -> str:
        indent = len(line.expandtabs(4)) - len(line.expandtabs(4).lstrip())
        if self.closing_quotes:
            self.closing_quotes = "" if self.closing_quotes in line else self.closing_quotes
            return HIDDEN
        if (
            not self.code
            and bare[0] == "["
            and not bare.startswith("[redacted")
            and (heading := _SECTION.fullmatch(bare))
        ):
            self.in_secret_section = _has_secret_name(heading[1]) or _USERS.search(heading[1]) is not None
            self.hidden_below = self.value_indent = -1
            return line
        if self.keys_only or self.in_secret_section:
            return _without_value(line)
        if self.hidden_below >= 0:
            item = bare.startswith(("- ", "* ")) and not self.code
            if indent > self.hidden_below or (indent == self.hidden_below and item):
                return _LITERAL.sub(HIDDEN, line) if self.code else _without_value(line)
            self.hidden_below = -1
            if bare[0] in "]})" or bare.startswith("</"):
                return line
        if self.code:
            return self._guard_code(line, indent)
        shown = self._guard_below_name(line, bare, indent)
        if shown is not None:
            return shown
        if self.secret_column >= 0 and len(cells := line.split(self.separator)) > 1:
            return cells[0] + f" {HIDDEN}"
        self.secret_column, self.separator = _column(bare, self.separator if number else None)
        if self.secret_column >= 0:
            return line
        if _COMMENT.match(bare):
            comment = hide_stated_values(line) if may_name_a_secret(line) else line
            return _hide_in_commands(comment, self.commands)
        return hide_seed(_hide_in_commands(self._hide_named_values(line, indent, secret_kind), self.commands), HIDDEN)

    def _guard_below_name(self, line: str, bare: str, indent: int) -> str | None:
        """Hide a line that is the value of the name above it; return None for any other line."""
        if self.value_indent < 0:
            return None
        before, self.value_indent = self.value_indent, -1
        if self.below_title and _LIST_ITEM.match(bare):
            self.value_indent = before
            return _without_value(line)
        item, self.below_title = self.below_title, False
        if bare.startswith("<"):
            self.hidden_below = indent
            return _TEXT.sub(HIDDEN, line)
        if indent < before or bare[0] in "[]{}()" or _COMMENT.match(bare):
            return None
        if bare.startswith(": ") or (
            _KEYED.match(line) is None and (not item or " " not in bare or hide_seed(bare, HIDDEN) != bare)
        ):
            self.below_title = item
            self.value_indent = before if item else -1
            return f"{line[: len(line) - len(line.lstrip())]}{': ' if bare[0] == ':' else ''}{HIDDEN}"
        return None

    def _guard_code(self, line: str, indent: int) -> str:
        for name in _secret_names(line):
            rest = line[name.end() :]
            joint = _SEPARATOR.match(line, name.end())
            titled = name[0].lower() == "tokens" and line.count('"', 0, name.start()) % 2
            if titled or (joint is None and not _ARGUMENT.match(rest)):
                continue
            if joint is not None and _OPENS.fullmatch(line[joint.end() :].rstrip()):
                self.hidden_below = indent
            if rest.lstrip("\"'] =:>").startswith(("%w", "%i")):
                return line[: name.end()] + f" = {HIDDEN}"
            at = joint.end() if joint is not None else name.end()
            if joint is not None and (line.count('"', 0, at) + line.count('\\"', 0, at)) % 2 and rest[:1] not in "\"'":
                bare = _BARE_VALUE.match(line, at)  # in a literal
                line = line[:at] + HIDDEN + line[bare.end() :].lstrip('"') if bare is not None else line
                return _hide_in_commands(line, self.commands)
            line = line[:at] + _LITERAL.sub(partial(_hide_literal, name=name[0]), line[at:])
            break
        return _hide_in_commands(line, self.commands)

    def _hide_named_values(self, line: str, indent: int, secret_kind: bool) -> str:
        """Hide the values of the secrets that a line names. Remember the blocks that these names open."""
        pair = _KEY_VALUE_PAIR.search(line) if may_name_a_secret(line) else None
        if pair is not None and _PATTERNS["valued"].search(line) and _has_secret_name(pair["name"]):
            return _TEXT.sub(lambda match: match[0] if match.start() == pair.start("name") - 1 else HIDDEN, line)
        if not secret_kind and not may_name_a_secret(line):
            return line
        if (tag := _PATTERNS["tagged"].search(line)) is not None and _has_secret_name(tag[1] or tag[2]):
            return _TEXT.sub(lambda match: match[0] if match.start() in {tag.start(1), tag.start(2)} else HIDDEN, line)
        parts: list[str] = []
        at = 0
        first = len(line) - len(line.lstrip("\t -\"'<*"))
        for name in _secret_names(line, secret_kind):
            if name.start() < at:
                continue
            start, end, found = self._value_range(line, name, name.start() <= first, indent)
            if found:
                parts += [line[at:start], HIDDEN]
                at = end
        return "".join([*parts, line[at:]])

    def _value_range(self, line: str, name: re.Match[str], leads: bool, indent: int) -> tuple[int, int, bool]:
        """Return where the value of a name starts and ends, and whether to hide it."""
        end, stop = name.end(), len(line)
        if line[max(0, name.start() - 1) : name.start()] == "<" and (tag := _NAME_ATTRIBUTE.match(line, end)):
            if tag["text"] is None:
                self.hidden_below = indent
                self.closing_quotes = f"</{name[0]}" if line.strip() == f"<{name[0]}>" else ""
                return end, end, False
            return tag.start("text"), tag.end("text"), bool(tag["text"].strip())
        joint = _SEPARATOR.match(line, end) or (
            _PAIRED.match(line, end) if line[: name.start()].endswith(('["', '("')) else None
        )
        rest = line[joint.end() if joint is not None else end :]
        if line.startswith("</", end):
            self.value_indent = indent
            return end, end, False
        if joint is None:
            return self._spaced_value_range(line, name, indent)
        start = joint.end()
        if not rest.strip() or _OPENS.fullmatch(rest.strip()):
            self.hidden_below, self.value_indent = indent, indent
            self.below_title = not rest.strip()
            return start, start, False
        if _HARMLESS.match(rest):
            return start, start, False
        if quotes := next((each for each in ('"""', "'''") if rest.startswith(each)), ""):
            if quotes not in rest[3:]:
                self.closing_quotes = quotes
            return start, stop, True
        if rest[0] in "\"'`":
            close = line.find(rest[0], start + 1)
            tail = line[close + 1 : close + 2]
            return start, close + 1 if close > 0 and (not tail or tail in ",;}])>/ \t") else stop, True
        if rest[0] in _CLOSERS:
            close = line.rfind(_CLOSERS[rest[0]])
            if close < start:
                self.hidden_below = indent
            return start, close + 1 if close > start and leads else stop, True
        self.value_indent = 0 if rest.endswith("\\") else self.value_indent
        bare = _SCHEME.match(line, start) or _BARE_VALUE.match(line, start)
        return start, stop if leads or bare is None else bare.end(), True

    def _spaced_value_range(self, line: str, name: re.Match[str], indent: int) -> tuple[int, int, bool]:
        """Return the start and end of a value that only white space separates from its name, and whether to hide it."""
        end = name.end()
        if line.startswith('data "'):  # the type and name of a Terraform data source
            return end, end, False
        if _OPENS.fullmatch(line[end:].strip()):
            self.hidden_below = indent
            return end, end, False
        rest = line[end:].strip("\"'*_.:?)]} \t")
        if not rest:
            title = line[: name.start()].strip("\"'*_-?#=[({ \t")
            if len(title.split()) < 4 and not set(title) & set("<>={}()$"):
                self.value_indent = indent
                self.below_title = bool(line[:1].strip()) and not line.lstrip().startswith("?")
            return end, end, False
        if stated := _VALUE_AFTER_IS.search(line, name.start()) or _VALUE_BEFORE_IS.search(line, name.start()):
            return *stated.span("value"), True
        if line.rstrip().endswith("{"):
            self.hidden_below = indent
        if _PATTERNS["spaced"].fullmatch(name[0].lower()) and len(rest.split()) < 5:
            return end + 1, len(line), True
        return end, end, False


def _hide_literal(match: re.Match[str], name: str) -> str:
    """Hide a literal. Names and places stay, and so does the name of a secret, as in a lookup."""
    inner = match[0][1:-1]
    named = _NAME.fullmatch(inner) and inner.isascii() and secret_key(inner) and not _MIXED.search(inner)
    return match[0] if named or not secret_literal(name, inner) else HIDDEN


def _lines_to_guard(lines: Sequence[str], commands: _Commands) -> set[int]:
    """Return the numbers of the lines that name a secret, or hold a command that takes one."""
    text = "\n".join(lines)
    words = {word for word in set(_BARE_NAME.findall(text)) if word.lower() == "pass" or _is_secret_name(word)}
    found: set[int] = set()
    for word in (*words, *_SPACED):
        line = before = 0
        at = text.find(word)
        while at >= 0:
            line += text.count("\n", before, at)
            found.add(line)
            before, at = at, text.find(word, at + 1)
    for _, pattern in commands:
        for match in pattern.finditer(text):
            line = text.count("\n", 0, match.start())
            found.update(range(line, line + match[0].count("\n") + 1))
    return found


def may_name_a_secret(text: str) -> bool:
    """Return whether a text may contain the name of a secret. This check is quick."""
    low = text.lower()
    return any(stem in low for stem in (_ASCII_STEMS if low.isascii() else _STEMS))


def _secret_names(text: str, secret_kind: bool = False) -> Iterator[re.Match[str]]:
    """Yield the words that name a secret, in order."""
    if not secret_kind and not may_name_a_secret(text[:600]):
        return
    for word in _NAME.finditer(text[:600]):
        low = word[0].lower()
        given = low == "pass" and _SEPARATOR.match(text, word.end())
        if _is_secret_name(word[0]) or given or (secret_kind and low in {"data", "stringdata", "binarydata"}):
            yield word


def _has_secret_name(text: str) -> bool:
    return next(_secret_names(text), None) is not None


@lru_cache(16_384)
def _is_secret_name(word: str) -> bool:
    low = word.lower()
    return (low not in _TOO_GENERAL and secret_key(word)) or _PHRASE.fullmatch(low) is not None


def _without_value(line: str) -> str:
    """Return a line without its value."""
    bare = line.strip()
    start = line[: len(line) - len(line.lstrip())]
    if bare[0] == "<":
        shown = _TEXT.sub(HIDDEN, line)
        return shown if shown != line or bare.endswith(">") else start + HIDDEN
    if _OPENS.fullmatch(bare) or _BLOCK.fullmatch(bare) or not any(map(str.isalnum, bare)):
        return line
    keyed = _KEYED.match(line)
    if keyed is not None and not _COMMENT.match(bare):
        rest = line[keyed.end() :].strip()
        return line if not rest or _OPENS.fullmatch(rest) or _HARMLESS.match(rest) else keyed[0] + HIDDEN
    return start + HIDDEN


def _secret_documents(lines: Sequence[str]) -> list[range]:
    """Return the line ranges of YAML documents whose kind is Secret."""
    if not any("Secret" in line and _SECRET_KIND.search(line) for line in lines):
        return []
    bounds = [0, *(at for at, line in enumerate(lines) if line.startswith("---")), len(lines)]
    parts = [range(start, end) for start, end in pairwise(bounds)]
    return [part for part in parts if any(_SECRET_KIND.search(lines[at]) for at in part)]


def _column(bare: str, sign: str | None) -> tuple[int, str | None]:
    """Return the column that a table's heading names as secret (-1: none), and what separates its cells."""
    head = bare.lstrip("#|; ").rstrip("| ")
    if not 8 <= len(head) <= 120 or not _has_secret_name(head):
        return -1, sign
    for sign in ("|", ";", "\t", ",", None):
        cells = [cell.strip() for cell in head.split(sign)]
        plain = 2 <= len(cells) <= 9 and all(map(_CELL.fullmatch, cells))
        secret = [at for at, cell in enumerate(cells) if _has_secret_name(cell)]
        if plain and secret and any(_PATTERNS["column"].fullmatch(cell) for cell in cells):
            return secret[0], sign
    return -1, sign


def _commands_in(text: str) -> _Commands:
    """Return the commands that a text may hold."""
    low = text.lower()
    return [(needed, pattern) for needed, pattern in _COMMANDS if any(part in low for part in needed)]


def _hide_in_commands(line: str, commands: _Commands) -> str:
    """Hide passwords in arguments of commands and calls, and hashes and keys in their own notations."""
    low = line.lower() if commands else ""
    for needed, pattern in commands:
        if any(part in low for part in needed):
            line = pattern.sub(_hide_value, line)
    return line
