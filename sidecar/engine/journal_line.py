"""The lines of a session's journal: made from what an agent does and says, without secrets, and put in order."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, Literal

import msgspec

from sidecar.text.secrets import redact

OUTPUT_CHARS = 12_000


class JournalLine(msgspec.Struct, frozen=True, omit_defaults=True):
    """A line: a use of a tool, something said, how much was learned, or the exit status of an earlier call.

    For something said, `call` is the call before it. `open` marks a command whose exit status the agent reports later.
    In a `told` line, `text` is a digest of what the agent was told. `Owner` explains the fields of a `process` line.
    """

    kind: Literal["tool", "user", "assistant", "compaction", "learned", "status", "told", "process", "ended"]
    tool: str = ""
    given: Any = None
    output: str | None = None
    exit: int | None = None
    refused: bool = False
    call: str | None = None
    text: str = ""
    upto: int = 0
    open: bool = False


def tool_line(
    tool: str, tool_input: object, output: object, call: str | None, *, failed: bool, tells_status: bool
) -> JournalLine | None:
    """Describe a use of a tool as a line; None if it teaches nothing.

    With `tells_status`, a command that has not `failed` ended well, unless its `output` carries another exit status;
    otherwise its status is still unknown.
    """
    from sidecar.learning.outcome import ToolOutcome, read_outcome
    from sidecar.learning.tools import read_use

    use = read_use(tool, tool_input)
    outcome = read_outcome(output, None, None) if isinstance(output, Mapping) else ToolOutcome(None, False)
    failed = failed or outcome.refused
    if use.kind == "shell" and use.command:
        text = _printed(output)
        unknown = not failed and not tells_status and outcome.status is None and call is not None
        quoted = redact(text)[0] if failed or unknown else None
        status = (outcome.status or _status(text) or 1) if failed else None if unknown else 0
        if not failed and isinstance(output, Mapping) and (output.get("interrupted") or output.get("backgroundTaskId")):
            return None
        tool_input = {"command": redact(use.command)[0], **({"cwd": use.folder} if use.folder else {})}
        return JournalLine("tool", tool=tool, given=tool_input, output=quoted, exit=status, call=call, open=unknown)
    if use.kind in ("edit", "read") and use.paths:
        if use.kind == "read" and failed:
            return None
        tool_input = {"paths": list(use.paths), **({"cwd": use.folder} if use.folder else {})}
        return JournalLine(
            "tool", tool="Read" if use.kind == "read" else "Edit", given=tool_input, call=call, refused=failed
        )
    return None


def said_line(kind: Literal["user", "assistant", "compaction"], text: str, after: str | None = None) -> JournalLine:
    """Return a line for something said; `after` is the tool call before it, if known."""
    return JournalLine(kind, text=redact(text)[0], call=after)


def in_order(lines: Sequence[JournalLine]) -> list[JournalLine]:
    """Return the lines in the order of events: what an agent says during its turn is written after the turn."""
    used = {line.call for line in lines if line.kind == "tool" and line.call is not None}
    later: dict[str | None, list[JournalLine]] = {}
    for line in lines:
        if line.kind == "assistant" and line.call in used:
            later.setdefault(line.call, []).append(line)
    ordered: list[JournalLine] = []
    for line in lines:
        if line.kind != "assistant" or line.call not in used:
            ordered.append(line)
        if line.kind == "tool":
            ordered += later.pop(line.call, [])
    return ordered


def _printed(output: object) -> str:
    if isinstance(output, Mapping):
        parts = [str(output[key]) for key in ("stdout", "stderr", "error") if output.get(key)]
        output = "\n".join(parts)
    text = output if isinstance(output, str) else ""
    half = OUTPUT_CHARS // 2
    return text if len(text) <= OUTPUT_CHARS else f"{text[:half]}\n{text[-half:]}"


def _status(text: str) -> int | None:
    match = re.match(r"\s*(?:Error: )?(?:Exit|Command failed with exit) code:? (\d{1,3})\b", text)
    return int(match[1]) if match and int(match[1]) else None
