"""The sentences of a chunk of reasoning, each on its own feet: unframed, pronouns resolved where that is certain, and
marked where what stands around them takes them back."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final, Literal, NamedTuple

from sidecar.files.facets.framing import stripped
from sidecar.files.facets.grounding import named
from sidecar.files.facets.phrases import refusal
from sidecar.files.facets.plans import without_plans
from sidecar.patterns import lazy
from sidecar.text.prose import passages
from sidecar.text.sentences import read, split_sentences

_PRONOUN: Final = lazy(
    r"(?:It|This (?:function|method|class|helper|property|decorator|struct|type|hook|constant)|The"
    r" (?:function|method|class|helper|property|decorator))(?= (?:is|has|also|then|only|never|always"
    r"|can|must|does|\w+s)\b)"
)
_SUBJECT: Final = lazy(
    r"(?:The |A |An )?(?:\w+ ){0,2}?(`[^`\s]+`|[A-Za-z_]\w*(?:_\w+|[a-z][A-Z]\w*|\(\)))(?: (?:function"
    r"|method|class|helper|property|decorator|struct|type|hook))?(?= (?:is|has|also|then|only|never"
    r"|always|can|must|does|\w+s)\b)"
)
_RETRACTS: Final = lazy(
    r"(?:no,|no\.|nope|wait|hmm+|uh|actually|scratch that|hold on|never ?mind|correction|oops|not"
    r" quite|unless\.\.\."
    r"|that's (?:not|wrong)|that is (?:not|wrong)|i was wrong|i misread|on second thought|but is"
    r" (?:that|it)\b|is (?:that|it) (?:right|true)"
    r"|or is it|or not|right\?|probably|really\?|not sure|at least|let me (?:double-?check|verify"
    r"|confirm|check) (?:that|this|it|whether)"
    r"|i(?:'m| am) not sure)(?!\w)",
    re.IGNORECASE,
)
_FOUND_BUG: Final = lazy(
    r"\b(?:found (?:it|the (?:bug|issue|problem|cause|culprit))|(?:here's|there's|that's|here is|there"
    r" is|this is|see|is) the (?:\w+ )?(?:bug|issue|problem|culprit|cause)"
    r"|the (?:bug|issue|problem|root cause) (?:is|here|lies|comes)|root cause)\b|\b(?:bug|problem"
    r"|issue|cause):",
)
_EDITS: Final = lazy(
    r"\b(?:fix|change|replace|rename|remove|delete|rewrite|refactor|modify|drop|patch|move|extend"
    r"|update|adjust|adapt|rework|edit|wrap|split)\b(?P<what>[^.;]{0,80})"
)
_PASSIVE: Final = lazy(
    r"\b(?:has to|have to|needs to|need to|should|must|will) be (?:split|changed|fixed|replaced"
    r"|renamed|removed|rewritten"
    r"|moved|extended|updated|adapted|reworked|refactored|modified|dropped|deleted)\b"
)
_POINTS_BACK: Final = lazy(r"(?:\s\w+){0,3}\s(?:it|this|that|them)\b")
_IS_THE_BUG: Final = lazy(
    r"(?:so |and |but )?(?:this|that|which)(?:'s| is| was| must be| looks like)(?: \w+)? (?:the|a|an"
    r"|what|where|why|wrong|bad|not right|my)"
    r"(?: \w+){0,2}? ?(?:bug|problem|issue|race|culprit|cause|defect|mistake|ticket|task|wrong|needs"
    r"|fix|change)\b"
    r"|(?:so |and |but )?(?:this|that)(?:'s| is) (?:wrong|bad|not right|incorrect|broken)\b"
)
_EDIT_FRAME: Final = lazy(
    r"\b(?:i'll|i will|i'm going to|let me|let's|i need|we need|needs?|should|have to|must|i can|we"
    r" can|i want|the fix|plan|to fix|simplest|we'll|todo|next)\b|^(?:\W*)(?:fix|change|replace|rename"
    r"|remove|rewrite|refactor|modify|update|extend)\b"
)

Doubt = Literal["notDurable", "noise"]


class Thought(NamedTuple):
    """A sentence as it may be judged; `doubt` when its surroundings speak against it."""

    text: str
    doubt: Doubt | None = None


def thoughts(text: str, *, cut: bool) -> Iterator[Thought]:
    """The sentences of a text in order. `cut`: the text was cut off, so its last sentence is none."""
    chunks = [list(split_sentences(passage)) for passage in passages(without_plans(text))]
    if cut and chunks and chunks[-1]:
        chunks[-1].pop()
    every = [sentence for chunk in chunks for sentence in chunk]
    doomed = _to_be_changed(every)
    number = 0
    for chunk in chunks:
        subject: str | None = None
        bug = False
        for sentence in chunk:
            number += 1
            following = every[number] if number < len(every) else ""
            plain = stripped(sentence)
            if _FOUND_BUG.search(read(sentence).reading):
                bug = True
            resolved = _resolved(plain, subject)
            subject = _subject(resolved or plain)
            if bug or _RETRACTS.match(following) or doomed & {name.text for name in named(resolved or plain)}:
                yield Thought(plain, "notDurable")
            elif resolved is None:
                yield Thought(plain, "noise")
            else:
                yield Thought(resolved)


def _resolved(sentence: str, subject: str | None) -> str | None:
    """The sentence with the pronoun that is its subject replaced; None when what it stands for is not certain."""
    pronoun = _PRONOUN.match(sentence)
    if pronoun is None:
        return sentence
    return subject + sentence[pronoun.end() :] if subject else None


def _subject(sentence: str) -> str | None:
    """The identifier that a statement is about, when it names no other that a pronoun could stand for."""
    found = _SUBJECT.match(sentence)
    if found is None or refusal(read(sentence).reading) is not None:
        return None
    return found[1] if len({name.text for name in named(sentence)}) == 1 else None


def _to_be_changed(sentences: list[str]) -> set[str]:
    """The identifiers that the agent says it is about to change."""
    found: set[str] = set()
    before = ""
    for sentence in sentences:
        reading = read(sentence).reading
        last, before = before, sentence
        if _IS_THE_BUG.match(reading):
            found.update(name.text for name in named(last))
        if _PASSIVE.search(reading):
            found.update(name.text for name in named(sentence)[:1])
        if not _EDIT_FRAME.search(reading):
            continue
        for edit in _EDITS.finditer(reading):
            start = edit.start("what")
            if _POINTS_BACK.match(edit["what"]):
                found.update(name.text for name in named(last)[:1])
            for name in named(sentence[start : start + 40])[:1]:
                found.add(name.text)
    return found
