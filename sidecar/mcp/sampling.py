"""The client's own model, which is asked by `sampling/createMessage` if the client offers one.

An answer may take long, because a person may have to allow each request. After one refusal, the client gets no more
requests.
"""

from __future__ import annotations

import itertools
import threading
from collections.abc import Callable
from typing import Any, Final

import msgspec

from sidecar.mcp import lines
from sidecar.models.chat import MAX_ANSWER_CHARS, ModelAnswer, ModelFailed
from sidecar.text.tokens import estimate
from sidecar.wire.messages import Response

SAMPLING_ANSWER_SECONDS: Final = 180.0
_PREFIX: Final = "sampling-"


class _SampledContent(msgspec.Struct):
    type: str = ""
    text: str = ""


class _SampledResult(msgspec.Struct):
    content: _SampledContent | list[_SampledContent]


_result = msgspec.json.Decoder(_SampledResult)


class ClientModel:
    """Asks the client's model one question at a time, on any thread, once the client has offered it.

    The reader's thread calls `accept`.
    """

    def __init__(self, send: Callable[[bytes], None], seconds: float = SAMPLING_ANSWER_SECONDS) -> None:
        self._send = send
        self._seconds = seconds
        self._numbers = itertools.count(1)
        self._turn = threading.Lock()
        self._changed = threading.Condition()
        self._awaited_id: str | None = None
        self._response: Response | None = None
        self._closed = False

    def ask(self, instructions: str, text: str, max_tokens: int) -> ModelAnswer:
        """Return the model's answer to `text` under `instructions`. Blocks long. Raises `ModelFailed`."""
        params = {
            "messages": [{"role": "user", "content": {"type": "text", "text": text}}],
            "systemPrompt": instructions,
            "includeContext": "none",
            "temperature": 0,
            "maxTokens": max_tokens,
        }
        with self._turn:
            id = f"{_PREFIX}{next(self._numbers)}"
            with self._changed:
                if self._closed:
                    raise ModelFailed("The client is gone.")
                self._awaited_id, self._response = id, None
            self._send(lines.request(id, "sampling/createMessage", params))
            response = self._wait_for_response()
        if response is None:
            reason = "The server ends." if self._closed else "The answer took too long."
            cancelled = {"requestId": id, "reason": reason}
            self._send(lines.notification("notifications/cancelled", cancelled))
            raise ModelFailed(f"The client did not answer. {reason}")
        answer = _answer_text(response)
        return ModelAnswer(answer, estimate(instructions) + estimate(text) + estimate(answer))

    def _wait_for_response(self) -> Response | None:
        with self._changed:
            self._changed.wait_for(lambda: self._response is not None or self._closed, self._seconds)
            self._awaited_id = None
            return self._response

    def accept(self, response: Response) -> None:
        """Take the client's response if it answers the current request; never wait."""
        with self._changed:
            if response.id is not None and response.id == self._awaited_id:
                self._response = response
                self._changed.notify_all()

    def close(self) -> None:
        """Send no more requests and abandon the current one."""
        with self._changed:
            self._closed = True
            self._changed.notify_all()


def _answer_text(response: Response) -> str:
    if response.result is None:
        raise ModelFailed("The client, or its user, refused the question.", final=True)
    try:
        content = _result.decode(response.result).content
    except (msgspec.MsgspecError, UnicodeError, RecursionError):
        raise ModelFailed("The client's answer holds no text.", final=True) from None
    parts: list[Any] = content if isinstance(content, list) else [content]
    text = "\n".join(part.text for part in parts if part.type == "text").strip()
    if not text or len(text) > MAX_ANSWER_CHARS:
        raise ModelFailed("The client's answer is empty or too long.", final=True)
    return text
