"""The prose of a message: what a person or a model wrote in sentences, without what they quoted or pasted; an open
fence runs to the end, as in CommonMark."""

import re
from collections.abc import Iterator

_FENCE = re.compile(r"\s{0,12}(?:[-*+]\s+|\d{1,3}[.)]\s+|>\s?)?(`{3,}|~{3,})([^`]*)$")
_LIST = re.compile(r"(\s*)(?:[-*+•–]|\(?(?:\d{1,3}|[a-zA-Z])[.)])\s+(?=\S)")
_TASK_BOX = re.compile(r"\[[ xX]\]\s+")
_HEADING = re.compile(r"\s{0,3}#{1,6}(?:\s|$)")
_ELEMENT = re.compile(r"\s{0,3}<([A-Za-z][\w.:-]*)(?:\s[^<>]*)?>")
_CLOSING = re.compile(r"</([A-Za-z][\w.:-]*)\s*>")
_SKIPPED = re.compile(
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
_LONG_LINE = 60  # a line of at least this many characters may have been wrapped
LONGEST = 8_000


def _prose_lines(text: str) -> Iterator[tuple[str, bool]]:
    """Lines of prose without their list marks, and whether a line goes on from the one before."""
    lines = text.split("\n")
    last_closing = {tag: number for number, line in enumerate(lines) for tag in _CLOSING.findall(line)}
    fence = tag = ""
    before = ""  # the line of prose before this one, if this one may go on from it
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
        if not line.strip() or len(line) > LONGEST:
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
            yield body, bool(before) and (_goes_on(before, body) or (in_list and indent > 0))
            before = body
        blank = False
        if body.endswith(":") and _ANNOUNCED.search(body[-200:]):
            pasted, before = True, ""


def _goes_on(before: str, line: str) -> bool:
    """Whether a line was wrapped after `before`: that one is long and open-ended, or ends with a comma."""
    if before.endswith(","):
        return True
    return (
        len(before) >= _LONG_LINE and before[-1] not in ".!?:;" and not line.lstrip("*_`\"'(")[:1].isupper()
    )
