"""Extract the prose of a message: what a person or a model wrote in sentences, without quotations and pastes.

Left out: fenced and indented code, block quotes, tables, headings, rules, markup on lines of its own, shell prompts,
diffs, log lines, stack traces, and what follows an announcement such as "here is the log:" up to the next plain
paragraph. Takes one pass over the lines.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from sidecar.text.lazy_patterns import lazy, patterns

_PATTERNS = patterns(Path(__file__), "prose")
_FENCE = lazy(r"\s{0,12}(?:[-*+]\s+|\d{1,3}[.)]\s+|>\s?)?(`{3,}|~{3,})([^`]*)$")
_LIST_ITEM = lazy(r"(\s*)(?:[-*+•–]|\(?(?:\d{1,3}|[a-zA-Z])[.)])\s+(?=\S)")
_TASK_BOX = lazy(r"\[[ xX]\]\s+")
_HEADING = lazy(r"\s{0,3}#{1,6}(?:\s|$)")
_ELEMENT = lazy(r"\s{0,3}<([A-Za-z][\w.:-]*)(?:\s[^<>]*)?>")
_CLOSING = lazy(r"</([A-Za-z][\w.:-]*)\s*>")
_SKIPPED_LINE = lazy(
    r"""\s*(?:
      >                                            # a quotation, a REPL's or a shell's prompt
    | \| | [-=*_]{3,}\s*$ | <[/!A-Za-z]            # table, rule, markup
    | \$\s | %\s | ❯ | PS\ [A-Z]: | \w+@[\w.-]+[:~]  # prompts
    | \[?\d{4}[-/]\d\d[-/]\d\d[T\ \]] | \[?\d\d:\d\d:\d\d
    | \[?(?:INFO|WARN(?:ING)?|ERROR|DEBUG|TRACE|FATAL|NOTICE|CRITICAL|PASS(?:ED)?|FAIL(?:ED)?)\b[\]:\s]
    | (?:[\w.]+(?:Error|Exception|Warning)|(?i:error|warning|fatal|panic|exception)(?:\[\w+\])?)\s?(?:\(\w+\))?:\s
    | Traceback\ | File\ " | at\ \S+\ ?\(\S*\) | Caused\ by: | npm\ (?:ERR|WARN) | \.{3}\s*$
    | diff\ --git | @@\ | \+\+\+\ | ---\ \S | index\ [0-9a-f]{7} | [+]\s?\S.*[;{}()=]\s*$
    | [✓✔✗✘×●○]\s | E\s{3}
    | // | /\* | \*/ | \#! | --\s\w+.*;
    )""",
    re.VERBOSE,
)
_CODE_SIGN = lazy(r"[{};]\s*$|=>|->|::|\w\(.*\)|\s[=!<>+-]?=\s|^\s*[\w.\[\]]+\s=\s")
_CODE_END = lazy(r"(?:[{}]|\);?|[^\s;]+\(.*\);|,\s*$)$")
_CODE_CHARS = lazy(r"[{}()\[\]<>=;|\\$&^~+/]")
_CODE_SPAN = lazy(r"`[^`\n]*`")
# A line of this many characters may have been wrapped.
_LONG_LINE_CHARS = 60
# A longer line is data; a longer passage is cut.
MAX_LINE_CHARS = 8_000
# Emphasis, or a code span, which stays as it is: `*cobra.Command` and `test_*.py` hold no emphasis.
_EMPHASIS = lazy(
    r"(?P<code>(?<!`)(`{1,3})(?!`)[^`]+\2(?!`))|\*\*"
    r"|(?<![\w*])\*(?=[^\s*])(?P<emphasised>(?:`[^`\n]{1,200}`|[^*\n`]){1,400})(?<!\s)\*(?![\w*])"
)


def passages(text: str) -> Iterator[str]:
    """Yield the passages in order, each on one line without marks: a paragraph, one of its lines or a list item."""
    parts: list[str] = []
    length = 0
    for line, joins in _LineReader(text.replace("\r\n", "\n").replace("\r", "\n")).read():
        if parts and (not joins or length + len(line) > MAX_LINE_CHARS):
            yield _without_emphasis(parts)
            parts, length = [], 0
        if line:
            parts.append(line)
            length += len(line)
    if parts:
        yield _without_emphasis(parts)


def _without_emphasis(parts: list[str]) -> str:
    return _EMPHASIS.sub(lambda match: match["code"] or match["emphasised"] or "", " ".join(" ".join(parts).split()))


class _LineReader:
    """Reads a text line by line, and keeps track of fences, elements, lists and pastes."""

    def __init__(self, text: str) -> None:
        self._lines = text.split("\n")
        self._last_closing = {tag: number for number, line in enumerate(self._lines) for tag in _CLOSING.findall(line)}
        self._fence = self._tag = ""
        self._before = ""  # the line above, if it is prose
        self._in_list = self._pasted = self._blank = False

    def read(self) -> Iterator[tuple[str, bool]]:
        """Yield (prose, continues the line above) for each line; prose is without list marks, "" if there is none."""
        for number, line in enumerate(self._lines):
            above, self._before = self._before, ""
            skipped = self._skip_fence(line) or self._skip_element(number, line)
            yield ("", False) if skipped else self._read_line(line, above)

    def _skip_fence(self, line: str) -> bool:
        mark = _FENCE.match(line) if "```" in line or "~~~" in line else None
        if self._fence:
            if mark and mark[1].startswith(self._fence) and not mark[2].strip():
                self._fence = ""
            return True
        if mark and not self._tag:
            self._fence = mark[1]
        return bool(self._fence)

    def _skip_element(self, number: int, line: str) -> bool:
        if self._tag:
            self._tag = "" if f"</{self._tag}" in line else self._tag
            return True
        element = _ELEMENT.match(line) if len(line) <= MAX_LINE_CHARS else None
        if element is None or self._last_closing.get(element[1], -1) < number:
            return False
        self._tag = "" if f"</{element[1]}" in line[element.end() :] else element[1]
        return True

    def _read_line(self, line: str, above: str) -> tuple[str, bool]:
        after_blank, self._blank = self._blank, not line.strip() or len(line) > MAX_LINE_CHARS
        item = _LIST_ITEM.match(line)
        indented = line[:1].isspace()
        if self._blank or (not item and not self._in_list and line.startswith(("    ", "\t"))):
            return "", False
        is_prose = not (_HEADING.match(line) or _SKIPPED_LINE.match(line) or _is_code(line))
        if self._pasted and not (after_blank and is_prose and not item and not indented):
            return "", False
        self._pasted = False
        if not is_prose:
            self._in_list = self._in_list and bool(item or indented)
            return "", False
        if item:
            body, joins, self._in_list = _TASK_BOX.sub("", line[item.end() :], count=1).strip(), False, True
            is_prose = not (_SKIPPED_LINE.match(body) or _is_code(body))
        else:
            body, self._in_list = line.strip(), self._in_list and (indented or not after_blank)
            joins = bool(above) and (_continues(above, body) or (self._in_list and indented))
        self._pasted = body.endswith(":") and _PATTERNS["announced"].search(body[-200:]) is not None
        self._before = body if is_prose and not self._pasted else ""
        return (body, joins) if is_prose else ("", False)


def _continues(before: str, line: str) -> bool:
    """Return whether `before` was wrapped into `line`: it ends with a comma, or is long and has no end."""
    if before.endswith(","):
        return True
    return len(before) >= _LONG_LINE_CHARS and before[-1] not in ".!?:;" and not line.lstrip("*_`\"'(")[:1].isupper()


def _is_code(line: str) -> bool:
    bare = _CODE_SPAN.sub("", line[:400]).strip()
    if len(bare) < 3:
        return False
    if _PATTERNS["code_start"].match(bare) and _CODE_SIGN.search(bare) and not re.search(r"[.!?]$", bare):
        return bool(_CODE_END.search(bare)) or len(bare.split()) < 8
    signs = len(_CODE_CHARS.findall(bare))
    return (signs * 5 > len(bare) and " " in bare) or (bare[-1] in "{};" and signs >= 2)
