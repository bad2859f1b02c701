"""Extract the prose of a message: what a person or a model wrote in sentences, without quotes and pastes.

Left out: fenced and indented code, block quotes, tables, headings, rules, markup on lines of its own, shell prompts,
diffs, log lines, stack traces, and what follows an announcement such as "here is the log:" up to the next plain
paragraph. Takes one pass over the lines.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from sidecar.text.lazy_patterns import lazy, patterns

_FORMS = patterns(Path(__file__), "prose")
_FENCE = lazy(r"\s{0,12}(?:[-*+]\s+|\d{1,3}[.)]\s+|>\s?)?(`{3,}|~{3,})([^`]*)$")
_LIST = lazy(r"(\s*)(?:[-*+•–]|\(?(?:\d{1,3}|[a-zA-Z])[.)])\s+(?=\S)")
_TASK_BOX = lazy(r"\[[ xX]\]\s+")
_HEADING = lazy(r"\s{0,3}#{1,6}(?:\s|$)")
_ELEMENT = lazy(r"\s{0,3}<([A-Za-z][\w.:-]*)(?:\s[^<>]*)?>")
_CLOSING = lazy(r"</([A-Za-z][\w.:-]*)\s*>")
_SKIPPED = lazy(
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
_SIGNS = lazy(r"[{}()\[\]<>=;|\\$&^~+/]")
_CODE_SPAN = lazy(r"`[^`\n]*`")
_LONG_LINE = 60  # a line of at least this many characters may have been wrapped
MAX_LINE = 8_000  # a longer line is data, and a longer passage is cut: nobody writes such a paragraph to an agent
_EMPHASIS = lazy(
    r"(?P<code>(?<!`)(`{1,3})(?!`)[^`]+\2(?!`))|\*\*"
    r"|(?<![\w*])\*(?=[^\s*])(?P<said>(?:`[^`\n]{1,200}`|[^*\n`]){1,400})(?<!\s)\*(?![\w*])"
)
"""A code span comes first and stays as it is: `*cobra.Command` holds no emphasis, nor does `test_*.py`, bare or not."""


def passages(text: str) -> Iterator[str]:
    """Yield the runs of prose in order, unmarked, each on one line: a paragraph, a line of it, or a list item."""
    parts: list[str] = []
    length = 0
    for line, joins in _prose_lines(text.replace("\r\n", "\n").replace("\r", "\n")):
        if parts and (not joins or length + len(line) > MAX_LINE):
            yield _without_emphasis(parts)
            parts, length = [], 0
        if line:
            parts.append(line)
            length += len(line)
    if parts:
        yield _without_emphasis(parts)


def _without_emphasis(parts: list[str]) -> str:
    return _EMPHASIS.sub(lambda match: match["code"] or match["said"] or "", " ".join(" ".join(parts).split()))


def _prose_lines(text: str) -> Iterator[tuple[str, bool]]:
    """Yield lines of prose without their list marks, with True if a line continues the one before."""
    lines = text.split("\n")
    last_closing = {tag: number for number, line in enumerate(lines) for tag in _CLOSING.findall(line)}
    fence = tag = ""
    before = ""  # the previous line of prose, if this one may continue it
    in_list = pasted = blank = False
    for number, line in enumerate(lines):
        mark = _FENCE.match(line) if "```" in line or "~~~" in line else None
        if fence:
            if mark and mark[1].startswith(fence) and not mark[2].strip():
                fence = ""
            continue
        if tag:
            tag = "" if f"</{tag}" in line else tag
            continue
        if mark:
            fence, before = mark[1], ""
            continue
        if not line.strip() or len(line) > MAX_LINE:
            before, blank = "", True
            yield "", False
            continue
        element = _ELEMENT.match(line)
        if element and last_closing.get(element[1], -1) >= number:
            tag = "" if f"</{element[1]}" in line[element.end() :] else element[1]
            before = ""
            continue
        listed = _LIST.match(line)
        indent = len(line) - len(line.lstrip())
        if not listed and not in_list and line.startswith(("    ", "\t")):
            before, blank = "", False
            continue
        plain = not (listed or indent or _HEADING.match(line) or _SKIPPED.match(line) or _is_code(line))
        if pasted and not (blank and plain):
            before, blank = "", False
            continue
        pasted = False
        if _HEADING.match(line) or _SKIPPED.match(line) or _is_code(line):
            before, blank = "", False
            if not listed and not indent:
                in_list = False
            yield "", False
            continue
        if listed:
            body = _TASK_BOX.sub("", line[listed.end() :], count=1).strip()
            skipped = _SKIPPED.match(body) or _is_code(body)
            yield ("", False) if skipped else (body, False)
            before, in_list = ("" if skipped else body), True
        else:
            in_list = in_list and (indent > 0 or not blank)
            body = line.strip()
            yield body, bool(before) and (_continues(before, body) or (in_list and indent > 0))
            before = body
        blank = False
        if body.endswith(":") and _FORMS["announced"].search(body[-200:]):
            pasted, before = True, ""


def _continues(before: str, line: str) -> bool:
    """Return whether a line was wrapped after `before`, which then is long and open-ended or ends with a comma."""
    if before.endswith(","):
        return True
    return len(before) >= _LONG_LINE and before[-1] not in ".!?:;" and not line.lstrip("*_`\"'(")[:1].isupper()


def _is_code(line: str) -> bool:
    bare = _CODE_SPAN.sub("", line[:400]).strip()
    if len(bare) < 3:
        return False
    if _FORMS["code_start"].match(bare) and _CODE_SIGN.search(bare) and not re.search(r"[.!?]$", bare):
        return bool(_CODE_END.search(bare)) or len(bare.split()) < 8
    signs = len(_SIGNS.findall(bare))
    return (signs * 5 > len(bare) and " " in bare) or (bare[-1] in "{};" and signs >= 2)
