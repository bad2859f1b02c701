"""The telling part of what a failed command printed, in words that are the same the next time.

Tools put a banner before their error and a summary after it; what an agent needs is the line that says what is
wrong. Each line gets a score by the forms that compilers, interpreters, test runners and package managers use; the
best one is taken, with the lines that belong to it.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final

from sidecar.text.lazy_patterns import lazy

KEPT: Final = 500
SHOWN: Final = 200

_LINES: Final = 300
_LINE: Final = 400
_ANSI: Final = lazy(r"\x1b\[[0-?]*[ -/]*[@-~]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)|\x1b[@-_]")
_LEAD: Final = lazy(
    r"^(?:\[?\d{4}-\d\d-\d\d[T ][\d:.,]+Z?\]?|\[?\d\d:\d\d:\d\d(?:[.,]\d+)?\]?|\[(?:ERROR|error|ERR!?)\]"
    r"|npm (?:ERR!|error)"
    r"|E {2,}|#\d+ [\d.]+|[|│║])\s*"
)

# (score, pattern): what a line must look like. The higher score wins; among equals the first, save for Python's
# tracebacks, whose cause stands last.
_FORMS: Final = tuple(
    (score, re.compile(pattern))
    for score, pattern in (
        (
            90,
            r"^(?:E\s+)?(?:[a-zA-Z_][\w.]*\.)?[A-Z]\w*(?:Error|Exception|Warning|Exit|Interrupt|NotFound)\b(?::|$| \()",
        ),
        (90, r"\b(?:error|fatal error)(?:\[[A-Z]+\d+\])?\s?(?:[A-Z]+\d+)?: \S"),
        (87, r"^(?:\S+:\d+:\d+:? )?[A-Z]{1,4}\d{3,4}\b (?:\[\*\] )?[A-Z`]\S"),
        (88, r"^\s*\d+:\d+\s+error\s+\S"),
        (88, r"^(?:E\s+)?(?:assert |AssertionError)"),
        (86, r"^\S+\.\w+:\d+(?::\d+)?:? (?!.*\bwarning\b)\S+ \S"),
        (
            86,
            r"(?i)\b(?:cannot find|could not find|can't find|no such file|not found|no module named|undefined:|is not"
            r" defined|unresolved|cannot resolve|unknown (?:option|command|flag|argument|target))",
        ),
        (
            84,
            r"(?i)\b(?:permission denied|access denied|connection refused|address already in use|eaddrinuse|enoent"
            r"|eacces|econnrefused|out of memory|no space left|timed? ?out|segmentation fault|panicked at|panic:)",
        ),
        (83, r"(?i)^(?:fatal|error|err!|failure|panic|abort(?:ed)?|unhandled|uncaught|caused by)\b.*\S"),
        (
            82,
            r"(?i)\b(?:syntax error|unexpected token|type error|mismatched types|duplicate|invalid|unsupported|missing"
            r"|incompatible|conflict|rejected|no matching|no rule to make|must be|expected)\b",
        ),
        (78, r"^\s*(?:●|✕|✗|×|✘|FAIL:?|--- FAIL:?|not ok|FAILED)\s+\S"),
        (60, r"(?i)\b(?:error|exception|failed|failure|fatal|cannot|could not|unable|denied|refused)\b"),
    )
)
# Each form needs one of these: most lines of a log hold none and are passed over at once.
_MARKS: Final = tuple(
    "error exception warning exit interrupt notfound assert cannot find can't could file found module undefined"
    " defined resolve unknown denied refused use eaddr enoent eacces econn memory space time segm panic fatal err!"
    " fail abort unhandled uncaught caused syntax unexpected mismatch duplicate invalid unsupported missing"
    " incompatible conflict reject match rule must expect unable not".split()
    + [f":{digit}" for digit in range(10)]
    + [f"{digit} " for digit in range(10)]  # E501 Line too long
    + list("●✕✗×✘")
)
_BANNER: Final = lazy(
    r"(?i)^(?:npm (?:err!|error) (?:code|errno|path|command|a complete log|syscall|lifecycle)"
    r"|.*\b(?:a complete log of this run|for more information|run with|rerun|re-run"
    r"|see the (?:full|log)|--stacktrace|try:)"
    r"|\[?(?:info|warn(?:ing)?|debug|notice)\b"
    r"|traceback \(most recent call last\)|.*\bshort test summary|=+|-+|_+|\*+$"
    r"|make(?:\[\d+\])?: \*\*\* \[|ninja: build stopped|build (?:failed|failure)"
    r"|compilation (?:terminated|error|failed)"
    r"|(?:error|fatal)?:? ?(?:could not compile|aborting due to|script .* exited|command failed"
    r"|process (?:completed|exited)"
    r"|recipe .* failed|the command .*returned a non-zero code)"
    r"|found \d+ (?:errors?|problems?|issues?|warnings?)\b|all checks\b"
    r"|exit (?:code|status)|\d+ examples?,|tests?:? +\d+ failed|test suites:|\d+ (?:failed|errors?|problems?)\b"
    r"|✖ \d+ problem"
    r"|error: command .* exited|elifecycle|.*elifecycle|error command failed with exit code|during handling of"
    r"|the above exception)"
)
_TRACEBACK: Final = lazy(r"^(?:E\s+)?(?:[a-zA-Z_][\w.]*\.)?[A-Z]\w*(?:Error|Exception|Exit|Warning)\b")
_DETAIL: Final = lazy(
    r"(?i)^\s*(?:(?:expected|received|actual|got|found|note|help|hint|caused by|want)\b|-->|\+ |\d+ \|).*\S"
)
# What differs from run to run, and what takes its place.
_UNSTABLE: Final[tuple[tuple[re.Pattern[str], str | Callable[[re.Match[str]], str]], ...]] = (
    (re.compile(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:[.,]\d+)?)?(?:Z|[+-]\d\d:?\d\d)?"), "<time>"),
    (re.compile(r"\b0x[0-9a-fA-F]{4,}\b"), "<address>"),
    (re.compile(r"\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b"), "<id>"),
    (  # a line and column behind a file's name, not a port behind a host's
        re.compile(
            r"(\.(?!(?:com|org|net|io|local|dev|internal|test)\b)[A-Za-z]\w{0,5}|\b[MD]\w+file|[)\]])"
            r":\d+(?::\d+)?(?=:|\s|$|\))"
        ),
        r"\1",
    ),
    (re.compile(r"\((\d+),(\d+)\)(?=:)"), ""),
    (re.compile(r":?\[\d+,\d+\]"), ""),
    (re.compile(r"(?i)\s*\(?\bin \d+(?:\.\d+)? ?(?:ms|s|sec|seconds|minutes|m)\b\)?"), ""),
    (
        re.compile(r"(?i)\b(?:pid|process|thread|port)[ =:]+\d{3,}\b"),
        lambda found: (
            re.sub(r"\d+", "<n>", found[0]) if not found[0].lower().startswith("port") else found[0]
        ),
    ),
    (re.compile(r"(?<![\w.-])/(?:private/)?(?:tmp|var/folders)/[^\s:'\",)]+"), "<temporary file>"),
)


def telling(output: str) -> str:
    """What is wrong, in at most `KEPT` characters; empty when the output does not say."""
    lines = _lines(output)
    best, score = -1, 0
    scores: dict[str, int] = {}  # a log repeats itself
    for at, line in enumerate(lines):
        found = scores.get(line)
        if found is None:
            found = scores[line] = _score(line)
        if found > score or (found == score and found == 90 and _TRACEBACK.match(line) and at > best >= 0):
            best, score = at, found
    if best < 0:
        return _last(lines)
    kept = [lines[best]]
    if kept[0].endswith(":"):  # what is wrong stands below
        kept += [line.strip() for line in lines[best + 1 : best + 3]]
    for line in lines[best + 1 : best + 4]:
        if not _DETAIL.match(line) or _BANNER.match(line):
            break
        kept.append(line.strip())
    if score == 78:  # a failed test's name: what was expected stands a little below
        kept += [line for line in lines[best + 1 : best + 12] if _score(line) >= 82 or _DETAIL.match(line)][
            :2
        ]
    return " ".join(" / ".join(dict.fromkeys(kept)).split())[:KEPT]


def errors(output: str) -> str:
    """The lines of an output that look like errors."""
    return "\n".join(line for line in _lines(output) if _score(line))


def stable(text: str) -> str:
    """The text without what differs from run to run: times, line numbers, addresses, temporary files."""
    for pattern, instead in _UNSTABLE:
        text = pattern.sub(instead, text)
    return " ".join(text.split())


def shorten(text: str, most: int) -> str:
    """The text cut at a word, with an ellipsis, to at most `most` characters."""
    if len(text) <= most:
        return text
    cut = text[: most - 1]
    space = cut.rfind(" ")
    return (cut[:space] if space > most // 2 else cut).rstrip() + "…"


def _lines(output: str) -> list[str]:
    plain = _ANSI.sub("", output).replace("\r\n", "\n")
    lines = [line.rsplit("\r", 1)[-1][:_LINE].rstrip() for line in plain.split("\n")]
    lines = [line for line in lines if line.strip()]
    if len(lines) > _LINES:
        lines = lines[: _LINES // 3] + lines[-2 * _LINES // 3 :]
    bare = []
    for line in lines:
        while (short := _LEAD.sub("", line)) != line and short.strip() and not _BANNER.match(line):
            line = short
        bare.append(line)
    return bare


def _score(line: str) -> int:
    text = line.strip()
    lower = text.lower()
    if len(text) < 5 or not any(mark in lower for mark in _MARKS):
        return 0
    score = next((score for score, form in _FORMS if form.search(text)), 0)
    return 0 if score and _BANNER.match(text) else score


def _last(lines: list[str]) -> str:
    """Short outputs say what is wrong in their last line; long ones without any error say nothing."""
    said = [line for line in lines if not _BANNER.match(line.strip()) and re.search(r"[^\W\d_]{3}", line)]
    return " ".join(said[-1].split())[:KEPT] if said and len(lines) <= 12 else ""
