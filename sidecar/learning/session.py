"""What one session has done so far, and the lessons in it. Its size is bounded whatever is sent."""

from __future__ import annotations

from collections import OrderedDict, deque
from dataclasses import dataclass

from sidecar.learning import candidates, config_file, edited_together, failure_fix, repeated_command
from sidecar.learning.echo import OWN_PROGRAMS, without_echo, without_marks
from sidecar.learning.edited_together import EditedFiles
from sidecar.learning.error_text import telling
from sidecar.learning.failure_fix import Failures, Fix
from sidecar.learning.lesson import Lesson, Said, bounded_name, digest
from sidecar.learning.messages import KINDS
from sidecar.learning.operations import Told
from sidecar.learning.outcome import read_outcome, read_text
from sidecar.learning.places import Places
from sidecar.learning.repeated_command import RepeatedCommands
from sidecar.learning.tools import ToolUse, read_use
from sidecar.text.shell import ShellLine, parse_line

READS_KEPT = 16
TOLD_KEPT = 80
FILES_KEPT = 32
_CALLS = 64
_SEEN = 512
_SUMMARY = 200_000
_MESSAGE = 100_000  # characters of a message that are read; a longer one is a paste
_BEFORE = 1_200  # characters of what the agent said last


@dataclass(slots=True)
class _Call:
    """A call whose result has not come yet."""

    tool: str
    use: ToolUse
    line: ShellLine | None
    edits: tuple[str, ...]


class Session:
    """Takes the events of one session in their order and answers each with what was learned.

    Not thread-safe; never raises for what an agent sends. `reads` are the relative paths of the last files read that
    nothing was thought about yet, `files` those of the last files read or edited, `heard` those read that nobody has
    asked for yet; oldest first. `told` is what the user said since the last compaction.
    """

    def __init__(self, id: str, places: Places) -> None:
        self.id = id
        self.reads: deque[str] = deque(maxlen=READS_KEPT)
        self.files: deque[str] = deque(maxlen=FILES_KEPT)
        self.heard: list[str] = []
        self._places = places
        self._commands = RepeatedCommands()
        self._failures = Failures()
        self._edited = EditedFiles()
        self._calls: OrderedDict[str, _Call] = OrderedDict()
        self._unnamed: deque[_Call] = deque(maxlen=_CALLS)  # calls without an id
        self._answered: OrderedDict[str, None] = OrderedDict()
        self._seen: OrderedDict[tuple[str, str], None] = OrderedDict()
        self.replaying = False  # another process has learned from what comes
        self.told: deque[Told] = deque(maxlen=TOLD_KEPT)
        self.finished: list[Told] = []  # what a model may be asked about now
        self._before = ""  # the end of what the agent said last
        self._opening = ""  # digest of the first message

    def tool_call(self, tool: str, given: object, call_id: str | None, now: int) -> list[Lesson]:
        """A tool is about to be used."""
        if call_id is not None and (call_id in self._calls or call_id in self._answered):
            return []
        call, lessons = self._began(tool, given, now)
        if call_id is None:
            self._unnamed.append(call)
        else:
            self._calls[call_id] = call
            if len(self._calls) > _CALLS:
                self._calls.popitem(last=False)
        return lessons

    def tool_result(
        self,
        tool: str,
        given: object,
        output: object,
        exit_code: object,
        metadata: object,
        call_id: str | None,
        now: int,
    ) -> list[Lesson]:
        """A tool was used; `given` is its input where no call came before."""
        if call_id is not None:
            if call_id in self._answered:
                return []
            self._answered[call_id] = None
            if len(self._answered) > _CALLS:
                self._answered.popitem(last=False)
        call = self._called(tool, given, call_id)
        lessons: list[Lesson] = []
        if call is None:
            call, lessons = self._began(tool, given, now)
        if call.use.kind == "edit":
            outcome = read_outcome(output, exit_code, metadata)
            if outcome.refused:
                for path in call.edits:
                    self._edited.not_edited(path)
                    self._failures.not_edited(path)
        if call.line is not None and not _own(call.line):
            lessons += self._ended(call.line, output, exit_code, metadata, now)
        return lessons

    def user_message(self, text: str, now: int) -> list[Lesson]:
        """The user said something: what was edited before belongs to the request before."""
        return [*self._edited_together(now), *self._stated(text, now)]

    def reasoning(self, text: str, now: int) -> list[Lesson]:
        """The agent thought or said something: what the user says next may answer it. Nothing is learned from it."""
        self._before = without_echo(text)[-_BEFORE:]
        return []

    def compaction(self, summary: str, now: int) -> list[Lesson]:
        """The agent summed up what it has done."""
        self._finish()
        lessons = []
        for found in candidates.candidates(without_marks(summary[:_SUMMARY])):
            lesson = Lesson(
                rule=candidates.RULE,
                content=self._places.local(found.text),
                name=None if found.name is None else self._places.local(found.name),
                type=found.type,
                scope=found.scope,
                category=found.category,
                session_id=self.id,
                at=now,
                said=Said(found.text, "agent"),
            )
            lessons += self._first(lesson)
        return lessons

    def read(self, path: str) -> None:
        """A file was read, by its relative path."""
        _latest(self.reads, path)
        _latest(self.files, path)
        self.heard.append(path)

    def end(self, now: int) -> list[Lesson]:
        """The session is over or put away: what was still open is settled."""
        self._finish()
        return [*self._fixes(self._failures.settle(), now), *self._edited_together(now)]

    def _finish(self) -> None:
        if not self.replaying:
            self.finished += self.told
        self.told.clear()

    # -- tools -----------------------------------------------------------------------------------------------

    def _called(self, tool: str, given: object, call_id: str | None) -> _Call | None:
        """The call that a result belongs to."""
        if call_id is not None:
            return self._calls.pop(call_id, None)
        for call in self._unnamed:
            if call.tool == tool and (given is None or read_use(tool, given) == call.use):
                self._unnamed.remove(call)
                return call
        return None

    def _began(self, tool: str, given: object, now: int) -> tuple[_Call, list[Lesson]]:
        use = read_use(tool, given)
        line: ShellLine | None = None
        edits: tuple[str, ...] = ()
        lessons: list[Lesson] = []
        if use.kind == "shell" and use.command is not None:
            line = parse_line(use.command)
            if line is not None and not _own(line):
                lessons = self._ran(line, use, now)
        elif use.kind == "edit":
            found = (self._places.edited(path, use.folder) for path in use.paths)
            edits = tuple(dict.fromkeys(path for path in found if path is not None))
            lessons = self._edits(edits, now)
        elif use.kind == "read":
            for path in (self._places.relative(each, use.folder) for each in use.paths):
                if path is not None and path != ".":
                    self.read(path)
        return _Call(tool, use, line, edits), lessons

    def _ran(self, line: ShellLine, use: ToolUse, now: int) -> list[Lesson]:
        if not self._commands.ran(line):
            return []
        folder = self._places.relative(line.folder or ".", use.folder)
        lesson = Lesson(
            rule=repeated_command.RULE,
            content=repeated_command.content(self._places.local(line.shown), folder),
            name=bounded_name(f"Frequent command: {self._places.local(line.key)}"),
            category="procedure",
            session_id=self.id,
            at=now,
        )
        return self._first(lesson)

    def _edits(self, paths: tuple[str, ...], now: int) -> list[Lesson]:
        lessons: list[Lesson] = []
        for path in paths:
            _latest(self.files, path)
            self._edited.edited(path)
            self._failures.edited(path)
            what = config_file.what_it_configures(path)
            if what is not None:
                lesson = Lesson(
                    rule=config_file.RULE,
                    content=config_file.content(path, what),
                    name=bounded_name(f"Configuration file {path}"),
                    category="fact",
                    files=(path,),
                    session_id=self.id,
                    at=now,
                )
                lessons += self._first(lesson)
        return lessons

    def _ended(
        self, line: ShellLine, output: object, exit_code: object, metadata: object, now: int
    ) -> list[Lesson]:
        outcome = read_outcome(output, exit_code, metadata)
        self._commands.ended(line, outcome.status)
        if outcome.failed and line.other_is_failure:
            error = self._places.local(telling(read_text(output)))
            return self._fixes(self._failures.failed(line, error), now)
        if outcome.status == 0 and line.zero_is_success:
            return self._fixes(self._failures.succeeded(line), now)
        return []

    # -- lessons ---------------------------------------------------------------------------------------------

    def _fixes(self, fixes: list[Fix], now: int) -> list[Lesson]:
        lessons: list[Lesson] = []
        for fix in fixes:
            lesson = Lesson(
                rule=failure_fix.RULE,
                content=self._places.local(fix.content),
                name=bounded_name(self._places.local(fix.name)),
                type="feedback",
                files=fix.files,
                session_id=self.id,
                at=now,
            )
            lessons += self._first(lesson)
        return lessons

    def _edited_together(self, now: int) -> list[Lesson]:
        paths = self._edited.take()
        if not paths:
            return []
        lesson = Lesson(
            rule=edited_together.RULE,
            content=edited_together.content(paths),
            name=edited_together.name(paths),
            category="decision",
            files=paths[: edited_together.FILES_KEPT],
            session_id=self.id,
            at=now,
        )
        return self._first(lesson)

    def _stated(self, text: str, now: int) -> list[Lesson]:
        from sidecar.learning.statements import statements  # its expressions cost a fifth of a start

        whole = digest(text)
        self._opening = self._opening or whole
        own = without_echo(text[:_MESSAGE])
        before, self._before = self._before, ""
        if own.strip():
            self.told.append(Told(before, own))
        if self.replaying:
            return []
        lessons: list[Lesson] = []
        for found in statements(own, before):
            becomes = KINDS[found.kind]
            lesson = Lesson(
                rule=found.kind,
                content=self._places.local(found.text),
                type=becomes.type,
                scope=becomes.scope,
                category=becomes.category,
                session_id=self.id,
                at=now,
                said=Said(found.text, "user", before, whole, self._opening, len(own)),
                at_once=found.standing,
            )
            lessons += self._first(lesson)
        return lessons

    def _first(self, lesson: Lesson) -> list[Lesson]:
        """The lesson, unless this session gave it before."""
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


def _own(line: ShellLine) -> bool:
    return not OWN_PROGRAMS.isdisjoint(line.programs)
