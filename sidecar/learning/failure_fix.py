"""Learn what made a failed command pass; `session.py` reports each command.

A lesson is sure if the command or its environment was changed, or something was installed, activated or started, unless
part of the line is destructive. After any other step it is unsure. An edited file counts only if it is a configuration
file that the error names. If the command passes unchanged, nothing is learned.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from difflib import SequenceMatcher
from typing import Final

from sidecar.learning.error_text import MAX_SHOWN_CHARS, error_lines, main_error, stable
from sidecar.learning.output_patterns import ABSENT, ASSERTS, REMEDIES, USAGE
from sidecar.learning.tools import WORDS
from sidecar.text.cutting import cut_at_word
from sidecar.text.lazy_patterns import lazy
from sidecar.text.shell import ShellLine, parse_line
from sidecar.text.shell_kinds import DESTROYS, EVADES, IN_TEMPORARY_FOLDER, deciding_words, kind_of, surroundings

RULE: Final = "error-fix"
MAX_OPEN_FAILURES: Final = 16
_MAX_REMEMBERED_COMMANDS: Final = 12  # commands remembered since the failure
_MAX_COMMANDS_SINCE: Final = 12  # after more commands, a pass is not due to what was run
_MAX_COMMANDS_NEAR: Final = 6  # after more commands, another name is not a correction
_MIN_SIMILARITY: Final = 0.6  # difflib's ratio for a close match
_MAX_OUTPUT_CHARS: Final = 4_000  # characters kept of an output's end
_OUTPUT_END_CHARS: Final = 800  # characters at the end of an output, where the error is
_MAX_NAMED_ERROR_CHARS: Final = 100  # characters of the error in the lesson's name
_MAX_COMMAND_CHARS: Final = 200  # characters

_SETTINGS_FILE: Final = lazy(
    r"(?i)(?:.*/)?(?:[\w.-]+\.(?:toml|ya?ml|json[c5]?|ini|cfg|conf|properties|env|xml|gradle(?:\.kts)?|mod|lock"
    r"|tf|csproj|sln)|[\w.-]+\.config\.[cm]?[jt]s|\.[\w.-]+rc|\.env[\w.-]*|requirements[\w.-]*\.txt"
    r"|[\w.-]*(?:Make|Docker|Proc|Gem|Rake|Jenkins|Brew|Just)file[\w.-]*)"
)
_PORT_OR_URL: Final = lazy(r"(?i)(?:-+|\w*_)?port(?:=\S*)?|-p|\d{2,5}|\S*https?://\S+")
# Programs that start the product that is being worked on rather than a dependency.
_STARTED_PROGRAMS: Final = frozenset(WORDS["started"].split())
_HARMLESS_KINDS: Final = frozenset({"state", "install", "service"})  # kinds of commands that may be run without asking
_WORD: Final = lazy(r"[A-Za-z_][\w.-]{3,}")
_LOCALE_VARIABLE: Final = lazy(r"(?:TZ|LC_\w+|LANG\w*)=\S*")  # results of tests depend on these variables
_CHANGE_OF_FOLDER: Final = lazy(r"\bcd \S+")
_SAYS_LITTLE: Final = frozenset(WORDS["says_little"].split())
_NAME_OR_PATH: Final = lazy(r"[\w:./-]+[\w/]")
_ECHOED_COMMAND: Final = lazy(r"(?m)^(?:[>$+] |Run with ).*$")


@dataclass(frozen=True, slots=True)
class Fix:
    """A failure and what fixed it."""

    name: str  # the same for the same error of the same command
    content: str
    files: tuple[str, ...] = ()  # all files edited between failure and pass
    unsure: bool = False  # what was done may be unrelated, or should not be repeated unasked
    destroys: bool = False  # only a person makes it a memory


@dataclass(slots=True)
class Failure:
    """A failure that no later run has fixed yet."""

    line: ShellLine
    folder: str | None
    error: str
    output: str
    done: dict[str, tuple[str, str]] = field(default_factory=dict)  # commands that succeeded since: (kind, words)
    edits: dict[str, None] = field(default_factory=dict)  # files written since
    tried: set[str] = field(default_factory=set)  # forms of the command that failed in the same way
    age: int = 0  # commands since


class Failures:
    """The open failures of one session, oldest first, at most `MAX_OPEN_FAILURES`."""

    def __init__(self) -> None:
        self._open: list[Failure] = []

    def failed(self, line: ShellLine, folder: str | None, error: str, output: str) -> None:
        """Record a command that failed in `folder`; `error` is a part of `output`."""
        if line.inline or line.weight < 1.5 or not (error and folder and line.whole):
            return
        words, form = deciding_words(line), _run_key(line, folder)
        for failure in self._open:
            if deciding_words(failure.line) == words and stable(failure.error) == stable(error):
                failure.done.clear()
                failure.edits.clear()
                failure.tried.add(form)
                failure.output = output[-_MAX_OUTPUT_CHARS:]
                return
        if len(self._open) >= MAX_OPEN_FAILURES:
            self._open.pop(0)
        self._open.append(Failure(line, folder, error, output[-_MAX_OUTPUT_CHARS:], tried={form}))

    def edited(self, path: str) -> None:
        for failure in self._open:
            failure.edits[path] = None

    def not_edited(self, path: str) -> None:
        for failure in self._open:
            failure.edits.pop(path, None)

    def ran(self, line: ShellLine, folder: str | None, passed: bool | None) -> list[Fix]:
        """Record a command that did not fail; if it `passed`, return the fixes that this proves."""
        fixes: list[Fix] = []
        kind = kind_of(line)
        for failure in list(self._open):
            failure.age += 1
            change = _difference(failure, line, folder) if passed and folder and not line.inline else None
            if change is not None:
                self._open.remove(failure)
                fixes += _fixes_proved(failure, change, line, folder)
            elif kind == "edit":
                failure.edits[""] = None
            elif kind != "none" and not _is_ephemeral(line) and len(failure.done) < _MAX_REMEMBERED_COMMANDS:
                failure.done[cut_at_word(line.command, _MAX_COMMAND_CHARS)] = kind, " ".join(line.words)
        return fixes


def _difference(failure: Failure, line: ShellLine, folder: str | None) -> str | None:
    """Return how the passing command differs from the failed one ("" if not at all); None if it is another command."""
    before, after = deciding_words(failure.line), deciding_words(line)
    if before[:1] != after[:1]:
        return None
    usage = failure.age <= _MAX_COMMANDS_NEAR and not failure.edits and USAGE.search(failure.error) is not None
    added = list((Counter(after) - Counter(before)).elements())
    removed = list((Counter(before) - Counter(after)).elements())
    if added or removed:
        if any(EVADES.fullmatch(word) for word in added):
            return None
        plain = [word for index, word in enumerate(added) if not _is_flag(added, index)]
        if (plain or removed) and not (usage and added and _corrects(failure, before, after, removed)):
            return None
    if _run_key(line, folder) in failure.tried:
        return ""
    settings = [setting for setting in surroundings(line) if setting not in surroundings(failure.line)]
    if line.words[0] != failure.line.words[0] or (
        line.environment == failure.line.environment and _started(line) != _started(failure.line)
    ):
        settings.append(_started(line))
    if folder != failure.folder and folder and failure.folder in (None, "."):
        settings.append(f"cd {folder}")
    words = " ".join((*settings, *added)).split()
    return None if words and all(map(_PORT_OR_URL.fullmatch, words)) else " ".join(words)


def _corrects(failure: Failure, before: list[str], after: list[str], removed: list[str]) -> bool:
    """Return whether the failed command had a wrong name, or lacked an argument, that the passing one has."""
    if not removed or len(before) != len(after):
        return not removed
    pairs = [(old, new) for old, new in zip(before, after, strict=True) if old != new]
    if all(old in new for old, new in pairs):
        return True
    (old, new), *more = pairs
    alike = SequenceMatcher(None, old, new).ratio() >= _MIN_SIMILARITY
    return not more and (alike or {old, new} <= set(_NAME_OR_PATH.findall(failure.output)))


def _fixes_proved(failure: Failure, change: str, line: ShellLine, folder: str | None) -> list[Fix]:
    form = cut_at_word(line.command, _MAX_COMMAND_CHARS)
    if "cd " in change and line.folder is None:
        form = f"{form}` in `{folder}"
    helped = _remedies(failure)
    asserted = ASSERTS.search(failure.error) is not None
    free = not failure.edits and (not asserted or all(map(_LOCALE_VARIABLE.fullmatch, change.split())))
    explained = bool(change) and _bears_on(failure, change, "state")
    if change and (free or explained):
        if change.startswith("cd ") and not (_bears_on(failure, "", "file") or USAGE.search(failure.error)):
            return []  # the run concerned another part of the repository
        after = f" after {_listed(helped)}" if helped else ""
        fix = _describe_fix(failure, f"`{form}` passes{after}", " ".join((change, *helped)))
        chance = asserted and not explained
        return [replace(fix, unsure=chance or not _is_safe(failure, line, helped))]
    if helped:
        fix = _describe_fix(failure, f"it passes after {_listed(helped)}", " ".join(helped))
        sure = any(_is_remedy(failure, run) for run in helped) and _is_safe(failure, failure.line, helped)
        return [replace(fix, unsure=not sure)]
    named = [path for path in failure.edits if path and path.rpartition("/")[2] in failure.error]
    paths = tuple(path for path in named if _SETTINGS_FILE.fullmatch(path))
    if change or not paths or len(paths) < len(failure.edits):
        return []
    return [_describe_fix(failure, f"fixed by editing {_listed(list(paths), ' and ')}", files=paths)]


def _is_safe(failure: Failure, line: ShellLine, helped: Sequence[str]) -> bool:
    """Return whether everything done since is known to be harmless, and no part of the line destroys anything."""
    if any(DESTROYS.search(text) for text in (line.command, *line.programs, *helped)):
        return False
    fresh = [read for part in line.before if part not in failure.line.before and (read := parse_line(part))]
    kinds = [kind_of(read) for read in fresh if read.changes or read.inline]
    return _HARMLESS_KINDS.issuperset(kinds) and all(
        failure.done[run][0] in _HARMLESS_KINDS or failure.done[run][1] in failure.output for run in helped
    )


def _started(line: ShellLine) -> str:
    """Return the program as typed, with its folder."""
    return line.text.partition(" ")[0]


def _is_ephemeral(line: ShellLine) -> bool:
    """Return whether a run was about a temporary folder or one process, which will not exist next time."""
    return IN_TEMPORARY_FOLDER.search(line.command) is not None or (
        line.words[0] == "kill" and any(map(str.isdigit, line.words))
    )


def _is_remedy(failure: Failure, run: str) -> bool:
    """Return whether a run just after the failure is what the error suggests, not part of the command or its work."""
    kind, words = failure.done[run]
    if failure.age > _MAX_COMMANDS_SINCE or _of_the_moment(kind, words) or run in failure.line.command:
        return False
    own = kind == "work" and words.partition(" ")[0] == failure.line.words[0]
    named = not own and _shared_word(_relevant_output(failure), words, failure.line.words)
    return bool(named or _explains(failure.error, kind))


def _of_the_moment(kind: str, words: str) -> bool:
    """Return whether a run stopped something, or started the product that is being worked on."""
    return kind == "stop" or (kind == "service" and words.partition(" ")[0] in _STARTED_PROGRAMS)


def _remedies(failure: Failure) -> list[str]:
    """Return the commands run since the failure that explain why the command passes now."""
    output, own, commands = _relevant_output(failure), failure.line.words, failure.done.items()
    helped = [run for run, (_, words) in commands if _shared_word(output, words, own)]
    helped = helped or [run for run, (kind, words) in commands if _bears_on(failure, words, kind)]
    return helped[-3:]


def _bears_on(failure: Failure, change: str, kind: str) -> bool:
    """Return whether a change explains the end of an error; if files were edited, the evidence must be stronger."""
    if _shared_word(_relevant_output(failure), change, failure.line.words):
        return True
    if ASSERTS.search(failure.error):
        return False
    if not failure.edits:
        return _explains(failure.error + failure.output[-_OUTPUT_END_CHARS:], kind)
    if kind in ("service", "stop"):
        return _explains(failure.error, kind)
    return kind in ("install", "state") and ABSENT.search(failure.error) is not None


def _relevant_output(failure: Failure) -> str:
    """Return the output without echoed commands and, if files were edited as well, only its errors."""
    return _ECHOED_COMMAND.sub("", error_lines(failure.output) if failure.edits else failure.output)


def _describe_fix(failure: Failure, what: str, change: str = "", files: tuple[str, ...] = ()) -> Fix:
    error, output = stable(failure.error), _relevant_output(failure)
    word = _shared_word(output, change, failure.line.words)
    if word and word not in error.lower():  # the line that names the remedy says more than the error
        lines = "\n".join(output_line for output_line in output.splitlines() if word in output_line.lower())
        error = stable(main_error(lines)) or error
    shown = cut_at_word(failure.line.command, _MAX_COMMAND_CHARS)
    content = f"`{shown}` fails with “{cut_at_word(error, MAX_SHOWN_CHARS)}”; {what}."
    destroys = DESTROYS.search(f"{failure.line.command} {what.replace('`', ' ')} {change}") is not None
    name = f"{failure.line.shown} fails: {cut_at_word(error, _MAX_NAMED_ERROR_CHARS)}"
    return Fix(name, content, files, destroys=destroys)


def _run_key(line: ShellLine, folder: str | None) -> str:
    return "\0".join((*sorted(surroundings(line)), _started(line), *deciding_words(line), folder or "."))


def _is_flag(words: list[str], index: int) -> bool:
    if words[index].startswith("-") or "=" in words[index]:
        return True
    return index > 0 and words[index - 1].startswith("-") and words[index - 1] != "--"


def _listed(parts: list[str], joint: str = ", then ") -> str:
    return joint.join(f"`{part}`" for part in parts)


def _explains(error: str, kind: str) -> bool:
    return any(kind in kinds for form, kinds in REMEDIES if form.search(error))


def _shared_word(output: str, change: str, command: Sequence[str]) -> str:
    """Return a word that the output shares with the change but not with the failed command, or ""."""
    known = {word.lower() for text in command for word in _WORD.findall(text)} | _SAYS_LITTLE
    output_words = {word.lower().strip(".-") for word in _WORD.findall(output)}
    words = (word.lower().strip(".-") for word in _WORD.findall(_CHANGE_OF_FOLDER.sub("", change)))
    return next((word for word in words if word in output_words and word not in known), "")
