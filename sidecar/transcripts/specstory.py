"""SpecStory: the project's `.specstory/history/*.md` are records of other agents' sessions, with their ids."""

from __future__ import annotations

import html
import re
from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path

from sidecar.learning.session_event import SessionEvent
from sidecar.text.lazy_patterns import lazy
from sidecar.transcripts.event import AgentHome, SessionTranscript, transcript_of_lines
from sidecar.transcripts.lines import both_ends, lines, millis, status_at_end, without_head
from sidecar.transcripts.user_text import CONTINUED, typed_text

_ID = lazy(r"<!-- [\w ]*?Session ([\w-]{8,}) ")
_HEAD = lazy(r"_\*\*(User|Assistant|Agent)\b([^\n]*?)\*\*_\s*\Z")
_TIME = lazy(r"(20\d\d-\d\d-\d\d)[ _T](\d\d)[:-](\d\d)(?:[:-](\d\d))?(Z?)")
_TOOL = lazy(r'<tool-use\b[^>]*data-tool-type="(\w+)" data-tool-name="([^"]+)"')
_COMMAND = lazy(r"^(?:- command: )?`([^\n]+)`\s*$", re.MULTILINE)
_FENCED = lazy(r"^(`{3,})(\w*)\n(.*?)^\1\s*$", re.MULTILINE | re.DOTALL)
_STATUS = lazy(r"\s*(?:Error:? )?(?:Exit code|Process exited with code):? (\d{1,3})\b")
_PATH = lazy(
    r"\b(?:Edit|Read|Write) file: ([^<\n]+)|^(?:- \w*(?:[pP]ath|file): |(?:Edit|Read|Path|File)[ \w]*: | )?`([^`\n]+)`",
    re.MULTILINE,
)
_WRITTEN = lazy(r"The file (\S.*?) has been (?:updated|created)|File created successfully at: (\S+)")
_REFUSED = lazy(r"has not been read yet|String to replace not found|was not found")
_COMMAND_TAG = "<command-name>"
_TYPES = {"shell": "Bash", "bash": "Bash", "read": "Read", "write": "Edit"}
_SHELLS = ("bash", "sh", "shell", "zsh", "powershell")


def files(home: AgentHome) -> list[Path]:
    return [path for root in home.roots for path in sorted((root / ".specstory" / "history").glob("*.md"))]


def sessions(path: Path, home: AgentHome) -> Iterator[SessionTranscript]:
    head = "".join(line.decode("utf-8", "replace") for line in islice(lines(path), 12))
    match = _ID.search(head)
    at = _millis(head) or _millis(path.name)
    yield transcript_of_lines(path, match[1] if match else path.stem, at, str(path.parents[2]), events)


def events(lines_read: Iterable[bytes]) -> Iterator[SessionEvent]:
    speaker, at, spoken, tool = "", 0, list[str](), list[str]()
    expanded = False  # whether the message is the template of the command before it
    for raw in lines_read:
        line = raw.decode("utf-8", "replace").rstrip("\r\n")
        head = _HEAD.match(line) if line.startswith("_**") and not tool else None
        if tool or "<tool-use" in line:
            if not tool:
                yield from _messages(speaker, at, spoken)
            tool.append(line)
            if "</tool-use>" in line:
                yield from _tool_use("\n".join(tool), at)
                tool = []
        elif head:
            commanded = speaker == "User" and any(_COMMAND_TAG in spoken_line for spoken_line in spoken)
            if not expanded or speaker != "User":
                yield from _messages(speaker, at, spoken)
            spoken.clear()
            expanded = commanded and head[1] == "User"
            speaker, at = head[1], _millis(head[2]) or at
        elif line == "---":
            if speaker != "User":
                yield from _messages(speaker, at, spoken)
        elif speaker:
            spoken.append(line)
    if not expanded:
        yield from _messages(speaker, at, spoken)


def _messages(speaker: str, at: int, spoken: list[str]) -> Iterator[SessionEvent]:
    text = "\n".join(spoken).strip()
    spoken.clear()
    if speaker == "User" and text.startswith(CONTINUED):
        yield SessionEvent("compaction", at, text)
    elif speaker == "User":
        if text := typed_text(text):
            yield SessionEvent("user", at, text)
    elif speaker and text and not text.startswith(("<think", "Tool use: **")):
        yield SessionEvent("agent", at, html.unescape(text))


def _tool_use(body: str, at: int) -> Iterator[SessionEvent]:
    named = _TOOL.search(body)
    tool = _TYPES.get(named[1]) if named else None
    if tool is None:
        return
    body = body.replace("</details></tool-use>", "")
    fences = [(fence[2], fence[3]) for fence in _FENCED.finditer(body)]
    bare = _FENCED.sub("", body)
    if tool != "Bash":
        if path := _PATH.search(bare) or _WRITTEN.search(body):
            name = next(filter(None, path.groups())).strip()
            refused = _REFUSED.search(body[:400]) is not None
            yield SessionEvent("tool", at, tool=tool, input={"file_path": html.unescape(name)}, refused=refused)
        return
    command = _COMMAND.search(bare)
    if command is None and (not fences or fences[0][0] not in _SHELLS):
        return
    shell_command, rest = (command[1], fences) if command else (fences[0][1], fences[1:])
    output = html.unescape("\n".join(text for _, text in rest))
    status_line = _STATUS.match(output)
    yield SessionEvent(
        "tool",
        at,
        tool=tool,
        input={"command": html.unescape(shell_command).strip()},
        output=both_ends(without_head(output)),
        status=int(status_line[1]) if status_line else status_at_end(output),
    )


def _millis(text: str) -> int:
    match = _TIME.search(text)
    if match is None:
        return 0
    zone = "+00:00" if match[5] else ""
    return millis(f"{match[1]}T{match[2]}:{match[3]}:{match[4] or '00'}{zone}")
