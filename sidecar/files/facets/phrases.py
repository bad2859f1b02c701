"""What makes a sentence no durable fact about code: questions, plans, guesses, results of a run, defects.

Every function takes the reading of a sentence (`sidecar.text.sentences.read`): lower case, code spans as runs of `x`.
The phrases are those in which agents think aloud; each pattern is linear in the length of a sentence. A word that
programs are described with, too ("the request", "a failed write"), is no sign by itself: its company decides.
"""

from __future__ import annotations

import re
from typing import Final, Literal

from sidecar.files.facets.remarks import SUBORDINATE
from sidecar.files.facets.verbs import has_predicate

Reason = Literal["task", "notDurable", "question", "noise"]


def _phrases(text: str) -> re.Pattern[str]:
    """A pattern for any of the phrases, one or more a line, separated by ` | `; whole words only."""
    every = [phrase.strip() for line in text.strip().splitlines() for phrase in line.split(" | ")]
    return re.compile(r"(?<![\w'-])(?:" + "|".join(every) + r")(?![\w'-])")


_QUESTION: Final = re.compile(
    r"(?:(?:so|and|but|then|hmm|wait|ok(?:ay)?)[, ]+)*(?:what|why|how|where|which|who|does|do|is|are"
    r"|was|did|can"
    r"|could|should|would|will|has|have|isn't|doesn't|aren't|shouldn't|what's|where's|how's)\b"
)
_PERSON: Final = re.compile(
    r"(?<![\w'.-])(?:i|i'm|i'll|i've|i'd|we|we're|we'll|we've|we'd|me|my|mine|us|our|ours|let's|you"
    r"|you're|you'll"
    r"|your|myself)(?![\w'-]|\.\w|/)"
)
_TASK: Final = _phrases(
    r"""
    let me | need(?:s|ed)? to | needs? an? | needs? (?:updat|fix|chang)ing | should | ought to | to-?do
    fixme | (?:ha(?:s|ve) to|must) be (?:changed|updated|fixed|added|removed|rewritten)
    (?:ha(?:s|ve) to|must) be (?:moved|renamed|extended|modified|split|replaced) | next step | next,
    the plan | my plan | the task | this task | the goal | the user | user wants | asked (?:for|to)
    (?:the|this) (?:issue|ticket|pr|pull request|fix)
    (?:the|this) (?:change|problem statement|reviewer|requirements?|patch) | acceptance | reproduc\w*
    to (?:fix|solve|resolve|verify|confirm|check whether|see|reproduce) | fix(?:es|ed|ing)?
    best (?:place|option|way|approach) | (?:good|right) (?:place|candidate|spot|option|idea) | the place to
    approach | simplest | easiest | cleaner | cleanest | better to | worth \w+ing | workaround | refactor\w*
    step \d | option [a-d\d] | relevant (?:code|part|file|function|method) | interesting (?:part|bit)
    perfect | instructions? | hidden tests? | suggest\w* | recommend\w* | propos(?:e|es|al|ed)
    would be (?:good|nice|better) | out of scope | nothing to do
    """
)
_UNSURE: Final = _phrases(
    r"""
    maybe | perhaps | probabl[ey] | possibl[ey] | presumabl[ey] | likely | unlikely | apparently
    seem(?:s|ed|ingly)? | appears? | suspect\w* | guess\w* | wonder\w* | assum(?:e|ed|ing|ption)
    supposed(?:ly)? | suppose | unclear | unsure | not sure | hypothes\w* | looks? like | sounds like
    theor(?:y|ies|etically) | could | might | would | ideally | hopefully | somehow
    not (?:entirely|quite) (?:sure|clear) | may well | kind of | sort of | potential(?:ly)? | suspicious\w*
    strange\w* | weird\w* | odd | oddly | surpris\w* | hmm+ | let's say | in principle | i think | afaik
    iirc
    """
)
_RESULT: Final = _phrases(
    r"""
    pass(?:es|ed)? (?:now|again)
    (?:the|all|these|those|both|existing|new|unit|failing|\d+) (?:\w+ )?tests?
    tests? (?:\w+ ){0,3}(?:pass|passes|passed|fail|fails|failed|failing|run|ran|is|are|was|were)
    now (?:works?|fails?|passes|returns|raises|prints|shows|has|is)
    works (?:now|fine|well|correctly|as (?:expected|intended)) | as (?:expected|intended) | is green
    output shows | (?:expected|actual)(?: result| output| behaviou?r)?:
    the (?:output|logs?|trace|traceback|stack trace|error message) (?:is|was|shows|says|confirms)
    the (?:output|logs?|trace) (?:comes|came|points|happens|indicates|occurs)
    the (?:traceback|stack trace|error message) (?:comes|came|points|happens|indicates|occurs)
    the (?:warning|failure|crash|run|linter|ci|result) (?:is|was|shows|says|confirms)
    the (?:warning|failure|crash|run|linter|ci|result) (?:comes|came|points|happens|indicates|occurs)
    (?:it|that|which|this|and|tests?) (?:failed|succeeded|crashed|hangs)
    (?:build|run|command|still|has|have|just) (?:failed|succeeded|crashed|hangs)
    failed (?:with|because|at|on|again) | exit(?:ed|s) with code \d+ | verified | successfully | ran
    line \d+ | lines \d+ | at line | ~\d+ lines
    """
)
_TIME: Final = _phrases(
    r"""
    now(?!\() | currently | at the moment | right now | for now | so far | today | yesterday | recently
    last week | just (?:added|changed|wrote|made|saw) | previously | formerly | originally | used to be
    no longer | not yet | anymore | yet(?=\W*$) | any more
    (?:before|after) (?:the|my|this|that) (?:change|fix|patch|edit|refactoring)
    the (?:old|new|existing|original) (?:version|code|behaviou?r|implementation|way)
    the (?:current|previous|earlier|updated|modified) (?:version|code|behaviou?r|implementation|way)
    the (?:old|new|existing|original) (?:test|logic|api|function|method|signature)
    the (?:current|previous|earlier|updated|modified) (?:test|logic|api|function|method|signature)
    (?:old|new|existing|current) (?:code|behaviou?r|implementation|tests?|callers)
    the (?:previous|earlier|original) one
    already (?:has|have|had|exists?|handles?|supports?|imported|imports?|defined|defines?|there|does)
    already (?:do|implements?|implemented|provides?|contains?|includes?)
    already (?:works?|tested|covers?|covered|fixed|done) | upstream | in (?:version|v)\s?\d[\d.]* | has been
    have been | going to | about to | (?:was|were) (?:added|changed|removed|introduced|moved)
    (?:was|were) (?:renamed|deleted|created|written|updated|replaced)
    """
)
_DEFECT: Final = _phrases(
    r"""
    bugs? | buggy | wrong(?:ly)? | incorrect(?:ly)? | broken | culprit | root cause
    the (?:problem|cause|trouble) | (?:is|are|was|were) (?:\w+ )?(?:missing|absent|unused|redundant)
    (?:is|are|was|were) (?:\w+ )?(?:dead|useless|outdated|inconsistent|incomplete)
    (?:is|are|was|were) (?:\w+ )?(?:duplicated|misleading|unnecessary|bad)
    (?:is|are|was|were) (?:\w+ )?(?:risky|slow|dangerous|ugly|racy) | typos? | forgot | forgets? | fails? to
    neglects? | overlooks? | mistak\w* | flaw\w* | regression | vulnerab\w* | lacks?
    do(?:es)?(?:n't| not) (?:handle|support|check|account|consider|cover)
    do(?:es)?(?:n't| not) (?:implement|exist|work|have|properly|correctly|actually)
    not (?:properly|correctly|being) | unhandled | uncaught | unexpected(?:ly)? | leaks? | leaking
    that's why | this is why | which is why | explains why | mismatch\w* | discrepanc\w*
    (?:it|this) (?:breaks|crashes|fails) | bad for | race condition | memory leak
    without (?:taking|holding|acquiring) the lock
    """
)
_DEIXIS: Final = _phrases(
    r"""
    right here | over here | from here | (?:see|code|shown|listed|function|as) (?:above|below) | shown
    as follows | the following | (?<!thing )(?<!all )(?<!were )(?<!is )(?:here|above|below)(?=\W*$)
    in this (?:case|situation|scenario|way) | (?:this|that) (?:line|part|bit|branch|block|section|call)
    (?:this|that) (?:output|error|snippet|test|run|point|step|pattern)
    that (?:file|function|method|class|module|approach)
    these (?:lines|tests|files|functions|methods|calls|are|is|two|three)
    the same (?:way|thing|problem|issue|pattern|file|reason) | the other (?:one|two|file|side|hand)
    the (?:former|latter)(?= (?:is|are|has|was|one|does)|[,.;:]|$) | aforementioned | mentioned
    in question | there is also | another (?:one|place|thing)
    """
)
_HEARSAY: Final = _phrases(
    r"""
    according to | (?:docs?|documentation|docstring) (?:here )?(?:says?|said|states?)
    (?:docs?|documentation|docstring) (?:here )?(?:claims?|mentions?|suggests?|implies)
    (?:comment|readme|message|changelog) (?:here )?(?:says?|said|states?)
    (?:comment|readme|message|changelog) (?:here )?(?:claims?|mentions?|suggests?|implies)
    (?:error|issue|user|author|manual|test|name) (?:here )?(?:says?|said|states?)
    (?:error|issue|user|author|manual|test|name) (?:here )?(?:claims?|mentions?|suggests?|implies)
    (?:docs?|documentation|docstring) (?:here )?(?:indicates?|reads|tells?)
    (?:docs?|documentation|docstring) (?:here )?(?:explains?|expects?|asserts?|wants?)
    (?:comment|readme|message|changelog) (?:here )?(?:indicates?|reads|tells?)
    (?:comment|readme|message|changelog) (?:here )?(?:explains?|expects?|asserts?|wants?)
    (?:error|issue|user|author|manual|test|name) (?:here )?(?:indicates?|reads|tells?)
    (?:error|issue|user|author|manual|test|name) (?:here )?(?:explains?|expects?|asserts?|wants?)
    """
)
_IMPERATIVE: Final = re.compile(
    r"(?:please |then |also |now |first,? |next,? |finally,? |just |simply |- )*(?:add|check|update"
    r"|use|make|run|look"
    r"|see|find|try|fix|change|replace|remove|delete|rename|move|write|create|implement|read|open"
    r"|search|grep|verify"
    r"|ensure|test|call|pass|set|keep|handle|consider|note|import|return|raise|skip|ignore|avoid|do"
    r"|don't|put|go|start"
    r"|continue|investigate|debug|print|extend|extract|convert|inspect|examine|explore|confirm|build"
    r"|install|commit"
    r"|revert|switch|drop|split|wrap|modify|edit|insert|introduce|determine|figure|understand|identify"
    r"|compare|review"
    r"|reproduce|apply|rewrite|refactor|define|adjust|include|support|time|back|given|looking|checking"
    r"|reading|adding"
    r"|updating|using|running|fixing|trying|searching|todo|expected|actual)\b(?!['-])"
)
_LABELLED: Final = re.compile(
    r"(?:next )?(?:steps?|plans?|next|to-?dos?|tasks?|approach|ideas?|option \w+|alternatives?|questions?|answers?"
    r"|hypothes[ie]s|expected|actual|result|status|done|fix|goal)(?: \w+)? ?[:–—]"
)
_DANGLING: Final = re.compile(
    r"(?:it|its|it's|they|their|this(?! (?:file|module|package|configuration|script|schema|workflow"
    r"|table)\b)|that|these"
    r"|those|he|she|which|who"
    r"|(?:all|most|some|much|part) of (?:that|this|it|them)|otherwise|instead|then|after that"
    r"|before that|similarly|likewise|for"
    r" example|for instance"
    r"|e\.g\.?|at that point|in both cases|except|rather|because of (?:this|that)|same|ditto|meanwhile"
    r"|finally|lastly"
    r"|first|second|third|next|also known|one of them|each of them|both(?! x)|neither|another|there's"
    r"|there is none"
    r"|the (?:one|other|rest|last|first|second|third))\b(?! (?:request|call|key|block|record|argument"
    r"|time|use|access|match)\b)"
)


_POINTS_AWAY: Final = re.compile(r"\b(?:it|them|that|this|they|both|does|do)\b(?=[\s.,;!]*$)")
_BRACKETED: Final = re.compile(r"\([^()]*\)")
_FEW_WORDS: Final = 9
"""A sentence of fewer words that ends with a pronoun leaves open what it stands for."""


def _main(body: str) -> str:
    """A sentence without what stands in brackets and in subordinate clauses."""
    return SUBORDINATE.sub(" ", _BRACKETED.sub(" ", body))


def refusal(reading: str) -> Reason | None:
    """Why a sentence is no durable statement about code; None when nothing speaks against it."""
    body = reading.strip()
    if body.rstrip("\"'”’)]*_ ").endswith(("?", "？")) or _QUESTION.match(body):
        return "question"
    if _LABELLED.match(body) or _PERSON.search(body) or _IMPERATIVE.match(body) or _TASK.search(body):
        return "task"
    if _UNSURE.search(body) or _HEARSAY.search(body):
        return "notDurable"
    if _RESULT.search(body) or _TIME.search(body) or _DEFECT.search(SUBORDINATE.sub(" ", body)):
        return "notDurable"
    if body.rstrip(" \"'*").endswith((":", ",", ";", "...", "…")):
        return "noise"
    if len(body.split()) < _FEW_WORDS and _POINTS_AWAY.search(body):
        return "noise"
    if _DANGLING.match(body) or _DEIXIS.search(body) or not has_predicate(_main(body)):
        return "noise"
    return None
