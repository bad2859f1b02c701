"""What an agent says of its work rather than of a file: reports of changes, verdicts of a review, steps of a plan.

The rules were made on transcripts of real agents, whose prose is mostly of this kind. They read a sentence and its
reading (`sidecar.text.sentences.read`): lower case, code spans as runs of `x`. A word that stands in a subordinate
clause ("until the copy is done") is no verdict.
"""

from __future__ import annotations

import re
from typing import Final, Literal

from sidecar.files.facets.verbs import PRESENT, THIRD_PERSON, VERBS
from sidecar.text.sentences import Sentence
from sidecar.text.stems import language_of

Reason = Literal["task", "notDurable", "noise"]

SUBORDINATE: Final = re.compile(
    r"(?:^|(?<=[\s,(;:]))(?:if|when|whenever|unless|while|once|until|in case|even if|even when|because"
    r"|since|so that|for when|where|whether)\b[^,;:()]*"
)

_ENGLISH: Final = frozenset(
    "the is are to of in for and by with from only it its not when if that which all each no has have always never"
    " returns calls uses takes keeps into before after because so must every".split()
)

_MARKS: Final = re.compile("[\u2600-\u27bf\u2b50\u2b55\U0001f300-\U0001faff]")
"""The signs with which agents tick, warn and decorate: never part of a statement about code."""

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

_VERDICT: Final = re.compile(
    r"\b(?:looks?|sounds?|feels?|seems?) (?:\w+ )?(?:correct|right|good|fine|ok|okay|clean|complete|reasonable"
    r"|solid|safe|great|sane|promising)\b"
    r"|\b(?:is|are|isn't|aren't) (?:(?:already|also|all|both|actually|still|perfectly|entirely|completely|fully"
    r"|totally|quite|very|really|effectively|genuinely|clearly|just|not|otherwise|therefore|absolutely"
    r"|functionally) )*"
    r"(?:correct|fine|right|sound|intentional|reasonable|sensible|good|ok|okay|great|clean|idiomatic|harmless"
    r"|deliberate|unambiguous|confirmed|done|implemented|sufficient|appropriate|acceptable|overkill|cosmetic"
    r"|straightforward|obvious|clear|simple|trivial|minor|tricky|confusing|misleading|redundant|dead|unused"
    r"|unneeded|unnecessary|useless|outdated|worse|better|best|important|key|interesting|crucial|up[- ]to[- ]date"
    r"|in place|safe|useful|helpful|reusable|testable)"
    r"(?: (?:here|too|as is|already|anyway|to (?!be\b)\w+))?(?=\s*(?:[.;,:!)—–-]|$)| and\b)"
    r"|\bsafe to \w+|\btoo (?:simple|complex|complicated|fragile|broad|narrow|strict|loose|clever|generic|specific"
    r"|coarse|noisy|risky|aggressive|verbose)\b"
    r"|\bas-is\b|\b(?:stays?|remains?) (?:the same|unchanged|as|intact|untouched)\b|\bgoes away\b"
    r"|\bstill (?:works?|fires?|fits?|holds?|passes|applies|used|needed|referenced|required|valid|there)\b"
    r"|\bthe (?:correct|right|wrong|proper|expected|desired) \w+|\bno dead code\b"
    r"|\b(?:that|this|which|here|there)(?:'s| is) the (?!same\b|only\b|case\b)\w+"
    r"|\bis a (?:problem|concern|risk|non-issue|win)\b"
    r"|\b(?:natural|right|proper|ideal|logical|good|best|better) (?:home|place|fit|spot|choice|way|tool|approach"
    r"|pattern|candidate|abstraction|layer)\b|\bmakes? (?:\w+ )?sense\b|\bas (?:expected|intended|designed)\b"
    r"|\b(?:correctly|properly|appropriately|cleanly|nicely)\b(?=\s*(?:[.;,:!)—–-]|$)|\s\w+ed\b)"
    r"|\balready (?:available|in scope|passed|present|set up|wired)\b|\bpreserves? (?:the )?(?:\w+ )?behaviou?r\b"
    r"|\breplaced (?:by|with) (?:an? )?(?:single|new|simple|simpler|call)\b"
    r"|\bthe (?:parameter|argument|return (?:type|value)|signature|receiver)s? (?:is|are) x{3,}"
    r"|\bperfectly\b|\b(?:nice|good|solid|excellent|great) (?:catch|call|find|point|news|idea|touch|win)\b"
    r"|\bcan be (?:\w+ )?(?:removed|dropped|deleted|replaced|renamed|simplified|moved|extracted|inlined"
    r"|consolidated|improved)\b"
    r"|\b(?:scope creep|non-blocking|dry violation|tech(?:nical)? debt|trade-?offs?|best practices?|code smell"
    r"|blast radius|low[- ]risk|edge cases?|corner cases?)\b"
)
_WORK: Final = re.compile(
    r"(?<![\w.-])(?:(?:in|on|from|into|of) (?:dev|main|master|head|upstream|origin|staging|trunk)"
    r"(?=\s*(?:[.;,:!)—–-]|$))"
    r"|in (?:dev|head) (?:takes?|has|is|uses)|dev's|head(?= \()|the (?:pr|mr|refactor\w*|rebase|research|investigation"
    r"|exploration)|this (?:pr|mr|branch|refactor\w*|review)|pr #?\d+|copilot|coderabbit|pre-?existing"
    r"|(?:new|modified|removed|added|renamed|deleted|unchanged)\)|cherry-pick\w*|follow-?up (?:pr|change|commit)"
    r"|end-to-end run|manual test\w*|smoke test\w*|unit tests?|test (?:coverage|suite|plan|failures?)|linter"
    r"|golangci-lint|go vet|go test|npm test|(?:the )?build (?:passes|succeeds|fails)|wired up|as you can see|indeed"
    r"|(?:review\w*|user|bot) (?:feedback|comments?|request)|feedback"
    r"|follows? the (?:\w+ )?(?:pattern|style|convention|naming|type signature))(?![\w-])"
)
_POOR: Final = re.compile(
    r"\b(?:incomplete|suboptimal|insufficient|inefficient|inadequate|fragile|brittle|hacky|messy|cluttered|not robust"
    r"|robust enough|lint(?:ing|er)?|type errors?|compil(?:e|er|ation) errors?|warnings? (?:about|from|in))\b"
    r"|\b(?:not|un)[ -]?available\b|\bdefunct\b|\btrying to\b|\bwill (?:remain|stay)\b"
    r"|\bbut (?:the|its|it) [^.;]*\bexpects?\b"
    r"|\bthis (?:terminal|shell|environment|machine|sandbox)\b|\bthe actual\b"
    r"|\bmay (?:be|need|not|have)\b|\bnote that\b|\bdeprecated\b|\b(?:has|have) (?:multiple|several|many)\b"
    r"|\b(?:does|do) the same\b|\bhas errors\b|\b(?:but|and) (?:is |are )?(?:never |not )?(?:unused|used)\b|\bstill\b"
    r"|\b(?:errors?|warnings?|exceptions?|messages?|logs?) (?:means?|indicates?|happens?|occurs?|comes?|says?)\b"
    r"|^the current(?:ly)? \w+"
)
"""What is poor, or is as it was before something: the state of the work."""

_SHOUTED: Final = re.compile(r"\b(?:NEW|OLD|BEFORE|WRONG|FIXED|DONE|BUG|CRITICAL|FAILS?|BROKEN)\b")
_OPEN_SUBJECT: Final = re.compile(
    r"(?:the |a |an |one |another |my )?(?:only |main |real |key |other |actual |first |second |third |last |next"
    r" |remaining |two |three |new |old |current |existing |whole |overall |core |simplest |cleanest |same |root )*"
    r"(?:differences?|intent|idea|patterns?|reasons?|issues?|problems?|errors?|fix(?:es)?|approach(?:es)?|conclusion"
    r"|questions?|implementation|behaviou?r|logic|flow|rest|ones?|others?|goal|purpose|trick|catch|concern|cause"
    r"|conditions?|symptom|answer|choice|decision|changes?|situation|case|insight|verdict|bottom line|finding"
    r"|evidence|impact|upshot|gist|net|consequence|implication|risk|benefit|advantage|downside|drawback|contrast|distinction)"
    r" (?:(?:only|also|just|then|always) )?(?:is|are|isn't|aren't|was|were|have|can|must|will|don't|\w{2,}s)\b"
)
_SOME_OF_THEM: Final = re.compile(
    r"(?:both|all|neither|either|none)(?: of)?(?: the| these| those| them)?"
    r"(?: (?:one|two|three|four|five|six|seven|eight|\d+))?"
    r"(?: (?:other|of|call sites?|sites?|imports?|cases?|ones?|places?|approaches|options|changes?|fixes|issues?"
    r"|findings?|instances?|usages?|occurrences?))*"
    r" (?:is|are|has|have|do|does|uses?|share|carry|call|return|need|follow|can|must|will|take)\b"
)
_OPEN_PRONOUN: Final = re.compile(
    r"(?:since|because|if|when|whenever|once|as|while|unless|after|before|by|in|for|with|at|on) "
    r"(?:(?:this|that|it|these|those|they)\b|[^,]{1,160}, (?:it|they|this|that|these|those)\b)"
)
"""A pronoun after a clause: what it stands for was said in the sentence before."""

_NO_ARTICLE: Final = re.compile(r"[a-z]{3,} (?:just|simply|merely) [a-z]+s\b")
_LABEL: Final = re.compile(r"(?P<label>[^:]{1,80}?):\s+(?P<rest>\S.*)", re.DOTALL)
_NAME_FIRST: Final = re.compile(r"x{3,}\S* [—–-] (?:(?:the|two|both|all|an?|any|no|new|now|then) )?")
_CHANGED: Final = re.compile(
    r"[^.;]*\b(?:is|are) (?:replaced|removed|renamed|added|moved|extracted|dropped|gone)\b"
)
_UNDER_WAY: Final = re.compile(
    r"\b(?:is|are|isn't|aren't) (?:(?:\w+ly|also|just|still|only|not) )?(?!(?:miss|pend|exist|follow|depend|br"
    r"|str|k|th|s|w)ing\b)\w{2,}ing"
    r" (?:the|an?|its|their|from|to|as|for|in|on|with|because|all|both|or|and|only|x{3,}\S*)(?!\w)"
)
"""What goes on while the agent looks; what holds always is told in the plain present."""
_PURPOSE: Final = re.compile(r"(?:to|a few|some) ")
_LABEL_OF_WORK: Final = re.compile(
    r"(?:to|a few|some|real|manual|quick|next|then|also|currently|previously|before|after|old|new|was|expected|actual"
    r"|root cause|symptom|impact|severity|priority|status|verdict|recommendation|decision|test|tests|tested|verified"
    r"|scope|effort|location|why|what|how|returns?|returned|result)\b"
)
_FIRST_WORD: Final = re.compile(
    r"(?:(?:also|then|only|just|always|never|already|currently|mostly) )*([a-z]+)\b(?P<rest>.*)", re.DOTALL
)
_AFTER_PLURAL: Final = re.compile(
    r"\s+(?:to|of|from|for|in|on|with|by|that|which|after|before|into|and|or|without|between|per)\b"
)
_HAS_SUBJECT: Final = re.compile(r"\s+(?:is|are|has|have|must|can|never|always|only|do|don't|will|cannot)\b")
_VERB_FIRST: Final = re.compile(
    r"(?!(?:unless|as|across|besides|whereas|thus|plus|this|is|was|has|does|its|less|towards|always|minus|versus"
    r"|sometimes|afterwards|perhaps)\b)[a-z]{3,}s (?:the|an?|all|both|its|exact|x{3,})(?!\w)"
    r"|[^:]{1,120}: (?:must|should|can)\b"
)
_NO_SUBJECT: Final = re.compile(
    r"(?:only |just |mostly |purely |fully |not )?(?:redundant|used|unused|safe|identical|similar|equivalent"
    r"|consistent|missing|needed|called|defined|implemented|located|responsible|worth|due to|based on|thanks"
    r"|meaning|including|especially|no need|same as|same for) "
)


def refusal(sentence: Sentence) -> Reason | None:
    """Why a sentence tells of the work and not of the file; None when nothing says so."""
    body = sentence.reading.strip().lstrip("*-•> ")
    words = re.findall(r"[^\W\d_]+", body)
    if language_of(words) is not None or _ENGLISH.isdisjoint(words):
        return "noise"  # the rules can read English only
    written = sentence.text.lower()
    if _MARKS.search(written) or _NUMBERED.match(body) or written.rstrip("\"')*_ ").endswith("!"):
        return "task"
    if _POSITION.search(written) or _PRIVATE_PATH.search(written):
        return "notDurable"
    if _REPORT.match(body) or _DONE.match(body) or _is_order(body) or _WORK.search(body):
        return "task"
    if _POOR.search(SUBORDINATE.sub(" ", body)) or _SHOUTED.search(sentence.text):
        return "notDurable"
    if _VERDICT.search(SUBORDINATE.sub(" ", body)):
        return "task"
    if _is_past(body) or _UNDER_WAY.search(SUBORDINATE.sub(" ", body)):
        return "notDurable"
    if _OPEN_SUBJECT.match(body) or _SOME_OF_THEM.match(body) or _has_no_subject(body):
        return "noise"
    if _OPEN_PRONOUN.match(body) or _NO_ARTICLE.match(body):
        return "noise"
    label = _LABEL.match(body)
    if label is not None and (_PURPOSE.match(body) or PRESENT.search(label["label"]) is None):
        if _LABEL_OF_WORK.match(label["label"]):
            return "task"
        rest = label["rest"]
        if _has_no_subject(rest) or _REPORT.match(rest) or _DONE.match(rest) or _is_order(rest):
            return "noise"
    named = _NAME_FIRST.match(body)
    if named is not None:
        said = body[named.end() :]
        if _REPORT.match(said) or _is_order(said) or _CHANGED.match(said) or _LED_ORDER.match(said):
            return "task"
    return None


def _is_order(body: str) -> bool:
    """`Delegate the key to ...`, also after a place: `In x, search for all uses`."""
    led = _LED.match(body)
    if body.startswith("optionally "):
        return True
    return bool(_ORDER.match(body) or (led and _LED_ORDER.match(body, led.end())))


def _is_past(body: str) -> bool:
    """Whether the first thing said is in the past: what was, not what is."""
    past, present = _WAS.search(body), PRESENT.search(body)
    if past is not None and (present is None or past.start() < present.start()):
        return True
    return _NAME_IN_PAST.match(body) is not None


def _has_no_subject(body: str) -> bool:
    """`Takes a string and ...`: an item of a list, whose subject stands in a line before it."""
    if _NO_SUBJECT.match(body):
        return True
    found = _FIRST_WORD.match(body)
    if found is None:
        return False
    rest = found["rest"]
    if found[1] not in THIRD_PERSON:
        return _VERB_FIRST.match(body) is not None
    if _AFTER_PLURAL.match(rest):  # "Calls to x are cached": a plural noun, with its own verb
        return PRESENT.search(rest) is None
    return _HAS_SUBJECT.match(rest) is None
