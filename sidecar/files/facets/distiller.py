"""Takes from an agent's reasoning the one sentence that says most about a file, without a model and without a word of
its own."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from sidecar.files.clean_text import clean
from sidecar.files.facets.admission import admit
from sidecar.files.facets.claims import is_claim
from sidecar.files.facets.content import PROSE, Content
from sidecar.files.facets.context import Thought, thoughts
from sidecar.files.facets.grounding import defines, grounds, imports, named, occurs
from sidecar.files.facets.verdict import LONGEST, Admitted, Reason, Refused
from sidecar.text.own_blocks import TAG, without_own_text
from sidecar.text.secrets import redact
from sidecar.text.sentences import read

FEWEST_CHARS: Final = 80
MOST_CHARS: Final = 2_500
MOST_REFUSED: Final = 40

_ESCAPED: Final = re.compile(
    rf"(?:<|&lt;|\\u003[cC]){TAG}.*?(?:(?:<|&lt;|\\u003[cC])\\?/{TAG}\s*(?:>|&gt;|\\u003[eE])|\Z)", re.DOTALL
)
_REASONED: Final = re.compile(
    r"\b(?:because|so that|since|unless|only|never|always|before|after|until|without|must|instead of"
    r"|rather than|even (?:if|when|though)|regardless|lazily|order|therefore|to avoid|guarantees?"
    r"|relies|depends)\b"
)


@dataclass(frozen=True, slots=True)
class Distilled:
    """The best sentence, if any may be kept, and those that may not."""

    admitted: Admitted | None
    refused: tuple[Refused, ...]


def distil(reasoning: str, content: Content, known: Sequence[str], *, stated: bool = False) -> Distilled:
    """Distil a chunk of reasoning for one content: at most one new fact.

    `stated`: somebody says on purpose, in a few words, what is so of this file. Then a sentence need not have the form
    of a claim, by which the few facts in the many words of an agent's thoughts are told.

    The first 2,500 characters are read, of a train of thought only if there are 80. What this program rendered is
    left out before. A content that has 8 facets takes no more: then every sentence that would do is refused as `full`.
    """
    text = without_echo(reasoning)
    cut = len(text) > MOST_CHARS
    text = redact(text[:MOST_CHARS])[0]
    if not stated and len(text.strip()) < FEWEST_CHARS:
        return _nothing(text, "tooShort")
    best: tuple[float, Admitted] | None = None
    refused: list[Refused] = []
    for thought in thoughts(text, cut=cut):
        judged = _judged(thought, content, known, stated=stated)
        if isinstance(judged, Refused):
            if len(refused) < MOST_REFUSED:
                refused.append(judged)
            continue
        score = _score(judged, content)
        if best is None or score > best[0]:
            best = (score, judged)
    if best is None and not refused:
        return _nothing(text, "noise")
    return Distilled(best[1] if best else None, tuple(refused))


def _nothing(text: str, reason: Reason) -> Distilled:
    """Nothing of all that was said, and why; silent where nothing was said."""
    said = clean(text, LONGEST)
    return Distilled(None, (Refused(said, reason),) if said else ())


def without_echo(text: str) -> str:
    """The text without blocks and items that this program rendered, also escaped or broken off."""
    text = without_own_text(text)
    return _ESCAPED.sub("", text) if TAG in text else text


def _judged(thought: Thought, content: Content, known: Sequence[str], *, stated: bool) -> Admitted | Refused:
    if thought.doubt is not None:
        return Refused(clean(thought.text, LONGEST), thought.doubt)
    judged = admit(thought.text, content, known)
    if isinstance(judged, Refused):
        return judged
    every = named(judged.text)
    # A fact whose subject is defined elsewhere belongs to that file.
    if every and (imports(every[0].text, content) or not occurs(every[0].text, content)):
        return Refused(judged.text, "notInFile")
    # A fact belongs to the file that defines what it names, not to each that uses it.
    if not any(defines(name, content) for name in judged.identifiers):
        return Refused(judged.text, "notInFile")
    if not stated and not is_claim(read(judged.text), content):
        return Refused(judged.text, "task")
    # Thoughts about a document are mostly about writing it.
    if content.record.language in PROSE and not _REASONED.search(judged.text.lower()):
        return Refused(judged.text, "task")
    return judged


def _score(admitted: Admitted, content: Content) -> float:
    """How much a sentence says: what it is grounded in, whether it gives a reason or a condition, and its length."""
    names = grounds(admitted.text, content)
    own = sum(defines(name.text, content) for name in names)
    first = bool(names) and names[0].start < 25
    telling = len(_REASONED.findall(admitted.text.lower()))
    length = min(len(admitted.text), 200) / 200
    return 1.0 * min(own, 3) + 0.5 * min(len(names), 3) + 0.8 * first + 1.2 * min(telling, 2) + length
