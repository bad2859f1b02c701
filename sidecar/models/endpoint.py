"""Embeddings from an OpenAI-compatible API (`POST <base>/embeddings`) that the user has configured.

The texts to embed (memories and queries, with secrets redacted), the model's name and the key leave the machine, but
only after the user has named an endpoint.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import msgspec
import xxhash

from sidecar.models.embedding import ModelUnavailable, quantise
from sidecar.models.transport import Transport

MAX_TEXTS_PER_REQUEST = 96
MAX_CHARS_PER_REQUEST = 150_000
# The sent length of one text. Most models accept 8,192 tokens; some accept 512 and cut by themselves.
MAX_SENT_CHARS = 8_000
# After a failure, queries skip the endpoint for this long rather than wait in vain.
SKIP_AFTER_FAILURE_SECONDS = 30.0

_PROBE_TEXT = "memory"
# No known model has as many; a longer vector is a fault.
_MAX_DIMENSIONS = 8_192


class _EmbeddingItem(msgspec.Struct):
    index: int
    embedding: list[float]


class _EmbeddingsReply(msgspec.Struct):
    data: list[_EmbeddingItem]


_decoder = msgspec.json.Decoder(_EmbeddingsReply)


class EndpointEmbedder:
    """An `Embedder` over HTTP. It is slow, and any call may raise ModelUnavailable."""

    def __init__(
        self,
        transport: Transport,
        url: str,
        model: str,
        requested: int | None,
        dimensions: int,
        *,
        quick: Transport | None = None,
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        self._transport = transport
        self._quick = quick or transport
        self._monotonic = monotonic
        self._retry_at = -math.inf
        self._model = model
        self._requested_dimensions = requested
        self.dimensions = dimensions
        self.name = f"endpoint-{model}-{dimensions}-{xxhash.xxh3_64_hexdigest(url.rstrip('/').encode())[:8]}"

    @classmethod
    def connect(
        cls, transport: Transport, url: str, model: str, dimensions: int | None = None, **options: Any
    ) -> EndpointEmbedder:
        """Request one vector, to learn how many dimensions the endpoint's vectors have. Raises ModelUnavailable.

        `url` distinguishes the vectors of two endpoints; `dimensions` is requested if given; the option `quick` is the
        transport for queries, for which requests wait.
        """
        probing = cls(transport, url, model, dimensions, dimensions or 0)
        (values,) = probing._request(transport, [_PROBE_TEXT])
        return cls(transport, url, model, dimensions, len(values), **options)

    def embed(self, texts: Sequence[str]) -> list[bytes]:
        """Return one vector per text; zeros for a blank text, which is not sent. Raises ModelUnavailable."""
        vectors = [bytes(self.dimensions)] * len(texts)
        for batch in _batches([(number, _prepare_text(text)) for number, text in enumerate(texts) if text.strip()]):
            embeddings = self._request(self._transport, [text for _, text in batch])
            for (number, _), values in zip(batch, embeddings, strict=True):
                vectors[number] = quantise(values)
        return vectors

    def embed_query(self, text: str) -> bytes:
        """Return the vector of one text. For half a minute after a failure, raise ModelUnavailable at once."""
        if not text.strip():
            return bytes(self.dimensions)
        if self._monotonic() < self._retry_at:
            raise ModelUnavailable(f"The endpoint {self._transport.host} failed a moment ago.")
        try:
            (values,) = self._request(self._quick, [_prepare_text(text)])
        except ModelUnavailable:
            self._retry_at = self._monotonic() + SKIP_AFTER_FAILURE_SECONDS
            raise
        return quantise(values)

    def _request(self, transport: Transport, texts: Sequence[str]) -> list[list[float]]:
        body: dict[str, object] = {"model": self._model, "input": texts, "encoding_format": "float"}
        if self._requested_dimensions is not None:
            body["dimensions"] = self._requested_dimensions
        data = transport.post("embeddings", msgspec.json.encode(body))
        try:
            answer = _decoder.decode(data)
        except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
            raise self._unusable("is not the JSON of embeddings") from error
        by_number = {item.index: item.embedding for item in answer.data}
        if len(answer.data) != len(texts) or by_number.keys() != set(range(len(texts))):
            raise self._unusable("does not hold one vector for each text")
        dimensions = self.dimensions or len(by_number[0])
        if not 0 < dimensions <= _MAX_DIMENSIONS or any(len(values) != dimensions for values in by_number.values()):
            raise self._unusable(f"holds vectors that are not of {dimensions} dimensions")
        return [by_number[number] for number in range(len(texts))]

    def _unusable(self, what: str) -> ModelUnavailable:
        return ModelUnavailable(f"The answer of the endpoint {self._transport.host} {what}.")


def _prepare_text(text: str) -> str:
    from sidecar.text.secrets import redact

    # Redact before cutting: half of a key may not be recognised as a key.
    return redact(text.encode("utf-8", "replace").decode("utf-8"))[0][:MAX_SENT_CHARS]


def _batches(texts: Sequence[tuple[int, str]]) -> Iterator[list[tuple[int, str]]]:
    batch: list[tuple[int, str]] = []
    characters = 0
    for number, text in texts:
        if batch and (len(batch) == MAX_TEXTS_PER_REQUEST or characters + len(text) > MAX_CHARS_PER_REQUEST):
            yield batch
            batch, characters = [], 0
        batch.append((number, text))
        characters += len(text)
    if batch:
        yield batch
