"""Extract the line of a failed command's output that says what went wrong, worded the same on every run.

Each line gets a score by the forms that compilers, interpreters, test runners and package managers use.
"""

from __future__ import annotations

import re
from typing import Final

from sidecar.learning.output_patterns import BANNER, DETAIL, FORMS, MARKS, UNSTABLE
from sidecar.text.lazy_patterns import lazy

MAX_ERROR_CHARS: Final = 500
MAX_SHOWN_CHARS: Final = 200

_MAX_LINES: Final = 300  # lines that are scored, two thirds of them at the end
_MAX_LINE_CHARS: Final = 400
_ANSI: Final = lazy(r"\x1b\[[0-?]*[ -/]*[@-~]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)|\x1b[@-_]")
_LINE_LEAD: Final = lazy(
    r"^(?:\[?\d{4}-\d\d-\d\d[T ][\d:.,]+Z?\]?|\[?\d\d:\d\d:\d\d(?:[.,]\d+)?\]?|\[(?:ERROR|error|ERR!?)\]"
    r"|npm (?:ERR!|error)"
    r"|E {2,}|#\d+ [\d.]+|[|│║])\s*"
)

_TRACEBACK: Final = lazy(r"^(?:E\s+)?(?:[a-zA-Z_][\w.]*\.)?[A-Z]\w*(?:Error|Exception|Exit|Warning)\b")


def main_error(output: str) -> str:
    """Return what went wrong, in at most `MAX_ERROR_CHARS` characters; "" if the output does not say."""
    lines = _lines(output)
    best, score = -1, 0
    scores: dict[str, int] = {}  # each distinct line once, since logs repeat themselves
    for index, line in enumerate(lines):
        line_score = scores.get(line)
        if line_score is None:
            line_score = scores[line] = _score(line)
        if line_score > score or (
            line_score == score and line_score == 90 and _TRACEBACK.match(line) and index > best >= 0
        ):
            best, score = index, line_score
    if best < 0:
        return _last(lines)
    parts = [lines[best]]
    if parts[0].endswith(":"):  # the cause is on a line below
        parts += [line.strip() for line in lines[best + 1 : best + 3]]
    for line in lines[best + 1 : best + 4]:
        if not DETAIL.match(line) or BANNER.match(line):
            break
        parts.append(line.strip())
    if score == 78:  # the name of a failed test; what it expected is a little below
        parts += [line for line in lines[best + 1 : best + 12] if _score(line) >= 82 or DETAIL.match(line)][:2]
    return " ".join(" / ".join(dict.fromkeys(parts)).split())[:MAX_ERROR_CHARS]


def error_lines(output: str) -> str:
    return "\n".join(line for line in _lines(output) if _score(line))


def stable(text: str) -> str:
    """Replace what differs from run to run: times, line numbers, addresses, temporary files."""
    for pattern, instead in UNSTABLE:
        text = pattern.sub(instead, text)
    return " ".join(text.split())


def _lines(output: str) -> list[str]:
    plain = _ANSI.sub("", output).replace("\r\n", "\n")
    lines = [line.rsplit("\r", 1)[-1][:_MAX_LINE_CHARS].rstrip() for line in plain.split("\n")]
    lines = [line for line in lines if line.strip()]
    if len(lines) > _MAX_LINES:
        lines = lines[: _MAX_LINES // 3] + lines[-2 * _MAX_LINES // 3 :]
    bare = []
    for line in lines:
        while (short := _LINE_LEAD.sub("", line)) != line and short.strip() and not BANNER.match(line):
            line = short
        bare.append(line)
    return bare


def _score(line: str) -> int:
    text = line.strip()
    lower = text.lower()
    if len(text) < 5 or not any(mark in lower for mark in MARKS):
        return 0
    score = next((score for score, form in FORMS if form.search(text)), 0)
    return 0 if score and BANNER.match(text) else score


def _last(lines: list[str]) -> str:
    """Return the last line if the output is short, since it states the error; "" for a long output without errors."""
    meaningful = [line for line in lines if not BANNER.match(line.strip()) and re.search(r"[^\W\d_]{3}", line)]
    return " ".join(meaningful[-1].split())[:MAX_ERROR_CHARS] if meaningful and len(lines) <= 12 else ""
