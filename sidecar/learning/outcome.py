"""How a tool use ended: its exit status and its output, read from the many forms that agents send."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from sidecar.learning.output_patterns import FAILED, PASSED
from sidecar.learning.own_output import without_echo
from sidecar.text.lazy_patterns import lazy
from sidecar.text.own_blocks import TAG

MAX_START_CHARS: Final = 8_000
MAX_END_CHARS: Final = 16_000  # characters read at each end of an output; errors are at one of them
_STATUS_KEYS: Final = ("exit", "exitCode", "exit_code", "exitStatus", "exit_status", "returncode", "code")
_TEXT_KEYS: Final = ("stdout", "stderr", "output", "content", "text", "error", "message", "result")
_STATUS_LINE: Final = lazy(
    r"\A\s*(?:Error: )?(?:(?:Command|Process) (?:failed|exited|finished) with )?(?:exit )?code:? (\d{1,3})\b",
    re.IGNORECASE,
)
_MAX_DEPTH: Final = 3  # levels to which an output's parts may be nested
_INTERRUPTED_STATUSES: Final = frozenset({124, 129, 130, 137, 143})
"""128 + SIGHUP, SIGINT, SIGKILL and SIGTERM (POSIX shells), and 124 of `timeout`: ended from outside."""


@dataclass(frozen=True, slots=True)
class ToolOutcome:
    """How a tool use ended."""

    status: int | None  # exit status; None if unknown
    refused: bool  # the tool itself did not do it

    @property
    def interrupted(self) -> bool:
        return self.status in _INTERRUPTED_STATUSES


def said_to_pass(text: str) -> bool | None:
    """Return whether a tool's own summary says that it passed (True) or failed (False); None if it says neither."""
    if FAILED.search(text):
        return False
    return True if PASSED.search(text) else None


def read_outcome(output: object, exit_code: object, metadata: object) -> ToolOutcome:
    """Return the outcome of a tool use. A missing, null or fractional status means unknown, never zero."""
    status = _status(exit_code)
    if status is None and isinstance(metadata, Mapping):
        status = _first(metadata)
    if status is None and isinstance(output, Mapping):
        status = _first(output)
        inner = output.get("metadata")
        if status is None and isinstance(inner, Mapping):
            status = _first(inner)
    if status is None and isinstance(output, str) and (status_line := _STATUS_LINE.match(output[:200])):
        status = int(status_line[1])
    refused = any(
        isinstance(fields, Mapping) and (fields.get("isError") is True or fields.get("is_error") is True)
        for fields in (metadata, output)
    )
    return ToolOutcome(status, refused or (status is not None and status != 0))


def read_text(output: object) -> str:
    """Return the printed text, without what this program rendered, cut to its two ends."""
    return _output_text(output, 0)


def _first(fields: Mapping[object, object]) -> int | None:
    return next((status for key in _STATUS_KEYS if (status := _status(fields.get(key))) is not None), None)


def _status(value: object) -> int | None:
    if isinstance(value, bool):
        return None
    if isinstance(value, int):
        return value
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, str) and re.fullmatch(r"-?\d{1,5}", value.strip()):
        return int(value)
    return None


def _output_text(output: object, depth: int) -> str:
    if isinstance(output, str):
        return _ends(without_echo(output) if TAG in output else output)
    if depth >= _MAX_DEPTH:
        return ""
    if isinstance(output, Mapping):
        parts = [_output_text(output[key], depth + 1) for key in _TEXT_KEYS if output.get(key)]
        return _ends("\n".join(part for part in parts if part))
    if isinstance(output, Sequence) and not isinstance(output, (str, bytes)):
        return _ends("\n".join(_output_text(item, depth + 1) for item in output[:20]))
    return ""


def _ends(text: str) -> str:
    if len(text) <= MAX_START_CHARS + MAX_END_CHARS:
        return text
    return f"{text[:MAX_START_CHARS]}\n{text[-MAX_END_CHARS:]}"
