"""Decisions: what was chosen, with what it was chosen over or why.

The user's and the team's decisions count as stated. An agent decides something in every second sentence, so
of its own only those with a reason or an alternative count.
"""

from __future__ import annotations

import re

from sidecar.learning.language import guards
from sidecar.learning.language.mark import Mark
from sidecar.patterns import lazy

_REASON = lazy(
    r"(?:, so (?:i|we)\b|, (?:as|for)\b|: |(?<![\w'])(?:because|since|so that|so (?:you|we|it|they"
    r"|the)\b|due to|as (?:it|the|we|they|nobody|nothing|this|that|most|all)\b|for the sake|in order to"
    r"|to avoid|to keep|mostly|given that|which (?:avoids|keeps"
    r"|means|lets)|for (?:performance|security|simplicity|consistency|compatibility|cost|clarity)))"
)
_CONTRAST = lazy(
    r"(?<![\w'])(?:instead of|rather than|over|as opposed to|, not\b|and not|in favou?r of)(?![\w'])"
)
_DECIDED = lazy(
    r"(?:(?<![\w'])(?:i|we|they|team|management|board|lead|company|cto|ceo|committee|boss|maintainers"
    r"|product|department|group|customer|client|it was|was|has|have|i've|we've|been"
    r"|jointly)\s(?:\w+\s){0,3}?|^|[,;:(–—]\s*|\s-\s|\band\s)"
    r"(?:decided|agreed)\s+(?:yesterday |today |last \w+ |this \w+ |on \w+day |recently "
    r"|already )?(?:(?:in|at|during) the \w+ |with \w+(?: \w+)? )?(?:to|on|against|that|not to"
    r"|in favou?r of|upon)\s+(?P<what>.+)"
    r"|(?<![\w'])(?:i|we)(?:'ve| have)? decided\s?[:,–—]\s*(?P<list>.+)"
)
_AFTERWARDS = lazy(
    r"^(?P<what>(?:\S+\s){3,30}?\S+),? (?:we |that was )?(?:decided|agreed) (?:that |this |it )?(?:with"
    r"|in|on|at|by|last|yesterday|during)\b"
)
_WE_ARE = lazy(
    r"(?<![\w'])(?:we|the team)(?:'re| are) (?:now |also |officially )?(?P<what>(?:dropping|deprecating"
    r"|retiring|abandoning|ditching|freezing|postponing"
    r"|replacing|getting rid of|phasing out|sunsetting|not supporting)\s(?!(?:it|that|this|them)\b)\S.*)"
    r"|(?<![\w'])we (?:will not|won't) (?P<wont>(?:support|ship|migrate|offer|implement"
    r"|maintain)\s(?!(?:it|that|this|them)\b)\S.*)"
    r"|\bconsensus (?:was|is) (?:to|that)\s(?P<consensus>.+)"
)
_PICKED_FOR = lazy(
    r"(?<![\w'])we(?:'ve| have)? (?:chose|chosen|picked|selected|adopted)\s(?P<what>(?!it\b|that\b"
    r"|this\b)[^,]+?\s(?:as|for)\s.+)"
)
_ON_PURPOSE = lazy(
    r"(?<![\w'])(?:i|we)(?:'ve| have)? (?:deliberately|intentionally|purposely"
    r"|consciously) (?P<what>\w+ .{3,}?\b(?:because|since|so that|as)\b.+)"
    r"|^(?:using|keeping|storing|making|putting|leaving|adding|doing|moving|returning|passing|modelling"
    r"|modeling)\b(?P<doing>.{3,}?\b(?:instead of|rather than)\b.+(?:\bbecause\b|\bsince\b|so that\b"
    r"|, so\b).+)"
    r"|\bnow (?:uses?|relies|stores?|calls?|returns?|goes|reads?|writes?|happens|runs?|takes?"
    r"|keeps?)\b(?P<now>.+\b(?:instead of|rather than)\b.+\b(?:because|since|so that)\b.+)"
    r"|(?<![\w'])(?:i|we)(?:'ll| will|'m going to"
    r"|'re going to)\s(?P<will>\w+\s.{8,}?\binstead,? (?:because|since|so that)\b.+)"
)
_TOOL = lazy(
    r"(?<![\w'])(?:grep|ripgrep|rg|find|cat|sed|awk|ls|head|tail|curl|wget|glob|bash|the \w+ tool"
    r"|(?:a )?different approach|another approach|a simpler (?:approach|command)|absolute paths?|my own)\b"
)
_ACTING = lazy(
    r"\b(?:i'll|i will|let me|i'm going to) (?:use|run|try|call|read|do|search|look|check|write a quick)\b"
)
_ONLY_NOW = lazy(
    r"\b(?:this time|right now|at the moment|just this once|today|tonight|tomorrow|for this (?:run|one"
    r"|test)|for the zoo|next step|let me|this (?:run|morning|evening))\b"
)
_DECISION = lazy(
    r"(?:(?:final|design|architecture|architectural|key|our|the|team)\s)*(?:decision(?: made| taken"
    r"| log)?|settled|decided|agreed|final call|verdict|outcome|resolution)\s?(?::|–|—|-)\s*(?P<what>.+)"
    r"|(?:ok\W+)?decision made\s?[:,–—-]\s*(?P<made>.+)"
)
_DECISION_IS = lazy(
    r"\b(?:the|our|my|final) (?:final )?decision (?:was made|is|was|has been made|was taken)\s(?:to|that"
    r"|not)\b\s*(?P<what>.+)|\b(?:the )?plan is to (?P<plan>(?=.*\bdecided\b).+)"
)
_GO_WITH = lazy(
    r"(?:(?<![\w'])(?:i|we|they|team|management|product|company|board)(?:'ll| will|'re going to"
    r"| are going to|'m going to| am going to"
    r"|'re gonna| are gonna|'re| are|'m| am|'ve| have)?(?: (?:now|therefore|finally|both|all|just"
    r"|thus))?\s|let's\s|^"
    r"|[,;:]\s*|\band\s)"
    r"(?:(?:go|going|went|gone)\s(?:with|for|back to)|(?:stick|sticking|stuck|stay|staying)\s(?:with|on"
    r"|to)|(?:settled|settle|settling|opted|opting|opt|standardi[sz]ed|standardi[sz]ing"
    r"|standardi[sz]e)\s(?:with|for|on)|(?:opted|chose|elected|preferred)\sto)\s(?P<what>.+)"
)
_CHOSE = lazy(
    r"(?:(?<![\w'])(?:i|we|they|team|management|product|company|board)(?:'ve| have)?(?: (?:deliberately"
    r"|finally|therefore|also))?\s|^"
    r"|[,;:]\s*|\band\s)(?:chose|picked|selected|preferred|chosen|adopted|choosing|picking|moved"
    r"|migrated|switched|moving|switching"
    r"|migrating|(?:'re|are) (?:moving|switching|migrating))\s(?P<what>.+)|(?<![\w'])we(?:'re"
    r"| are) (?:moving|switching|migrating|standardi[sz]ing)\s(?P<moving>.+)"
)
_COMMITS = lazy(
    r"(?<![\w'])(?:i|we)(?:'ve| have|'m| am|'re| are|'ll| will| are going to|'re going to"
    r"|'m going to)?\s(?!(?:not|never|could|might|should|would|can|may|don't|didn't|also could|prefer"
    r"|need|want|had|have|was|were|saw|see|found|think"
    r"|noticed|got|get|expected|always|never)\b)(?:now |therefore |deliberately |just )?(?:\w+ing|\w+ed"
    r"|\w{3,})\s.{3,}?\b(?:instead of|rather than)\b.+\b(?:because|since|so that|as|due to)\b"
)
_COMMITS_AFTER = lazy(
    r"(?:^|, )(?:instead of|rather than) \w+ing\b.{3,}?,\s*(?:i|we)(?:'ve| have)?\s(?:\w+ed|chose|kept"
    r"|put|made|wrote|built|went|split)\b.+\b(?:because|since|so that|as|due to)\b"
)
_LETS_USE = lazy(
    r"(?:^|[,;:]\s*|\bso )let's (?:use|keep(?! working| going| it| the doc)|drop|stick|store|do|put"
    r"|build|write|have|switch|move(?! on)|adopt|skip|call)\b(?P<what>.+)"
)
_POINTS_BACK = lazy(
    r"(?:that|it|this|those|these|the flow|your|my|(?:the |your |my )?(?:\w+ )?(?:first|second|third"
    r"|last|latter|former|other|suggestion|recommendation|default|proposal|simplest|easiest|obvious)\b"
    r"|both|either|one of|whatever"
    r"|option \w{1,2}(?=\W|$)|(?:the )?\w+est(?= )|back(?= )|a look|all|him|her|them|you|up|down|ahead"
    r"|to|through|on to|next|back)(?!\w)"
)
_TRIVIAL = lazy(
    r"(?:look|continue|proceed|check|start|stop|wait|try|run|read|go ahead|go on|move on|begin"
    r"|investigate|take|see|keep going|open|search|use the \w+ tool|ask|come back|do (?:it|that|this|so))\b"
)
_FAR = 5  # words before "going with that", which then can name what "that" is
_CONCRETE = 4  # words that a user's "we're going with ..." needs to say something


def find(reading: str, by_user: bool) -> Mark | None:
    """The decision that a sentence states, or None."""
    if guards.asks(reading) or len(reading.split()) < 3:
        return None
    if re.search(r"\b(?:because|since|so|so that|to|and|or|the)\W*$", reading):
        return None  # cut off: the reason is a list or stands on the next line
    start = guards.content_start(reading)
    reasoned, contrasted = _REASON.search(reading) is not None, _CONTRAST.search(reading) is not None
    supported = reasoned or contrasted
    for found in (_DECISION.match(reading, start), _DECISION_IS.search(reading)):
        if found and _fits(reading, found) and len(_what(found).split()) >= 2 and not _whether(_what(found)):
            return _mark("decision", reading, start, found.start())
    if (found := _DECIDED.search(reading)) and _fits(reading, found) and not _whether(_what(found)):
        what = _what(found)
        ours = by_user or not re.search(
            r"\bi(?:'ve| have)?\s(?:\w+\s){0,2}$", reading[: found.start("what")].rsplit("decided", 1)[0]
        )
        if (
            not _TRIVIAL.match(what)
            and len(what.split()) >= 2
            and (ours or supported)
            and (by_user or len(what.split()) >= 4)
        ):
            return _mark("decided", reading, start, found.start())
        if _TRIVIAL.match(what) and contrasted and reasoned:
            return _mark("decided", reading, start, found.start())
    for pattern, rule in ((_GO_WITH, "go with"), (_CHOSE, "chose"), (_LETS_USE, "go with")):
        if not (found := pattern.search(reading)) or not _fits(reading, found):
            continue
        what = _what(found).strip()
        elsewhere = what.startswith("option") or len(reading[: found.start()].split()) >= _FAR
        if _POINTS_BACK.match(what) and not contrasted and not (reasoned and elsewhere):
            continue
        if pattern is _GO_WITH and re.match(
            r"(?:the|my|our|a|her|his) \w+ (?:to|on|in|at|tomorrow|today)\b|vacation|holiday", what
        ):
            continue
        if pattern is _LETS_USE and not (
            by_user and (contrasted or re.search(r"\b(?:because|since)\b", what))
        ):
            continue
        if not by_user and re.match(r"(?:[,;:]\s*|let's )?(?:go|stick|stay|settle|opt)\b", found[0]):
            continue
        named = len(what.split()) >= _CONCRETE or not re.match(r"(?:the|my|a|an|our)\b", what)
        enough = supported or (by_user and pattern is _GO_WITH and named)
        if pattern is _CHOSE and re.match(
            r"(?:moved|switched|migrated|picked up|moving|switching)",
            found[0].split(None, 1)[-1] if found[0].startswith(("i ", "we ")) else found[0].lstrip(",;: "),
        ):
            enough = contrasted
        moved = pattern is _CHOSE and re.search(r"\bfrom\b.+\bto\b", what)
        if enough or moved:
            return _mark(rule, reading, start, found.start())
    for pattern in (_COMMITS, _COMMITS_AFTER, _ON_PURPOSE):
        if (
            (found := pattern.search(reading))
            and _fits(reading, found)
            and not _TOOL.search(reading)
            and (by_user or not _ACTING.search(reading))
        ):
            return _mark("instead", reading, start, found.start())
    acting = _TOOL.search(reading) or _ACTING.search(reading)
    rest = reading[start:]
    if (by_user or not acting) and (found := _ON_PURPOSE.match(rest)) and _fits(rest, found):
        return _mark("instead", reading, start, start)
    return _of_a_team(reading, start) if by_user else None


def _of_a_team(reading: str, start: int) -> Mark | None:
    """A decision as a person reports it: what the team drops, picked for something, or agreed on lately."""
    for pattern in (_WE_ARE, _PICKED_FOR, _AFTERWARDS):
        if (found := pattern.search(reading)) and _fits(reading, found) and len(_what(found).split()) >= 2:
            return _mark("decided", reading, start, found.start())
    return None


def _what(found: re.Match[str]) -> str:
    return next((group for group in found.groups() if group), "")


def _whether(what: str) -> bool:
    return bool(re.match(r"(?:whether|if|what|how|which|where|when|who|later|between)\b", what.strip()))


def _fits(reading: str, found: re.Match[str]) -> bool:
    at = found.start()
    if guards.unsure(reading, found.start() + 1) or guards.hearsay(reading, at) or _ONLY_NOW.search(reading):
        return False
    head = reading[: found.end() if found.lastindex is None else found.start(found.lastindex)]
    if re.search(
        r"\b(?:unless|maybe|not sure|if you)\b|\b(?:vacation|holiday|lunch)\b", reading
    ) or re.search(r"\b(?:once|when|before|until|options?:|why|how|whether) [^,;:.]*$", reading[:at] + " "):
        return False
    negated = re.search(
        r"(?:\bnot|n't|\bnever|\byet to)\s(?:\w+\s)?(?:decided|agreed|chosen|settled|going|gone|go"
        r"|settle|chose)",
        head,
    )
    shall = re.search(
        r"\b(?:could|might|should|would|may|can|to) (?:\w+ )?(?:decide|go|use|choose|pick|stick)", head
    )
    return not negated and not shall


def _mark(rule: str, reading: str, start: int, at: int) -> Mark:
    return Mark("decision", f"decision.{rule}", 1.0, at, start, len(reading))
