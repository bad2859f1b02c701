"""The words of one shell command: which program it runs once wrappers are taken off, and what its key is."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Final

from sidecar.text.lazy_patterns import lazy
from sidecar.text.shell_secrets import takes_secret

_WORD_LONGEST: Final = 80

# What only starts another program: name -> flags that take a value. Their flags are skipped.
_PREFIXES: Final[dict[str, frozenset[str]]] = {
    "sudo": frozenset({"-u", "-g", "-C", "-h", "-p", "-r", "-t", "--user", "--group"}),
    "doas": frozenset({"-u", "-C"}),
    "env": frozenset({"-u", "-C", "-S", "--unset", "--chdir"}),
    "time": frozenset({"-f", "-o", "--format", "--output"}),
    "nice": frozenset({"-n", "--adjustment"}),
    "ionice": frozenset({"-c", "-n", "-p"}),
    "nohup": frozenset(),
    "setsid": frozenset(),
    "stdbuf": frozenset({"-i", "-o", "-e"}),
    "timeout": frozenset({"-s", "-k", "--signal", "--kill-after"}),
    "gtimeout": frozenset({"-s", "-k", "--signal", "--kill-after"}),
    "command": frozenset(),
    "builtin": frozenset(),
    "exec": frozenset({"-a"}),
    "xvfb-run": frozenset({"-n", "-s", "-e", "--server-args", "--server-num"}),
    "unbuffer": frozenset(),
    "chronic": frozenset(),
    "caffeinate": frozenset({"-t", "-w"}),
    "xargs": frozenset({"-n", "-P", "-I", "-L", "-d", "-a", "-s", "-E", "--max-args", "--max-procs"}),
    "npx": frozenset({"-p", "--package", "-w", "--workspace", "--prefix"}),
    "pnpx": frozenset({"-p", "--package"}),
    "bunx": frozenset({"-p", "--package"}),
    "uvx": frozenset({"--from", "--with", "-p", "--python"}),
    "dotenv": frozenset({"-f", "-e", "--file"}),
    "sshpass": frozenset({"-p", "-f", "-d", "-P"}),
}
# The same with a second word: (program, word) -> flags that take a value.
_RUNNERS: Final[dict[tuple[str, str], frozenset[str]]] = {
    ("uv", "run"): frozenset(
        {"--with", "-p", "--python", "--group", "--extra", "--package", "--project", "--env-file"}
        | {"--with-requirements", "--directory", "--with-editable", "--index-url"}
    ),
    ("poetry", "run"): frozenset(),
    ("pipenv", "run"): frozenset(),
    ("pdm", "run"): frozenset({"-p", "--project"}),
    ("rye", "run"): frozenset(),
    ("pixi", "run"): frozenset({"-e", "--environment", "--manifest-path"}),
    ("conda", "run"): frozenset({"-n", "-p", "--name", "--prefix", "--cwd"}),
    ("micromamba", "run"): frozenset({"-n", "-p", "--name", "--prefix"}),
    ("bundle", "exec"): frozenset(),
    ("npm", "exec"): frozenset({"-p", "--package", "-w", "--workspace"}),
    ("pnpm", "exec"): frozenset(),
    ("pnpm", "dlx"): frozenset({"--package"}),
    ("yarn", "dlx"): frozenset({"-p", "--package"}),
    ("yarn", "exec"): frozenset(),
    ("bun", "x"): frozenset(),
    ("mise", "exec"): frozenset(),
    ("direnv", "exec"): frozenset(),
    ("rtk", "proxy"): frozenset(),
}
_SHELLS: Final = frozenset({"bash", "sh", "zsh", "dash", "ksh", "fish"})
_INTERPRETERS: Final[dict[str, frozenset[str]]] = {
    "python": frozenset({"-c"}),
    "node": frozenset({"-e", "-p", "--eval", "--print"}),
    "deno": frozenset({"eval"}),
    "bun": frozenset({"-e", "--eval"}),
    "ruby": frozenset({"-e"}),
    "perl": frozenset({"-e", "-ne", "-pe", "-i", "-pi"}),
    "php": frozenset({"-r"}),
    "psql": frozenset({"-c", "--command"}),
    "sqlite3": frozenset(),
    "mysql": frozenset({"-e", "--execute"}),
    "osascript": frozenset({"-e"}),
    "lua": frozenset({"-e"}),
    "Rscript": frozenset({"-e"}),
}
# Flags of well-known programs that take their value as the next word.
_VALUED: Final[dict[str, frozenset[str]]] = {
    "git": frozenset({"-C", "-c", "--git-dir", "--work-tree", "-m", "-b", "-n", "-F", "--author"}),
    "pytest": frozenset(
        {"-k", "-m", "-n", "-p", "-c", "-o", "-W", "--tb", "--maxfail", "--timeout", "--durations", "--cov"}
        | {"--rootdir", "--ignore", "--deselect", "--junitxml", "--cov-report", "--import-mode"}
    ),
    "make": frozenset({"-C", "-f", "-j", "-I", "-o", "--directory", "--file"}),
    "gmake": frozenset({"-C", "-f", "-j"}),
    "ninja": frozenset({"-C", "-j", "-f"}),
    "cmake": frozenset({"-S", "-B", "-G", "-j", "-D", "--build", "--target", "--config", "--preset"}),
    "npm": frozenset({"--prefix", "-C", "-w", "--workspace", "--registry"}),
    "pnpm": frozenset({"-C", "--dir", "-F", "--filter"}),
    "yarn": frozenset({"--cwd"}),
    "bun": frozenset({"--cwd", "-F", "--filter"}),
    "cargo": frozenset(
        {"-p", "--package", "--manifest-path", "-F", "--features", "--bin", "--target", "-j", "--example"}
        | {"--test", "--profile", "--color"}
    ),
    "go": frozenset({"-run", "-timeout", "-count", "-tags", "-o", "-C", "-bench", "-coverprofile", "-p"}),
    "docker": frozenset(
        {
            "-f",
            "--file",
            "-t",
            "--tag",
            "-p",
            "-v",
            "-e",
            "--name",
            "-c",
            "--context",
            "--network",
            "-w",
            "-u",
        }
        | {"--env-file", "--entrypoint", "--platform", "--target", "--build-arg", "-n", "--tail", "--profile"}
    ),
    "docker-compose": frozenset({"-f", "--file", "-p", "--profile", "--env-file"}),
    "kubectl": frozenset({"-n", "--namespace", "--context", "-f", "-l", "-o", "-c", "--kubeconfig"}),
    "helm": frozenset({"-n", "--namespace", "-f", "--set"}),
    "terraform": frozenset({"-var", "-var-file", "-out", "-target"}),
    "gh": frozenset(
        {"-R", "--repo", "-t", "-b", "--title", "--body", "--json", "-q", "--jq", "-L", "-H", "-B"}
    ),
    "glab": frozenset({"-R", "--repo", "-t", "-d"}),
    "ruff": frozenset({"--config", "--select", "--ignore", "--output-format"}),
    "mypy": frozenset({"-p", "-m", "-c", "--config-file", "--python-version"}),
    "tsc": frozenset({"-p", "--project", "-b"}),
    "eslint": frozenset({"-c", "--config", "--ext", "-f", "--format", "--max-warnings"}),
    "vitest": frozenset({"-t", "-c", "--config", "--root", "--dir", "--reporter", "--project"}),
    "jest": frozenset(
        {"-t", "-c", "--config", "-w", "--maxWorkers", "--testPathPattern", "--testNamePattern"}
    ),
    "mvn": frozenset({"-f", "-pl", "-P", "-s", "-T"}),
    "pip": frozenset({"-r", "-c", "-i", "--index-url", "-t", "--target"}),
    "uv": frozenset({"-r", "-p", "--python", "--project", "--directory", "--group", "--extra"}),
    "playwright": frozenset({"--project", "-c", "--config", "-g", "--grep", "--reporter", "--workers"}),
    "tox": frozenset({"-e", "-c", "-f"}),
    "nox": frozenset({"-s", "-f", "-e"}),
    "curl": frozenset({"-X", "-H", "-d", "-o", "-u", "--data", "-w", "-A", "-F", "-m", "--max-time"}),
    "ssh": frozenset({"-i", "-p", "-l", "-o", "-L", "-R"}),
    "xcodebuild": frozenset({"-scheme", "-project", "-workspace", "-destination", "-configuration", "-sdk"}),
    "swift": frozenset({"--package-path", "--filter", "-c"}),
    "dotnet": frozenset({"-c", "-f", "-o", "-v", "--filter", "--configuration"}),
    "rspec": frozenset({"-e", "-f", "-t", "--format", "--tag"}),
    "python": frozenset({"-W", "-X"}),
    "psql": frozenset({"-h", "-p", "-U", "-d", "-f", "--host", "--port", "--username", "--dbname"}),
    "mysql": frozenset({"-u", "-h", "-P", "-D", "--user", "--host", "--port"}),
    "redis-cli": frozenset({"-a", "-h", "-p", "-n", "-u"}),
    "openssl": frozenset({"-k", "-K", "-iv", "-in", "-out", "-inkey", "-keyout", "-pass"}),
    "uvicorn": frozenset({"--host", "--port", "--workers", "--log-level"}),
    "ansible-playbook": frozenset({"-i", "-e", "-u", "-l", "-t"}),
    "head": frozenset({"-n", "-c"}),
    "tail": frozenset({"-n", "-c"}),
    "grep": frozenset({"-A", "-B", "-C", "-m", "-e", "-f"}),
    "rg": frozenset({"-A", "-B", "-C", "-m", "-g", "-t", "-T", "-e"}),
    "sed": frozenset({"-e", "-f"}),
    "find": frozenset({"-name", "-iname", "-path", "-type", "-maxdepth", "-mindepth", "-newer", "-size"}),
}

_PREPARATION: Final = frozenset(
    "cd pushd popd export unset set shopt source . alias eval trap ulimit umask declare local readonly typeset"
    " echo printf true : false exit return sleep wait test [ [[ read clear nvm pyenv rbenv fnm asdf mise sdk"
    " Set-Location sl Set-ExecutionPolicy Write-Host".split()
)
GOES: Final = frozenset({"cd", "pushd", "Set-Location", "sl"})
"""What changes the folder."""
_SHOWS: Final = frozenset("echo printf true : sleep wait clear trap shopt set Write-Host tee".split())
_LOOKING: Final = frozenset(
    "ls ll dir tree cat bat head tail less more grep egrep fgrep rg ag ack find fd wc sort uniq cut tr awk gawk"
    " tee jq yq xxd od hexdump strings file stat du df pwd which whereis type hash whoami id uname hostname date env"
    " printenv ps pgrep top free uptime lsof netstat ss ping dig nslookup man help history diff cmp comm column nl"
    " basename dirname realpath readlink md5sum sha256sum ldd nm objdump nproc jobs fg bg curl wget open xdg-open"
    " command pbcopy pbpaste seq yes paste fold fmt expand shuf mktemp tput stty".split()
)
_TIDYING: Final = frozenset(
    "mkdir rmdir rm cp mv touch ln chmod chown kill pkill killall tar unzip zip gzip gunzip split truncate install"
    " sed patch".split()
)
_GIT_ROUTINE: Final = frozenset(
    "status diff log show add commit push pull fetch checkout switch branch stash restore reset rev-parse blame"
    " ls-files remote tag merge rebase cherry-pick clone init config worktree reflog describe grep mv rm".split()
)
_GIT_LOOKING: Final = frozenset("status diff log show rev-parse blame ls-files reflog describe grep".split())
_PRODUCERS: Final = frozenset({"cat", "echo", "printf", "yes", "bat", "zcat", "base64", "true", ":", "seq"})
_FLAG = lazy(r"^[-+](?!\d+$)\S|^--$|^-\d+$")
_ASSIGNMENT = lazy(r"^[A-Za-z_]\w*=")
_DURATION = lazy(r"^\d+(?:\.\d+)?[smhd]?$")
_PYTHON = lazy(r"^python(?:\d(?:\.\d+)*)?$|^pypy3?$|^py$")
_VERSIONED = lazy(r"^(pip|ruby|perl|node|lua|php|clang|gcc|g\+\+)-?\d+(?:\.\d+)*$")
# A backslash before a letter is Windows' separator of folders: no POSIX shell needs it there.
_QUOTED = lazy(r"'([^']*)'|\$?\"((?:[^\"\\]|\\.)*)\"|\\([^\w.])", re.DOTALL)


@dataclass(slots=True)
class Unwrapped:
    """A command without its wrappers: `words[0]` is the program.

    `script` is a shell script that the command was given as text, to be read in its place.
    """

    words: list[str]
    wrappers: list[str] = field(default_factory=list)
    script: str | None = None
    by_xargs: bool = False

    @property
    def program(self) -> str:
        """Its name; of a program found by its path in a `bin` folder the last part."""
        return self.words[0]


def unquote(word: str) -> str:
    """A word without its quotes, as the shell would see it, but for what it would expand."""
    if not any(mark in word for mark in "'\"\\"):
        return word
    bare = _QUOTED.sub(lambda found: next((part for part in found.groups() if part is not None), ""), word)
    return bare.lstrip("'\"") if bare[:1] in "'\"" else bare


def unwrap(words: list[str]) -> Unwrapped:
    """Take off whatever only starts another program. What is left has at least one word."""
    rest = list(words)
    result = Unwrapped(rest)
    while True:
        rest[0] = _program(rest[0])
        name = rest[0]
        if name in _SHELLS and (script := _script(rest)) is not None:
            result.script = script
            return result
        if name == "python" and len(rest) > 2 and (module := _module(rest)) is not None:
            result.wrappers += ["python", "-m"]
            rest[:] = module
            continue
        valued = _PREFIXES.get(name)
        if name == "command" and len(rest) > 1 and rest[1] in ("-v", "-V"):
            return result  # asks where a program is
        skip = 1
        if valued is None and len(rest) > 1:
            at = _first_word(rest, _VALUED.get(name, frozenset()))
            if at is not None and (valued := _RUNNERS.get((name, rest[at]))) is not None:
                skip = at + 1
        if valued is None:
            return result
        inner = _after(rest, skip, valued, name)
        if not inner:
            return result
        result.by_xargs = result.by_xargs or name == "xargs"
        if name not in _SILENT:
            result.wrappers += [name] if skip == 1 else [name, rest[skip - 1]]
        rest[:] = inner


# Wrappers that say nothing about how the command is run in this project.
_SILENT: Final = frozenset(
    "time nice ionice nohup setsid stdbuf timeout gtimeout command builtin exec unbuffer chronic caffeinate xargs"
    " env".split()
)


def _after(words: list[str], start: int, valued: frozenset[str], name: str) -> list[str]:
    at = start
    while at < len(words):
        word = words[at]
        if word == "--":
            return words[at + 1 :]
        if word in valued:
            at += 2
        elif word.startswith("-") or (name == "env" and _ASSIGNMENT.match(word)):
            at += 1
        elif (name in ("timeout", "gtimeout") and _DURATION.match(word)) or name == "direnv":
            return words[at + 1 :]
        else:
            return words[at:]
    return []


def _script(words: list[str]) -> str | None:
    for at, word in enumerate(words[1:], 1):
        if not word.startswith("-"):
            return None
        if not word.startswith("--") and word.endswith("c") and at + 1 < len(words):
            return words[at + 1]
    return None


def _module(words: list[str]) -> list[str] | None:
    for at, word in enumerate(words[1:], 1):
        if word == "-m" and at + 1 < len(words):
            return words[at + 1 :]
        if not word.startswith("-") and words[at - 1] not in _VALUED["python"]:
            return None
    return None


def _program(word: str) -> str:
    """The program's name without folders where programs are installed, and without its version."""
    folder, _, name = word.rpartition("/")
    if name and folder.rpartition("/")[2] in ("bin", "sbin", ".bin", "Scripts"):
        word = name
    if _PYTHON.match(word):
        return "python"
    versioned = _VERSIONED.match(word)
    return versioned.group(1) if versioned else word


def _first_word(words: list[str], valued: frozenset[str]) -> int | None:
    at = 1
    while at < len(words):
        if words[at] in valued:
            at += 2
        elif _FLAG.match(words[at]):
            at += 1
        else:
            return at
    return None


def key(command: Unwrapped, heredoc: bool) -> tuple[str, bool]:
    """Program and first two non-flag words, and whether the command is a script given on the spot."""
    program, rest = command.program, command.words[1:]
    scripts = _INTERPRETERS.get(program)
    if scripts is not None:
        given = next((word for word in rest if word in scripts), None)
        if given is not None:
            return f"{program} {given}", True
        if heredoc and all(word == "-" or word.startswith("-") for word in rest):
            return program, True
    valued = _VALUED.get(program, frozenset())
    kept: list[str] = [program[:_WORD_LONGEST]]
    at = 0
    while at < len(rest) and len(kept) < 3:
        word = rest[at]
        if word == "--":  # what follows is for another program, or a list of files
            break
        if word in valued or takes_secret(command.words, at + 1):
            at += 2
            continue
        if not _FLAG.match(word) and word != "-" and word.strip() and not _ASSIGNMENT.match(word):
            kept.append(" ".join(word.split())[:_WORD_LONGEST])
        at += 1
    return " ".join(kept), heredoc and (program in _SHELLS or program in ("cat", "tee"))


def weight(command: Unwrapped) -> float:
    """2 for work, 1 for looking and tidying, 0 for preparation."""
    program = command.program
    if program in _PREPARATION or _ASSIGNMENT.match(program) or program.lower().startswith("$env:"):
        return 0.0
    if program in _LOOKING or program in _TIDYING:
        return 1.0
    if program == "git":
        return 1.0 if _git(command) in _GIT_ROUTINE else 2.0
    if len(command.words) == 2 and command.words[1] in ("--version", "-V", "-v", "--help", "-h", "version"):
        return 1.0
    return 2.0


def changes(command: Unwrapped) -> bool:
    """Whether a command may change something: work and tidying do, looking and preparation don't."""
    if command.program == "git":
        return _git(command) not in _GIT_LOOKING
    return command.program in _TIDYING or weight(command) == 2


def _git(command: Unwrapped) -> str:
    at = _first_word(command.words, _VALUED["git"])
    return "status" if at is None else command.words[at]


def only_produces(command: Unwrapped) -> bool:
    """Whether a command does no more than write text for the next one of its pipeline."""
    return command.program in _PRODUCERS


def only_shows(command: Unwrapped) -> bool:
    """Whether a command is about what is seen of others, and changes nothing for them."""
    program = command.program
    if program == "set":
        return not {"-a", "+a", "-o"}.intersection(command.words) or "pipefail" in command.words
    return program in _SHOWS or (program in _LOOKING and program != "env")


def sets_errexit(words: list[str]) -> bool:
    """Whether `set` with these words makes the shell stop at the first failure."""
    flags = [word for word in words[1:] if word.startswith("-") and not word.startswith("--")]
    return any("e" in flag for flag in flags) or "errexit" in words
