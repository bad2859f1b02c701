"""What somebody says of a file as statements that may be judged: the whole of it if it is short, or its sentences."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from sidecar.files.clean_text import clean
from sidecar.files.facets.verdict import LONGEST
from sidecar.text.own_blocks import TAG, without_own_text
from sidecar.text.prose import passages
from sidecar.text.secrets import redact
from sidecar.text.sentences import split_sentences

MOST_CHARS: Final = 2_500
_MOST: Final = 40

_ESCAPED: Final = re.compile(
    rf"(?:<|&lt;|\\u003[cC]){TAG}.*?(?:(?:<|&lt;|\\u003[cC])\\?/{TAG}\s*(?:>|&gt;|\\u003[eE])|\Z)", re.DOTALL
)


def statements(text: str) -> Iterator[list[str]]:
    """Groups of statements, the next to be judged where none of the one before may be kept.

    First the whole, if it is one passage of a fact's length, then its sentences. The first 2,500 characters are read,
    without what this program rendered and without a sentence that is cut in two; at most 40 sentences.
    """
    text = without_own_text(text)
    text = _ESCAPED.sub("", text) if TAG in text else text
    cut = len(text) > MOST_CHARS
    found = list(passages(redact(text[:MOST_CHARS])[0]))
    every = [sentence for passage in found for sentence in split_sentences(passage)]
    if cut and every:
        every.pop()
    if not cut and len(found) == 1 and len(every) > 1 and len(clean(found[0], 2 * LONGEST)) <= LONGEST:
        yield found
    yield every[:_MOST]
