"""Read shell lines as agents run them, with a real parser (tree-sitter-bash), to find the command that a line is about.

*The* command of `cd web && FOO=1 pnpm test -- -x 2>&1 | tail -5; echo done` is found like this:

1. The line is cut at `;`, `&`, `&&`, `||` and line ends into pipelines, those into commands; commands in subshells,
   groups, loops and conditions count as if they were alone, those in `$(...)` do not count.
2. In a pipeline it is the first command that does more than produce text for the next one (`cat`, `echo`), or the
   command that `xargs` runs.
3. Of several pipelines it is the last of the highest weight: work (2) before looking and tidying (1: `ls`, `tail`,
   `git status`, `rm`) before preparation (0: `cd`, `export`, `source`); what follows `||` weighs half a step less.

Its key is the program and its first two words that are not flags, without wrappers (`sudo`, `npx`, `python -m`).
"""

from __future__ import annotations

import functools
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, NamedTuple

from sidecar.text import shell_words
from sidecar.text.lazy_patterns import lazy
from sidecar.text.word_lists import word_lists

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from tree_sitter import Language, Node

# No more of a line is read. A longer line is a script in a here-document, whose beginning says enough.
MAX_LINE_CHARS = 8_000
_NOT_ASCII = lazy(r"[^\x00-\x7f]")
_MAX_COMMAND_CHARS = 300
# Levels of shells inside shells: `bash -c "bash -c ..."`.
_MAX_DEPTH = 3
_OPERATORS = frozenset({"&&", "||", ";", ";;", "&", "|", "|&", "\n"})
# Nodes of the grammar that assign variables.
_ASSIGNS = frozenset({"declaration_command", "variable_assignment"})
_NO_WORDS = frozenset({"variable_assignment", "file_redirect", "heredoc_redirect", "herestring_redirect"})
_PIPE_OPERATORS = frozenset({"|", "|&"})
# Nodes whose commands do not count. `_NO_WORDS` are the children of a command that are not among its words.
_OPAQUE_NODES = frozenset(
    {"command_substitution", "process_substitution", "function_definition", "test_command", "heredoc_body"}
)

_FOLDER_OPTIONS = word_lists("shell.toml")["folders"]
# In these programs, options after the first word mean something else.
_FOLDER_FIRST = frozenset(("git", "yarn"))


@dataclass(frozen=True, slots=True)
class ShellLine:
    """The command that a line is about.

    - `key`: program and its first two non-flag words; `shown`: wrappers and key, as typed (`uv run pytest`).
    - `text`: the command as typed, without environment, redirects, passwords and the line's other commands.
    - `folder`: the folder that the line changes to first, or that an option names (`make -C docs`), as written.
    - `weight`: 2 for work, 1 for looking or tidying, 0 for preparation, and half less after `||`.
    - `changes`: the command may change something.
    - `inline`: the command is a script given on the spot; `whole`: all of the line could be parsed.
    - `command`: the shortest line with the same effect, without commands that only show or cut output.
    - `words`: the command's own words, without wrappers; `programs`: every program of the line.
    - `environment`: variables and wrappers in front of the command; `before`: the commands that the line runs before,
      except changes of the folder; `behind`: the command was left running in the background.
    - `zero_is_success`, `other_is_failure`: the exit status shows how the command ended (`pytest | tail` does not).
    """

    key: str
    text: str
    shown: str
    folder: str | None
    weight: float
    changes: bool
    inline: bool
    zero_is_success: bool
    other_is_failure: bool
    programs: tuple[str, ...]
    command: str = ""
    words: tuple[str, ...] = ()
    environment: tuple[str, ...] = ()
    before: tuple[str, ...] = ()
    behind: bool = False
    whole: bool = True


@dataclass(slots=True)
class _Command:
    words: list[str]
    source: str
    environment: tuple[str, ...] = ()
    negated: bool = False
    heredoc: bool = False
    before: str = ""  # the operator before the command
    after: str = ""  # the operator after the command


class _Choice(NamedTuple):
    """The command that a line is about, the `position` of its pipeline, and what the whole line says of its run."""

    weight: float
    position: int
    command: _Command
    unwrapped: shell_words.UnwrappedCommand
    programs: list[str]
    folder: str | None
    errexit: bool
    pipefail: bool


@functools.cache
def _grammar() -> Language:
    """Return the grammar, loaded with the first command; it does not change, so threads share it."""
    import tree_sitter_bash
    from tree_sitter import Language

    return Language(tree_sitter_bash.language())


def parse_line(line: str) -> ShellLine | None:
    """Return the command that a line is about, or None if it runs none."""
    return _parse(line[:MAX_LINE_CHARS], 0)


def _parse(line: str, depth: int) -> ShellLine | None:
    commands, whole = _commands(line)
    if not commands:
        return None
    pipelines = _pipelines(commands)
    choice = _choose(pipelines)
    command, unwrapped, pipeline = choice.command, choice.unwrapped, pipelines[choice.position]
    ahead, before = _preparations(pipelines[: choice.position])
    zero_is_success, other_is_failure = _outcome(
        command, pipeline, pipelines[choice.position + 1 :], choice.errexit, choice.pipefail
    )
    inner = _parse(unwrapped.script, depth + 1) if unwrapped.script is not None and depth < _MAX_DEPTH else None
    if inner is not None:
        return replace(
            inner,
            folder=choice.folder if inner.folder is None else inner.folder,
            zero_is_success=inner.zero_is_success and zero_is_success,
            other_is_failure=inner.other_is_failure and other_is_failure,
            programs=(*choice.programs, *inner.programs),
            command=(ahead + inner.command)[:_MAX_COMMAND_CHARS],
            environment=(*command.environment, *inner.environment),
            before=(*before, *inner.before),
            behind=False,
            whole=whole and inner.whole,
        )
    key, inline = shell_words.key(unwrapped, command.heredoc)
    return ShellLine(
        key=key,
        text=command.source[:_MAX_COMMAND_CHARS],
        shown=" ".join((*unwrapped.wrappers, key)),
        folder=_inner_folder(choice.folder, unwrapped.program, unwrapped.words),
        weight=choice.weight,
        changes=shell_words.may_change(unwrapped),
        inline=inline,
        zero_is_success=zero_is_success,
        other_is_failure=other_is_failure,
        programs=tuple(choice.programs),
        command=(ahead + _pipeline_text(pipeline, pipeline.index(command) + 1))[:_MAX_COMMAND_CHARS],
        words=tuple(unwrapped.words),
        environment=(*command.environment, *unwrapped.wrappers),
        before=before,
        behind=pipeline[-1].after == "&",
        whole=whole,
    )


def _choose(pipelines: list[list[_Command]]) -> _Choice:
    """Choose the command that a line is about; note the folder and the `set` options that apply to it."""
    programs: list[str] = []
    errexit = pipefail = False
    folder: str | None = None
    best: tuple[float, int, _Command, shell_words.UnwrappedCommand] | None = None
    for position, pipeline in enumerate(pipelines):
        parsed_commands = [(command, shell_words.unwrap(command.words)) for command in pipeline]
        programs += [unwrapped.program for _, unwrapped in parsed_commands]
        first = parsed_commands[0][1]
        if first.program == "set":
            flags = (word for word in first.words[1:] if word.startswith("-") and not word.startswith("--"))
            errexit = errexit or "errexit" in first.words or any("e" in flag for flag in flags)
            pipefail = pipefail or "pipefail" in first.words
        if folder is None and first.program in shell_words.CHANGES_FOLDER and len(first.words) > 1:
            folder = first.words[-1]
        command, unwrapped = _main_command(parsed_commands)
        weight = shell_words.weight(unwrapped) - (0.5 if pipeline[0].before == "||" else 0.0)
        if best is None or weight >= best[0]:
            best = weight, position, command, unwrapped
    assert best is not None
    return _Choice(*best, programs, folder, errexit, pipefail)


def _preparations(pipelines: list[list[_Command]]) -> tuple[str, tuple[str, ...]]:
    """Return the preparing pipelines as text that ends with an operator, and as a list without folder changes."""
    text, parts = "", []
    for pipeline in pipelines:
        first = shell_words.unwrap(pipeline[0].words)
        if shell_words.only_shows(first):
            continue
        pipeline_text = _pipeline_text(pipeline, 1)
        joint = pipeline[-1].after.replace("\n", ";")
        text += f"{pipeline_text}{joint if joint in (';', ';;') else f' {joint}'} "
        if first.program not in shell_words.CHANGES_FOLDER:
            parts.append(pipeline_text)
    return text, tuple(parts)


def _pipeline_text(pipeline: list[_Command], min_commands: int) -> str:
    """Return a pipeline as typed; after `min_commands`, commands at its end that only cut output are left out."""
    commands = list(pipeline)
    while len(commands) > min_commands and shell_words.only_shows(shell_words.unwrap(commands[-1].words)):
        commands.pop()
    return " | ".join(" ".join((*command.environment, command.source)) for command in commands)


def _inner_folder(folder: str | None, program: str, words: Sequence[str]) -> str | None:
    """Return the folder inside `folder` in which an option lets the program work (`git -C docs`), or `folder`."""
    options = _FOLDER_OPTIONS.get(program, frozenset())
    for index, word in enumerate(words[1:], 1):
        option, equals, value = word.partition("=")
        if option in options and (equals or index + 1 < len(words)):
            inner = value if equals else words[index + 1]
            is_relative = folder is not None and not inner.startswith(("/", "~"))
            return f"{folder.rstrip('/')}/{inner}" if folder is not None and inner and is_relative else inner or folder
        if word == "--" or (program in _FOLDER_FIRST and not word.startswith("-")):
            break
    return folder


def _main_command(
    parsed_commands: list[tuple[_Command, shell_words.UnwrappedCommand]],
) -> tuple[_Command, shell_words.UnwrappedCommand]:
    for command in parsed_commands[1:]:
        if command[1].by_xargs and shell_words.weight(command[1]) == 2:
            return command
    return next(
        (command for command in parsed_commands if command[1].program not in shell_words.PRODUCERS), parsed_commands[0]
    )


def _outcome(
    command: _Command, pipeline: list[_Command], later: list[list[_Command]], errexit: bool, pipefail: bool
) -> tuple[bool, bool]:
    """Return whether status zero means that the command succeeded, and whether any other means that it failed."""
    if command.negated:
        return False, False
    after = [pipeline[-1].after, *(following[-1].after for following in later)]
    joints = after[: len(later)]
    if "&" in after:
        return False, False
    sequence = any(joint in (";", ";;", "\n") for joint in joints) and not errexit
    zero = not sequence and "||" not in joints and (pipefail or command is pipeline[-1]) and pipeline[0].before != "||"
    return zero, not sequence


def _pipelines(commands: list[_Command]) -> list[list[_Command]]:
    pipelines: list[list[_Command]] = []
    for command in commands:
        if pipelines and command.before in _PIPE_OPERATORS:
            pipelines[-1].append(command)
        else:
            pipelines.append([command])
    return pipelines


def _commands(line: str) -> tuple[list[_Command], bool]:
    """Return the commands of a line, and whether all of the line could be parsed."""
    from tree_sitter import Parser

    # Above ASCII, the grammar's scanner reads beyond the C library's tables of 8-bit characters (`{` and U+CD121 end
    # the process). A letter in place of each such character keeps every position.
    tree = Parser(_grammar()).parse(_NOT_ASCII.sub("x", line).encode("ascii"))
    commands: list[_Command] = []
    operator = ""
    for kind, node in _walk(tree.root_node):
        if kind == "operator":
            # In `cd x &&` at a line's end, the operator `&&` decides, not the line end.
            text = "\n" if node.type == "\n" else node.type
            if operator in ("", "\n") or text != "\n":
                operator = text
            continue
        if kind == "heredoc":
            if commands:
                commands[-1].heredoc = True
            continue
        words = [_source_text(node, line)] if node.type in _ASSIGNS else _words(node, line)
        if not words:
            continue
        if commands:
            operator = operator or ";"
            commands[-1].after = operator
        before = operator if commands else ""
        if node.type in _ASSIGNS:
            words = ["export", *words[0].removeprefix("export ").split()]
            source = shell_words.conceal_assigned(_source_text(node, line))
        else:
            source = shell_words.conceal(_source(node, line), words)
        assigned = [] if node.type in _ASSIGNS else [c for c in node.children if c.type == "variable_assignment"]
        environment = tuple(shell_words.conceal_assigned(_source_text(child, line)) for child in assigned)
        commands.append(_Command(words, source, environment, kind == "negated", before=before))
        operator = ""
    if commands and operator == "&":
        commands[-1].after = "&"
    return commands, not tree.root_node.has_error


def _walk(root: Node) -> Iterator[tuple[str, Node]]:
    stack = [(root, False)]
    while stack:
        node, denied = stack.pop()
        kind = node.type
        if kind == "command" or kind in _ASSIGNS:
            yield ("negated" if denied else "command"), node
            if any(child.type == "herestring_redirect" for child in node.children):
                yield "heredoc", node
        elif kind in _OPERATORS:
            yield "operator", node
        elif kind not in _OPAQUE_NODES:
            if kind == "heredoc_redirect":
                yield "heredoc", node
            denied = denied or kind == "negated_command"
            stack.extend((child, denied) for child in reversed(node.children))


def _source_text(node: Node, line: str) -> str:
    return " ".join(line[node.start_byte : node.end_byte].split())


def _source(node: Node, line: str) -> str:
    """Return the command as typed, on one line, from its program to its last argument."""
    parts = [child for child in node.children if child.type not in _NO_WORDS]
    text = line[parts[0].start_byte : parts[-1].end_byte] if parts else ""
    return " ".join(text.split())


def _words(node: Node, line: str) -> list[str]:
    parts = (child for child in node.children if child.type not in _NO_WORDS)
    words = (shell_words.unquote(line[part.start_byte : part.end_byte]) for part in parts)
    return [word for word in words if word]
