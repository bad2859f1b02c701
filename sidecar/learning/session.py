"""What one session has done so far and the lessons in it, bounded in size whatever is sent.

`AgentSessions` (`engine`) keeps a `LearningSession` for each session, and calls `learn_from` for each event.
"""

from __future__ import annotations

from collections import OrderedDict, deque
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from sidecar.learning import compaction, failure_fix, repeated_command
from sidecar.learning.error_text import main_error
from sidecar.learning.failure_fix import Failures, Fix
from sidecar.learning.lesson import UNREACHABLE_SESSIONS, Lesson, Quotation, bounded_name, digest
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
    from sidecar.learning.user_lessons import UserLessons

MAX_SESSION_READS = 16
MAX_SESSION_TURNS = 80  # messages
MAX_SESSION_FILES = 32
_MAX_CALLS = 64  # calls that await their results, and likewise ids whose results came
_MAX_LESSONS_REMEMBERED = 512  # lessons remembered as taught by one session
_MAX_SUMMARY_CHARS = 200_000  # characters read
_MAX_MESSAGE_CHARS = 100_000  # characters read of a message; a longer message is a paste
_MAX_AGENT_CHARS = 1_200  # characters kept of what the agent said last


@dataclass(slots=True)
class _OpenCall:
    """A call whose result has not come yet."""

    tool: str
    use: ToolUse
    line: ShellLine | None
    edits: tuple[str, ...]


class LearningSession:
    """Takes one session's events in order, and returns the lessons of each.

    Not thread-safe; never raises for bad input.
    """

    def __init__(self, id: str, paths: WorkspacePaths) -> None:
        self.id = id
        self.reads: deque[str] = deque(maxlen=MAX_SESSION_READS)  # files read since the last thought, oldest first
        self.files: deque[str] = deque(maxlen=MAX_SESSION_FILES)  # files read or edited, oldest first
        self.unreported_reads: list[str] = []
        self._paths = paths
        self._commands = RepeatedCommands()
        self._failures = Failures()
        self._calls: OrderedDict[str, _OpenCall] = OrderedDict()
        self._unnamed: deque[_OpenCall] = deque(maxlen=_MAX_CALLS)  # calls without an id
        self._answered: OrderedDict[str, None] = OrderedDict()
        self._yielded: OrderedDict[tuple[str, str], None] = OrderedDict()
        self.turns: deque[UserTurn] = deque(maxlen=MAX_SESSION_TURNS)  # the user's messages since the last compaction
        self.finished: list[UserTurn] = []  # turns about which a model may be asked now
        self._before = ""  # the end of what the agent said last
        self._opening = ""  # digest of the first message
        self._off_record = False  # ignore the user's last message and the agent's reply to it
        self._user_lessons: UserLessons | None = None

    def learn_from(self, event: SessionEvent, now: int, *, replaying: bool = False) -> list[Lesson]:
        """Take one event at `now`; return what it teaches. Only three kinds of events teach anything.

        `replaying`: another process has learned from the event already, so that it only restores the session's state.
        """
        if event.kind == "user":
            return self.user_message(event.text, now, replaying=replaying)
        if event.kind == "compaction":
            return self.compaction(event.text, now, replaying=replaying)
        if event.kind == "tool":
            metadata = {"isError": True} if event.refused else event.metadata
            id = event.id or None
            return self.tool_result(event.tool, event.input, event.output, event.status, metadata, id, now)
        if event.kind == "agent":
            self.reasoning(event.text)
        elif event.kind == "read":
            self.read(event.text)
        else:
            self.tool_call(event.tool, event.input, event.id or None)
        return []

    def tool_call(self, tool: str, input: object, call_id: str | None) -> None:
        if call_id is not None and (call_id in self._calls or call_id in self._answered):
            return
        call = self._open_call(tool, input)
        if call_id is None:
            self._unnamed.append(call)
        else:
            self._calls[call_id] = call
            if len(self._calls) > _MAX_CALLS:
                self._calls.popitem(last=False)

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
        """Record a used tool. `input` is its input if no call event came before the result."""
        if call_id is not None:
            if call_id in self._answered:
                return []
            self._answered[call_id] = None
            if len(self._answered) > _MAX_CALLS:
                self._answered.popitem(last=False)
        call = self._pop_open_call(tool, input, call_id) or self._open_call(tool, input)
        if call.use.kind == "edit" and read_outcome(output, exit_code, metadata).refused:
            for path in call.edits:
                self._failures.not_edited(path)
        if call.line is not None and OWN_PROGRAMS.isdisjoint(call.line.programs):
            return self._lessons_of_result(call.line, call.use.folder, output, exit_code, metadata, now)
        return []

    def reasoning(self, text: str) -> None:
        """Keep what the agent thought or said: the user's next words may answer it. It teaches nothing itself."""
        self._before = "" if self._off_record else without_echo(text)[-_MAX_AGENT_CHARS:]

    def compaction(self, summary: str, now: int, *, replaying: bool = False) -> list[Lesson]:
        if replaying:
            self.turns.clear()
        else:
            self.end()
        return self._not_yielded(
            Lesson(
                rule=compaction.RULE,
                content=self._paths.local(proposal.text),
                name=None if proposal.name is None else self._paths.local(proposal.name),
                type=proposal.type,
                scope=proposal.scope,
                category=proposal.category,
                session_id=self.id,
                at=now,
                quotation=Quotation(proposal.text, "agent"),
            )
            for proposal in compaction.proposals(without_marks(summary[:_MAX_SUMMARY_CHARS]))
        )

    def read(self, path: str) -> None:
        _latest(self.reads, path)
        _latest(self.files, path)
        self.unreported_reads.append(path)

    def end(self) -> None:
        """Finish the turns so far, because the session or its context ends."""
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
            edited_paths = (self._paths.edited(path, use.folder) for path in use.paths)
            edits = tuple(dict.fromkeys(path for path in edited_paths if path is not None))
            for path in edits:
                _latest(self.files, path)
                self._failures.edited(path)
        elif use.kind == "read":
            for path_read in (self._paths.relative(used_path, use.folder) for used_path in use.paths):
                if path_read is not None and path_read != ".":
                    self.read(path_read)
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
        # A summary proves nothing if the line did other work before.
        if not known and all(map(is_preparation, line.before)):
            passed = said_to_pass(text)
        folder = self._paths.relative(line.folder or ".", folder)
        if passed is False:
            self._failures.failed(line, folder, self._paths.local(main_error(text)), text)
            return []
        fixes = self._failures.ran(line, folder, passed)
        lessons = [self._lesson_of_fix(fix, now) for fix in fixes]
        if passed and (repeated := self._lesson_of_repetition(line, folder, now)) is not None:
            lessons.append(repeated)
        return self._not_yielded(lessons)

    # -- lessons ---------------------------------------------------------------------------------------------

    def _lesson_of_fix(self, fix: Fix, now: int) -> Lesson:
        return Lesson(
            rule=failure_fix.RULE,
            content=self._paths.local(fix.content),
            name=bounded_name(self._paths.local(fix.name)),
            type="feedback",
            files=fix.files,
            at_once=not fix.files and not fix.unsure,
            sessions=UNREACHABLE_SESSIONS if fix.destroys else 2,
            session_id=self.id,
            at=now,
        )

    def _lesson_of_repetition(self, line: ShellLine, folder: str | None, now: int) -> Lesson | None:
        if folder is None or not (form := self._commands.passed(line)):
            return None
        if repeated_command.is_in_manifests(line, self._paths.manifests(folder)):
            return None
        return Lesson(
            rule=repeated_command.RULE,
            content=repeated_command.content(self._paths.local(form), folder),
            name=bounded_name(f"Frequent command: {self._paths.local(line.key)}"),
            category="procedure",
            session_id=self.id,
            at=now,
            sessions=UNREACHABLE_SESSIONS if DESTROYS.search(form) else repeated_command.MIN_SESSIONS,
        )

    def user_message(self, text: str, now: int, *, replaying: bool = False) -> list[Lesson]:
        whole = digest(text)
        self._opening = self._opening or whole
        own_words = without_echo(text[:_MAX_MESSAGE_CHARS])
        before, self._before = self._before, ""
        self._off_record = is_off_record(own_words)
        if self._off_record:
            return []
        if own_words.strip():
            self.turns.append(UserTurn(before, own_words))
        if replaying:
            return []
        if self._user_lessons is None:
            # Imported here, since compiling its expressions takes time.
            from sidecar.learning.user_lessons import UserLessons

            self._user_lessons = UserLessons(self.id, self._paths)
        return self._not_yielded(self._user_lessons.lessons_of(own_words, before, whole, self._opening, now))

    def _not_yielded(self, lessons: Iterable[Lesson]) -> list[Lesson]:
        """Return the lessons that this session has not yielded before."""
        new = []
        for lesson in lessons:
            key = (lesson.rule, lesson.content)
            if key not in self._yielded:
                self._yielded[key] = None
                new.append(lesson)
                if len(self._yielded) > _MAX_LESSONS_REMEMBERED:
                    self._yielded.popitem(last=False)
        return new


def _latest(paths: deque[str], path: str) -> None:
    if path in paths:
        paths.remove(path)
    paths.append(path)
