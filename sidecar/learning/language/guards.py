"""What makes a sentence no statement: questions, hypotheses, plans, hearsay, requests for this moment.

All functions take the reading of a sentence, and a position where only what stands before a phrase matters.
"""

from __future__ import annotations

from sidecar.patterns import lazy

_FILLERS = lazy(
    r"(?:(?:ok(?:ay)?|k|so|well|hey|hi|hello|btw|by the way|also|and|but|oh|ah|ahh?|hmm?|hm+|alright"
    r"|great|thanks|thank you"
    r"|thx|ty|cool|nice|perfect|good|morning|one (?:more )?(?:thing|note|nit)(?: though)?|quick note"
    r"|first(?:ly)?|second(?:ly)?"
    r"|third(?:ly)?|finally|lastly|just so you know|for the record|fyi|interesting|interestingly"
    r"|found it|anyway|plus|then|however"
    r"|unfortunately|yes|yeah|yep|sure|true|sorry|look|listen|guys|folks|please note|note|(?:a |two "
    r"|three |some |(?:a )?few |couple of )?(?:nits?|things|points"
    r"|remarks)(?=\s?:))(?![\w'])[\s,.:!;–—-]*)+"
)
_ASKS = lazy(
    r"(?:what(?! (?:i|we) (?:learned|found|know)\b)(?!(?:'s| is) (?:\w+ )?\w+ing [^?]* is\b)|why|how"
    r"|where|which|who|whose|whom|when (?:do|does|did|is|are|was|will|can|should)|is|are|was|were|am"
    r"|do(?! not\b)"
    r"|does|did|can|could|would|should|shall|has|have (?:you|we|they|i)|will|isn't|aren't|wasn't"
    r"|don't (?:you|we|i|they)|doesn't"
    r"|didn't|won't|wouldn't|couldn't|can't (?:you|we|i)|shouldn't|what's(?! (?:\w+ )?\w+ing [^?]* is\b)"
    r"|who's|how's|where's|any (?:idea|chance|reason)|may i|might)\b(?!')"
)
_ASKS_FOR_HABIT = lazy(
    r"(?:can|could|would|will) (?:you|u|ya) (?:please |pls |kindly )?(?:always|never|stop|quit|from now on"
    r"|in (?:the )?future|not)\b"
)
_TAG = lazy(r"(?:,\s*|\s[-–—]\s*|\s)(?:ok|okay|k|alright|all right|got it|understood|please)\s*\?+\s*\Z")
_UNSURE = lazy(
    r"\b(?:if|whether|unless|perhaps|maybe|possibly|probably|presumably|likely|might|may|could|would"
    r"|suppose|supposing|assuming"
    r"|assume|imagine|hypothetically|what if|wonder(?:ing)?|not sure|unsure|i (?:don't|do not) (?:know"
    r"|think|see|believe|understand)"
    r"|i doubt|in case|seems?|guess|let's (?:see|say)|let me (?:see|check)|should we|shall we|unclear"
    r"|consider(?:ing)?|either)\b"
)
_DENIED = lazy(
    r"(?:\bnot|n't|\bnever|\bno longer|\bneither|\bnobody|\bnothing|\bnone|\bwithout|\byet to|\bto be"
    r"|\brather than|\binstead of)"
    r"(?:\s\w+){0,2}\s*$"
)
_PLANS = lazy(
    r"\b(?:i'll|i will|let me|let's (?:see|check|look|find)|i'm going to|i am going to|we'll (?:see"
    r"|check|need)|going to (?:check"
    r"|look|investigate|see|verify|find|examine)|i (?:need|want|have) to|i should|we (?:need"
    r"|want) to (?:check|find|see|look)|next,? i"
    r"|now i|to (?:find|see|check|verify|determine|confirm|understand|figure|decide|investigate|document"
    r"|describe|record|mention))\b"
)
_HEARSAY = lazy(
    r"\b(?:he|she|they|someone|somebody|people|boss|team ?mate|colleague|customer|client|docs?"
    r"|documentation|readme|guide|article|"
    r"manual|comment|error|message|linter|it|which|who|spec|tutorial|blog|post|stack ?overflow|chatgpt"
    r"|copilot|manager|user|commit|log)\s"
    r"(?:\w+\s){0,3}?(?:says?|said|states?|stated|suggests?|suggested|recommends?|recommended|told|tells"
    r"|wrote|writes|claims?|claimed"
    r"|insists?|wants?|asked|reads|mentions?|mentioned|thinks?|thought)\b"
)
_MOMENT = lazy(
    r"\b(?:for now|this time|right now|for the moment|at the moment|for the time being|just this once"
    r"|for once|yet|today|tonight"
    r"|tomorrow|this (?:week|morning|afternoon|evening|request|endpoint|query|method|class|component"
    r"|call|module|loop|table|run|one|once|step|change|task|commit|branch|pr|ticket|file|function|script"
    r"|session|feature|page|test)|temporarily|meanwhile|in the meantime|until (?:i|we|then|it|that|you)"
    r"|while (?:you|i|we|it)"
    r"|line \d+|lines \d+|step \d+|(?:the|that|those) (?:last|failing|second|first|third|other|previous"
    r"|latter|former|above)|for a"
    r" (?:sec|moment|minute|bit)|let me|first let|i'll|as (?:a )?next|next step|now(?=\W*$))\b"
)
_TASK = lazy(
    r"(?:please |pls |can you |could you |now |let's |we (?:need|want) to |i (?:need"
    r"|want)(?: you)? to )*(?:add|implement|create|build|make"
    r"|write|fix|show|check|test|find|translate|summari[sz]e|rephrase|explain|print|display|echo|render"
    r"|list|update|change|replace"
    r"|rename|remove|delete|move|refactor|document|describe)\b"
)


def content_start(reading: str) -> int:
    """Where a sentence begins when the words that only open a turn ("ok so", "btw") are passed over."""
    found = _FILLERS.match(reading)
    return found.end() if found and len(reading[found.end() :].split()) >= 2 else 0


def asks(reading: str) -> bool:
    """Whether the sentence is a question; asking for a habit ("could you always ...") is none."""
    start = content_start(reading)
    if _ASKS_FOR_HABIT.match(reading, start):
        return False
    if _TAG.search(reading):  # "use four spaces, ok?" tells, and only asks whether it was heard
        return bool(_ASKS.match(reading, start))
    return reading.rstrip("\"'”’)]* :;D").endswith(("?", "？")) or bool(_ASKS.match(reading, start))


def unsure(reading: str, before: int) -> bool:
    """Whether what stands before a position makes it a possibility: if, maybe, could, I wonder."""
    return bool(_UNSURE.search(reading, 0, before))


def denied(reading: str, before: int) -> bool:
    """Whether a negation stands within two words before a position."""
    return bool(_DENIED.search(reading[max(0, before - 60) : before]))


def plans(reading: str, before: int) -> bool:
    """Whether what stands before a position announces work instead of stating its result."""
    return bool(_PLANS.search(reading, 0, before))


def hearsay(reading: str, before: int) -> bool:
    """Whether somebody else is said to say what follows."""
    return bool(_HEARSAY.search(reading, 0, before))


def momentary(reading: str) -> bool:
    """Whether the sentence speaks of this moment, this place or this task."""
    return bool(_MOMENT.search(reading))


def is_task(reading: str) -> bool:
    """Whether the sentence asks for one piece of work."""
    return bool(_TASK.match(reading, content_start(reading)))


_WORDS = lazy(r"[^\W_]+(?:['’]\w+)?|[^\w\s]*\w\S*")
_POINTING = frozenset(
    "a again all also always an and any anymore anything are at be been bad better broken bug but by correct did do "
    "does doing don't done ever everything fine fix fixed for from future good had happen happened has have here how i "
    "in is issue it it's its just like look made make me mistake mode more must my never next no not now of off ok "
    "okay on one only or ours out please problem right same should so something stop stuff than that that's the them "
    "then there these they thing things this those time times to too up us use used using very was way we were what "
    "when will with work works would wrong you your".split()
)


def says_nothing(text: str) -> bool:
    """Whether a statement only points ("never do that again"): without the talk around it, it says nothing.

    Text in another script than Latin is not judged.
    """
    if not text.isascii():
        return False
    words = [word.casefold().replace("’", "'") for word in _WORDS.findall(text)]
    return all(word in _POINTING for word in words)
