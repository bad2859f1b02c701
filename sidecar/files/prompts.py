"""The questions put to a model about a file, and the cleaning of its answers.

A file's text may contain instructions, so the model is told to follow none.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Sequence
from pathlib import Path
from typing import Literal, NamedTuple

from sidecar.files.clean_text import clean
from sidecar.runtime.digests import blake2b

QuestionKind = Literal["summary", "long", "aggregate"]

# The beginning and end of a longer file are sent for a summary.
MAX_CONTENT_CHARS = 8_000
MAX_LONG_CONTENT_CHARS = 20_000
MAX_REASONING_CHARS = 2_500

_PROMPTS_BY_KIND = tomllib.loads(Path(__file__).with_name("prompts.toml").read_text("utf-8"))
_RULER = "=" * 40
_SENTENCE_END = re.compile(r"[.!?](?=\s|\Z)|[。！？]")
_FENCES = re.compile(r"^\s*(?:```|~~~)[^\n]*\n?|\n?\s*(?:```|~~~)\s*\Z")


class Question(NamedTuple):
    """A question: the system message, the user's message, and the most tokens of the answer."""

    instructions: str
    text: str
    most_tokens: int


def content_question(kind: QuestionKind, path: str, content: str) -> Question:
    most = MAX_LONG_CONTENT_CHARS if kind == "long" else MAX_CONTENT_CHARS
    return _question(kind, f"File: {clean(path)}", _data(ends(content, most)))


def facets_question(path: str, description: str, facets: Sequence[str]) -> Question:
    facts = "\n".join(f"- {facet}" for facet in facets)
    return _question("aggregate", f"File: {clean(path)}", _data(f"{description}\n\nFacts:\n{facts}"))


def reasoning_question(path: str, content: str, known: Sequence[str], reasoning: str) -> Question:
    """Ask for one new fact about a file; those in `known` are not new."""
    facts = "\n".join(f"- {facet}" for facet in known) or "- nothing"
    body = (
        f"{_data(ends(content, MAX_CONTENT_CHARS))}\n{_RULER}\nKnown already, not to be said again:\n"
        f"{_data(facts)}\n{_RULER}\n"
        f"Thoughts of the agent:\n{_data(reasoning[:MAX_REASONING_CHARS])}"
    )
    return _question("facet", f"File: {clean(path)}", body)


def basis(description: str, facets: Sequence[str]) -> str:
    """Return a digest of what an aggregate is made from: the description and the facts."""
    hasher = blake2b(digest_size=8)
    for part in (description, *facets):
        hasher.update(part.encode("utf-8", "surrogatepass") + b"\0")
    return hasher.hexdigest()


def clean_answer(kind: str, answer: str) -> str | None:
    """Return the answer's clean paragraphs, in whole sentences, within the limit; None if nothing is left."""
    text = _FENCES.sub("", answer.strip()).replace(_RULER, " ").strip()
    most = _PROMPTS_BY_KIND[kind]["characters"]
    paragraphs = [clean(part, 2 * most) for part in re.split(r"\n\s*\n", text)]
    text = "\n\n".join(part for part in paragraphs if part)
    if len(text) > most:
        ends_at = [match.end() for match in _SENTENCE_END.finditer(text[:most])]
        text = text[: ends_at[-1]] if ends_at else ""
    if len(text) < 20 or text.strip(" .").upper() == "NONE":
        return None
    return text


def ends(text: str, most: int) -> str:
    """Return the beginning and end of `text`, `most` characters in all; a line between counts what is left out."""
    if len(text) <= most:
        return text
    note = f"\n[... {len(text) - most:,} characters left out ...]\n"
    room = most - len(note)
    return text[: room * 3 // 4] + note + text[len(text) - (room - room * 3 // 4) :]


def _question(kind: str, title: str, body: str) -> Question:
    asked = _PROMPTS_BY_KIND[kind]
    quoted = f"{title}\n{_RULER}\n{body}\n{_RULER}"
    return Question(f"{asked['instructions']} {_PROMPTS_BY_KIND['data']}", quoted, asked["tokens"])


def _data(text: str) -> str:
    """Change a text so that it cannot end its own quotation."""
    return re.sub(r"={20,}", "=====", text)
