"""What one session has done so far and the lessons in it, bounded in size whatever is sent."""

from __future__ import annotations

from collections import OrderedDict, deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from sidecar.learning import compaction, failure_fix, repeated_command
from sidecar.learning.error_text import main_error
from sidecar.learning.failure_fix import Failures, Fix
from sidecar.learning.lesson import (
    CONTRAST,
    NEVER,
    OFTEN_ASKED,
    REVISION,
    Lesson,
    Quotation,
    Revision,
    bounded_name,
    digest,
)
from sidecar.learning.operations import UserTurn
from sidecar.learning.outcome import read_outcome, read_text, said_to_pass
from sidecar.learning.own_output import OWN_PROGRAMS, without_echo, without_marks
from sidecar.learning.repeated_command import RepeatedCommands
from sidecar.learning.session_event import SessionEvent
from sidecar.learning.tools import ToolUse, read_use
from sidecar.learning.workspace_paths import WorkspacePaths
from sidecar.text.off_record import is_off_record
from sidecar.text.shell import ShellLine, parse_line
from sidecar.text.shell_kinds import DESTROYS, is_preparation

if TYPE_CHECKING:
    from sidecar.learning.message_changes import MessageChanges
    from sidecar.learning.statements import UserStatement

MAX_READS = 16
MAX_TURNS = 80  # messages
MAX_FILES = 32
_CALLS = 64  # that await their results, or whose results came
_SEEN = 512  # lessons of one session
_SUMMARY = 200_000  # characters read
_MESSAGE = 100_000  # characters read of a message; a longer one is a paste
_TAKEN_BACK = 2  # statements that "scratch that" may mean
_QUOTED = 200  # characters of a message that takes something back
_BEFORE = 1_200  # characters kept of what the agent said last
_TYPES = {"preference": "user", "decision": "project", "fact": "project"}  # by kind of statement; else feedback


@dataclass(slots=True)
class _OpenCall:
    """A call that awaits its result."""

    tool: str
    use: ToolUse
    line: ShellLine | None
    edits: tuple[str, ...]


class LearningSession:
    """Processes one session's events in order and returns the lessons of each.

    Not thread-safe; never raises for bad input.
    """

    def __init__(self, id: str, places: WorkspacePaths) -> None:
        self.id = id
        self.reads: deque[str] = deque(maxlen=MAX_READS)  # files read since the last thought, oldest first
        self.files: deque[str] = deque(maxlen=MAX_FILES)  # files read or edited, oldest first
        self.unreported_reads: list[str] = []
        self._places = places
        self._commands = RepeatedCommands()
        self._failures = Failures()
        self._calls: OrderedDict[str, _OpenCall] = OrderedDict()
        self._unnamed: deque[_OpenCall] = deque(maxlen=_CALLS)  # calls without an id
        self._answered: OrderedDict[str, None] = OrderedDict()
        self._seen: OrderedDict[tuple[str, str], None] = OrderedDict()
        self.replaying = False  # another process has learned from these events
        self.turns: deque[UserTurn] = deque(maxlen=MAX_TURNS)  # the user's messages since the last compaction
        self.finished: list[UserTurn] = []  # what a model may be asked about now
        self._before = ""  # the end of what the agent said last
        self._opening = ""  # digest of the first message
        self._off_record = False  # the user asked to keep nothing of the last message, nor of what answers it
        self._said_last: list[str] = []  # what the user's last message stated

    def take(self, event: SessionEvent, now: int) -> list[Lesson]:
        """Process one event of the session, at `now`."""
        if event.kind == "user":
            return self.user_message(event.text, now)
        if event.kind == "agent":
            return self.reasoning(event.text, now)
        if event.kind == "compaction":
            return self.compaction(event.text, now)
        if event.kind == "read":
            self.read(event.text)
            return []
        if event.kind == "call":
            return self.tool_call(event.tool, event.input, event.id or None, now)
        metadata = {"isError": True} if event.refused else event.metadata
        return self.tool_result(event.tool, event.input, event.output, event.status, metadata, event.id or None, now)

    def tool_call(self, tool: str, input: object, call_id: str | None, now: int) -> list[Lesson]:
        if call_id is not None and (call_id in self._calls or call_id in self._answered):
            return []
        call = self._open_call(tool, input)
        if call_id is None:
            self._unnamed.append(call)
        else:
            self._calls[call_id] = call
            if len(self._calls) > _CALLS:
                self._calls.popitem(last=False)
        return []

    def tool_result(
        self,
        tool: str,
        input: object,
        output: object,
        exit_code: object,
        metadata: object,
        call_id: str | None,
        now: int,
    ) -> list[Lesson]:
        """Record a used tool; `input` is what it was called with if no call came before."""
        if call_id is not None:
            if call_id in self._answered:
                return []
            self._answered[call_id] = None
            if len(self._answered) > _CALLS:
                self._answered.popitem(last=False)
        call = self._pop_open_call(tool, input, call_id) or self._open_call(tool, input)
        if call.use.kind == "edit" and read_outcome(output, exit_code, metadata).refused:
            for path in call.edits:
                self._failures.not_edited(path)
        if call.line is not None and OWN_PROGRAMS.isdisjoint(call.line.programs):
            return self._lessons_of_result(call.line, call.use.folder, output, exit_code, metadata, now)
        return []

    def reasoning(self, text: str, now: int) -> list[Lesson]:
        """Keep what the agent thought or said, which the user's next words may answer; it teaches nothing by itself."""
        self._before = "" if self._off_record else without_echo(text)[-_BEFORE:]
        return []

    def compaction(self, summary: str, now: int) -> list[Lesson]:
        self._finish()
        lessons = []
        for proposal in compaction.proposals(without_marks(summary[:_SUMMARY])):
            lesson = Lesson(
                rule=compaction.RULE,
                content=self._places.local(proposal.text),
                name=None if proposal.name is None else self._places.local(proposal.name),
                type=proposal.type,
                scope=proposal.scope,
                category=proposal.category,
                session_id=self.id,
                at=now,
                quotation=Quotation(proposal.text, "agent"),
            )
            lessons += self._unless_yielded_before(lesson)
        return lessons

    def read(self, path: str) -> None:
        _latest(self.reads, path)
        _latest(self.files, path)
        self.unreported_reads.append(path)

    def end(self) -> None:
        """Close the session, whether ended or suspended; what is still open teaches nothing."""
        self._finish()

    def _finish(self) -> None:
        if not self.replaying:
            self.finished += self.turns
        self.turns.clear()

    # -- tools -----------------------------------------------------------------------------------------------

    def _pop_open_call(self, tool: str, input: object, call_id: str | None) -> _OpenCall | None:
        if call_id is not None:
            return self._calls.pop(call_id, None)
        for call in self._unnamed:
            if call.tool == tool and (input is None or read_use(tool, input) == call.use):
                self._unnamed.remove(call)
                return call
        return None

    def _open_call(self, tool: str, input: object) -> _OpenCall:
        use = read_use(tool, input)
        line: ShellLine | None = None
        edits: tuple[str, ...] = ()
        if use.kind == "shell" and use.command is not None:
            line = parse_line(use.command)
        elif use.kind == "edit":
            edited_paths = (self._places.edited(path, use.folder) for path in use.paths)
            edits = tuple(dict.fromkeys(path for path in edited_paths if path is not None))
            for path in edits:
                _latest(self.files, path)
                self._failures.edited(path)
        elif use.kind == "read":
            for read in (self._places.relative(used_path, use.folder) for used_path in use.paths):
                if read is not None and read != ".":
                    self.read(read)
        return _OpenCall(tool, use, line, edits)

    def _lessons_of_result(
        self, line: ShellLine, folder: str | None, output: object, exit_code: object, metadata: object, now: int
    ) -> list[Lesson]:
        outcome = read_outcome(output, exit_code, metadata)
        if outcome.interrupted:
            return []
        known = line.zero_is_success if outcome.status == 0 else line.other_is_failure and outcome.status is not None
        passed = outcome.status == 0 if known else None
        text = "" if passed else read_text(output)
        if not known and all(
            map(is_preparation, line.before)
        ):  # after other work on the line, a summary proves nothing
            passed = said_to_pass(text)
        folder = self._places.relative(line.folder or ".", folder)
        if passed is False:
            self._failures.failed(line, folder, self._places.local(main_error(text)), text)
            return []
        fixes = self._failures.ran(line, folder, passed)
        lessons = [lesson for fix in fixes for lesson in self._fixed(fix, now)]
        return lessons + self._repeated(line, folder, now) if passed else lessons

    # -- lessons ---------------------------------------------------------------------------------------------

    def _fixed(self, fix: Fix, now: int) -> list[Lesson]:
        lesson = Lesson(
            rule=failure_fix.RULE,
            content=self._places.local(fix.content),
            name=bounded_name(self._places.local(fix.name)),
            type="feedback",
            files=fix.files,
            at_once=not fix.files and not fix.unsure,
            sessions=NEVER if fix.destroys else 2,
            session_id=self.id,
            at=now,
        )
        return self._unless_yielded_before(lesson)

    def _repeated(self, line: ShellLine, folder: str | None, now: int) -> list[Lesson]:
        if folder is None or not (form := self._commands.passed(line)):
            return []
        if repeated_command.is_in_manifests(line, self._places.manifests(folder)):
            return []
        lesson = Lesson(
            rule=repeated_command.RULE,
            content=repeated_command.content(self._places.local(form), folder),
            name=bounded_name(f"Frequent command: {self._places.local(line.key)}"),
            category="procedure",
            session_id=self.id,
            at=now,
            sessions=NEVER if DESTROYS.search(form) else repeated_command.SESSIONS,
        )
        return self._unless_yielded_before(lesson)

    def _revisions(
        self,
        own: str,
        changes: MessageChanges,
        stated: Sequence[UserStatement],
        quoted: Callable[[str], Quotation],
        now: int,
    ) -> list[Lesson]:
        """Return the lessons of sentences that only say that an earlier statement no longer holds, or may not."""
        from sidecar.learning.retraction import overlap, remark

        revised = changes.revised
        said: list[tuple[str, tuple[Revision, ...]]] = []
        if any(revision.kind == "last" for found in revised.values() for revision in found):
            last = self._said_last if len(self._said_last) <= _TAKEN_BACK else ()
            said += ((content, (Revision("rule", content, content),)) for content in last)
        for sentence, found in revised.items():
            if not any(overlap(statement.text, sentence) for statement in stated):
                said.append((self._places.local(sentence), found))
        standing = () if revised else [statement.text for statement in stated if statement.standing]
        later = remark(own, standing, revised, changes.possible)
        if later is not None and not revised:
            said.append((later, (Revision("remark", later, " ".join(changes.possible) or later, later),)))
        quotation = quoted(later or own.strip()[:_QUOTED])
        lessons = (
            Lesson(
                REVISION,
                content,
                self.id,
                now,
                quotation=quotation,
                revisions=found,
                surely_changes=any(overlap(clause, content) for clause in changes.sure),
            )
            for content, found in said
        )
        return [new for lesson in lessons for new in self._unless_yielded_before(lesson)]

    def user_message(self, text: str, now: int) -> list[Lesson]:
        from sidecar.learning.contrast import contrast_of
        from sidecar.learning.message_changes import message_changes
        from sidecar.learning.retraction import overlap
        from sidecar.learning.statements import statements  # compiling its expressions takes time

        whole = digest(text)
        self._opening = self._opening or whole
        own = without_echo(text[:_MESSAGE])
        before, self._before = self._before, ""
        self._off_record = is_off_record(own)
        if self._off_record:
            return []
        if own.strip():
            self.turns.append(UserTurn(before, own))
        if self.replaying:
            return []
        quoted = partial(Quotation, speaker="user", before=before, message=whole, opening=self._opening, size=len(own))
        stated = statements(own, before)
        changes = message_changes(own, before, stated)
        lessons = self._revisions(own, changes, stated, quoted, now)
        if contrast_of(own.strip()) and not any(contrast_of(statement.text) for statement in stated):
            text = self._places.local(" ".join(own.split()))
            lesson = Lesson(CONTRAST, f"{OFTEN_ASKED}“{text}”", self.id, now, type="feedback", quotation=quoted(text))
            lessons += self._unless_yielded_before(lesson)
        self._said_last = []
        for statement in stated:
            local = self._places.local(statement.text)
            lesson = Lesson(
                rule=statement.kind,
                content=f"{statement.practice[0].upper()}{statement.practice[1:]}: “{local}”"
                if statement.practice
                else local,
                name=OFTEN_ASKED + statement.practice if statement.practice else None,
                type=_TYPES.get(statement.kind, "feedback"),
                scope="personal" if statement.kind == "preference" else None,
                category=statement.kind if statement.kind in ("decision", "fact") else None,
                session_id=self.id,
                at=now,
                quotation=quoted(statement.text),
                standing=statement.standing,
                at_once=statement.standing and statement.alone,
                surely_changes=any(overlap(clause, statement.text) for clause in changes.sure),
                revisions=next(
                    (found for sentence, found in changes.revised.items() if overlap(statement.text, sentence)), ()
                ),
            )
            lessons += self._unless_yielded_before(lesson)
            self._said_last.append(local)
        return lessons

    def _unless_yielded_before(self, lesson: Lesson) -> list[Lesson]:
        """Return the lesson unless this session yielded it before."""
        key = (lesson.rule, lesson.content)
        if key in self._seen:
            return []
        self._seen[key] = None
        if len(self._seen) > _SEEN:
            self._seen.popitem(last=False)
        return [lesson]


def _latest(paths: deque[str], path: str) -> None:
    if path in paths:
        paths.remove(path)
    paths.append(path)
