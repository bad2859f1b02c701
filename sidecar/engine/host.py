"""The engine of one connection: started in the background, and shared by all threads that serve the connection."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from typing import TYPE_CHECKING

import msgspec

from sidecar.runtime.errors import SidecarError, StoreUnavailable
from sidecar.runtime.priority import pause_collector
from sidecar.runtime.process_names import own_process_name
from sidecar.settings import LoadedSettings

if TYPE_CHECKING:
    from sidecar.engine.engine import Engine
    from sidecar.models.chat_models import ChatPort

log = logging.getLogger(__name__)


Notify = Callable[[str, msgspec.Struct], object]
"""Sends the client a notification: its method and parameters."""


def start_engine(
    loaded: LoadedSettings,
    notify: Notify | None = None,
    *,
    client_model: Callable[[], ChatPort | None] = lambda: None,
    keeps_journals: bool = False,
) -> Engine:
    """Start the engine of a server, which tells `notify` what changes; see `EngineOptions`."""
    with pause_collector():  # what is imported lasts
        from sidecar.engine.decoder_warmup import warm_up_decoders
        from sidecar.engine.engine import Engine
        from sidecar.engine.options import EngineOptions

        warm_up_decoders()  # now, while no request is being answered
        options = EngineOptions(
            process=own_process_name(),
            settings_problems=loaded.problems,
            keeps_journals=keeps_journals,
            listens=True,
            client_model=client_model,
        )
        engine = Engine(loaded.settings, options)
        if notify is not None:
            engine.subscribe(notify)
        return engine


class EngineHost:
    """Holds the engine once it is started, or the error with which its start failed. Thread-safe."""

    def __init__(self) -> None:
        self._engine: Engine | None = None
        self._failure: SidecarError | None = None
        self._tried = threading.Event()

    def start(self, create: Callable[[], Engine]) -> None:
        """Create the engine, on this thread; log a failure and keep the error for `engine`."""
        try:
            self._engine = create()
        except Exception as error:
            log.exception("The engine did not start.")
            failure = StoreUnavailable("The sidecar could not start; its log says more.")
            self._failure = error if isinstance(error, SidecarError) else failure
        finally:
            self._tried.set()

    def engine(self, seconds: float = 0.0) -> Engine:
        """Return the engine, waiting up to `seconds` for its start. Raises `SidecarError` if there is none."""
        if self._engine is None:
            self._tried.wait(seconds)
        if self._engine is None:
            raise self._failure or StoreUnavailable("The sidecar is not ready.", hint="Try again in a moment.")
        return self._engine

    def if_started(self, action: Callable[[Engine], None]) -> None:
        if self._engine is not None:
            action(self._engine)

    def start_storing_lessons(self) -> threading.Event:
        """Store pending lessons in the background; return an event that is set when the engine is done."""
        return self._in_background(lambda engine: engine.store_lessons(), "Pending lessons could not be stored.")

    def start_closing(self) -> threading.Event:
        """Close the engine in the background; return an event that is set when the engine is done."""
        return self._in_background(lambda engine: engine.close(), "The engine was not closed cleanly.")

    def _in_background(self, action: Callable[[Engine], None], problem: str) -> threading.Event:
        done = threading.Event()

        def run() -> None:
            try:
                self.if_started(action)
            except Exception:
                log.exception(problem)
            finally:
                done.set()

        threading.Thread(target=run, name="sidecar-end", daemon=True).start()
        return done
