"""Extract what a prompt asks: a long one is mostly pasted text, and a short one may depend on the previous prompt."""

from __future__ import annotations

from typing import Final

from sidecar.text.lazy_patterns import lazy
from sidecar.text.secrets import redact
from sidecar.text.words import query_words

MAX_SHORT_WORDS: Final = 4  # a prompt this short may depend on the previous one: "and the other one"
PREVIOUS_SHARE: Final = 0.5  # weight of the previous prompt's evidence if this one depends on it ("yes, do it")
_REFERRING_BACK: Final = frozenset(
    """
    it its that this them these those one ones other others another same both either too also again else then instead
    and but or so plus yes no ok okay
    es das dies diese dieses den denen andere anderen auch nochmal wieder dann und aber oder ja nein stattdessen
    eso esto esos esas lo la los las otro otra otros también tambien mismo entonces y pero o sí si
    ça ca cela le les autre autres aussi même meme encore alors et mais ou oui non
    """.split()
)
"""Words that refer back to something or continue it, in English, German, Spanish, French."""

_WORDS = lazy(r"\w+")
_MAX_WHOLE_CHARS = 600  # a prompt of up to this many characters is used whole
_MAX_READ_CHARS = 20_000  # characters of a prompt in which prose is sought
_MAX_PROSE_CHARS = 1_500  # characters of prose that are used
_OUTPUT_END_CHARS = 500  # characters used of a paste's end, where the error is
_MAX_EXCERPT_CHARS = 300  # characters of a prompt that a session keeps


def what_is_asked(prompt: str) -> str:
    """Return the prompt; if it is long, only its sentences and its end."""
    prompt = prompt.strip()
    if len(prompt) <= _MAX_WHOLE_CHARS:
        return prompt
    from sidecar.text.prose import passages

    written = "\n".join(passages(prompt[:_MAX_READ_CHARS]))[:_MAX_PROSE_CHARS] or prompt[:_MAX_WHOLE_CHARS]
    return f"{written}\n{prompt[-_OUTPUT_END_CHARS:]}"


def queries_of(prompt: str | None, previous: str) -> tuple[str, ...]:
    """Return the queries for a prompt: the prompt and, if it depends on the `previous` one, both together."""
    question = what_is_asked(prompt or "")
    if not question:
        return ()
    return (question, f"{previous}\n{question}") if previous and depends_on_previous(question) else (question,)


def depends_on_previous(prompt: str) -> bool:
    """Return whether a prompt makes little sense without the previous one: "yes", "the other one as well"."""
    count = len(set(query_words(prompt)))
    return count < 2 or (count <= MAX_SHORT_WORDS and not _REFERRING_BACK.isdisjoint(_WORDS.findall(prompt.casefold())))


def excerpt(prompt: str) -> str:
    """Return the part of a prompt, without secrets, that a session keeps for later prompts that depend on it."""
    if len(prompt) > 2 * _MAX_READ_CHARS:
        prompt = f"{prompt[:_MAX_READ_CHARS]}\n{prompt[-_MAX_READ_CHARS:]}"
    return what_is_asked(redact(prompt)[0])[:_MAX_EXCERPT_CHARS]
