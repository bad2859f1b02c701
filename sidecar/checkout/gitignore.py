"""Compile the patterns of one ignore file, so that matching a name takes about a microsecond.

The rules are those of gitignore(5) and of git's `dir.c` and `wildmatch.c`. A pattern is applied to one entry, after the
entry's parents, and the last matching pattern decides. (`pathspec` differs: it also applies a directory's pattern to
the entries below the directory.)

Pattern files are untrusted, so a regular expression must not backtrack exponentially: all wildcards but the last of
each kind are atomic.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

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
_ANY_WITH_EXTENSION = lazy(r"\*\.[^*?\[\\.]+", re.DOTALL)
_BRACKET = r"\[([!^]?)(\]?+(?:\[:[^\]]*?:\]|\\.|[^\]\\])*+)\]"
_TOKEN = lazy(rf"(?P<stars>\*+)|\?|{_BRACKET}|\\(?P<escaped>.)|(?P<literal>.)", re.DOTALL)
_BRACKET_ITEM = lazy(r"\[:(.*?):\]|(?:\\(.)|(.))(?:-(?:\\(.)|(.)))?", re.DOTALL)

# Numbers and expressions of the rules: those for files, then those for directories.
RulesByKind = tuple[list[tuple[int, str]], list[tuple[int, str]]]


class IgnoreRule(msgspec.Struct, frozen=True):
    """The rule of one line. An `anchored` pattern is matched against the path, any other against the name."""

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
        # The number of the last rule for each name or extension: of a file, of a directory.
        self._names: tuple[dict[str, int], dict[str, int]] = ({}, {})
        self._extensions: tuple[dict[str, int], dict[str, int]] = ({}, {})
        by_name: RulesByKind = ([], [])
        by_path: RulesByKind = ([], [])
        for rule in filter(None, map(parse_rule, lines)):
            self._add(rule, by_name, by_path)
        self._patterns = tuple((self._combine(by_name[kind]), self._combine(by_path[kind])) for kind in (False, True))

    def __bool__(self) -> bool:
        return bool(self._negated)

    def _add(self, rule: IgnoreRule, by_name: RulesByKind, by_path: RulesByKind) -> None:
        pattern = rule.pattern.lower() if self._ignore_case else rule.pattern
        is_name = not rule.anchored and not _WILDCARD.search(pattern)
        is_extension = not rule.anchored and _ANY_WITH_EXTENSION.fullmatch(pattern) is not None
        expression = "" if is_name or is_extension else translate(rule.pattern)
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
                self._extensions[is_directory][pattern[1:]] = number
            else:
                by_name[is_directory].append((number, expression))

    def _combine(self, rules: list[tuple[int, str]]) -> tuple[re.Pattern[str], list[int]] | None:
        """Return a pattern for the rules, and the rules' numbers.

        The first group that matches belongs to the last matching rule.
        """
        if not rules:
            return None
        last_first = rules[::-1]
        flags = re.DOTALL | (re.IGNORECASE if self._ignore_case else 0)
        combined = "|".join(f"({expression})" for _, expression in last_first)
        return lazy(combined, flags), [number for number, _ in last_first]

    def match(self, path: str, name: str, is_directory: bool) -> bool | None:
        """Return True for an ignored entry, False if a negated rule decides, None if no rule matches."""
        if self._ignore_case:
            name = name.lower()
        last = self._names[is_directory].get(name, -1)
        extensions = self._extensions[is_directory]
        if extensions and (dot := name.rfind(".")) >= 0 and (number := extensions.get(name[dot:], -1)) > last:
            last = number
        by_name, by_path = self._patterns[is_directory]
        if by_name is not None and (match := by_name[0].fullmatch(name)) is not None:
            last = max(last, by_name[1][(match.lastindex or 1) - 1])
        if by_path is not None and (match := by_path[0].fullmatch(path)) is not None:
            last = max(last, by_path[1][(match.lastindex or 1) - 1])
        return None if last < 0 else not self._negated[last]


def translate(pattern: str) -> str | None:
    """Return a glob as a regular expression for `fullmatch`, without groups; None if it matches nothing."""
    # Git compares the literal beginning separately, so `**` right after that beginning counts as leading.
    wild = _WILDCARD.search(pattern)
    begin = wild.start() if wild else len(pattern)
    groups: list[list[str]] = [[]]  # the components between `**`
    component, chunks = "", [""]  # the component so far, and the expressions between its stars
    for token in _TOKEN.finditer(pattern[begin:] + "/"):
        expression: str | None = None
        if "/" in (token["escaped"], token["literal"]):
            if len(component) < 2 or component.strip("*"):
                groups[-1].append(_join_chunks(chunks))
            elif groups[-1] or len(groups) == 1:
                groups.append([])
            component, chunks = "", [""]
            continue
        component += token[0]
        if token["stars"]:
            chunks.append("")
            continue
        if token[0] == "?":
            expression = "[^/]"
        elif token["escaped"] is not None:
            expression = re.escape(token["escaped"])
        elif token["literal"] is None:
            expression = _character_class(token[3], negated=bool(token[2]))
        elif token["literal"] not in "[\\":  # a bracket or an escape without its end is malformed
            expression = re.escape(token["literal"])
        if expression is None:
            return None
        chunks[-1] += expression
    return re.escape(pattern[:begin]) + _join_groups(groups)


def _join_groups(groups: list[list[str]]) -> str:
    """Join groups of components by `**`. Inner groups are atomic, because their first match is enough."""
    first, *middle = ["/".join(group) for group in groups]
    if not middle:
        return first
    *middle, last = middle
    inner = "".join(rf"(?>(?:[^/]*/)*?{group}/)" for group in middle)
    return (first + "/" if groups[0] else "") + inner + (rf"(?:.*/)?{last}" if groups[-1] else ".*")


def _join_chunks(chunks: list[str]) -> str:
    """Join expressions by `*`. Inner expressions are atomic, because their first match is enough."""
    if len(chunks) == 1:
        return chunks[0]
    return chunks[0] + "".join(rf"(?>[^/]*?{chunk})" for chunk in chunks[1:-1]) + f"[^/]*{chunks[-1]}"


def _character_class(body: str, *, negated: bool) -> str | None:
    """Return the body of a bracket expression as a regular expression; None if a class name is unknown."""
    inside = ""
    for name, escaped, plain, escaped_high, plain_high in (item.groups() for item in _BRACKET_ITEM.finditer(body)):
        if name is not None:
            if name not in _POSIX_CLASSES:
                return None
            inside += _POSIX_CLASSES[name]
            continue
        low, high = escaped or plain, escaped_high or plain_high or ""
        inside += re.escape(low) + (f"{re.escape(low)}-{re.escape(high)}" if low <= high else "")
    return f"[^/{inside}]" if negated else f"(?!/)[{inside}]"
