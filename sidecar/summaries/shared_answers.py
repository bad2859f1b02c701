"""Models' answers about files, shared between machines."""

from __future__ import annotations

from typing import Final, Protocol

from sidecar.files.prompts import Question
from sidecar.runtime.digests import blake2b

SHARED_KINDS: Final = ("summary", "long", "aggregate")


class SharedAnswers(Protocol):
    """Answers shared between machines; called on a worker's thread, never raises."""

    def get(self, hash: str, recipe: str) -> str | None:
        """Return the stored answer about a content to the question that `recipe` identifies."""

    def put(self, hash: str, recipe: str, kind: str, text: str) -> None: ...


def recipe_of(model: str | None, question: Question) -> str:
    """Return a digest of the model and the question, on which an answer depends."""
    parts = (model or "", question.instructions, question.text)
    return blake2b("\0".join(parts).encode("utf-8", "replace"), digest_size=16).hexdigest()
