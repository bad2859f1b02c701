"""What one session did, written down between the processes that its hooks are.

One file a session, private, lines of JSON, appended in one write each, so that parallel hooks do not mix. A line is
redacted before it is written; outputs are kept of failures only. `learned` says up to which byte a process has stored
what the lines teach. What was learned from goes when the file is long, the file when the session ends.
"""

from __future__ import annotations

import contextlib
import logging
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

import msgspec
from msgspec.structs import replace

from sidecar.patterns import lazy
from sidecar.store.appended import append, held_within
from sidecar.store.appended import replace as replace_file
from sidecar.store.journal_lines import learned_upto, read_lines
from sidecar.text.redaction import redact

logger = logging.getLogger(__name__)

MOST_BYTES = 2_000_000
"""Of a longer journal what was learned from goes: counts of a session of thousands of commands are of no use."""

MOST_UNLEARNED = 8_000_000
"""Bytes of which nothing was learned yet; of more, the oldest lines go, and it is told."""

OUTPUT_CHARS = 12_000
_ODD = lazy(r"[^A-Za-z0-9._-]")


class Line(msgspec.Struct, frozen=True, omit_defaults=True):
    """One line: a use of a tool, something said, how far was learned, or the exit status of a call above.

    `call` of something said is the one that it came after. `open` marks a command whose exit status the agent tells
    later. Of what the agent was told (`told`), `text` is a digest.
    """

    kind: Literal["tool", "user", "assistant", "compaction", "learned", "status", "told"]
    tool: str = ""
    given: Any = None
    output: str | None = None
    exit: int | None = None
    refused: bool = False
    call: str | None = None
    text: str = ""
    upto: int = 0
    open: bool = False


_line = msgspec.json.Decoder(Line)


class Journal:
    """The journal of one session of one workspace."""

    def __init__(self, home: Path, folder: Path, session_id: str) -> None:
        from xxhash import xxh3_64_hexdigest

        self.place = home / "hooks" / xxh3_64_hexdigest(str(folder).encode())
        name = _ODD.sub("_", session_id)[:80]
        self.path = self.place / f"{name}-{xxh3_64_hexdigest(session_id.encode())[:8]}.jsonl"
        self.session_id = session_id

    def write(self, line: Line) -> int:
        """Append one line; where it begins, or a byte before that. Raises OSError."""
        data = msgspec.json.encode(line) + b"\n"
        if line.kind != "learned" and self._size() > MOST_BYTES:
            self._shorten()
        return append(self.path, data)

    def _size(self) -> int:
        try:
            return self.path.stat().st_size
        except FileNotFoundError:
            return 0

    def _shorten(self) -> None:
        """Drop what was learned from already, unless another process is just learning and counts the bytes."""
        with self.held(0.0) as mine, held_within(self.path, 0.0) as writing:
            if not mine or writing is None:
                return
            data = self.path.read_bytes()
            lines = read_lines(data, _line)
            upto = learned_upto(lines)
            kept = [raw for start, raw, line in lines if line.kind == "told" or _is_news(start, line, upto)]
            size, dropped = sum(map(len, kept)), 0
            while size > MOST_UNLEARNED:
                size -= len(kept[dropped])
                dropped += 1
            if dropped:
                logger.warning(
                    "%s is full: %d lines were dropped that nothing was learned from.", self.path, dropped
                )
            if size < len(data):
                replace_file(self.path, b"".join(kept[dropped:]))

    def read(self, before: int | None = None) -> tuple[list[Line], list[Line], int]:
        """Lines that were learned from, lines that were not, and where the file ends. Broken lines are left out.

        With `before`, only lines that begin before this byte, which counts as the end.
        """
        try:
            data = self.path.read_bytes()
        except FileNotFoundError:
            return [], [], 0
        decoded = read_lines(data, _line)
        upto = learned_upto(decoded)
        ended = {
            line.call: line.exit
            for _, _, line in decoded
            if line.kind == "status" and line.call is not None and line.exit is not None
        }
        lines = [
            (start, _ended(line, ended))
            for start, _, line in decoded
            if line.kind not in ("learned", "told", "status")
        ]
        end = len(data) if before is None else min(before, len(data))
        known = [line for start, line in lines if start < upto]
        return known, [line for start, line in lines if upto <= start < end], end

    def tell_once(self, what: str) -> bool:
        """Whether the agent was not told this yet in this session; it counts as told from now on. Raises OSError."""
        from xxhash import xxh3_64_hexdigest

        line = Line("told", text=xxh3_64_hexdigest(what.encode("utf-8", "surrogatepass")))
        try:
            told = msgspec.json.encode(line) in self.path.read_bytes().splitlines()
        except FileNotFoundError:
            told = False
        if not told:
            self.write(line)
        return not told

    @contextlib.contextmanager
    def held(self, seconds: float) -> Iterator[bool]:
        """One process at a time learns from a journal. False when another one does for that long."""
        with held_within(self.path.with_suffix(".lock"), seconds) as descriptor:
            yield descriptor is not None

    def remove(self, upto: int | None = None) -> None:
        """The session is over. With `upto`, the journal stays where a line was written from that byte on."""
        with held_within(self.path, 1.0):
            if upto is not None and any(
                _is_news(start, line, upto) and line.kind != "status" for start, _, line in self._lines()
            ):
                return
            for path in (self.path, self.path.with_suffix(".lock")):
                path.unlink(missing_ok=True)

    def _lines(self) -> list[tuple[int, bytes, Line]]:
        try:
            return read_lines(self.path.read_bytes(), _line)
        except FileNotFoundError:
            return []


def _is_news(start: int, line: Line, upto: int) -> bool:
    return start >= upto and line.kind not in ("learned", "told")


def _ended(line: Line, statuses: Mapping[str, int]) -> Line:
    if not line.open or line.call is None or line.call not in statuses:
        return line
    status = statuses[line.call]
    return replace(line, open=False, exit=status, output=line.output if status else None)


def tool_line(
    tool: str, given: object, output: object, call: str | None, *, failed: bool, tells_status: bool = True
) -> Line | None:
    """A use of a tool as a line, None where it teaches nothing.

    `tells_status` says that a command that has not `failed` has ended well; else nothing is known of it yet.
    """
    from sidecar.learning.tools import read_use

    use = read_use(tool, given)
    if use.kind == "shell" and use.command:
        text = _printed(output)
        unknown = not failed and not tells_status and call is not None
        kept = redact(text)[0] if failed or unknown else None
        status = (_status(text) or 1) if failed else None if unknown else 0
        if (
            not failed
            and isinstance(output, Mapping)
            and (output.get("interrupted") or _in_background(output))
        ):
            return None
        shown = {"command": redact(use.command)[0], **({"cwd": use.folder} if use.folder else {})}
        return Line("tool", tool=tool, given=shown, output=kept, exit=status, call=call, open=unknown)
    if use.kind in ("edit", "read") and use.paths:
        if use.kind == "read" and failed:
            return None
        given = {"paths": list(use.paths), **({"cwd": use.folder} if use.folder else {})}
        return Line(
            "tool", tool="Read" if use.kind == "read" else "Edit", given=given, call=call, refused=failed
        )
    return None


def said_line(kind: Literal["user", "assistant", "compaction"], text: str, after: str | None = None) -> Line:
    """Something that was said, as a line; `after` is the call above that it came right after, if that is known."""
    return Line(kind, text=redact(text)[0], call=after)


def in_order(lines: Sequence[Line]) -> list[Line]:
    """The lines as things happened: what an agent says in its turn is written down when the turn has ended."""
    used = {line.call for line in lines if line.kind == "tool" and line.call is not None}
    later: dict[str | None, list[Line]] = {}
    for line in lines:
        if line.kind == "assistant" and line.call in used:
            later.setdefault(line.call, []).append(line)
    ordered: list[Line] = []
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
    found = re.match(r"\s*(?:Error: )?(?:Exit|Command failed with exit) code:? (\d{1,3})\b", text)
    return int(found[1]) if found and int(found[1]) else None


def _in_background(output: Mapping[str, Any]) -> bool:
    return bool(output.get("backgroundTaskId"))
