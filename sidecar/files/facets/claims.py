"""Whether a sentence is a claim about what a file defines: what a fact taken from reasoning must be.

A claim has a clause in the present tense whose subject is (or begins with) an identifier that the content defines. It
is no situation: nothing in it points at the work at hand, at one run or at an example. And it weighs enough: it gives a
reason, a condition or a limit, or the lines of its subject bear out what it says (`evidence`). What agents write about
their work is of endless kinds; what they write when they state how code behaves is of a few, so these are asked for.
"""

from __future__ import annotations

from typing import Final

from sidecar.files.facets.content import Content
from sidecar.files.facets.evidence import evidence, states_a_value
from sidecar.files.facets.grounding import Named, defines, named
from sidecar.files.facets.remarks import SUBORDINATE
from sidecar.files.facets.verbs import PRESENT, THIRD_PERSON, VERBS
from sidecar.patterns import lazy
from sidecar.text.sentences import Sentence

ENOUGH: Final = 2
"""Points from which a claim says enough; see `weight`. Chosen on the developing half of public sessions."""

SHARE: Final = 0.5
"""Share of a sentence's stems in the lines of its subject from which these lines bear it out."""

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
    r"(?:(?:,| and| or|, and| in| of| with| on| for| itself) ?(?:the )?(?!which |that |who )"
    r"(?:x{3,}|[\w.]+(?:\(\))?)){0,3}"
    r"(?: \([^()]*\))? (?:(?:also|both|all|just|simply|then|first|lazily|silently|explicitly|directly"
    r"|automatically|internally|unconditionally|itself) )?" + _FINITE
)
_AND_THEN: Final = lazy(
    r"(?:'s)?(?: (?:function|method|hook|handler|callback))? (?:runs|is called|executes|fires|starts)"
    r"(?: [^,]{0,80})?, it(?: (?:also|only|just|simply|then|first))? " + _FINITE
)
"""`When `x` runs, it ...`: the clause that leads names what the pronoun stands for."""
_PLURAL: Final = lazy(
    r"(?:x{3,}|[\w.]+)(?:,? and (?:x{3,}|[\w.]+)) (?:both )?(?:" + "|".join(VERBS) + r")(?![\w'-])"
)
_JOINED: Final = lazy(
    r"(?:\b(?:because|since|so that|unless|until|therefore|hence|as)|, (?:so|but|while|whereas)|[;:]| [—–]) "
    r"(?=(?P<rest>[^;:]*$))"
)
_WHEN: Final = lazy(r"(?:when|whenever|once|if|after|every time|each time) (?:the )?")
_PLACE: Final = lazy(r"(?:with)?in(?:side)? (?:the )?$")
_PLACED: Final = lazy(r", (?!(?:it|they|he|she|one) )")
"""`In `x`, the rows ...`, but not `In `x`, it ...`: `it` is somebody of whom the sentence does not tell."""
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
_LOUD: Final = lazy(
    r"\b(?:IS|ARE|DOES|DO|WILL|NONE|BOTH|AND|BUT|HAS|TRUE|FALSE|WITH|BEFORE|AFTER|NEW|WAS|CAN|FIRST)\b"
    r"|\w:- | - |\bso that works\b|\bis where\b"
)
"""Emphasis of a hunt for a cause, and lists and contrasts that are run together in one line."""
_SITUATION: Final = lazy(
    r"(?<!but )(?<!may )(?<!can )\b(?:already|still)\b"
    r"|\b(?:actually|basically|nearly|identical|tricky|elegant|coupled|clean|massive|huge|messy|hard to)\b"
    r"|\b(?:several|various|certain)\b|^(?:(?!,? so |\bbecause ).)*\bmay\b"
    r"|^(?:the|one|a|my|another) (?:\w+ )?(?:issue|problem|reason|cause|question|concern|difference|fix|goal)\b"
    r"|\b(?:is|are) (?:\w+ly )?(?:\w+ing (?!to\b)|responsible|the (?:one|place|method|function)\b)"
    r"|\bgets? \w+(?:ed|en)\b|n(?:'t|ot) explicitly\b"
    r"|\b(?:is|are) (?:\w+ )?(?:safe|available|failing|incomplete|defunct|being|in dev|gone(?! for good))\b"
    r"|\bthe deleted\b|^\S+(?: \S+){0,4} also\b|^(?:in tests, |there(?:'s| is| are)\b)"
    r"|\bas an? (?:\w+ )?(?:parameter|argument)\b"
    r"|\b(?:the|this|all|both|existing|new) tests?\b|\btest (?:case|file)s?\b"
    r"|\b[Ll]\d{2,}\b|^(?:\S+ ){1,4}then\b|^\S+(?: \S+){0,2}: |(?:→|=>|->)|[^\s\d]\d\.$"
    r"|\bbut (?:it|they|it's|they're|the \w+|nothing|nobody) [^.]*?(?:never|not|n't|no)\b"
    r"|\b(?:this|these) (?!file|module|package|class|function|method)[a-z]+\b"
)
"""What is said for the work at hand: what is there already, what is missing, what `this` points at."""
_LABEL: Final = lazy(
    r"\b(?:[Cc]ommit|[Ss]ession|[Uu]ser|[Cc]ase|[Oo]ption|[Ss]tep|[Pp]hase|[Ff]ile|[Tt]hread|[Cc]all)s?"
    r" (?:[A-Z]|#?\d+)\b|#\d+\b"
)
"""Names given to the parts of an example: `Session B`, `commit 2`."""


def is_claim(sentence: Sentence, content: Content) -> bool:
    """Whether a sentence states how something behaves that the content defines, and enough of it."""
    return weight(sentence, content) >= ENOUGH


def weight(sentence: Sentence, content: Content) -> int:
    """The points of a sentence; 0 when it is no claim, or one about a situation.

    A reason or a consequence counts two; a condition or limit, a verb that tells of behaviour, and a subject that the
    outline has, one each; each other identifier in the lines of the subject one, up to two; most of its words in these
    lines one. More identifiers that the file does not have than such take one away.
    """
    text, reading = sentence
    if _LOUD.search(text) or _LABEL.search(text) or states_a_value(text, content):
        return 0
    if _SITUATION.search(SUBORDINATE.sub(" ", reading)):
        return 0
    names = named(text)
    subjects = [name for name in names if defines(name.text, content) and _is_subject(name, reading)]
    if not subjects or subjects[0].text.lower().startswith("test"):
        return 0
    found = evidence(text, subjects, names, content)
    return (
        2 * bool(_REASON.search(reading))
        + bool(_LIMIT.search(reading))
        + bool(_TELLS.search(reading))
        + found.symbol
        + min(found.borne, 2)
        + (found.share >= SHARE)
        - (found.absent > found.borne)
    )


def _is_subject(name: Named, reading: str) -> bool:
    """Whether a clause begins with the name: at the beginning, after a clause that leads, or joined to one."""
    before = reading[: name.start]
    if _PLACE.fullmatch(before) and _PLACED.match(reading, name.end):
        return True
    if _WHEN.fullmatch(before) and _AND_THEN.match(reading, name.end):
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
