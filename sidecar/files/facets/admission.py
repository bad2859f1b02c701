"""Judges whether one sentence may become a facet of a content, whoever wrote it: the distiller or a model.

What is admitted is one clean line of 20 to 300 characters in its author's words, states something durable, names
an identifier that occurs in the content, and is neither known already nor a repetition of the outline.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from sidecar.files.clean_text import clean
from sidecar.files.facets import phrases, remarks
from sidecar.files.facets.content import Content
from sidecar.files.facets.grounding import defines, grounds, named, occurs, other_paths
from sidecar.files.facets.sameness import is_outline, is_paraphrase
from sidecar.files.facets.verdict import LONGEST, MOST_FACETS, SHORTEST, Admitted, Reason, Refused
from sidecar.text.own_blocks import TAG
from sidecar.text.secrets import redact
from sidecar.text.sentences import read

MOST_MISSING: Final = 4
"""One in so many of the identifiers that a sentence names may be one that the content does not have."""

_SIGNS: Final = re.compile(r"[{}()\[\]<>=;|\\$&^~+]")
_SPAN: Final = re.compile(r"`[^`]*`")
_WORD: Final = re.compile(r"[^\W\d_]{2,}")
_CODE: Final = re.compile(
    r"(?:=>|->|==|!=|&&|\|\||\s//\s|;\s*$|^\s*(?:def|class|import|from|return|const|let|var|func|fn)"
    r" \w+.*[:({;]$)"
)


def admit(sentence: str, content: Content, known: Sequence[str]) -> Admitted | Refused:
    """Judge a sentence. `known` holds the facets that the content has."""
    text = clean(sentence, 2 * LONGEST)
    if "[redacted" in text or redact(text)[1]:
        return Refused("", "secret")
    refused = _form(text) or _meaning(text)
    if refused is not None:
        return Refused(clean(text, LONGEST), refused)
    kept = grounds(text, content)
    if not kept:
        return Refused(text, "notInFile" if named(text) else "noIdentifier")
    if _is_elsewhere(text, content):
        return Refused(text, "notInFile")
    identifiers = tuple(
        name.text for name in sorted(kept, key=lambda name: (not defines(name.text, content), name.start))
    )
    if is_paraphrase(text, known):
        return Refused(text, "paraphrase")
    if is_outline(text, identifiers, content):
        return Refused(text, "alreadyInOutline")
    if len(known) >= MOST_FACETS:
        return Refused(text, "full")
    return Admitted(text, identifiers)


def _form(text: str) -> Reason | None:
    if len(text) < SHORTEST:
        return "tooShort"
    if len(text) > LONGEST:
        return "tooLong"
    if TAG in text:
        return "noise"
    bare = _SPAN.sub("", text)
    if _CODE.search(bare) or len(_SIGNS.findall(bare)) * 8 > len(bare) + 8:
        return "code"
    if len(_WORD.findall(bare)) < 3 or text.count("`") % 2 or "``" in text:
        return "noise"
    return None


def _meaning(text: str) -> Reason | None:
    sentence = read(text)
    return phrases.refusal(sentence.reading) or remarks.refusal(sentence)


def _is_elsewhere(text: str, content: Content) -> bool:
    """Whether a sentence speaks of another file, or names mostly what this content does not have."""
    if other_paths(text, content):
        return True
    every = named(text)
    missing = {name.text for name in every if not occurs(name.text, content)}
    return len(missing) * MOST_MISSING > len({name.text for name in every})
