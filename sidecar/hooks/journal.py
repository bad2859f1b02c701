"""What one session did, written down between the processes that its hooks are.

One file a session, private, lines of JSON, appended in one write each, so that parallel hooks do not mix. A line is
redacted before it is written; outputs are kept of failures only. `learned` says up to which byte a process has stored
what the lines teach. The file goes when the session ends.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import re
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Literal

import msgspec
from msgspec.structs import replace

from sidecar.learning.tools import read_use
from sidecar.store.location import PRIVATE_FILE, make_private
from sidecar.text.redaction import redact

MOST_BYTES = 2_000_000
"""A longer journal begins anew: the counts of a session of thousands of commands are of no use any more."""

OUTPUT_CHARS = 12_000
_ODD = re.compile(r"[^A-Za-z0-9._-]")


class Line(msgspec.Struct, frozen=True, omit_defaults=True):
    """One line: a use of a tool, something said, how far was learned, or the exit status of a call above.

    `open` marks a command whose exit status the agent tells later. Of what the agent was told (`told`), `text` is a
    digest.
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
        make_private(self.place)
        data = msgspec.json.encode(line) + b"\n"
        flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC
        descriptor = os.open(self.path, flags, PRIVATE_FILE)
        try:
            at = os.fstat(descriptor).st_size
            if at > MOST_BYTES:
                os.ftruncate(descriptor, at := 0)
            os.write(descriptor, data)
            return at
        finally:
            os.close(descriptor)

    def read(self, before: int | None = None) -> tuple[list[Line], list[Line], int]:
        """Lines that were learned from, lines that were not, and where the file ends. Broken lines are left out.

        With `before`, only lines that begin before this byte, which counts as the end.
        """
        try:
            data = self.path.read_bytes()
        except FileNotFoundError:
            return [], [], 0
        lines: list[tuple[int, Line]] = []
        ended: dict[str, int] = {}
        at = upto = 0
        for raw in data.splitlines(keepends=True):
            start, at = at, at + len(raw)
            try:
                line = msgspec.json.decode(raw, type=Line)
            except (msgspec.MsgspecError, UnicodeDecodeError):
                continue
            if line.kind == "learned":
                if line.upto <= start:  # else it is about the journal before it began anew
                    upto = max(upto, line.upto)
            elif line.kind == "told":
                continue
            elif line.kind == "status":
                if line.call is not None and line.exit is not None:
                    ended[line.call] = line.exit
            else:
                lines.append((start, line))
        lines = [(start, _ended(line, ended)) for start, line in lines]
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
        make_private(self.place)
        descriptor = os.open(
            self.path.with_suffix(".lock"), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, PRIVATE_FILE
        )
        try:
            yield _locked(descriptor, seconds)
        finally:
            os.close(descriptor)

    def remove(self) -> None:
        """The session is over."""
        for path in (self.path, self.path.with_suffix(".lock")):
            path.unlink(missing_ok=True)


def _locked(descriptor: int, seconds: float) -> bool:
    until = time.monotonic() + seconds
    while True:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if time.monotonic() >= until:
                return False
            time.sleep(0.01)
        else:
            return True


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


def said_line(kind: Literal["user", "assistant", "compaction"], text: str) -> Line:
    """Something that was said, as a line."""
    return Line(kind, text=redact(text)[0])


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
