"""What marks a sentence as talk about the work at hand, a guess or a question rather than a durable statement.

A rule of use ("call `x` only after `y`", "when you change `x`, update `y`") has the form of an order, so the words that
make a rule - a condition, a limit, a denial, a reason - tell it from an agent's plan. Each pattern reads a sentence's
reading (`sidecar.text.sentences.read`) and is linear in its length.
"""

from __future__ import annotations

import re
from typing import Final, Literal

from sidecar.text.lazy_patterns import lazy

Reason = Literal["task", "notDurable", "question", "noise"]


def _any(text: str) -> re.Pattern[str]:
    """Compile phrases, separated by ` | ` or line ends, to a pattern for whole words."""
    every = [phrase.strip() for line in text.strip().splitlines() for phrase in line.split(" | ")]
    return lazy(r"(?<![\w'-])(?:" + "|".join(every) + r")(?![\w'-])")


RULE: Final = _any(
    r"""
    before | after | when | whenever | if | unless | until | once | while | only | never | always | must | mustn't
    do not | don't | cannot | can't | may not | not to | and not | no longer | without | except | rather than
    instead(?: of)? | because | since | hence | otherwise | or (?:it|the|they|else)
    has to | have to | had to be | needs? to be | deprecated | as well | in (?:step|sync) | by hand | too(?=[.,;]|$)
    every time | each time | at (?:most|least) | private | reserved | (?:thread|signal)[- ]safe | avoid
    prefer | match(?:es)? | requires?
    """
)
"""Words that make a rule of use, or bind a statement to a condition or a reason."""
_QUESTION: Final = lazy(
    r"(?:why|how|what|where|who|does|did|should|could|would|is (?:it|there|this|that)|are (?:there|these|they))\b"
)
_SELF: Final = _any(
    r"""
    i | i'm | i'll | i've | i'd | me | my | mine | myself | let's | let me | let us | we'll | we've | we'd | we're
    we (?:should|could|will|need|have|are|were|might|just|now|can) | our (?:goal|plan) | please | the user
    as an ai | to-?do | fixme | next step | moving on | the plan | (?:the|this) (?:ticket|pr) | the goal | someone
    somebody should | going to | about to | feel free | as requested | in the last session
    """
)
_OPENS_WORK: Final = lazy(
    r"(?:(?:ok(?:ay)?|so|great|good|done|alright|hmm+|now|next|then|right|perfect|nice|wait)\b[\s,.:!]"
    r"|(?:step|phase|finding|issue|case|option)s? #?\d"
    r"|[\u2600-\u27bf\u2b50\u2b55\U0001f300-\U0001faff]|to (?:test|verify|check|reproduce|fix)\b"
    r"|(?:next steps?|plan|tasks?|status|result|goal|fix|questions?|(?:expected|actual)(?: \w+)?)[^\w\s]"
    r"|(?:now )?(?:looking|checking|editing|searching|investigating|trying|going|reviewing|fixing)\b"
    r"|(?:also |then |just |successfully )*(?:added|removed|renamed|updated|fixed|replaced|refactored|created"
    r"|implemented|changed|moved|extracted|improved|introduced|verified|tested|looked|ran|opened)\b(?! by\b))"
)
_TIME: Final = _any(
    r"""
    currently | at the moment | right now | for now | so far | today | yesterday | tomorrow | recently | just now
    last (?:week|night|month) | this (?:morning|afternoon|week) | on my machine | minutes? ago | in a moment
    tests? (?:\w+ ){0,4}(?:pass|passes|passed|fail|fails|failed|failing)
    (?:it|which|that|this) (?:failed|passed|crashed|printed)
    lines? ~?\d[\d-]* | exit(?:ed)? (?:with )?(?:code|status) \d+
    (?:gave|found|took|printed) (?:ok|\d+|a|some|\w+ (?:ms|s|minutes|matches))
    """
)
_GUESS: Final = _any(
    r"""
    maybe | perhaps | probabl[ey] | possibly | presumably | apparently | seem(?:s|ingly)? | guess | suspect | wonder
    i think | might | bugs? | buggy | root cause | now(?!\() | i believe | not sure | unsure | unclear
    may or may not | looks like | sounds like
    afaik | iirc | supposedly
    """
)
_DANGLING: Final = lazy(
    r"(?:it|its|it's|they|their|that|that's|these|those|he|she|there's|there is|there are"
    r"|this(?! (?:file|module|package|class|function|method|script|schema|table|target|stage|config\w*)\b))\b"
)
_POSITION: Final = lazy(r"(?<![\w.])/(?:users|home|root|tmp|private|workspace)/\w|\.[a-z]{1,4}:~?\d")
_ORDER: Final = lazy(
    r"(?:also |just |simply |x{3,}\S* [—–-] )*(?:add|check"
    r"|update|make|run|look|see|find|try|fix|change|replace|remove|delete"
    r"|rename|move|write|create|implement|read|open|search|grep|verify|ensure|test|consider|continue|investigate|debug|extend"
    r"|extract|convert|inspect|examine|explore|confirm|build|install|commit|revert|split|wrap|modify|edit|insert"
    r"|introduce|review|refactor|rewrite|support|clean)\b"
)
_WISH: Final = _any(
    r"""
    should | ought to | needs? (?:to|an?|updating|fixing|changing) | would be (?:good|nice|better) | will be | could
    better to | can be (?:removed|dropped|deleted|simplified) | (?:was|were|been) (?:\w+ly )?\w+ed
    the (?:cause|problem|issue|culprit|reason|fix) (?:is|was) | still
    (?:is|are) (?:broken|missing|wrong|incorrect|redundant|unused|dead) | too (?:simple|complex|complicated)
    """
)
_PRAISE: Final = lazy(
    r"\b(?:is|are|looks?|what an?|very|quite|reasonably|really) (?:\w+ ){0,2}?(?:interesting|important|nice|fine|good"
    r"|great|clean|short|easy|readable|correct|useful|well[- ]structured|straightforward|long|intentional)\b"
)


_UPKEEP: Final = lazy(r"(?:keep|leave|use|pass|call|bump|treat|raise|regenerate)\b")


def refusal(reading: str, *, first: bool) -> Reason | None:
    """Return why a sentence is not a durable statement or rule; None if nothing speaks against it.

    `first`: no sentence precedes it that a pronoun could refer to.
    """
    body = reading.strip().lstrip("*-•> ")
    rule = is_rule(body)
    if body.rstrip("\"'”’)]*_ ").endswith(("?", "？")) or _QUESTION.match(body):
        return "question"
    if _SELF.search(body) or _OPENS_WORK.match(body) or body.endswith("!"):
        return "task"
    if _TIME.search(body) or _GUESS.search(body) or _POSITION.search(body):
        return "notDurable"
    if body.endswith((":", ",", ";", "...", "…")) or (first and _DANGLING.match(body)):
        return "noise"
    if not rule and (_ORDER.match(body) or _PRAISE.search(body)):
        return "task"
    if not rule and (wish := _WISH.search(body)):
        return "task" if wish[0].startswith(("should", "ought", "need")) else "notDurable"
    return None


def is_rule(reading: str) -> bool:
    """Tell whether a text says how to use something, or states a condition or reason."""
    return RULE.search(reading) is not None or _UPKEEP.match(reading.lstrip("*-•> ")) is not None
