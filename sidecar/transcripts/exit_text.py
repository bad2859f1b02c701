"""The exit status of a command where an agent tells it only inside of the printed text."""

from __future__ import annotations

import re

from sidecar.text.lazy_patterns import lazy

_TAIL = 400
_AT_END = lazy(r"\nExit Code: (\d{1,3})\b|<[^<>\n]*completed with exit code (\d{1,3})>\s*\Z")
_AT_START = lazy(r"^(?:Process exited with code|Exit code:) (\d{1,3})$", re.MULTILINE)
_HEAD = lazy(r"\A(?:<untrusted_context>\n)?(?:Command: [^\n]*\n)?(?:Directory: [^\n]*\n)?(?:Output: )?")
_CODEX_HEAD = lazy(
    r"\A(?:(?:Chunk ID|Wall time|Exit code|Process|Original token|Total output)[^\n]*\n)+Output:\n"
)


def status_at_end(text: str) -> int | None:
    """The status that Gemini CLI, Qwen Code and Copilot CLI write after the output of a command that failed."""
    found = _AT_END.search(text[-_TAIL:])
    return int(found[1] or found[2]) if found else None


def status_at_start(text: str) -> int | None:
    """The status that Codex writes before the output."""
    found = _AT_START.search(text[:_TAIL])
    return int(found[1]) if found else None


def without_head(text: str) -> str:
    """An output without what an agent says before it."""
    return _CODEX_HEAD.sub("", _HEAD.sub("", text, count=1), count=1)
