"""Blockers: what keeps work from going on, and on whom or what it waits.

Programs block too: threads, requests, users and packets that are blocked are no blockers, and an agent that waits for
its own build or for the user's word isn't blocked.
"""

from __future__ import annotations

import re

from sidecar.learning.language import guards
from sidecar.learning.language.mark import Mark
from sidecar.patterns import lazy

_BLOCKED = lazy(
    r"(?:(?<![\w'])(?:is|are|am|was|were|'s|'re|'m|i'm|we're|it's|remains?|stays?|got|been|being|still"
    r"|currently|now|completely|totally|fully|also|partly|hard)\s)(?:\w+ly )?blocked"
    r"(?:\s(?:by|on|because|until|due to|there|here|waiting)\b|\s?[:,;–—-]|\W*$)"
)
_BLOCKED_FIRST = lazy(r"(?:blocked|stuck|on hold)\s?(?:[:–—-]|(?:by|on|until|waiting)\b)")
_LABEL = lazy(
    r"(?:(?:current|main|only|open|remaining|known|big|biggest|one|another|new|hard|the)\s)*(?:blockers?"
    r"|blocking issue|show-?stopper|deal-?breaker)(?: remains| left| remaining)?\s?(?::|–|—|\s-|is\b"
    r"|is that\b)\s*\S+(?:\s\S+){2,}"
)
_IS_BLOCKER = lazy(
    r"(?:\b(?:is|are|'s|remains|becomes|became|was)|,) (?:now |still |currently )?(?:a|the|our|my"
    r"|another|an absolute|a hard|the main|the only|the biggest) (?:\w+ )?blocker\b(?! (?:component|list"
    r"|class|rule|extension|file|model))"
)
_BLOCKING = lazy(
    r"(?:\bwhat(?:'s| is) (?:currently |still |now )?blocking (?:us|me|this|the \w+)[^,]{0,20}? is\b"
    r"|(?:\bis|\bare|\bstill|'s)(?: currently| still| now)? blocking (?:us|me|the (?:release|merge"
    r"|deploy|deployment|launch|rollout|migration|upgrade|pipeline"
    r"|team|work)|our|everything|progress|further)\b|\bblocks (?:us|me|the (?:release|merge|deploy"
    r"|deployment|launch|rollout|migration|upgrade|go-?live)\b(?! (?:button|page|form|dialog|view|link"
    r"|screen))|our|everything|all further|any further)\b|\b(?:gated (?:on|by)|stalled (?:on|until"
    r"|because)|held up by|at a standstill (?:until|because)|(?:has|have|needs?) to (?:land|ship"
    r"|be merged|merge) first)\b|\bon hold (?:until|till|because|pending)\b)"
)
_CANNOT = lazy(
    r"(?:can't|cannot|can not|couldn't|could not|unable to|not able to|won't be able to|can only"
    r"|not possible to|impossible to)\s(?:be )?(?:\w+ly )?(?:proceed|continue|go (?:any )?(?:further"
    r"|live|on|ahead)|move (?:on|forward|ahead)|merge|ship|release|deploy"
    r"|finish|complete|test|run|start|publish|verif\w*|build|upgrade|migrate|do|make progress|merged"
    r"|released|deployed|finished|tested|completed|started|published|roll\w*|enable|switch|launch|close"
    r"|land|progress|advance|implement|work|validate|push)\b"
    r".{0,80}?\b(?:until|till|before|without|unless|as long as)\b"
)
_STUCK = lazy(
    r"(?:(?<![\w'])(?:i'm|we're|we are|i am|i|we|this is|work is|work|which is"
    r"|am)(?: on [^,;]{2,40} is)?)\s(?:still |completely |currently )?(?:stuck"
    r"|stalled|held up)\s(?:on|until|because|waiting|by|at|here|there|with)\b"
)
_WAITING = lazy(
    r"(?:(?<![\w'])(?:we|i|i'm|we're|we are|i am)\s(?:\w+ )?|^|[,;:]\s*)waiting (?:on"
    r"|for)\s(?P<whom>.{3,80}?)(?:\s(?:before|until|to(?! (?:be\b|appear|complete|finish|load|render"
    r"|respond|start|become|settle|show|exit|come up)))\b|,\s*(?:nothing|until|no|we can't|we cannot"
    r"|can't|without)\b)"
)
_OWN_WAIT = lazy(
    r"(?:you\b|your\b|it\b|the (?:\w+ )?(?:build|server|tests?|command|process|container|install\w*"
    r"|download|pipeline|job|suite|script|page|element|response|selector|promise|lock|thread|timeout"
    r"|output|result|user|agent)\b|locator|(?:a|an) |tests?|x{3}\b|ci\b|npm|docker\b|user\b"
    r"|approval from you|confirmation)"
)
_PROGRAM = lazy(
    r"\b(?:threads?|requests?|calls?|fetch|popups?|users?|process|processes|goroutines?|coroutines?"
    r"|loops?|mutex|quer(?:y|ies)|sockets?|i/?o|ports?|ips?|scripts?|cors|locks?|transactions?|writes?"
    r"|reads?|cookies?|iframes?|images?|connections?"
    r"|traffic|packets?|domains?|accounts?|numbers?|urls?|hosts?|input|channel|sender|receiver|main"
    r"|consumer|producer|task queue|rendering|paint|websocket|event|commands?|ads?|emails?|extension"
    r"|cell|tile|path|player|enemy|button|form|keyboard|access|attempts?)"
    r"(?: (?:is|are|was|were|gets?|got|being|been|that|which|from|in|to|can|will|be|on|stays?"
    r"|remains?)\b| \w+ (?:is|are|was|were|gets?)\b|\W*$)"
)
_BY_PROGRAM = lazy(
    r"blocked (?:by|on|because of|due to|at) (?:the |a |an |its |my |your "
    r"|this )?(?:\w+'s )?(?:\w+ ){0,2}?(?:cors|mutex|locks?|ad ?blocker|browser|service worker|csp|gil"
    r"|validation|i/?o|semaphore|firewall|waf|policy|sandbox rule"
    r"|rate limit\w*|robots\.txt|hook|pre-commit|another (?:process|thread|transaction)|collision|wall"
    r"|admin|moderator|user|what|spam|job \d+)\b"
)
_IF = lazy(
    r"\b(?:if|whether|unless you|until you|before you|before i (?:answer|continue|start)|can be"
    r"|should be|may be|would be|could be)\b"
)


def find(reading: str) -> Mark | None:
    """The blocker that a sentence states, or None."""
    if guards.asks(reading) or len(reading.split()) < 3:
        return None
    start = guards.content_start(reading)
    for rule, found in (
        ("blocked", _BLOCKED.search(reading)),
        ("blocked", _BLOCKED_FIRST.match(reading, start)),
        ("label", _LABEL.match(reading, start)),
        ("is blocker", _IS_BLOCKER.search(reading)),
        ("blocking", _BLOCKING.search(reading)),
        ("cannot", _CANNOT.search(reading)),
        ("stuck", _STUCK.search(reading)),
        ("waiting", _waiting(reading)),
    ):
        if found and _stands(reading, found, rule):
            return Mark("blocker", f"blocker.{rule}", 1.0, found.start(), start, len(reading))
    return None


def _waiting(reading: str) -> re.Match[str] | None:
    found = _WAITING.search(reading)
    return None if found is None or _OWN_WAIT.match(found["whom"]) else found


def _stands(reading: str, found: re.Match[str], rule: str) -> bool:
    at = found.start()
    if _IF.search(reading) or guards.unsure(reading, at) or guards.hearsay(reading, at):
        return False
    if re.search(
        r"\b(?:no longer|not|n't|never|nothing|nobody|unblocked|none|no)\b",
        found[0] if rule not in ("cannot", "label", "waiting") else "",
    ) or re.search(r"n't |\bnot ", found[0] if rule in ("blocked", "blocking", "stuck") else ""):
        return False
    if guards.denied(reading, at) or re.search(
        r"\b(?:nothing|nobody|no one|none|no longer|not|isn't|aren't) (?:\w+ )?$", reading[:at]
    ):
        return False
    if guards.is_task(reading) and rule != "label":
        return False
    if rule in ("blocked", "stuck") and (
        _BY_PROGRAM.search(reading, at) or _PROGRAM.search(reading[max(0, at - 50) : at + 12])
    ):
        return False
    after = reading[found.end() :].strip(" .!,;:")
    named = re.search(r"\b(?:by|on|until|because|due to)\W*$", found[0])
    if rule in ("blocked", "stuck", "blocking") and not after and (named or len(reading[:at].split()) < 4):
        return False
    return not (
        rule == "cannot"
        and re.match(
            r"\s*(?:you\b|your\b|knowing|seeing|more (?:info|context|detail)|an? (?:answer|example)"
            r"|confirmation|i (?:see|know|have|read|understand)|we know)",
            reading[found.end() :],
        )
    )
