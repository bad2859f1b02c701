"""Strips what only frames a statement: "I see that ...", "OK, so ...", "Key point: ...", ", so I'll change it".

Only words at the ends are taken away; what remains is the author's own wording, in its order.
"""

from __future__ import annotations

import re
from typing import Final

_OPENERS: Final = re.compile(
    r"(?:(?:ok(?:ay)?|so|and|but|also|ah+|oh|aha|right|yes|yeah|yep|no|good|great|nice|perfect"
    r"|excellent|interesting(?:ly)?|indeed|actually|hmm+|wait"
    r"|well|now|thus|therefore|hence|however|essentially|basically|in short|in fact|in other"
    r" words|of course|clearly|importantly|crucially"
    r"|notably|additionally|furthermore|moreover|plus|confirmed|in summary|to summari[sz]e|to recap"
    r"|importantly|fine|cool|alright|sure|btw|fyi|importantly"
    r"|critical(?:ly)?|got it|makes sense|that makes sense|evidently|obviously|conversely|on the other"
    r" hand|by contrast|that said)(?![\w'-])[\s,.!:;–—-]+)+",
    re.IGNORECASE,
)
_LABELS: Final = re.compile(
    r"(?:(?:a |the |one |another )?(?:key|important|main|critical|interesting|crucial|useful|big|other"
    r"|subtle|notable|core|central|worth)?\s?"
    r"(?:(?:point|insight|finding|findings|fact|detail|details|observation|takeaway|thing|piece|noting"
    r"|knowing|subtlety|gotcha|caveat|catch|trick|invariant|design|flow|nuance|summary|summarised"
    r"|summarized|contract)s?)"
    r"(?: (?:here|to note|is))?(?: that)?\s?[:–—-]\s*|the (?:key|important|interesting|crucial|main"
    r"|critical) (?:thing|point|part|insight|detail|observation|fact)(?: here)? is (?:that )?"
    r"|(?:caveat|gotcha|n\.?b\.?|note|important|heads[- ]up|summary|insight|key)\s?[:–—]\s*)",
    re.IGNORECASE,
)
_SEEN: Final = re.compile(
    r"(?:(?:from|looking at|reading|after reading|having read|judging by|going through|tracing"
    r"|inspecting|checking|scanning) (?:[^,;:.]|\.(?=\w)){2,80}, (?=\S)"
    r"|in this (?:file|module|class), "
    r"|(?:now |here |so |then )?(?:i|we) (?:can |could |also |now |just |then |have |do |finally "
    r"|already )*(?:see|saw|notice|noticed|find|found|realise|realize|realised|realized"
    r"|understand|understood|know|learn|learned|learnt|observe|observed|note|noted|confirmed?|conclude"
    r"|gather|discovered?|recall|remember|noticed|get it)(?: now| here| (?:from|in) (?:the|this)"
    r" (?:code|file|source|module))?[,:]?"
    r"(?: that| how| is that|:| —| -)? (?!if\b|whether\b|why\b|what\b|how\b|where\b|which\b|the"
    r" (?:problem|issue|bug)\b)"
    r"|(?:i'm|i am|we're) (?:seeing|noticing|finding) that "
    r"|it(?:'s| is) (?:worth noting|important|notable|clear|interesting|worth remembering|key|good to"
    r" know|worth knowing|obvious|also worth noting) (?:to note )?(?:here )?that "
    r"|(?:please )?(?:note|notice|observe|remember|recall|keep in mind|mind)(?: also)? that "
    r"|it turns out (?:that )?|turns out,? (?:that )?|(?:this|that|which|it) (?:means|shows|tells"
    r" (?:me|us)|confirms|implies|reveals|indicates|demonstrates) (?:that )"
    r"|the (?:code|source|implementation|file|module|class|function|method|definition) (?:shows"
    r"|reveals|confirms|makes clear|tells (?:me|us)) (?:that )"
    r"|what (?:matters|happens|is happening)(?: here)? is (?:that )?|what (?:this|it) does is (?:that )?"
    r"|as (?:we|i) (?:can )?(?:see|saw)(?: here| above)?, |as (?:it )?turns out, |by (?:design|default"
    r"|convention), (?=the |x))",
    re.IGNORECASE,
)
_TAIL: Final = re.compile(
    r"(?:[,;]| [–—-]| \.{3})\s*(?:(?:and |but |so |which means |meaning |therefore |hence |thus"
    r" )+(?:that |that's |now |then |this |it )?(?:(?:i|we|you|let me|let's|my|our)(?![\w-])|(?:that"
    r"|this)(?:'s| is) (?:where|why|what|how|the|fine|good|ok|not)\b)"
    r"|(?:i|we|let me|let's)(?:'ll|'m|'ve|'d)?\s|which is (?:exactly |just |probably |precisely"
    r" )?(?:what|where|why|how) (?:i|we|the)\b|exactly what|as (?:i|we) |good[.!]|great[.!]|perfect"
    r"|nice[.!]|like (?:i|we) )[^`]*\Z",
    re.IGNORECASE,
)
_LOWER_START: Final = re.compile(
    r"(?:the|a|an|this|each|every|all|both|any|no|only|when|if|on|in|for|with|after|before|calling|one"
    r"|two|three|callers)\b"
)
_POSITIONS: Final = re.compile(
    r"\s?\((?:at |on |around |see )?(?:lines? |l)~?\d+(?:\s?(?:[-–,&]|and|to)\s?(?:lines? |l)?\d+)*\)"
    r"|\s(?:at|on|around) (?:lines? |l)~?\d+(?:\s?(?:[-–,&]|and|to)\s?(?:lines? |l)?\d+)*(?![\w-])|\s\(\d{2,5}\)",
    re.IGNORECASE,
)
"""Where something stands in lines: true until the next edit, and the rest of the sentence stands without it."""

_MOST_FRAMES = 6


def stripped(sentence: str) -> str:
    """The sentence without frames at its beginning and its end. What is left need not be a sentence."""
    text = sentence.strip().lstrip("*•·>- \t").strip()
    for _ in range(_MOST_FRAMES):
        found = _OPENERS.match(text) or _LABELS.match(text) or _SEEN.match(text)
        if found is None or found.end() >= len(text):
            break
        text = text[found.end() :].lstrip(" ,:;–—-")
    tail = _TAIL.search(text)
    if tail and tail.start() > 20:
        text = text[: tail.start()].rstrip(" ,;:–—-") + "."
    text = _POSITIONS.sub("", text)
    if text != sentence and _LOWER_START.match(text):
        text = text[0].upper() + text[1:]
    return text.strip()
