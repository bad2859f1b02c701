"""What may make a failing command pass, and whether an error is one that it can explain."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from sidecar.text.lazy_patterns import lazy

# What an error complains of, and which kinds of change can be its remedy.
_EXPLAINS: Final[tuple[tuple[re.Pattern[str], frozenset[str]], ...]] = tuple(
    (re.compile(form, re.IGNORECASE), frozenset(kinds.split()))
    for form, kinds in (
        (
            r"command not found|: not found\b|no module named|cannot find (?:module|package)|module not found"
            r"|not installed|is not recognized|executable (?:file not found|doesn't exist)|can't find"
            r"|(?:could not|cannot) (?:find(?! symbol)|open|resolve|choose|read)|no such file"
            r"|no required module|not in std|has no exported member|enoent|missing|does not contain|cannot load"
            r"|undefined reference|has not been (?:built|installed|generated|initialized)|inconsistent"
            r"|file or directory not found|run `?\w+ (?:install|init|generate)|C compiler|linker",
            "state install file work build",
        ),
        (
            r"connection ?refused|econnrefused|cannot connect|could not connect|connectionerror|failed to connect"
            r"|is the .{0,20}(?:server|daemon) running|connection to .* (?:was refused|failed)|enotfound"
            r"|server selection",
            "service state install",
        ),
        (
            r"eaddrinuse|already (?:in use|running|allocated|bound)|\block(?:ed)?\b|ebusy|text file busy",
            "stop file",
        ),
        (
            r"\bdenied\b|eacces|eperm|not permitted|unauthorized|forbidden|credentials|cannot be loaded because",
            "state file",
        ),
        (
            r"no such table|(?:relation|database|table|role|schema|bucket|topic|index) .{0,80}does not exist"
            r"|doesn't exist|migrations?\b.{0,30}(?:pending|unapplied)|pendingmigration|out of (?:date|sync)|stale",
            "work install service file",
        ),
        (
            r"keyerror|environment variable|is not (?:set|defined)|not set\b|field required|heap|out of memory"
            r"|is required|unsupported|not supported|requires\b|version|memory|too many open files|locale|display",
            "state install file",
        ),
    )
)
USAGE: Final = lazy(
    r"(?i)missing script|no rule to make|unknown (?:command|subcommand|option|target|task|flag|argument|script"
    r"|recipe)|unrecognized|no such (?:command|task|option|target|file)|not a .{1,30} command|is not recognized"
    r"|task .{1,60} not found|command .{1,60} (?:not found|is not defined)|specify (?:a|an|the"
    r"|which)\b|usage:|invalid (?:choice|option|argument|subcommand)|unexpected argument|(?:required|missing)"
    r" argument|no test specified|does not contain|no (?:recipe|targets?|inputs?|go files|tests?) "
    r"|could not (?:find|determine)|isn't a valid|not found in"
)
"""What an error says when the command itself was written wrong."""
ASSERTS: Final = lazy(
    r"(?i)\bassert|\bexpected\b|\breceived\b|\bexceeded timeout|\bwant\b|^(?:--- )?FAIL\b|[●✕✗×]"
)
"""What the tests say of the code itself: they may pass by chance the next time."""
ABSENT: Final = lazy(
    r"(?i)command not found|: not found\b|no module named|cannot find (?:module|package)|not installed"
    r"|no required module"
)
_WORD: Final = lazy(r"[A-Za-z_][\w.-]{3,}")
_GOING: Final = lazy(r"\bcd \S+")
_SAYS_LITTLE: Final = frozenset(
    "install uninstall update upgrade python python3 node sudo test tests run build compose docker start stop"
    " true false export source make local activate exec with from main error file module package version".split()
)


def explained(error: str, kind: str) -> bool:
    """Whether an error is of a sort that this kind of change removes."""
    return any(kind in kinds for form, kinds in _EXPLAINS if form.search(error))


def named(output: str, change: str, command: Sequence[str]) -> str:
    """The word by which the output of a failed command speaks of what was changed, not only of itself; mostly empty."""
    known = {word.lower() for text in command for word in _WORD.findall(text)} | _SAYS_LITTLE
    said = {word.lower().strip(".-") for word in _WORD.findall(output)}
    words = (word.lower().strip(".-") for word in _WORD.findall(_GOING.sub("", change)))
    return next((word for word in words if word in said and word not in known), "")
