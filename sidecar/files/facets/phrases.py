"""What makes a sentence no durable fact about code: questions, plans, guesses, results of a run, defects.

Every function takes the reading of a sentence (`sidecar.text.sentences.read`): lower case, code spans as runs of `x`.
Patterns over everyday English, written for how agents think aloud; each is linear in the length of a sentence.
"""

from __future__ import annotations

import re
from typing import Final, Literal

Reason = Literal["task", "notDurable", "question", "noise"]

_SUBORDINATE: Final = re.compile(
    r"(?:^|(?<=[\s,(;:]))(?:if|when|whenever|unless|while|once|until|in case|even if|even when|because"
    r"|since|so that"
    r"|for when|where|whether)\b[^,;:()]*"
)
_QUESTION: Final = re.compile(
    r"(?:(?:so|and|but|then|hmm|wait|ok(?:ay)?)[, ]+)*(?:what|why|how|where|which|who|does|do|is|are"
    r"|was|did|can|could|should"
    r"|would|will|has|have|isn't|doesn't|aren't|shouldn't|what's|where's|how's)\b(?! (?:this|that|it)"
    r" (?:means|works)\b)"
)
_PERSON: Final = re.compile(
    r"(?<![\w'.-])(?:i|i'm|i'll|i've|i'd|we|we're|we'll|we've|we'd|me|my|mine|us|our|ours|let's|you"
    r"|you're|you'll|your|myself)"
    r"(?![\w'-]|\.\w|/)"
)
_TASK: Final = re.compile(
    r"\b(?:let me|need(?:s|ed)? to|needs? (?:a |an |updating|fixing|changing)|ha(?:s|ve) to be"
    r" (?:changed|updated|fixed"
    r"|added|removed|rewritten|moved|renamed|extended)|must be (?:changed|updated|fixed|added|removed"
    r"|rewritten|moved"
    r"|renamed|extended|modified)|should|ought to|to-?do\b|fixme|next step|next,|the plan|my plan|the"
    r" task|the goal"
    r"|the user|user wants|asked (?:for|to)|the (?:issue|ticket|pr|pull request|commit|patch|diff"
    r"|change|fix|request"
    r"|requirement|requirements|hint|reviewer|problem statement|spec)\b|this (?:issue|ticket|pr|commit"
    r"|patch|diff|change"
    r"|fix|task|approach)|acceptance|reproduc\w*|to fix|to solve|to resolve|to verify|to confirm|to"
    r" check whether|to see"
    r"|fix(?:es|ed|ing)?\b|best (?:place|option|way|approach)|good (?:place|candidate|spot|option"
    r"|idea)|right place"
    r"|the place to|simplest|easiest|cleaner|cleanest|better to|worth (?:\w+ing)|minimal|workaround"
    r"|refactor\w*|step \d"
    r"|option [a-d\d]\b|approach\b|relevant (?:code|part|file|function|method)|interesting (?:part"
    r"|bit)|perfect\b"
    r"|instruction\w*|suggest\w*|recommend\w*|propos\w*|would be (?:good|nice|better)|hidden tests?)"
)
_UNSURE: Final = re.compile(
    r"\b(?:maybe|perhaps|probabl[ey]|possibl[ey]|presumabl[ey]|likely|unlikely|apparently|seem(?:s|ed"
    r"|ingly)?|appears?"
    r"|suspect\w*|guess\w*|wonder\w*|assum(?:e|ed|ing|ption)|suppose\w*|supposed|unclear|unsure|not"
    r" sure|hypothes\w*"
    r"|looks like|look like|sounds like|theor(?:y|ies|etically)|could|might|would|ideally|hopefully"
    r"|expect(?:ed)? it"
    r"|i think|i believe|in theory|somehow|not (?:entirely|quite) (?:sure|clear)|may be the|may well"
    r"|kind of|sort of"
    r"|potential(?:ly)?|candidates?|suspicious\w*|strange\w*|weird\w*|odd|oddly|surpris\w*)\b"
)
_RESULT: Final = re.compile(
    r"\b(?:pass(?:es|ed|ing)?(?: now| again|\W*$)|tests? (?:\w+ ){0,3}(?:pass|passes|passed|fail|fails"
    r"|failed|failing|run|ran|is|are"
    r"|was|were)\b|(?:all|the|both|existing|new|unit|failing|these|those|\d+) (?:\w+ )?tests?\b|now"
    r" (?:works?|fails?|passes|returns"
    r"|raises|prints|shows|has|is)|works (?:now|fine|well|correctly|as expected|as intended)|as"
    r" expected|green\b|output shows"
    r"|the (?:output|log|logs|trace|traceback|stack trace|error message|error|warning|failure|crash"
    r"|build|run|linter|ci"
    r"|result) (?:is|was|shows|says|confirms|comes|came|points|happens|indicates|occurs)|failed"
    r"|crashed|hangs?\b|succeeded|exit(?:ed|s) with code"
    r"|verified|confirmed|successfully|committed|ran\b|line \d+|lines \d+|at line|l\d+\b|:\d+\b|~\d+"
    r" lines)"
)
_TIME: Final = re.compile(
    r"\b(?:now|currently|at the moment|right now|for now|so far|today|yesterday|recently|just (?:added"
    r"|changed|now|wrote|made"
    r"|saw)|previously|formerly|originally|used to (?!\w+ (?:the|a|an)\b)|no longer|not yet|yet\b"
    r"|anymore|any more|before (?:the|my|this|that) (?:change"
    r"|fix|patch|edit|commit)|after (?:the|my|this|that) (?:change|fix|patch|edit|commit)|the (?:old"
    r"|new|existing|original"
    r"|current|previous|earlier|first|second|latter|former|updated|modified) (?:version|code"
    r"|behaviou?r|implementation"
    r"|one|way|test|logic|api|function|method|signature)|old (?:code|behaviou?r)|new (?:code"
    r"|behaviou?r)|existing|current(?=\W+xx)"
    r"|already (?:has|have|had|exists?|handles?|supports?|imported|imports?|defined|defines?|there"
    r"|does|do|implements?"
    r"|implemented|provides?|contains?|includes?|works?|tested|covers?|covered|fixed|done)|upstream|in"
    r" (?:version|v)\s?\d|has been|have been"
    r"|(?:was|were) (?:added|changed|removed|introduced|moved|renamed|deleted|created|written|updated"
    r"|replaced)|going to|about to)\b"
)
_DEFECT: Final = re.compile(
    r"\b(?:bugs?|buggy|wrong(?:ly)?|incorrect(?:ly)?|broken|breaks?|culprit|root cause|the (?:problem"
    r"|cause|reason it fails|trouble)"
    r"|(?:is|are|was|were) (?:\w+ )?(?:missing|absent|unused|redundant|dead|useless|outdated|stale"
    r"|inconsistent|incomplete|duplicated"
    r"|misleading|unnecessary)|typos?|forg[eo]t\w*|fails? to|neglects?|overlooks?|mistak\w*|flaw\w*"
    r"|regression|vulnerab\w*|lacks?"
    r"|doesn't (?:handle|support|check|account|consider|cover|implement|exist|work|have|do)"
    r"|does not (?:handle|support|check|account|consider|cover|implement|exist|work|have|do)"
    r"|do(?:es)?n't (?:properly|correctly|actually)|not (?:properly|correctly|being)|(?:unhandled"
    r"|uncaught)|unexpected(?:ly)?|leak(?:s|ed|ing)?"
    r"|hole\b|gap\b|that's why|this is why|which is why|explains why|mismatch\w*|discrepanc\w*"
    r"|crash(?:es|ing)?)\b"
)
_DEIXIS: Final = re.compile(
    r"(?:\b(?:here|above|below|shown|as follows|the following|this (?:line|one|part|bit|case|branch"
    r"|block|section|call|loop|condition"
    r"|output|error|snippet|test|time|run|point|step|way|pattern|situation|scenario)|that (?:line|one"
    r"|part|branch|block|section|call|case|file|function|method|class"
    r"|module|test|point|way|value|approach)|these|those|the same (?:way|thing|problem|issue|pattern"
    r"|file|reason)|the other (?:one|two|file|side|hand)"
    r"|(?:the )?(?:former|latter)|respectively above|aforementioned|said|mentioned|in question|there"
    r" is also|another (?:one|place|thing))\b"
    r"|:\W*$)"
)
_HEARSAY: Final = re.compile(
    r"\b(?:according to|(?:docs?|documentation|docstring|comment|readme|message|changelog|error|issue"
    r"|user|author|manual|test|name)"
    r" (?:here )?(?:says?|said|states?|claims?|mentions?|suggests?|implies|indicates?|reads|tells?"
    r"|explains?|expects?|asserts?|wants?))\b"
)
_IMPERATIVE: Final = re.compile(
    r"(?:please |then |also |now |first,? |next,? |finally,? |just |simply |- )*(?:add|check|update"
    r"|use|make|run|look|see|find|try"
    r"|fix|change|replace|remove|delete|rename|move|write|create|implement|read|open|search|grep"
    r"|verify|ensure|test|call|pass|set"
    r"|keep|handle|consider|note|import|return|raise|skip|ignore|avoid|do|don't|put|go|start|continue"
    r"|investigate|debug|print"
    r"|extend|extract|convert|inspect|examine|explore|confirm|build|install|commit|revert|switch|drop"
    r"|split|wrap|modify|edit|insert"
    r"|introduce|determine|figure|understand|identify|compare|review|reproduce|apply|rewrite|refactor"
    r"|define|adjust|include|support"
    r"|time|back|given|looking|checking|reading|adding|updating|using|running|fixing|trying|searching"
    r"|todo)\b(?!['-])"
)
_DANGLING: Final = re.compile(
    r"(?:it|its|it's|they|their|this|that|these|those|he|she|which|who|otherwise|instead|then|after"
    r" that|before that|similarly|likewise"
    r"|for example|for instance|e\.g\.?|in that case|in this case|at that point|in both cases|except"
    r"|rather|because of (?:this|that)|same|ditto"
    r"|meanwhile|finally|lastly|first|second|third|next|also known|one of them|each of them|both(?! `|"
    r" x)|neither|another|the (?:one|other|rest|last|first|second|third))\b"
)
_VERBS: Final = (
    "accept access add aggregate alias allow append apply assign attach await batch bind block bound"
    " branch break buffer build bump bypass cache"
    " calculate call capture carry cast catch chain change check choose clamp clear clone close coerce"
    " collapse collect combine commit compare compile compute"
    " concatenate configure consist construct consume contain convert copy count create cut decide"
    " decode decorate dedupe deduplicate default defer define delegate delete depend"
    " derive descend deserialise deserialize detect determine differ disable discard dispatch dispose"
    " distinguish divide drain drive drop dump emit enable encode end enforce ensure"
    " enter escape evaluate execute exclude exit expand expect expire expose extend extract fail fall"
    " feed fetch fill filter find finish fire flatten flush fold follow force"
    " format forward free generate get give go group guard guarantee handle happen hash hide hold hook"
    " ignore implement imply import include increment index infer"
    " inherit initialise initialize inject insert inspect install intercept interpret invalidate"
    " invoke iterate join keep key lack lead lean let limit link list listen live load lock log"
    " look loop lower maintain make manage map mark mask match mean measure memoise memoize merge"
    " mirror modify mount move multiply mutate need negate normalise normalize notify"
    " omit open order overlap override overwrite own pad parse partition pass patch peek perform"
    " persist pick pin point poll pop populate postpone preserve prefer prefix prepend prevent print"
    " process produce promote propagate protect provide pull purge push put queue quote raise read"
    " rebuild receive recompute record recurse redirect reduce refer refresh refuse register reject"
    " rely release reload remain remember remove rename render replace report represent require reset"
    " resolve respect restart restore restrict retain retry return reuse reverse"
    " rewrite rewind rotate round route run sample sanitise sanitize save scan schedule scope search"
    " seed select send separate serialise serialize serve set share shift short-circuit shrink silence"
    " skip sleep slice"
    " snapshot sort spawn specify spill split squash stand start stat stay step stop store stream"
    " strip subclass subscribe substitute subtract suppress surface swallow swap switch"
    " take tell terminate throttle throw tie time toggle touch track transform translate traverse"
    " treat trigger trim truncate try turn unpack unregister unwind unwrap update upgrade"
    " use validate vary verify wait wake walk warn watch win work wrap write yield zero honour honor"
    " sit assume cause delay exist expose inline intern keep come affect overflow act behave begin"
    " belong cost cover deny disallow double embed encrypt decrypt sign enqueue dequeue error exceed"
    " execvp fork gate grow hit identify leave lie mutate name offer outlive pair panic pause permit"
    " probe prune race rank"
    " rank reach reallocate reference relax reorder resize resume retain rethrow reraise re-raise see"
    " seek shadow ship show simulate span start stack suspend sync target test tolerate underflow"
    " unset upsert"
)
_THIRD: Final = "|".join(
    sorted(
        {
            (
                verb[:-1] + "ies"
                if verb.endswith("y") and verb[-2] not in "aeiou"
                else verb + "es"
                if verb.endswith(("s", "sh", "ch", "x", "z")) or verb in ("go", "do")
                else verb + "s"
            )
            for verb in _VERBS.split()
        }
    )
)
_PREDICATE: Final = re.compile(
    rf"(?<![\w'-])(?:is|are|isn't|aren't|has|have|does|doesn't|do|don't|can|can't|cannot|must|mustn't"
    rf"|may|will|won't|never|{_THIRD})(?![\w'-])"
)
_PLURAL: Final = re.compile(
    rf"\b(?:\w+s|x{{2,}}(?:,? and x{{2,}})|callers?|both x+ and x+)\)? (?:only |never |always |also "
    rf"|all |both |then )?(?:{'|'.join(_VERBS.split())})\b"
)


def refusal(reading: str) -> Reason | None:
    """Why a sentence is no durable statement about code; None when nothing speaks against it."""
    body = reading.strip()
    if body.rstrip("\"'”’)]*_ ").endswith(("?", "？")) or _QUESTION.match(body):
        return "question"
    if _PERSON.search(body) or _IMPERATIVE.match(body):
        return "task"
    if _TASK.search(body):
        return "task"
    main = _SUBORDINATE.sub(" ", body)
    if _UNSURE.search(body) or _HEARSAY.search(body):
        return "notDurable"
    if _RESULT.search(body) or _TIME.search(body) or _DEFECT.search(main):
        return "notDurable"
    if _DANGLING.match(body) or _DEIXIS.search(body):
        return "noise"
    if not has_predicate(body):
        return "noise"
    return None


def has_predicate(reading: str) -> bool:
    """Whether a sentence says something of something: it has a finite verb."""
    return bool(_PREDICATE.search(reading) or _PLURAL.search(reading))
