"""A command that failed, and what was changed before it was seen to pass.

What changed the command or its surroundings - environment, flag, folder, runner, an installation, a service - is worth
knowing at once. A file edited until a command passes is ordinary work, unless the error speaks of that file and it is
one of configuration. A command that passes unchanged teaches nothing.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from difflib import SequenceMatcher
from hashlib import blake2b
from typing import Final

from sidecar.learning import remedies
from sidecar.learning.error_text import SHOWN, shorten, stable
from sidecar.patterns import lazy
from sidecar.text.shell import ShellLine, parse_line

RULE: Final = "error-fix"
OPEN_MOST: Final = 16
_OF_A_KEY: Final = 3
_DONE_MOST: Final = 12
_EDITS_MOST: Final = 2
_NEAR: Final = 6  # commands within which another name is still a correction
_ALIKE: Final = 0.6
_OUTPUT: Final = 4_000
_ERROR_NAMED: Final = 60
_COMMAND_SHOWN: Final = 200

_SAME_PROGRAM: Final = {
    "./gradlew": "gradle",
    "gradlew": "gradle",
    ".\\gradlew.bat": "gradle",
    ".\\gradlew": "gradle",
    "./mvnw": "mvn",
    ".\\mvnw.cmd": "mvn",
    "pnpm": "npm",
    "yarn": "npm",
    "bun": "npm",
    "pip3": "pip",
}
# What an error says when the command itself was written wrong.
_USAGE: Final = lazy(
    r"(?i)missing script|no rule to make|unknown (?:command|subcommand|option|target|task|flag|argument|script|recipe)"
    r"|unrecognized|no such (?:command|task|option|target|file)|not a .{1,30} command|is not recognized|did you mean"
    r"|task .{1,60} not found|command .{1,60} (?:not found|is not defined)|specify (?:a|an|the|which)\b|usage:"
    r"|invalid (?:choice|option|argument|subcommand)|unexpected argument|(?:required|missing) argument|no test specified"
    r"|does not contain|no (?:recipe|targets?|inputs?|go files|tests?) |could not (?:find|determine)|isn't a valid|not found in"
)
_QUIET: Final = lazy(
    r"-[qvsxV]+|-r[A-Za-z]|--(?:quiet|verbose|silent|no-colou?r|colou?r|tb|maxfail|durations|reporter|progress|stacktrace"
    r"|info|debug|trace|lf|ff|bail|failed-first|no-header|no-summary|output-format|format|watch|watchAll)(?:=.*)?"
    r"|(?:VERBOSE|RUST_BACKTRACE|RUST_LOG|DEBUG|LOG_LEVEL|FORCE_COLOR|NO_COLOR|PYTHONUNBUFFERED|TERM|COLUMNS)=\S*"
)
# Flags that run less, look away, or change the files: what passes then was not repaired.
_EVADES: Final = lazy(
    r"-[kmtu]|-run|-w|-fix|--(?:ignore\S*|deselect|exclude\S*|skip\S*|filter\S*|grep|only\S*|test(?:Path|Name)\S+|tests|run"
    r"|no-verify|pass\w*|exit-zero|fix\S*|write|update\S*|no-fail\S*|continue\S*|dry-run|help|version|list\S*|collect-only"
    r"|last-failed|shard\S*|no-(?:strict|check|lint|typecheck|tests)\S*|max-warnings|if-present|changed|since|allow-empty)(?:=.*)?"
)
_SETTINGS_FILE: Final = lazy(
    r"(?i)(?:.*/)?(?:[\w.-]+\.(?:toml|ya?ml|json[c5]?|ini|cfg|conf|properties|env|xml|gradle(?:\.kts)?|mod|lock|tf|csproj|sln)"
    r"|[\w.-]+\.config\.[cm]?[jt]s|\.[\w.-]+rc|\.env[\w.-]*|[\w.-]*(?:Make|Docker|Proc|Gem|Rake|Jenkins|Brew|Just)file[\w.-]*"
    r"|requirements[\w.-]*\.txt)"
)
_ABSENT: Final = lazy(
    r"(?i)command not found|: not found\b|no module named|cannot find (?:module|package)|not installed|no required module"
)


@dataclass(frozen=True, slots=True)
class Fix:
    """A failure and what fixed it, as text: `name` is the same for the same error of the same command."""

    name: str
    content: str
    files: tuple[str, ...] = ()
    at_once: bool = True


@dataclass(slots=True)
class Failure:
    """An open failure. `done` came after it: what was run and passed, with its kind; `edits` are the files written.

    `tried` are the forms of the command that failed in the same way since, `age` counts the commands after it.
    """

    line: ShellLine
    folder: str | None
    error: str
    output: str
    done: dict[str, str] = field(default_factory=dict)
    edits: dict[str, None] = field(default_factory=dict)
    tried: set[str] = field(default_factory=set)
    age: int = 0


class Failures:
    """The open failures of one session, oldest first, at most `OPEN_MOST`."""

    def __init__(self) -> None:
        self._open: list[Failure] = []

    def failed(self, line: ShellLine, folder: str | None, error: str, output: str) -> None:
        """A command failed in a folder of the workspace with this error, that its output holds."""
        if not error or line.inline or line.weight < 1.5 or not line.whole:
            return
        same = [each for each in self._open if _core(each.line) == _core(line)]
        for each in same:
            if stable(each.error) == stable(error):  # nothing that was done since has helped
                each.done.clear()
                each.edits.clear()
                each.tried.add(_form(line, folder))
                return
        if len(same) >= _OF_A_KEY:
            self._open.remove(same[0])
        elif len(self._open) >= OPEN_MOST:
            self._open.pop(0)
        self._open.append(Failure(line, folder, error, output[-_OUTPUT:], tried={_form(line, folder)}))

    def edited(self, path: str) -> None:
        """A file was edited."""
        for failure in self._open:
            failure.edits[path] = None

    def not_edited(self, path: str) -> None:
        """An edit turned out not to have happened."""
        for failure in self._open:
            failure.edits.pop(path, None)

    def ran(self, line: ShellLine, folder: str | None, passed: bool | None) -> list[Fix]:
        """A command did not fail: the fixes of its own failures, where it is known to have passed.

        For the others it may be one.
        """
        found: list[Fix] = []
        kind = remedies.kind_of(line)
        for failure in list(self._open):
            failure.age += 1
            if passed and not line.inline and (change := _change(failure, line, folder)) is not None:
                self._open.remove(failure)
                found += _fix(failure, change, line, folder)
            elif kind == "edit":
                failure.edits[""] = None
            elif kind != "none" and len(failure.done) < _DONE_MOST:
                failure.done[shorten(line.command, _COMMAND_SHOWN)] = kind
        return found


def _change(failure: Failure, line: ShellLine, folder: str | None) -> str | None:
    """What is new in the form in which a failed command passes, empty for nothing; None when it is another command."""
    before, after = _words(failure.line), _words(line)
    if before[:1] != after[:1]:
        return None
    usage = failure.age <= _NEAR and not failure.edits and _USAGE.search(failure.output) is not None
    added, removed = _without(after, before), _without(before, after)
    if added or removed:
        if any(_EVADES.fullmatch(word) for word in added):
            return None
        plain = [word for at, word in enumerate(added) if not _is_flag(added, at)]
        if (plain or removed) and not (usage and added and _corrects(failure, before, after, removed)):
            return None
    if _form(line, folder) in failure.tried:
        return ""
    settings = [each for each in _surroundings(line) if each not in _surroundings(failure.line)]
    if line.words[0] != failure.line.words[0]:
        settings.append(line.words[0])
    if folder != failure.folder and folder and failure.folder in (None, "."):
        settings.append(f"cd {folder}")
    return " ".join((*settings, *added))


def _corrects(failure: Failure, before: list[str], after: list[str], removed: list[str]) -> bool:
    """Whether a command is another that was called by a wrong name, or lacked something."""
    if not removed:
        return True
    if len(before) != len(after):
        return False
    pairs = [(old, new) for old, new in zip(before, after, strict=True) if old != new]
    if len(pairs) != 1:
        return False
    ((old, new),) = pairs
    return old in new or new in failure.output or SequenceMatcher(None, old, new).ratio() >= _ALIKE


def _fix(failure: Failure, change: str, line: ShellLine, folder: str | None) -> list[Fix]:
    form = shorten(line.command, _COMMAND_SHOWN)
    if "cd " in change and line.folder is None:
        form = f"{form}` in `{folder}"
    helped = _helped(failure)
    if change and not (failure.edits and not _bears_on(failure, change, "state")):
        if change.startswith("cd ") and not remedies.explained(failure.output, "file"):
            return []  # another part of the repository
        after = f" after {_listed(helped)}" if helped else ""
        return [_told(failure, f"`{form}` passes{after}")]
    if helped:
        return [_told(failure, f"it passes after {_listed(helped)}")]
    paths = tuple(path for path in failure.edits if path)
    if change or not paths or len(failure.edits) > _EDITS_MOST:
        return []
    if not all(_SETTINGS_FILE.fullmatch(path) and path.rpartition("/")[2] in failure.error for path in paths):
        return []
    return [_told(failure, f"fixed by editing {_listed(list(paths), ' and ')}", paths, False)]


def _helped(failure: Failure) -> list[str]:
    """What was run since that explains why the command passes now."""
    helped = [run for run, kind in failure.done.items() if _bears_on(failure, run, kind)]
    if not helped and not failure.edits and len(failure.done) == 1:
        ((run, kind),) = failure.done.items()
        helped = [run] if kind in remedies.ALONE else []
    return helped[-3:]


def _bears_on(failure: Failure, change: str, kind: str) -> bool:
    """Whether a change explains the end of an error; where files were edited as well, it has to be told by more."""
    if remedies.named(failure.output, change, failure.line.words):
        return True
    if not failure.edits:
        return remedies.explained(failure.output, kind)
    if kind in ("service", "stop"):
        return remedies.explained(failure.error, kind)
    return kind in ("install", "state") and _ABSENT.search(failure.error) is not None


def _told(failure: Failure, what: str, files: tuple[str, ...] = (), at_once: bool = True) -> Fix:
    error = stable(failure.error)
    shown = shorten(failure.line.command, _COMMAND_SHOWN)
    return Fix(f"{failure.line.shown} fails: {_named(error)}", f"`{shown}` fails with “{shorten(error, SHOWN)}”; {what}.", files, at_once)


def _core(line: ShellLine) -> tuple[str, ...]:
    return tuple(_words(line))


def _form(line: ShellLine, folder: str | None) -> str:
    return "\0".join((*sorted(_surroundings(line)), line.words[0], *_words(line), folder or "."))


def _surroundings(line: ShellLine) -> list[str]:
    """What a command was run with that may decide how it ends."""
    ahead = ((each, parse_line(each)) for each in line.before)
    kept = [each for each, read in ahead if read is None or remedies.kind_of(read) not in ("none", "edit")]
    return kept + [each for each in line.environment if not _QUIET.fullmatch(each)]


def _words(line: ShellLine) -> list[str]:
    """The words of a command that decide what it does, by the name of its program."""
    words = [_SAME_PROGRAM.get(line.words[0], line.words[0]), *line.words[1:]]
    if words[0] == "npm" and words[1:2] == ["run"]:
        words.pop(1)
    return [word for word in words if not _QUIET.fullmatch(word)]


def _without(words: list[str], others: list[str]) -> list[str]:
    left = list(others)
    kept = []
    for word in words:
        if word in left:
            left.remove(word)
        else:
            kept.append(word)
    return kept


def _is_flag(words: list[str], at: int) -> bool:
    """Whether a word is a flag, the value of one, or a variable."""
    if words[at].startswith("-") or "=" in words[at]:
        return True
    return at > 0 and words[at - 1].startswith("-") and words[at - 1] != "--"


def _named(error: str) -> str:
    """The beginning of an error; a digest keeps those apart that only begin alike."""
    short = shorten(error, _ERROR_NAMED)
    if short == error:
        return error
    return f"{short} ({blake2b(error.encode('utf-8', 'replace'), digest_size=3).hexdigest()})"


def _listed(parts: list[str], joint: str = ", then ") -> str:
    return joint.join(f"`{part}`" for part in parts)
