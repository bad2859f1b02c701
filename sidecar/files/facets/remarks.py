"""What an agent says of its work rather than of a file: reports of changes, orders, verdicts of a review.

Few rules, for every author of a sentence; what an agent thought has to be a claim besides (`claims`). They read a
sentence and its reading (`sidecar.text.sentences.read`): lower case, code spans as runs of `x`. A word that stands in a
subordinate clause ("until the copy is done") is no verdict.
"""

from __future__ import annotations

import re
from typing import Final, Literal

from sidecar.files.facets.verbs import PRESENT, VERBS
from sidecar.text.sentences import Sentence

Reason = Literal["task", "notDurable", "noise"]

SUBORDINATE: Final = re.compile(
    r"(?:^|(?<=[\s,(;:]))(?:if|when|whenever|unless|while|once|until|in case|even if|even when|because"
    r"|since|so that|for when|where|whether)\b[^,;:()]*"
)

_MARKS: Final = re.compile("[\u2600-\u27bf\u2b50\u2b55\U0001f300-\U0001faff]")
_NUMBERED: Final = re.compile(
    r"(?:\(\d{1,3}\)|#\d+|(?:observation|finding|conflict|comment|issue|step|phase|part|problem|bug|fix|item"
    r"|point|question|option|approach|solution|change|case|note|instance|example|chunk|task|section|concern"
    r"|suggestion)s? #?(?:\d+|[a-d])\b|\d{1,2}[.)] |\d{1,5}:? (?!\w+s\b))"
)
_POSITION: Final = re.compile(r"\blines? ~?\d|(?<![\w.])l\d{2,5}\b|\.[a-z]{1,4}:~?\d")
_PRIVATE_PATH: Final = re.compile(r"(?<![\w.])/(?:users|home|root|tmp|private|workspace|testbed)/\w")
_DETERMINED: Final = (
    r"(?:the|an?|all|both|each|every|any|these|those|this|that|it|its|them|their|two|three|four|no|only|more"
    r"|some|existing|new|unused|dead|redundant|x{3,}\S*)"
)
_PAST_FORMS: Final = (
    r"(?:\w{2,}ed|built|ran|made|wrote|kept|found|took|went|put|split|cut|rewrote|chose|left|did|got|gave|had"
    r"|used to|broke|sent|became|held|lost|threw)"
)
_REPORT: Final = re.compile(
    r"(?:(?:also|then|just|successfully|and) )*(?!(?:need|feed|speed|seed|embed)\b)"
    + _PAST_FORMS
    + r" (?:"
    + _DETERMINED
    + r"|to|from|into|out|up|away|for|over|back|how|where)(?!\w)"
)
_DONE: Final = re.compile(
    r"(?:(?:also|then|just|successfully|and) )*(?:added|removed|renamed|updated|fixed|replaced|refactored|created"
    r"|implemented|changed|moved|extracted|improved|enhanced|introduced|maintained|converted|switched|simplified"
    r"|ensured|standardi[sz]ed|migrated|integrated|configured|verified|tested|installed|cleaned|resolved|corrected"
    r"|adjusted|modified|extended|reduced|optimi[sz]ed|restored|reverted|rewrote|completed|addressed)"
    r"(?! \w+ (?:is|are)\b)\b"
)
_NAME_IN_PAST: Final = re.compile(
    r"(?:(?:the|a|an|its) )?x{3,}\S*(?: (?:only|also|just|then|already))? "
    + _PAST_FORMS
    + " "
    + _DETERMINED
    + r"(?!\w)"
)
_WAS: Final = re.compile(r"(?<!what )(?<!that )(?<!which )(?<!who )\b(?:was|were|wasn't|weren't|had been)\b")
_LED: Final = re.compile(
    r"(?:in|for|at|on|to|with|inside|under|within|from|after|before|by) [^,:]{1,80}[,:] "
)
_ORDER: Final = re.compile(
    r"(?:(?:please|then|also|now|first|next|finally|just|simply|instead|so|and|optionally),? )*"
    r"(?:do not |don't )?(?:" + "|".join(VERBS) + r") " + _DETERMINED + r"(?!\w)"
)
_LED_ORDER: Final = re.compile(r"(?:" + "|".join(VERBS) + r")\b(?! (?:is|are|has|have|must|can|never)\b)")
_NAME_FIRST: Final = re.compile(r"x{3,}\S* [—–-] (?:(?:the|two|both|all|an?|any|no|new|now|then) )?")

_VERDICT: Final = re.compile(
    r"\b(?:looks?|seems?|sounds?|feels?) (?:\w+ )?(?:correct|right|good|fine|ok|okay|clean|solid|safe|great)\b"
    r"|\b(?:is|are) (?:\w+ )?(?:correct|fine|right|sound|intentional|good|ok|okay|great|clean|incomplete|redundant"
    r"|unused|dead|deprecated|defunct|incorrect|simple|trivial|overkill|done|implemented)"
    r"(?=\s*(?:[.;,:!)—–-]|$)| (?:and|again|now|too)\b)"
    r"|\btoo (?:simple|complex|complicated|fragile|broad|narrow|strict|generic|verbose)\b|\bdead code\b"
    r"|\bpreserves? (?:the )?(?:\w+ )?behaviou?r\b|\bthe (?:pr|mr)\b|\bas-is\b|\bcan be (?:removed|dropped|deleted)\b"
    r"|\bthe (?:correct|right|wrong|proper|expected|desired) \w+"
    r"|\b(?:correctly|properly|appropriately|perfectly)\b(?=\s*(?:[.;,:!)—–-]|$)|\s\w+ed\b)"
)


def refusal(sentence: Sentence) -> Reason | None:
    """Why a sentence tells of the work and not of the file; None when nothing says so."""
    body = sentence.reading.strip().lstrip("*-•> ")
    written = sentence.text.lower()
    if _MARKS.search(written) or _NUMBERED.match(body) or written.rstrip("\"')*_ ").endswith("!"):
        return "task"
    if _POSITION.search(written) or _PRIVATE_PATH.search(written) or _is_past(body):
        return "notDurable"
    named = _NAME_FIRST.match(body)
    said = body[named.end() :] if named is not None else body
    if any(_REPORT.match(part) or _DONE.match(part) or _is_order(part) for part in (body, said)):
        return "task"
    return "task" if _VERDICT.search(SUBORDINATE.sub(" ", body)) else None


def _is_order(body: str) -> bool:
    """`Delegate the key to ...`, also after a place: `In x, search for all uses`."""
    led = _LED.match(body)
    return bool(_ORDER.match(body) or (led and _LED_ORDER.match(body, led.end())))


def _is_past(body: str) -> bool:
    """Whether the first thing said is in the past: what was, not what is."""
    past, present = _WAS.search(body), PRESENT.search(body)
    if past is not None and (present is None or past.start() < present.start()):
        return True
    return _NAME_IN_PAST.match(body) is not None
