"""Whether a sentence is a claim about what a file defines: what a fact taken from reasoning must be.

A claim has a clause in the present tense whose subject is (or begins with) an identifier that the content defines, and
it says something that lasts: a reason, a condition, a limit or what comes of it. What agents write about their work is
of endless kinds; what they write when they state how code behaves is of a few, so these are asked for.
"""

from __future__ import annotations

from typing import Final

from sidecar.files.facets.content import Content
from sidecar.files.facets.grounding import Named, defines, named
from sidecar.files.facets.remarks import SUBORDINATE
from sidecar.files.facets.verbs import PRESENT, THIRD_PERSON, VERBS
from sidecar.patterns import lazy
from sidecar.text.sentences import Sentence

ENOUGH: Final = 2
"""Points from which a claim says enough; see `_weight`. Chosen on real transcripts for few and true facts."""

_LEAD: Final = lazy(
    r"(?:(?:when|whenever|if|once|until|unless|because|since|after|before|while|as|without|with|in|on|for|during|at"
    r"|by|outside|inside|between|even|only|to) [^,;:]{2,140}, )?"
)
_PHRASE: Final = lazy(
    r"(?:(?:(?:the|an?|every|each|any|all|both|only|no|not|one|two)(?: [\w'-]+){0,3}"
    r"|[\w-]+s (of|to|from|in|for)(?: the)?) )?"
)
"""What may stand before the identifier that a clause is about: "The counter `x` ...", "Calls to `x` ..."."""
_NOUN: Final = (
    r"(?:functions?|methods?|class(?:es)?|fields?|flags?|options?|arguments?|parameters?|propert(?:y|ies)|hooks?|types?"
    r"|decorators?|constants?|variables?|tables?|columns?|index(?:es)?|jobs?|keys?|settings?|commands?|callbacks?"
    r"|handlers?|helpers?|structs?|interfaces?|middlewares?|components?|loops?|objects?|instances?|modules?|calls?"
    r"|scripts?|steps?|counters?|sets?|maps?|caches?|locks?|stores?|quer(?:y|ies)|routes?|events?|sections?|files?)"
)
_FINITE: Final = (
    r"(?:is|are|isn't|aren't|has|have|does|doesn't|do|don't|can|can't|cannot|must|never|only|always|"
    + "|".join(sorted(THIRD_PERSON))
    + r"|[a-z]{3,}s(?= (?:the|an?|its|their|all|each|every|both|x{3,})))(?![\w'-])"
)
_PREDICATE: Final = lazy(
    r"(?:'s(?: [\w-]+){1,3})?(?: \([^()]*\))?(?: " + _NOUN + r")?"
    r"(?:(?:,| and| or|, and| in| of| with| on| for| itself) ?(?:the )?(?:x{3,}|[\w.]+(?:\(\))?)){0,3}"
    r"(?: \([^()]*\))? (?:(?:also|both|all|just|simply|then|first|lazily|silently) )?" + _FINITE
)
_PLURAL: Final = lazy(
    r"(?:x{3,}|[\w.]+)(?:,? and (?:x{3,}|[\w.]+)) (?:both )?(?:" + "|".join(VERBS) + r")(?![\w'-])"
)
_JOINED: Final = lazy(
    r"(?:\b(?:because|since|so that|unless|until|, so|, but|therefore|hence|as)|[;:]) (?=(?P<rest>[^;:]*$))"
)
_PLACE: Final = lazy(r"(?:with)?in(?:side)? (?:the )?$")
_REASON: Final = lazy(
    r"\b(?:because|so that|since|so|otherwise|therefore|hence|thus|to avoid|guarantees?|relies|depends|only|never"
    r"|always|unless|until|regardless|rather than|instead of|even (?:if|when|though)|must|cannot|can't)\b"
)
_LIMIT: Final = lazy(
    r"\b(?:before|after|without|no|not|nothing|none|nowhere|at most|at least|exactly|except|when|whenever|if|else|once"
    r"|while|first|twice|again|every|each|any|by default|doesn't|isn't|don't|aren't|lazily|order|per)\b"
)
_TELLS: Final = lazy(
    r"\b(?:returns?|raises?|throws?|requires?|expects?|defaults?|falls? back|ignores?|skips?|caches?|locks?|holds?"
    r"|swallows?|overwrites?|rejects?|drops?|keeps?|blocks?|retries|clears?|evicts?|stops?|closes?|survives?|resets?"
    r"|caps?|limits?|truncates?|inherits?|sorts?|counts?|compares?|strips?|replaces?|refuses?|belongs?|applies)\b"
)
_LOUD: Final = lazy(r"\b(?:IS|ARE|DOES|DO|NOT|WILL|NONE|ONLY|ALL|BOTH|NEVER|AND|BUT|MUST|ALWAYS)\b")
_REVIEWED: Final = lazy(
    r"\b(?:already|still|incomplete|defunct|in dev|available|failing|safe)\b|\b[Ll]\d{2,}\b|^(?:\S+ ){1,4}then\b"
    r"|\bbut (?:it|they|it's|they're|the \w+|nothing|nobody) [^.]*?(?:never|not|n't|no)\b|^\S+(?: \S+){0,2}: "
)
"""A claim made for the work at hand: what is there already, what is missing."""


def is_claim(sentence: Sentence, content: Content) -> bool:
    """Whether a sentence states how something behaves that the content defines, and enough of it."""
    if _LOUD.search(sentence.text) or _REVIEWED.search(SUBORDINATE.sub(" ", sentence.reading)):
        return False
    own = [name for name in named(sentence.text) if defines(name.text, content)]
    if not any(_is_subject(name, sentence.reading) for name in own):
        return False
    return _weight(sentence.reading, len({name.text for name in own})) >= ENOUGH


def _is_subject(name: Named, reading: str) -> bool:
    """Whether a clause begins with the name: at the beginning, after a clause that leads, or joined to one."""
    before = reading[: name.start]
    if _PLACE.fullmatch(before) and reading[name.end : name.end + 2] == ", ":
        return True
    if _PREDICATE.match(reading, name.end) is None and _PLURAL.match(reading, name.start) is None:
        return False
    if _opens(before):
        return True
    return any(
        _opens(joined["rest"]) and PRESENT.search(before[: joined.start()]) is not None
        for joined in _JOINED.finditer(before)
    )


def _opens(before: str) -> bool:
    """Whether nothing but a clause that leads and the beginning of a noun phrase stands before the name."""
    lead = _LEAD.match(before)
    phrase = _PHRASE.fullmatch(before, lead.end() if lead else 0)
    return phrase is not None and (phrase[1] is not None or PRESENT.search(phrase[0]) is None)


def _weight(reading: str, names: int) -> int:
    """A reason or a strict limit counts two points; a condition, a telling verb and a second name of the file one."""
    return (
        2 * bool(_REASON.search(reading))
        + bool(_LIMIT.search(reading))
        + bool(_TELLS.search(reading))
        + (names > 1)
    )
