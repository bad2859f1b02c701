"""The journal of one session, written by the processes of its hooks or by the server.

Each session has one private file of redacted JSON lines. Each line is appended in one write, so that parallel hooks do
not interleave; only outputs of failures are kept. A `learned` line gives the byte up to which a process has stored the
lessons. Learned lines are removed when the file grows long, and the file when all of an ended session is learned. The
first line names the session's process; a later line may correct it.
"""

from __future__ import annotations

import contextlib
import logging
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import msgspec
from msgspec.structs import replace
from xxhash import xxh3_64_hexdigest

from sidecar.engine.journal_line import JournalLine
from sidecar.runtime.process_names import ancestors
from sidecar.store.appended import append, open_locked
from sidecar.store.appended import replace as replace_file
from sidecar.store.journals import Owner, journal_folder, learned_upto, owner_of, read_lines
from sidecar.text.lazy_patterns import lazy

log = logging.getLogger(__name__)

MAX_JOURNAL_BYTES = 2_000_000
"""Size above which a journal drops lines that were learned from; rules do not look back that far."""

MAX_UNLEARNED_BYTES = 8_000_000
"""Maximum bytes of unlearned lines; beyond it the oldest are dropped with a warning."""

_UNSAFE_CHARS = lazy(r"[^A-Za-z0-9._-]")
_TEACHING = ("tool", "user", "assistant", "compaction")
_WHOSE = ("process", "ended")


_line = msgspec.json.Decoder(JournalLine)


class JournalContents(NamedTuple):
    """The lines of a journal, and its size in bytes."""

    learned: list[JournalLine]
    unlearned: list[JournalLine]
    size: int


class Journal:
    def __init__(self, path: Path, session_id: str, transcript: str | None = None, agent: str = "") -> None:
        self.path = path
        self.session_id = session_id
        self._transcript = transcript
        self._agent = agent

    @classmethod
    def of_file(cls, path: Path) -> Journal:
        return cls(path, _owner_of(path).text or path.stem.rpartition("-")[0])

    def write(self, line: JournalLine) -> None:
        """Append a line, preceded by one about the agent's process if the journal is empty. Raises OSError."""
        size = self.size()
        if not size and line.kind != "process":
            self.record_owner(ancestors())
        if line.kind != "learned" and size > MAX_JOURNAL_BYTES:
            self._shorten()
        append(self.path, msgspec.json.encode(line) + b"\n")

    def record_owner(self, processes: Sequence[str]) -> None:
        """Record that from now on the nearest of these processes owns the session."""
        owner = JournalLine("process", text=self.session_id, output=self._transcript, given=processes, tool=self._agent)
        self.write(owner)

    def confirm_process(self, processes: Sequence[str]) -> None:
        """Correct the recorded process if it is not an ancestor of this hook, as the agent is of every hook."""
        owner = self.owner()
        if owner.ended or not owner.given:
            self.record_owner(processes)
        elif owner.process not in processes:  # it was an intermediary: the agent is an ancestor of both hooks
            self.record_owner([process for process in owner.given if process in processes] or processes)

    def owner(self) -> Owner:
        return _owner_of(self.path)

    def size(self) -> int:
        """Return the size in bytes."""
        return _size_of(self.path)

    def _shorten(self) -> None:
        """Drop learned lines, unless another process is learning and relies on positions in the file."""
        with self.locked(0.0) as mine, open_locked(self.path, 0.0) as writing:
            if not mine or writing is None:
                return
            data = self.path.read_bytes()
            lines = read_lines(data, _line)
            upto = learned_upto(lines)
            owners = [raw for _, raw, line in lines if line.kind in _WHOSE]
            remaining = [raw for start, raw, line in lines if line.kind == "told" or _is_news(start, line, upto)]
            size, dropped = sum(map(len, (*owners, *remaining))), 0
            while size > MAX_UNLEARNED_BYTES:
                size -= len(remaining[dropped])
                dropped += 1
            if dropped:
                log.warning("%s is full: %d lines were dropped that nothing was learned from.", self.path, dropped)
            if size < len(data):
                replace_file(self.path, b"".join((*owners, *remaining[dropped:])))

    def read(self) -> JournalContents:
        """Return the lines, leaving out broken ones."""
        try:
            data = self.path.read_bytes()
        except FileNotFoundError:
            return JournalContents([], [], 0)
        decoded = read_lines(data, _line)
        upto = learned_upto(decoded)
        ended = {
            line.call: line.exit
            for _, _, line in decoded
            if line.kind == "status" and line.call is not None and line.exit is not None
        }
        lines = [(start, _ended(line, ended)) for start, _, line in decoded if line.kind in _TEACHING]
        learned = [line for start, line in lines if start < upto]
        return JournalContents(learned, [line for start, line in lines if upto <= start], len(data))

    def record_told(self, text: str) -> bool:
        """Record that the agent is told this text; return False if this session has had it already. Raises OSError."""
        before = self.was_told(text)
        if not before:
            self.write(_told_line(text))
        return not before

    def was_told(self, text: str) -> bool:
        try:
            return msgspec.json.encode(_told_line(text)) in self.path.read_bytes().splitlines()
        except FileNotFoundError:
            return False

    def mark_unseen(self) -> None:
        """Record that the last text for the agent did not reach it. Raises OSError."""
        self._unseen.touch(mode=0o600)

    def take_unseen(self) -> bool:
        """Return whether `mark_unseen` was called since the last `take_unseen`."""
        try:
            self._unseen.unlink()
        except OSError:
            return False
        return True

    @property
    def _unseen(self) -> Path:
        return self.path.with_suffix(".unseen")

    @contextlib.contextmanager
    def locked(self, seconds: float) -> Iterator[bool]:
        """Hold the journal's lock, which a process that learns needs; yield False if another holds it for `seconds`."""
        with open_locked(self.path.with_suffix(".lock"), seconds) as descriptor:
            yield descriptor is not None

    def remove(self, upto: int) -> None:
        """Remove the journal of an ended session, unless the session resumed or wrote anything after byte `upto`."""
        with open_locked(self.path, 1.0):
            if any(start >= upto and line.kind in (*_TEACHING, "process") for start, _, line in self._lines()):
                return
            for path in (self.path, self.path.with_suffix(".lock"), self._unseen):
                path.unlink(missing_ok=True)

    def _lines(self) -> list[tuple[int, bytes, JournalLine]]:
        try:
            return read_lines(self.path.read_bytes(), _line)
        except FileNotFoundError:
            return []


def journal_path(data_home: Path, folder: Path, name: str) -> Path:
    """Return the path of the journal with this name, of a session in a workspace."""
    readable = _UNSAFE_CHARS.sub("_", name)[:80]
    return journal_folder(data_home, folder) / f"{readable}-{xxh3_64_hexdigest(name.encode())[:8]}.jsonl"


def _owner_of(path: Path) -> Owner:
    return owner_of(path.read_bytes()) if _size_of(path) else Owner()


def _size_of(path: Path) -> int:
    try:
        return path.stat().st_size
    except FileNotFoundError:
        return 0


def _told_line(text: str) -> JournalLine:
    return JournalLine("told", text=xxh3_64_hexdigest(text.encode("utf-8", "surrogatepass")))


def _is_news(start: int, line: JournalLine, upto: int) -> bool:
    return start >= upto and line.kind not in ("learned", "told", *_WHOSE)


def _ended(line: JournalLine, statuses: Mapping[str, int]) -> JournalLine:
    if not line.open or line.call is None or line.call not in statuses:
        return line
    status = statuses[line.call]
    return replace(line, open=False, exit=status, output=line.output if status else None)
