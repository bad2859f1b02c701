"""Whether the code bears a statement out: what a sentence says of a symbol is looked for in the lines of that symbol.

This is no proof. It tells what an agent read in a function from what it made up around it: a scenario, a plan, a run.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final, NamedTuple

from sidecar.files.facets.content import Content
from sidecar.files.facets.grounding import Named, in_content
from sidecar.files.facets.sameness import stems
from sidecar.files.symbol_hashes import spans
from sidecar.patterns import lazy

_SEPARATOR: Final = lazy(r"\.|::|->|#")
_WORD: Final = lazy(r"[^\W\d]\w*|\$\w+")
_SPAN: Final = lazy(r"`([^`]+)`")
_SPACE: Final = lazy(r"\s+")
_MOST: Final = 40_000
"""Characters of a subject's lines that are looked at."""
_LITERAL: Final = lazy(r"\"([^\"]+)\"")
_STATE: Final = lazy(
    r"[\w.)\]] ?(?:==?|!=|:) ?(?:[\"']|(?:true|false|nil|null|none|undefined)\b)", re.IGNORECASE
)
"""`x = "a"`, `x: true`: a code span that gives a value."""


class Evidence(NamedTuple):
    """Other identifiers of a sentence that stand in the lines of its subject, those that the file does not have, and
    the share of the sentence's stems found in these lines (0 to 1). `symbol`: the outline has the subject."""

    borne: int
    absent: int
    share: float
    symbol: bool


def evidence(text: str, subjects: Iterable[Named], names: Iterable[Named], content: Content) -> Evidence:
    """What the lines of the subjects of a sentence say of the other names in it."""
    own = [name.text for name in subjects]
    lines = content.text.splitlines()
    wanted = {part for name in own if (part := in_content(name, content))}
    found = spans(content.record, wanted)
    body = "\n".join("\n".join(lines[start - 1 : end]) for places in found.values() for start, end in places)
    if not body:
        body = "\n".join(line for line in lines if any(_last(name) in line for name in own))
    body = body[:_MOST]
    words = set(_WORD.findall(body))
    mine = {_last(name) for name in own}
    others = {_last(name.text) for name in names} - mine
    borne = len(others & words)
    said = stems(text) - stems(" ".join(own))
    told = stems(body)
    share = len(said & told) / len(said) if said else 0.0
    absent = sum(name not in content.words and name not in content.identifiers for name in others)
    return Evidence(borne, absent, share, bool(found))


def states_a_value(text: str, content: Content) -> bool:
    """Whether a code span gives a value, or is a text in quotes, that the file does not have: how things stood in one
    run, or what would come out in an example."""
    bare = _SPACE.sub("", content.text)
    return any(
        (_STATE.search(span) is not None and _SPACE.sub("", span) not in bare)
        or any(_SPACE.sub("", literal) not in bare for literal in _LITERAL.findall(span))
        for span in _SPAN.findall(text)
    )


def _last(name: str) -> str:
    return _SEPARATOR.split(name.rstrip("?!").lstrip("@"))[-1]
