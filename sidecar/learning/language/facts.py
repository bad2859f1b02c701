"""Lessons: what turned out, what the cause was, what to beware of.

Only results count: a cause that is looked for, suspected or depends on something is none.
"""

from __future__ import annotations

import re

from sidecar.learning.language import guards
from sidecar.learning.language.mark import Mark
from sidecar.patterns import lazy

_TURNS_OUT = lazy(
    r"(?:^|[,;:(–—]\s*|\s-\s|(?<![\w'])(?:it|so|and|but|as it|which|then|now)\s|^\w+ )(?:turns"
    r"|turned) out\b[,:]?\s*(?:that )?(?P<what>.*)"
)
_TURNED_OUT_TO_BE = lazy(r"\b(?:turned|turns) out to (?:be|have been)\s(?P<what>.+)")
_TIL = lazy(
    r"til(?:\s?[:,–—-]|\s+(?:that|how|about|why|there|x|you|the|`)|\s+(?!is\b|are\b"
    r"|was\b))\s*(?P<what>.*)|today i learned\b[:,]?\s*(?:that )?(?P<today>.*)"
)
_CAUSE = lazy(
    r"(?:\b(?:root|real|underlying|actual)[ -](?:cause|reason|culprit|problem|issue)"
    r"|\bculprit)\b[^,.;:]{0,50}?(?:\b(?:was|is|turned out to be|were)\b|:)\s*(?:that )?(?P<what>.+)"
)
_CAUSED = lazy(
    r"\b(?:the |this |that |our |my |these )?(?:[\w'-]+ ){0,4}?(?:problem|issue|bug|failure|failures"
    r"|error|errors|crash|crashes|hang|leak|regression|flakiness|slowness|slowdown|deadlock|timeout"
    r"|timeouts|breakage|mismatch|race|reason|trouble|outage|corruption|duplicates"
    r"|segfault|exception|warning|flake|cause|delay|spike)\b(?: [\w`'-]+){0,6}? (?:(?:was|were|came"
    r"|happened)(?: actually| simply| just| really| in fact| indeed)? (?:caused by|due to|that|because"
    r"|from)|(?:is|are|happens)(?: actually| simply| just| really| in fact| indeed)? (?:caused by|due to"
    r"|because)|(?<=appear )is that|(?<=reason )is that)\b\s*(?P<what>.+)"
)
_REASON_IS = lazy(
    r"\b(?:the|one|main|only) reason\b[^.;:]{3,70}? (?:is|was|are|were) (?:that|because)\s(?P<what>.+)"
    r"|\b(?:which|this|that) explains (?:why|the)\s(?P<why>.+)"
)
_FOUND = lazy(
    r"(?:(?:i |we )?(?:'ve |have )?found (?:it|the (?:\w+ )?(?:bug|problem|issue|reason|cause|culprit))"
    r"|(?:what|the thing) (?:i|we) learned|mystery solved|explanation)\s?[:–—]\s*(?P<what>.+)"
)
_PAST = lazy(
    r"\b(?:tests?|build|job|deploys?|deployment|suite|requests?|imports?|sync|uploads?|page|query"
    r"|queries|script|worker|server|app|pipeline|specs?|ci|it|this|that|they|migration|login|emails?"
    r"|pods?|container) "
    r"(?:(?:was|were) (?:failing|slow|crashing|hanging|broken|wrong|empty|missing|flaky|timing out|stuck"
    r"|red|rejected|dropped|lost)|happened|crashed|broke|hung|timed out|disappeared)(?: \w+){0,3} "
    r"(?:because|since)\b\s*(?P<what>.+)|\b(?:the )?(?:fix|solution|trick) was (?:to|that)\s(?P<fix>.+)"
)
_LESSON = lazy(
    r"(?:(?:one|another|an|a|the|important|key|big|main|small|hard|little|known|general|other|nasty"
    r"|subtle)\s)*(?:lessons? learned|lesson|gotchas?|note to self|worth (?:remembering|knowing|noting"
    r"|mentioning)|caveats?|pitfall|takeaway|watch out|beware|be aware|be careful|careful|heads[- ]up"
    r"|keep in mind"
    r"|good to know|pro ?tip|important finding|finding|surprise|surprisingly"
    r"|trap)\b(?P<sep>(?:\s(?:with|about|in|of|for|here|when)\b[^:,]{0,50}?)?\s?(?:[:,–—-]|\bis\b"
    r"|\bwas\b|\bthat\b)+(?:\s?that\b)?|\s)\s*(?P<what>.+)"
)
_LEARNED = lazy(
    r"(?<![\w'])(?:i|we)(?:'ve| have)?(?: also| just| now)? (?:learned|learnt|discovered|found out"
    r"|figured out)\b(?: the hard way)?(?: that| is| was)\b[:,]?\s*(?P<what>.+)|(?<![\w'])(?:learned"
    r"|learnt) the hard way\b[:,]?\s*(?:that )?(?P<hard>.+)"
)
_EMPTY = lazy(
    r"(?:to be )?(?:that )?(?:you (?:were|are) right|you're right|i was (?:wrong|right)|fine|great"
    r"|ok(?:ay)?|well|good|nice|no\b|yes\b|true|false|so\b|not\b(?=\W*$)|alright|perfect|later|later\b"
    r"|then|tomorrow|to be (?:fine|ok|great|nothing|easy)|it was (?:me|my fault)|the (?:lights?|lamp|same))"
    r"(?:\W|$)"
)
_NEED = lazy(
    r"(?:we|i|you) (?:should|could|need to|have to|might|can (?:just )?(?:check|try|use))\b|let's\b"
    r"|(?:can|could) (?:be|you)\b"
)
_FINITE = lazy(
    r"\b(?:is|are|was|were|has|have|can|cannot|can't|does|doesn't|don't|must|will|won't|isn't|aren't"
    r"|there's|it's|needs?|uses?|requires?|runs?|expects?|returns?|fails?|drops?|ignores?|deletes?|gets?"
    r"|only|never|always)\b"
)
_BARE = lazy(
    r"(?:to be )?(?:un\w+|empty|correct|fine|right|wrong|missing|stale|dead|broken|ok|easy|hard"
    r"|simple)\b\s*(?:[,.!]|$|so\b|and\b)"
)
_FEWEST = 4


def find(reading: str, by_user: bool) -> Mark | None:
    """The lesson that a sentence states, or None."""
    if guards.asks(reading):
        return None
    start = guards.content_start(reading)
    lead = _lead(reading)
    for rule, found in (
        ("turns out", _TURNS_OUT.search(reading)),
        ("turns out", _TURNED_OUT_TO_BE.search(reading)),
        ("learned", _TIL.match(reading, start) or (_TIL.match(reading, lead) if lead != start else None)),
        ("cause", _CAUSE.search(reading)),
        ("cause", _CAUSED.search(reading)),
        ("lesson", _LESSON.match(reading, start) or _LESSON.match(reading, lead) or _after_comma(reading)),
        ("learned", _LEARNED.search(reading)),
        ("cause", _FOUND.match(reading) or _FOUND.match(reading, start)),
        ("cause", _PAST.search(reading)),
        ("cause", _REASON_IS.search(reading)),
    ):
        if found and _stands(reading, found, rule):
            return Mark("fact", f"fact.{rule}", 1.0, found.start(), min(start, found.start()), len(reading))
    return None


def _lead(reading: str) -> int:
    """Where a sentence begins when only a word of relief or attention is passed over, which may be a signal itself."""
    found = re.match(r"(?:(?:ok|so|ah|oh|fyi|the|one|and|also|but|hm+|interesting)\b[\s,:.–—-]*)*", reading)
    return found.end() if found else 0


def _after_comma(reading: str) -> re.Match[str] | None:
    found = re.search(
        r"(?:^|[:;–—]\s|fyi,? the |and )(?=(?:gotcha|lesson learned|caveat|note to self"
        r"|worth (?:remembering|knowing|noting))\b)",
        reading,
    )
    return _LESSON.match(reading, found.end()) if found else None


def _stands(reading: str, found: re.Match[str], rule: str) -> bool:
    what = next((group for name, group in found.groupdict().items() if group and name != "sep"), "").strip()
    at = found.start()
    if len(what.split()) < (_FEWEST - 1 if rule == "cause" else _FEWEST) or _EMPTY.match(what):
        return False
    if (
        guards.unsure(reading, at + 1)
        or guards.unsure(found[0][: len(found[0]) - len(what)], len(found[0]))
        or guards.hearsay(reading, at)
    ):
        return False
    if guards.plans(reading, at + 1) or guards.denied(reading, at) or _NEED.match(what):
        return False
    head = what[:40]
    if head[0] in "[<{(":
        return False
    if re.match(
        r"(?:not|unclear|unknown|still|probably|likely|possibly|maybe|perhaps|either|something|somewhere"
        r"|in there|to be|already|recorded|fixed|gone|found|when|if)\b",
        head,
    ) and not head.startswith("not "):
        return False
    if _BARE.match(what):
        return False
    if re.match(
        r"(?:i want|i'd like|what i|same as|let's|the \w+(?: \w+){0,3} (?:defined|mentioned|described))\b",
        what,
    ):
        return False
    if rule == "lesson" and not re.search(r"\bthat\b|[:,–—-]", found["sep"]) and not _FINITE.search(what):
        return False
    if rule == "lesson":
        if not found["sep"].strip() and not re.match(
            r".*\b(?:out|careful|aware|mind|beware|up)\b", found[0][: -len(what)]
        ):
            return False
        if re.match(
            r"(?:list|page|component|renders?|model|table|i'll|i will|let me|we'll|makes? sense|thanks)\b",
            what,
        ):
            return False
    if rule == "turns out" and re.search(
        r"(?:function|method|script|button|switch|command|class|code|who|that|everyone|nobody)\s$",
        reading[: reading.find("turn", at)],
    ):
        return False
    return not (guards.is_task(reading) and rule != "turns out" and at > 0)
