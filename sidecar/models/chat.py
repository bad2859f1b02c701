"""Ask a chat model behind any OpenAI-compatible API, through the official client (extra `models`).

Nothing is sent before the user names an endpoint. Redirects are not followed, so that neither the key nor a file's text
reaches another host. An answer is read up to a limit. Errors quote neither question nor answer.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

from sidecar.models.embedding import ModelUnavailable

if TYPE_CHECKING:
    import httpx2

log = logging.getLogger(__name__)

# Further attempts per question. The client backs off and heeds `Retry-After` up to a minute.
MAX_RETRIES = 2
# The limit of a raw answer.
MAX_ANSWER_BYTES = 2 * 2**20
# The limit of an answer's text; no question asks for more.
MAX_ANSWER_CHARS = 20_000


class ModelAnswer(NamedTuple):
    """A model's answer."""

    text: str
    tokens: int | None  # as the endpoint counted them, if it says


class ModelFailed(ModelUnavailable):
    """Raised for a question that was not answered.

    `lasting`: asking again cannot help until a setting changes. `after`: seconds that the endpoint asks to wait.
    `final`: never ask this question again.
    """

    def __init__(self, message: str, *, lasting: bool = False, after: float | None = None, final: bool = False) -> None:
        super().__init__(message)
        self.lasting = lasting
        self.final = final
        self.after = after


class EndpointModel:
    """A chat model behind an endpoint; at most `concurrency` questions run at once. Thread-safe.

    `give_way` is called before a question is sent and before its answer is read.
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
        self._base_url = base_url
        self._key = key
        self._timeout = timeout
        self._give_way = give_way
        self._slots = threading.BoundedSemaphore(concurrency)
        self._lock = threading.Lock()
        self._client: Any = None
        self._closed = False

    def ask(self, instructions: str, text: str, max_tokens: int) -> ModelAnswer:
        """Answer `text` under `instructions`. Raises `ModelFailed`. Blocks, so never call it for a request."""
        with self._slots:
            client = self._connect()
            import openai

            try:
                completion = client.chat.completions.create(
                    model=self.model,
                    messages=[{"role": "system", "content": instructions}, {"role": "user", "content": text}],
                    max_tokens=max_tokens,
                    temperature=0,
                )
            except openai.RateLimitError as error:
                raise ModelFailed("The model's endpoint limits the rate.", after=_retry_after(error)) from None
            except (openai.AuthenticationError, openai.PermissionDeniedError):
                raise ModelFailed("The model's endpoint refused the key.", lasting=True) from None
            except openai.NotFoundError:
                raise ModelFailed(f"The endpoint has no model {self.model!r}.", lasting=True) from None
            except openai.APIStatusError as error:
                raise ModelFailed(f"The model's endpoint answered with status {error.status_code}.") from None
            except (openai.OpenAIError, ValueError, TypeError, RecursionError) as error:
                # The client raises the last three if the JSON has an unexpected form.
                raise ModelFailed(f"The question could not be sent ({type(error).__name__}).") from None
            return _answer_of(completion)

    def close(self) -> None:
        with self._lock:
            self._closed = True
            client, self._client = self._client, None
        if client is not None:
            client.close()

    def _connect(self) -> Any:
        with self._lock:
            if self._closed:
                raise ModelFailed("The model is closed.")
            if self._client is None:
                try:
                    import httpx2
                    import openai
                except ImportError:
                    raise ModelFailed(
                        "The OpenAI client is not installed: pip install openai in the sidecar's environment,"
                        " or pip install '.[models]' in its checkout.",
                        lasting=True,
                    ) from None
                self._client = openai.OpenAI(
                    base_url=self._base_url,
                    api_key=self._key or "none",  # a local endpoint needs no key, but the client demands one
                    organization="",
                    project="",
                    max_retries=MAX_RETRIES,
                    timeout=self._timeout,
                    http_client=httpx2.Client(
                        transport=_limited(httpx2, self._give_way),
                        timeout=self._timeout,
                        follow_redirects=False,
                        trust_env=False,
                    ),
                )
            return self._client


def _answer_of(completion: Any) -> ModelAnswer:
    """Return the answer from the first choice. Raises `ModelFailed` for anything else that an endpoint sends."""
    try:
        text = completion.choices[0].message.content
        usage = completion.usage.total_tokens if completion.usage is not None else None
    except (AttributeError, IndexError, TypeError):
        raise ModelFailed("The model's answer holds no text.") from None
    if not isinstance(text, str) or not text.strip():
        raise ModelFailed("The model's answer holds no text.")
    if len(text) > MAX_ANSWER_CHARS:
        raise ModelFailed("The model's answer is far longer than what was asked for.")
    counted = isinstance(usage, int) and not isinstance(usage, bool) and 0 <= usage <= 10_000_000
    return ModelAnswer(text.strip(), usage if counted else None)


def _retry_after(error: Any) -> float | None:
    try:
        return min(3600.0, max(0.0, float(error.response.headers.get("retry-after", ""))))
    except (AttributeError, ValueError):
        return None


def _limited(httpx2: Any, give_way: Callable[[], None]) -> httpx2.BaseTransport:
    """Return a transport that stops reading an answer at `MAX_ANSWER_BYTES`."""

    class Stream(httpx2.SyncByteStream):  # type: ignore[misc] # known at run time only
        def __init__(self, inner: Any) -> None:
            self.inner = inner
            self.close = inner.close

        def __iter__(self) -> Iterator[bytes]:
            remaining = MAX_ANSWER_BYTES
            for chunk in self.inner:
                remaining -= len(chunk)
                if remaining < 0:
                    raise httpx2.ReadError("the answer is too long")
                yield chunk

    class Limited(httpx2.HTTPTransport):  # type: ignore[misc] # known at run time only
        def handle_request(self, request: Any) -> Any:
            give_way()
            response = super().handle_request(request)
            give_way()
            response.stream = Stream(response.stream)
            return response

    return Limited()
