"""Load the model that settings name, in the background; if loading fails, try again after a while."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable
from typing import Literal

import msgspec

from sidecar.models.embedding import Embedder, ModelUnavailable
from sidecar.settings.model import EmbeddingSettings

ModelState = Literal["off", "loading", "ready", "failed"]

# Seconds from a failed attempt to load a model until the next one.
LOAD_RETRY_SECONDS = 60.0
# A request waits this long for an endpoint to embed its query.
QUERY_SECONDS = 1.0
NO_EMBEDDINGS = EmbeddingSettings(model="off")

log = logging.getLogger(__name__)


class EmbeddingStatus(msgspec.Struct, frozen=True):
    """The state of a model for `sidecar/status`."""

    model: str  # as in the settings
    state: ModelState
    name: str | None = None  # the full name, once known
    reason: str | None = None  # why loading failed
    hint: str | None = None


class ModelLoader:
    """Loads the model that one set of settings names. Thread-safe."""

    def __init__(
        self, settings: EmbeddingSettings, load: Callable[[EmbeddingSettings], Embedder], monotonic: Callable[[], float]
    ) -> None:
        self._settings = settings
        self._load = load
        self._monotonic = monotonic
        self._changed = threading.Condition()
        self._state: ModelState | None = "off" if settings.model == "off" else None  # None: not requested yet
        self._embedder: Embedder | None = None
        self._failure: ModelUnavailable | None = None
        self._failed_at = 0.0
        self._waiting: list[Callable[[], None]] = []

    def embedder(self) -> Embedder | None:
        """Return the model; None while it is loading, if that failed, or if the setting is `off`. Never waits."""
        if self._embedder is None:
            self._start()
        return self._embedder

    def when_ready(self, then: Callable[[], None]) -> None:
        """Load the model, and call `then` once it is ready: at once, or on the thread that loads it."""
        with self._changed:
            ready = self._embedder is not None
            if not ready and self._state != "off":
                self._waiting.append(then)
        if ready:
            then()
        else:
            self._start()

    def wait(self, seconds: float) -> bool:
        """Load the model, and wait up to `seconds`; return whether it is ready. For short-lived commands."""
        self._start()
        with self._changed:
            self._changed.wait_for(lambda: self._state != "loading", seconds)
            return self._embedder is not None

    def status(self) -> EmbeddingStatus:
        with self._changed:
            embedder, failure = self._embedder, self._failure
            return EmbeddingStatus(
                model=self._settings.model,
                state=self._state or "loading",
                name=None if embedder is None else embedder.name,
                reason=None if failure is None else failure.message,
                hint=None if failure is None else failure.hint,
            )

    def _start(self) -> None:
        with self._changed:
            due = self._state == "failed" and self._monotonic() - self._failed_at >= LOAD_RETRY_SECONDS
            if self._state is not None and not due:
                return
            self._state = "loading"
        threading.Thread(target=self._run, name="load embedding model", daemon=True).start()

    def _run(self) -> None:
        try:
            embedder = self._load(self._settings)
        except ModelUnavailable as error:
            self._fail(error)
            return
        except Exception as error:
            log.exception("The embedding model %s could not be loaded.", self._settings.model)
            self._fail(ModelUnavailable(f"It could not be loaded ({type(error).__name__})."))
            return
        with self._changed:
            self._embedder, self._failure, self._state = embedder, None, "ready"
            waiting, self._waiting = self._waiting, []
            self._changed.notify_all()
        log.info("The embedding model %s is ready.", embedder.name)
        for then in waiting:
            then()

    def _fail(self, error: ModelUnavailable) -> None:
        with self._changed:
            self._failure, self._failed_at, self._state = error, self._monotonic(), "failed"
            self._changed.notify_all()
        log.warning("No embedding model is used: %s %s", error.message, error.hint or "")


class ModelLoaders:
    def __init__(self, load: Callable[[EmbeddingSettings], Embedder] | None = None) -> None:
        self._load = load or load_model
        self._lock = threading.Lock()
        self._loaders: dict[EmbeddingSettings, ModelLoader] = {}

    def loader_of(self, settings: EmbeddingSettings) -> ModelLoader:
        with self._lock:
            return self._loaders.setdefault(settings, ModelLoader(settings, self._load, time.monotonic))


def load_model(settings: EmbeddingSettings) -> Embedder:
    """Load the model of these settings. Raises ModelUnavailable."""
    if settings.model == "static":
        from sidecar.models.static_table import packaged_table

        try:
            return packaged_table()
        except (OSError, ValueError) as error:
            raise ModelUnavailable(f"The table in the package cannot be used: {error}", "Reinstall it.") from error
    if settings.model == "minilm":
        from sidecar.models.minilm import MiniLM

        return MiniLM.load()
    if settings.model == "multilingual":
        from sidecar.models.multilingual import Multilingual

        return Multilingual.load()
    return _endpoint(settings)


def _endpoint(settings: EmbeddingSettings) -> Embedder:
    from sidecar.models.endpoint import EndpointEmbedder
    from sidecar.models.transport import Transport

    if settings.endpoint is None or settings.endpoint_model is None:
        raise ModelUnavailable(
            "`embeddings.endpoint` and `embeddings.endpointModel` must both be set.",
            "Set them in the user's settings, or set `embeddings.model` to static.",
        )
    url, key = settings.endpoint, settings.key
    return EndpointEmbedder.connect(
        Transport(url, key, settings.timeout_seconds),
        url,
        settings.endpoint_model,
        settings.endpoint_dimensions,
        quick=Transport(url, key, min(QUERY_SECONDS, settings.timeout_seconds), attempts=1),
    )
