"""Corrections: the user says that the agent was wrong and what is right, or tells it to stop doing something.

A rebuke alone ("that's wrong, try again") says nothing that lasts: it counts with an assertion beside it, in the same
sentence or in the next.
"""

from __future__ import annotations

from sidecar.learning.language import guards
from sidecar.learning.language.mark import Mark
from sidecar.learning.language.verbs import CLAUSE
from sidecar.patterns import lazy

_STOP = lazy(
    CLAUSE + r"(?:stop|quit|cease)\s+(?!(?:it|that|this|the|string|bring|nothing|everything)\b)(?:\w+ly "
    r"|always )?(add|us|runn|writ|suggest|apologi[sz]|explain|ask|creat|edit|import|committ|push|rewrit"
    r"|renam|delet|guess|summari[sz]|repeat|putt|mock|wrapp|reformatt|generat|chang|touch|mak|giv|show"
    r"|do|call|invent|assum|hard-?cod|break|remov|over-?engineer|overcomplicat|say|tell|start|leav|ignor"
    r"|read|open|install|introduc|skipp|refactor|offer|recommend|modify|append|prefix|catch|swallow"
    r"|disabl|try|print|dump|nest|abbreviat|respond|answer|reply|talk|hallucinat|fabricat|mess|duplicat"
    r"|copy|includ|updat|reach|fight|comment)ing\b\s+(?!(?:it|that|this)\W*$)\S"
)
_NO_MORE = lazy(r"(?:please |pls )?no more\s+(?!questions|time|problems|errors)(\w+)\s\S+")
_KEEPS = lazy(
    r"(?:you (?:keep|kept|still keep|always keep|constantly keep|keep on) (?:on )?(\w+ing)"
    r"|there you go again|you(?:'re| are) (?:still|again) (\w+ing))\b"
)
_SAID = lazy(
    r"how (?:often|many times) (?:do|must) i (?:have to )?(?:say|tell you|repeat)\w*(?: it| this"
    r"| that)?\s?[:,?]\s*(?P<often>.+)|(?:as |like )?(?:i|we)(?:'ve| have)? (?:already |just "
    r"|explicitly |clearly "
    r"|specifically )?(?:told you|asked you|said)\b(?: (?:already|before|that|twice|many times"
    r"|this before|several times|it before"
    r"|this|so))*[,:]?\s*(?P<rest>.*)|again\s?[:,]\s*(?P<again>.*)"
)
_STRONG = lazy(
    r"(?:(?:no|nope|nah|sorry|hmm?|nein|wait|hey|ugh|argh|ok|but|and|well|actually|oh|again)\b[\s,.!–—-]*)*"
    r"(?:(?:that's|that is|this is|thats|it's|its|this was|that was)(?: still| just| also| simply| plain"
    r"| all)? (?:wrong|incorrect|false|outdated(?: \w+)?|no longer (?:true|the case)|not (?:right"
    r"|correct|true|it|quite right|how \S+(?: \S+)? \w+ (?:it|this|that|things)(?: here)?"
    r"|what i (?:meant|asked for|said)|the way we \w+ (?:it|things)))(?: here)?"
    r"|falsch|wrong(?: (?!again|number)\w+)?|incorrect|not quite|not exactly|almost|close"
    r"|you(?:'re| are) (?:wrong|mistaken|using the wrong \w+|looking at the wrong \w+"
    r"|confusing \w+ with \w+|mixing (?:up )?\w+ (?:and|with) \w+)"
    r"|you (?:misunderstood|misread|mixed up\b[^,.;:]*|(?:got|have) (?:\w+ ){1,4}(?:wrong|backwards?"
    r"|mixed up|inverted|reversed)|forgot\b[^,.;:]*"
    r"|missed\b[^,.;:]*|broke\b[^,.;:]*|ignored\b[^,.;:]*|assumed\b[^.;:]*|seem to (?:assume"
    r"|think)\b[^.;:]*)"
    r"|(?:that|your|this) (?:assumption|claim|statement) (?:is|was) (?:wrong|false|incorrect|not true)"
    r"|(?:your \w+(?: \w+)?|the (?:\w+ )?(?:mapping|order|path|name|url|version|port|command|import|info"
    r"|information|number|description|example|docs?|comment|assumption|spelling|unit|units"
    r"|format)) (?:is|are) (?:off|wrong|outdated)"
    r"|(?:(?:this|that|it) (?:isn't|is not)|(?:it|that)'s not) (?:a|an|how|where|what|the way|right"
    r"|correct|true)\b[^,.;:]*|(?:that's|that is|this is) the (?:old|wrong|staging|prod|production|test"
    r"|dev|legacy|other) \w+|correction"
    r"|please undo that|not like that|you should(?:n't| not) have \w+[^,.;:]*)"
    r"(?P<end>\s*(?:[,.:;!–—]|\s-\s|$|(?:because|since|as)\b)\s*)(?P<rest>.*)"
)
_WEAK = lazy(
    r"(?:(?:sorry|but|well|oh|hey|wait|hm+)\b[,\s]+)*(?:no(?! (?:worries|worry|problem|problems|need"
    r"|rush|idea|way|thanks|thank|clue|doubt|matter|one"
    r"|more|longer|luck|hurry|\w+ing|\w+s\b))(?=\s?[,.!–—:-])|nope|nah|actually|hmm?,? no(?=[,.!])|not `)"
    r"(?P<end>[\s,.!–—:-]+)(?P<rest>.*)"
)
_MEANT = lazy(r"\b(?:i mean(?:t)?|i was (?:talking|asking) about)\b.+,? (?:not|and not) ")
_NEEDLESS = lazy(
    r"you (?:don't|do not|didn't) (?:need|have) to \w+[^,.;:]*(?:[,;:–—]|\s-\s)\s*(?=(?:the|it|we|that"
    r"|this|because|there|\w+ (?:is|are)))"
)
_CONTRAST = lazy(
    r"^the (?:correct|right|proper) (?!thing|way|cause|reason|culprit|problem"
    r"|issue)\w+(?: \w+)? is (?!to )\S+|\b(?:it's|it is|they're)(?: called| spelled| named"
    r"| written)? (?=.*(?:[/._]|x{3}|q{3}))[^,]{2,60}, not\b|^not [^,]{2,40}, (?:it's|but|it is)\b"
)
_FINITE = lazy(
    r"\b(?:is|are|was|were|lives?|goes|go|uses?|called|means?|belongs?|starts?|reads?|returns?|runs?"
    r"|applies|comes?|needs?|has|have|can|can't|cannot|must|should|does|doesn't|don't|isn't|aren't"
    r"|there's|it's|contains?|works?|takes?|expects?|deploys?|writes?|depends?|supports?|removed|renamed"
    r"|moved|left|switched|migrated|dropped|killed|abandoned|requires?|happens?|knows?|gets?|sits?"
    r"|stays?|ends?|points?|sends?|keeps?|stores?|lie|lies"
    r"|calls?|handles?|wants?|holds?|exists?|comes|throws?|raises?|defaults?|listens?|replaced|changed"
    r"|dropped|never|always|bills?|charges?|comes|disables?|enables?|we \w+|they \w+|liegt|liegen|ist"
    r"|sind|heißt|läuft|laufen)\b"
)
_OF_THE_MOMENT = lazy(
    r"^(?:i|i'm|i've|i'll|it still|still|it's still|the (?:test|build|error)s? (?:(?:is|are) )?(?:still"
    r"|failing|red|broken)|that didn't|it didn't|it doesn't (?:work|compile|build)|try|go ahead|let's"
    r"|let me|can you|show|same|please (?:try|revert|fix|look"
    r"|check)|looks|never mind|wait|maybe|perhaps|what|why|how|now)\b|\b(?:still|too (?:big|small|slow"
    r"|long|short|wide|much|many|late|dark)|same error|try again|still (?:fails|failing|broken|wrong"
    r"|not)|doesn't work|not working|have no idea)\b"
)
_STATES = lazy(
    r"(?!(?:the (?:other|one|second|first|last|next)|the \w+ (?:is|are) (?:fine|ok|good|gone|there"
    r"|here))\b)(?:the|our|all|every|we|prod\w*|users?|each)\b(?: \S+){5,}"
)
_SPECIFIC = lazy(
    r"x{3,}|q{4,}|\b\w+[/_.]\w|\d|,? not\b|\bno\b|n't\b|\binstead\b|\bonly\b|\bsince\b|\bnever\b"
    r"|\balways\b|\bbecause\b|\bhas to\b|\bhave to\b|\bwe (?:left|dropped|removed|switched|migrated"
    r"|moved|replaced|use|don't)\b"
)


def find(reading: str, following: str = "") -> Mark | None:
    """The correction that a sentence makes, alone or with the reading of the one that follows it.

    When the following sentence is part of it, `end` is beyond the length of the reading.
    """
    start = guards.content_start(reading)
    if (often := _SAID.match(reading, start)) and often["often"] and asserts(often["often"], True):
        return _mark("said before", often.start("often"), len(reading))
    if not guards.asks(reading):
        if mark := _stop(reading, start):
            return mark
        if mark := _said(reading, start):
            return mark
        if (found := _KEEPS.match(reading, start)) and len(reading.split()) >= 4:
            return _mark("you keep", start, _reach(reading, following))
        if found := _NEEDLESS.match(reading, start):
            return _mark("needless", start, len(reading))
        if found := (_MEANT.search(reading) or _CONTRAST.search(reading[start:])):
            at = start if found.re is _CONTRAST else found.start()
            if not guards.unsure(reading, at):
                return _mark("contrast", at, len(reading))
    return _rebuke(reading, following)


def _stop(reading: str, start: int) -> Mark | None:
    found = _STOP.search(reading)
    if guards.momentary(reading):
        return None
    if found and not guards.unsure(reading, found.start()) and not guards.hearsay(reading, found.start()):
        return _mark("stop", start, len(reading))
    if _NO_MORE.match(reading, start):
        return _mark("stop", start, len(reading))
    return None


def _said(reading: str, start: int) -> Mark | None:
    found = _SAID.match(reading, start)
    if not found or found["often"]:
        return None
    group = "rest" if found["rest"] is not None else "again"
    rest = found[group]
    if rest.startswith(("no ", "never ", "don't ", "always ", "use ")) and len(rest.split()) >= 2:
        return _mark("said before", found.start(group), len(reading))
    if (
        len(rest.split()) >= 4
        and not _OF_THE_MOMENT.search(rest)
        and (_FINITE.search(rest) or rest.startswith(("not to", "to ")))
    ):
        return _mark(
            "said before", start if rest.startswith(("not to", "to ")) else found.start(group), len(reading)
        )
    return None


def _rebuke(reading: str, following: str) -> Mark | None:
    strong = _STRONG.match(reading)
    found = strong or _WEAK.match(reading)
    if not found or reading.rstrip().endswith(("?", "？")):
        return None
    rest = found["rest"]
    if rest and strong is None and (inner := _STRONG.match(rest)):
        found, strong, rest = inner, inner, inner["rest"]
    if asserts(rest, strong is not None):
        return _mark("wrong", len(reading) - len(rest), len(reading))
    bare = len(rest.split()) < 3
    if bare and following and asserts(following, strong is not None):
        return _mark("wrong", 0, len(reading) + 1 + len(following))
    return None


def asserts(reading: str, rebuked: bool) -> bool:
    """Whether a clause says how things are, beyond this moment; without a clear rebuke it must be specific."""
    if (
        len(reading.split()) < 3
        or guards.asks(reading)
        or _OF_THE_MOMENT.search(reading)
        or not _FINITE.search(reading)
    ):
        return False
    if guards.momentary(reading) or guards.unsure(reading, len(reading)):
        return False
    return rebuked or bool(_SPECIFIC.search(reading)) or bool(_STATES.match(reading))


def _reach(reading: str, following: str) -> int:
    return len(reading) + 1 + len(following) if following and asserts(following, True) else len(reading)


def _mark(rule: str, start: int, end: int) -> Mark:
    return Mark("correction", f"correction.{rule}", 1.0, start, start, end)
