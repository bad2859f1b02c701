"""Ask a chat model behind any OpenAI-compatible API (`POST <base>/chat/completions`).

Nothing is sent before the user names an endpoint; errors quote neither question nor answer.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any, NamedTuple

import msgspec

from sidecar.models.embedding import ModelUnavailable
from sidecar.models.transport import RequestLimits, Transport

MOST_BYTES = 2 * 2**20
"""Limit of a raw answer; a longer one is refused."""

MOST_CHARACTERS = 20_000
"""Limit of an answer's text; a longer one is refused, because no question asks for that much."""

_LASTING = (401, 403, 404)


class _ChatMessage(msgspec.Struct):
    content: str


class _ChatChoice(msgspec.Struct):
    message: _ChatMessage


class _Completion(msgspec.Struct):
    choices: list[_ChatChoice]
    usage: Any = None


_completion = msgspec.json.Decoder(_Completion)


class ModelAnswer(NamedTuple):
    """A model's text, and the tokens that the endpoint counted (None if it does not say)."""

    text: str
    tokens: int | None


class ModelFailed(ModelUnavailable):
    """A question was not answered. `lasting`: asking again cannot help until a setting changes.

    `final`: never ask this question again.
    """

    def __init__(self, message: str, *, lasting: bool = False, after: float | None = None, final: bool = False) -> None:
        super().__init__(message, after=after)
        self.lasting = lasting
        self.final = final


class ChatModel:
    """One model of one endpoint, for any thread; at most `concurrency` questions run at once.

    `give_way` is called before a question is sent and before its answer is read. Raises `ModelFailed` for an address
    that cannot be asked.
    """

    def __init__(
        self,
        base_url: str,
        model: str,
        key: str | None,
        *,
        timeout: float,
        concurrency: int,
        give_way: Callable[[], None],
    ) -> None:
        self.model = model
        limits = RequestLimits(timeout, most_bytes=MOST_BYTES)
        try:
            self._transport = Transport(base_url, key, limits, key_in_clear=True)
        except ModelUnavailable as error:
            raise ModelFailed(error.message, lasting=True) from None
        self._give_way = give_way
        self._slots = threading.BoundedSemaphore(concurrency)

    def ask(self, instructions: str, text: str, most_tokens: int) -> ModelAnswer:
        """Answer `text` under `instructions`; raises `ModelFailed`. Blocks, so never call it for a request."""
        question = {
            "model": self.model,
            "messages": [{"role": "system", "content": instructions}, {"role": "user", "content": text}],
            "max_tokens": most_tokens,
            "temperature": 0,
        }
        with self._slots:
            self._give_way()
            try:
                data = self._transport.post("chat/completions", msgspec.json.encode(question))
            except ModelUnavailable as error:
                told = f"{error.message} {error.hint or ''}".strip()
                raise ModelFailed(told, lasting=error.status in _LASTING, after=error.after) from None
            self._give_way()
        return _answer(data)

    def close(self) -> None:
        """Ask no more; a question in progress fails."""
        self._transport.close()


def _answer(data: bytes) -> ModelAnswer:
    """Return the text of the first choice; anything else an endpoint sends is a failure."""
    try:
        done = _completion.decode(data)
        text = done.choices[0].message.content.strip()
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError, IndexError):
        text = ""
    if not text:
        raise ModelFailed("The model's answer holds no text.")
    if len(text) > MOST_CHARACTERS:
        raise ModelFailed("The model's answer is far longer than what was asked for.")
    tokens = done.usage.get("total_tokens") if isinstance(done.usage, dict) else None
    counted = isinstance(tokens, int) and not isinstance(tokens, bool) and 0 <= tokens <= 10_000_000
    return ModelAnswer(text, tokens if counted else None)
