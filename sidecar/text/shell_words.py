"""The words of one shell command: the program it runs behind its wrappers, its key, and its secrets."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

from sidecar.text.lazy_patterns import lazy
from sidecar.text.word_lists import word_lists

# The limit of a word in a key.
_MAX_WORD_CHARS: Final = 80

_WRAPPERS, _RUNNERS, _SCRIPTS, _OPTIONS_WITH_VALUE, _WORD_LISTS = map(
    word_lists("shell.toml").__getitem__, ("wrappers", "runners", "scripts", "valued", "words")
)
CHANGES_FOLDER: Final = _WORD_LISTS["goes"]
# Commands that only produce text for the next one.
PRODUCERS: Final = _WORD_LISTS["producers"]
_FLAG = lazy(r"^[-+](?!\d+$)\S|^--$|^-\d+$")
_ASSIGNMENT = lazy(r"^[A-Za-z_]\w*=")
_DURATION = lazy(r"^\d+(?:\.\d+)?[smhd]?$")
_PYTHON_PROGRAM = lazy(r"^python(?:\d(?:\.\d+)*)?$|^pypy3?$|^py$")
_VERSIONED_PROGRAM = lazy(r"^(pip|ruby|perl|node|lua|php|clang|gcc|g\+\+)-?\d+(?:\.\d+)*$")
# A backslash before a letter is a Windows folder separator: no POSIX shell needs it there.
_QUOTED_PART = lazy(r"'([^']*)'|\$?\"((?:[^\"\\]|\\.)*)\"|\\([^\w.])", re.DOTALL)
CONCEALED: Final = "[redacted: password]"
_SECRET_OPTION: Final = lazy(
    r"--?(?:[\w-]*[-_])?(?:pass|passw(?:or)?d|passphrase|passin|passout|pwd|storepass|keypass|token|secret"
    r"|api[-_]?key|access[-_]?key|secret[-_]?key|auth|credentials?)",
    re.IGNORECASE,
)
_ASSIGNED_VALUE: Final = lazy(r"""(?<![\w.])([A-Za-z_]\w*)=(?!\$)(?:"[^"]*"|'[^']*'|[^\s"']+)+""")
_SHORT_OPTIONS: Final = tuple(
    (frozenset(names.split()), options) for names, options in word_lists("shell.toml")["secrets"].items()
)
# Programs whose password is in the same word as its option: `mysql -phunter2`, `7z -phunter2`.
_ATTACHED: Final = frozenset("mysql mysqldump mysqladmin mariadb mariadb-dump 7z 7za sshpass".split())


@dataclass(slots=True)
class UnwrappedCommand:
    """A command without its wrappers."""

    words: list[str]
    wrappers: list[str] = field(default_factory=list)
    script: str | None = None  # the text of a shell script that the command runs
    by_xargs: bool = False

    @property
    def program(self) -> str:
        """Return the program's name, without its path if that ends in a `bin` folder."""
        return self.words[0]


def unquote(word: str) -> str:
    """Return a word without its quotes, as the shell would see it before expansion."""
    if not any(mark in word for mark in "'\"\\"):
        return word
    bare = _QUOTED_PART.sub(lambda match: next((part for part in match.groups() if part is not None), ""), word)
    return bare.lstrip("'\"") if bare[:1] in "'\"" else bare


def unwrap(words: list[str]) -> UnwrappedCommand:
    """Remove the wrappers that only start another program; at least one word is left."""
    rest = list(words)
    result = UnwrappedCommand(rest)
    while True:
        rest[0] = _program_name(rest[0])
        name = rest[0]
        if name in _WORD_LISTS["shells"] and (script := _inline_script(rest)) is not None:
            result.script = script
            return result
        if name == "python" and len(rest) > 2 and (module := _after_module_flag(rest)) is not None:
            result.wrappers += ["python", "-m"]
            rest[:] = module
            continue
        valued = _WRAPPERS.get(name)
        if name == "command" and len(rest) > 1 and rest[1] in ("-v", "-V"):
            return result  # the command only shows where a program is
        skip = 1
        if valued is None and len(rest) > 1:
            index = _first_word(rest, _OPTIONS_WITH_VALUE.get(name, frozenset()))
            if index is not None and (valued := _RUNNERS.get(f"{name} {rest[index]}")) is not None:
                skip = index + 1
        if valued is None:
            return result
        inner = _after_options(rest, skip, valued, name)
        if not inner:
            return result
        result.by_xargs = result.by_xargs or name == "xargs"
        if name not in _WORD_LISTS["silent"]:
            result.wrappers += [name] if skip == 1 else [name, rest[skip - 1]]
        rest[:] = inner


def _after_options(words: list[str], start: int, valued: frozenset[str], name: str) -> list[str]:
    index = start
    while index < len(words):
        word = words[index]
        if word == "--":
            return words[index + 1 :]
        if word in valued:
            index += 2
        elif word.startswith("-") or (name == "env" and _ASSIGNMENT.match(word)):
            index += 1
        elif (name in ("timeout", "gtimeout") and _DURATION.match(word)) or name == "direnv":
            return words[index + 1 :]
        else:
            return words[index:]
    return []


def _inline_script(words: list[str]) -> str | None:
    for index, word in enumerate(words[1:], 1):
        if not word.startswith("-"):
            return None
        if not word.startswith("--") and word.endswith("c") and index + 1 < len(words):
            return words[index + 1]
    return None


def _after_module_flag(words: list[str]) -> list[str] | None:
    for index, word in enumerate(words[1:], 1):
        if word == "-m" and index + 1 < len(words):
            return words[index + 1 :]
        if not word.startswith("-") and words[index - 1] not in _OPTIONS_WITH_VALUE["python"]:
            return None
    return None


def _program_name(word: str) -> str:
    """Return the program's name without its version or a folder of installed programs."""
    folder, _, name = word.rpartition("/")
    if name and folder.rpartition("/")[2] in ("bin", "sbin", ".bin", "Scripts"):
        word = name
    if _PYTHON_PROGRAM.match(word):
        return "python"
    versioned = _VERSIONED_PROGRAM.match(word)
    return versioned.group(1) if versioned else word


def _first_word(words: list[str], valued: frozenset[str]) -> int | None:
    index = 1
    while index < len(words):
        if words[index] in valued:
            index += 2
        elif _FLAG.match(words[index]):
            index += 1
        else:
            return index
    return None


def key(command: UnwrappedCommand, heredoc: bool) -> tuple[str, bool]:
    """Return the program with its first two non-flag words, and whether it runs a script given inline."""
    program, rest = command.program, command.words[1:]
    scripts = _SCRIPTS.get(program)
    if scripts is not None:
        flag = next((word for word in rest if word in scripts), None)
        if flag is not None:
            return f"{program} {flag}", True
        if heredoc and all(word == "-" or word.startswith("-") for word in rest):
            return program, True
    valued = _OPTIONS_WITH_VALUE.get(program, frozenset())
    key_words: list[str] = [program[:_MAX_WORD_CHARS]]
    index = 0
    while index < len(rest) and len(key_words) < 3:
        word = rest[index]
        if word == "--":  # another program's words or a list of files follow
            break
        if word in valued or takes_secret(command.words, index + 1):
            index += 2
            continue
        if not _FLAG.match(word) and word != "-" and word.strip() and not _ASSIGNMENT.match(word):
            key_words.append(" ".join(word.split())[:_MAX_WORD_CHARS])
        index += 1
    return " ".join(key_words), heredoc and (program in _WORD_LISTS["shells"] or program in ("cat", "tee"))


def weight(command: UnwrappedCommand) -> float:
    """Return 2 for work, 1 for looking and tidying, 0 for preparation."""
    program = command.program
    if program in _WORD_LISTS["preparation"] or _ASSIGNMENT.match(program) or program.lower().startswith("$env:"):
        return 0.0
    if program in _WORD_LISTS["looking"] or program in _WORD_LISTS["tidying"]:
        return 1.0
    if program == "git":
        return 1.0 if _git_subcommand(command) in _WORD_LISTS["git_routine"] else 2.0
    if len(command.words) == 2 and command.words[1] in ("--version", "-V", "-v", "--help", "-h", "version"):
        return 1.0
    return 2.0


def may_change(command: UnwrappedCommand) -> bool:
    """Return whether a command may change something, as work and tidying do."""
    if command.program == "git":
        return _git_subcommand(command) not in _WORD_LISTS["git_looking"]
    return command.program in _WORD_LISTS["tidying"] or weight(command) == 2


def _git_subcommand(command: UnwrappedCommand) -> str:
    index = _first_word(command.words, _OPTIONS_WITH_VALUE["git"])
    return "status" if index is None else command.words[index]


def only_shows(command: UnwrappedCommand) -> bool:
    """Return whether a command only affects how much of other commands' output is seen."""
    program = command.program
    if program == "set":
        return not {"-a", "+a", "-o"}.intersection(command.words) or "pipefail" in command.words
    return program in _WORD_LISTS["shows"] or (program in _WORD_LISTS["looking"] and program != "env")


def takes_secret(words: Sequence[str], index: int) -> bool:
    """Return whether the word at `index` is an option and the next word its secret value; `words[0]` is the program."""
    word = words[index]
    if not word.startswith("-"):
        return False
    if _SECRET_OPTION.fullmatch(word):
        return True
    before = {earlier.rpartition("/")[2] for earlier in words[:index]}
    return any(word in options and needed <= before for needed, options in _SHORT_OPTIONS)


def conceal(text: str, words: Sequence[str]) -> str:
    """Replace a command's secrets with visible marks; `words` are its words without quotation marks."""
    for index, word in enumerate(words):
        option, equals, value = word.partition("=")
        if equals and value and _SECRET_OPTION.fullmatch(option):
            text = _conceal_value(text, option, value)
        elif index + 1 < len(words) and takes_secret(words, index):
            text = _conceal_value(text, word, words[index + 1])
        elif (
            word.startswith("-p")
            and len(word) > 2
            and _ATTACHED & {earlier.rpartition("/")[2] for earlier in words[:index]}
        ):
            text = _conceal_value(text, "-p", word[2:])
    return text


def conceal_assigned(text: str) -> str:
    """Remove the values of variables whose names suggest a secret, from assignments or an `export` of some."""
    return _ASSIGNED_VALUE.sub(
        lambda match: f"{match[1]}={CONCEALED}" if _SECRET_OPTION.fullmatch(f"--{match[1]}") else match[0], text
    )


def _conceal_value(text: str, option: str, value: str) -> str:
    if value.startswith(("$", "-", "<")):  # a variable, another option, a placeholder
        return text
    pattern = re.compile(rf"({re.escape(option)}[\s=]*)(['\"]?){re.escape(value)}\2(?!\S)")
    replaced = pattern.sub(lambda match: match[1] + CONCEALED, text)
    if replaced == text and value in text.replace("\\", ""):  # quoted in a way not recognised here
        start = text.find(option)
        return text[: start + len(option)] + f" {CONCEALED}" if start >= 0 else text
    return replaced
