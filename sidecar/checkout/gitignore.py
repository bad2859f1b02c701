"""Git's ignore patterns: one file's lines compiled so that one name costs about a microsecond.

Follows gitignore(5) and git's `dir.c` and `wildmatch.c`: a rule is applied to one entry at a time, after its parents,
and the last matching rule decides. (`pathspec` also applies a directory's rule to the entries below it.) Pattern files
are untrusted, so the expressions cannot backtrack exponentially: all wildcards but the last of each kind are atomic.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable

import msgspec
import xxhash

from sidecar.text.lazy_patterns import lazy

_POSIX_CLASSES = {
    "alnum": "a-zA-Z0-9",
    "alpha": "a-zA-Z",
    "blank": " \\t",
    "cntrl": "\\x00-\\x1f\\x7f",
    "digit": "0-9",
    "graph": "\\x21-\\x7e",
    "lower": "a-z",
    "print": "\\x20-\\x7e",
    "punct": "!-/:-@\\[-`{-~",
    "space": "\\s",
    "upper": "A-Z",
    "xdigit": "0-9a-fA-F",
}
_WILDCARD = lazy(r"[*?\[\\]")


class IgnoreRule(msgspec.Struct, frozen=True):
    """The rule of one line: `pattern` without its marks; `anchored` if it is matched against the path, not the name."""

    pattern: str
    negated: bool
    directory_only: bool
    anchored: bool


def parse_rule(line: str) -> IgnoreRule | None:
    """Return the rule of one line, or None for a blank line or a comment."""
    if line.startswith("#"):
        return None
    line = _without_trailing_spaces(line.removesuffix("\r"))
    negated = line.startswith("!")
    pattern = line[1:] if negated else line
    directory_only = pattern.endswith("/")
    if directory_only:
        pattern = pattern[:-1]
    anchored = "/" in pattern
    pattern = pattern.removeprefix("/")
    return IgnoreRule(pattern, negated, directory_only, anchored) if pattern else None


def _without_trailing_spaces(line: str) -> str:
    """Remove trailing spaces, keeping one that a backslash escapes."""
    stripped = line.rstrip(" ")
    backslashes = len(stripped) - len(stripped.rstrip("\\"))
    return stripped + " " if backslashes % 2 and len(stripped) < len(line) else stripped


class IgnoreRules:
    def __init__(self, lines: Iterable[str], *, ignore_case: bool = False) -> None:
        lines = list(lines)
        text = "\n".join((str(ignore_case), *lines))
        self.identity = xxhash.xxh3_64_intdigest(text.encode("utf-8", "surrogateescape"))
        self._negated: list[bool] = []
        self._ignore_case = ignore_case
        # The number of the last rule for a name or an extension, by whether the entry is a directory.
        self._names: tuple[dict[str, int], dict[str, int]] = ({}, {})
        self._extensions: tuple[dict[str, int], dict[str, int]] = ({}, {})
        by_name: tuple[list[tuple[int, str]], list[tuple[int, str]]] = ([], [])
        by_path: tuple[list[tuple[int, str]], list[tuple[int, str]]] = ([], [])
        for line in lines:
            rule = parse_rule(line)
            if rule is not None:
                self._add(rule, by_name, by_path)
        self._patterns = tuple((self._combine(by_name[kind]), self._combine(by_path[kind])) for kind in (False, True))

    def __bool__(self) -> bool:
        return bool(self._negated)

    def _add(
        self,
        rule: IgnoreRule,
        by_name: tuple[list[tuple[int, str]], list[tuple[int, str]]],
        by_path: tuple[list[tuple[int, str]], list[tuple[int, str]]],
    ) -> None:
        pattern = rule.pattern.lower() if self._ignore_case else rule.pattern
        extension = pattern[1:]
        is_name = not rule.anchored and not _WILDCARD.search(pattern)
        is_extension = (
            not rule.anchored
            and pattern.startswith("*.")
            and not _WILDCARD.search(extension)
            and "." not in extension[1:]
            and len(extension) > 1
        )
        expression = "" if is_name or is_extension else translate(rule.pattern, is_path=rule.anchored)
        if expression is None:
            return
        number = len(self._negated)
        self._negated.append(rule.negated)
        for is_directory in (False, True):
            if rule.directory_only and not is_directory:
                continue
            if rule.anchored:
                by_path[is_directory].append((number, expression))
            elif is_name:
                self._names[is_directory][pattern] = number
            elif is_extension:
                self._extensions[is_directory][extension] = number
            else:
                by_name[is_directory].append((number, expression))

    def _combine(self, rules: list[tuple[int, str]]) -> tuple[Callable[[str], re.Match[str] | None], list[int]] | None:
        """Return a matcher of whole texts whose first group is the last matching rule, and the rules' numbers."""
        if not rules:
            return None
        last_first = rules[::-1]
        flags = re.DOTALL | (re.IGNORECASE if self._ignore_case else 0)
        combined = "|".join(f"({expression})" for _, expression in last_first)
        return re.compile(combined, flags).fullmatch, [number for number, _ in last_first]

    def match(self, path: str, name: str, is_directory: bool) -> bool | None:
        """Return True if ignored, False if a negated rule decides, None if no rule matches the path of this name."""
        if self._ignore_case:
            name = name.lower()
        last = self._names[is_directory].get(name, -1)
        extensions = self._extensions[is_directory]
        if extensions and (dot := name.rfind(".")) >= 0 and (number := extensions.get(name[dot:], -1)) > last:
            last = number
        by_name, by_path = self._patterns[is_directory]
        if by_name is not None and (match := by_name[0](name)) is not None:
            last = max(last, by_name[1][(match.lastindex or 1) - 1])
        if by_path is not None and (match := by_path[0](path)) is not None:
            last = max(last, by_path[1][(match.lastindex or 1) - 1])
        return None if last < 0 else not self._negated[last]


def translate(pattern: str, *, is_path: bool) -> str | None:
    """Return the expression (for `fullmatch`, without groups) of a glob; None if it matches nothing (wildmatch.c)."""
    if not is_path:
        return _translate_component(pattern)
    # Git compares the literal beginning separately and globs the rest, so `**` right after it counts as leading.
    wild = _WILDCARD.search(pattern)
    begin = wild.start() if wild else len(pattern)
    groups: list[list[str]] = [[]]
    for part in _split(pattern[begin:]):
        if len(part) >= 2 and not part.strip("*"):
            if groups[-1] or len(groups) == 1:
                groups.append([])
            continue
        expression = _translate_component(part)
        if expression is None:
            return None
        groups[-1].append(expression)
    return re.escape(pattern[:begin]) + _join(groups)


def _join(groups: list[list[str]]) -> str:
    """Join groups of components by `**`; the first match of an inner group is enough, so it is atomic."""
    first, *middle = ["/".join(group) for group in groups]
    if not middle:
        return first
    result = first + "/" if groups[0] else ""
    last = middle.pop()
    for group in middle:
        result += rf"(?>(?:[^/]*/)*?{group}/)"
    return result + (rf"(?:.*/)?{last}" if groups[-1] else ".*")


def _split(pattern: str) -> list[str]:
    """Split a path glob into components; a slash inside brackets does not separate."""
    parts: list[str] = []
    start = position = 0
    while position < len(pattern):
        character = pattern[position]
        if character == "\\" and pattern[position + 1 : position + 2] != "/":
            position += 2
        elif character == "\\":
            parts.append(pattern[start:position])
            position += 2
            start = position
        elif character == "[" and (end := _class_end(pattern, position)) is not None:
            position = end
        else:
            if character == "/":
                parts.append(pattern[start:position])
                start = position + 1
            position += 1
    parts.append(pattern[start:])
    return parts


def _translate_component(pattern: str) -> str | None:
    """Return the expression of a glob that spans no slash; None if the glob is malformed and so matches nothing.

    Text between two stars may match at its first position, so it is atomic.
    """
    chunks = [""]  # of what stands between stars
    position = 0
    while position < len(pattern):
        character = pattern[position]
        position += 1
        if character == "*":
            chunks.append("")
        elif character == "?":
            chunks[-1] += "[^/]"
        elif character == "[":
            end = _class_end(pattern, position - 1)
            if end is None:
                return None
            expression = _character_class(pattern[position : end - 1])
            if expression is None:
                return None
            chunks[-1] += expression
            position = end
        elif character == "\\":
            if position == len(pattern):
                return None
            chunks[-1] += re.escape(pattern[position])
            position += 1
        else:
            chunks[-1] += re.escape(character)
    if len(chunks) == 1:
        return chunks[0]
    inner = "".join(rf"(?>[^/]*?{chunk})" for chunk in chunks[1:-1])
    return f"{chunks[0]}{inner}[^/]*{chunks[-1]}"


def _class_end(pattern: str, start: int) -> int | None:
    """Return where the bracket expression that starts at `start` ends; None if it never does."""
    position = start + 1
    if position < len(pattern) and pattern[position] in "!^":
        position += 1
    first = True
    while position < len(pattern):
        character = pattern[position]
        if character == "]" and not first:
            return position + 1
        first = False
        if character == "\\":
            position += 1
        elif pattern.startswith("[:", position):
            close = pattern.find(":]", position + 2)
            if close >= 0 and "]" not in pattern[position + 2 : close]:
                position = close + 1
        position += 1
    return None


def _character_class(body: str) -> str | None:
    """Return the expression of a bracket's body; None for an unknown class name, which matches nothing."""
    negated = body[:1] in ("!", "^")
    items: list[str] = []
    position = 1 if negated else 0
    while position < len(body):
        if body.startswith("[:", position) and (close := body.find(":]", position + 2)) >= 0:
            named = _POSIX_CLASSES.get(body[position + 2 : close])
            if named is None:
                return None
            items.append(named)
            position = close + 2
            continue
        low, position = _class_character(body, position)
        items.append(re.escape(low))
        if position < len(body) - 1 and body[position] == "-":
            high, position = _class_character(body, position + 1)
            if low <= high:  # of `c-a`, git matches the `c`
                items.append(f"{re.escape(low)}-{re.escape(high)}")
    inside = "".join(items)
    if negated:
        return f"[^/{inside}]"
    return f"(?!/)[{inside}]" if inside else None


def _class_character(body: str, position: int) -> tuple[str, int]:
    if body[position] == "\\" and position + 1 < len(body):
        return body[position + 1], position + 2
    return body[position], position + 1
