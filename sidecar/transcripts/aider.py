"""aider: the project's `.aider.chat.history.md` holds all sessions, with local times to the second."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import partial
from pathlib import Path

from sidecar.learning.session_event import SessionEvent
from sidecar.text.lazy_patterns import lazy
from sidecar.transcripts.event import AgentHome, SessionTranscript
from sidecar.transcripts.lines import lines, millis
from sidecar.transcripts.user_text import typed_text

NAME = ".aider.chat.history.md"
_SESSION_START = b"# aider chat started at "
_CHAT_COMMAND = lazy(r"/(?:ask|code|architect|context)\s+")
_EDIT_LINE = lazy(r"> Applied edit to (\S.*?)\s*\Z")


def files(home: AgentHome) -> list[Path]:
    return [path for root in home.roots if (path := root / NAME).is_file()]


def sessions(path: Path, home: AgentHome) -> Iterator[SessionTranscript]:
    spans: dict[str, tuple[int, int]] = {}  # start and end of each session, by its time
    offset, last = 0, ""
    for line in lines(path):
        if line.startswith(_SESSION_START):
            last = line[len(_SESSION_START) :].decode("utf-8", "replace").strip()
            spans.setdefault(last, (offset, offset))
        offset += len(line)
        if last:
            spans[last] = (spans[last][0], offset)
    for started, (start, end) in spans.items():
        id, at, stamp = f"aider {started}", millis(started), str(end - start)
        yield SessionTranscript(id, at, str(path.parent), stamp, path, partial(_section_events, path, start, end))


def _section_events(path: Path, start: int, end: int) -> Iterator[SessionEvent]:
    def session_lines() -> Iterator[bytes]:
        offset = 0
        for line in lines(path):
            if offset >= end:
                return
            if offset >= start:
                yield line
            offset += len(line)

    return events(session_lines())


def events(lines_read: Iterable[bytes]) -> Iterator[SessionEvent]:
    at, prompt, answer = 0, list[str](), list[str]()
    for raw in lines_read:
        line = raw.decode("utf-8", "replace").rstrip()
        if raw.startswith(_SESSION_START):
            yield from _messages(at, prompt, answer)
            at = millis(raw[len(_SESSION_START) :].decode("utf-8", "replace").strip())
        elif line == "####" or line.startswith("#### "):
            if answer:
                yield from _messages(at, prompt, answer)
            prompt.append(line[5:])
        elif line.startswith(">"):
            edited = _EDIT_LINE.match(line)
            if edited or (prompt and not answer):
                yield from _messages(at, prompt, answer)
            if edited:
                yield SessionEvent("tool", at, tool="Edit", input={"file_path": edited[1]}, output="ok", status=0)
        elif line or answer:
            answer.append(line)
        elif prompt:
            yield from _messages(at, prompt, answer)
    yield from _messages(at, prompt, answer)


def _messages(at: int, prompt: list[str], answer: list[str]) -> Iterator[SessionEvent]:
    typed, text = "\n".join(prompt).strip(), "\n".join(answer).strip()
    prompt.clear()
    answer.clear()
    typed = typed[mention.end() :] if (mention := _CHAT_COMMAND.match(typed)) else typed
    if not typed.startswith(("/", "!")) and (typed := typed_text(typed)):
        yield SessionEvent("user", at, typed)
    if text:
        yield SessionEvent("agent", at, text)
