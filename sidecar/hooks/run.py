"""The state and the tools for handling one event of an agent."""

from __future__ import annotations

import logging
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sidecar.engine.ended_sessions import start_learning
from sidecar.engine.session_journal import Journal, journal_path
from sidecar.hooks.event import HookEvent, context_answer
from sidecar.peers.asking import PeerOrEngine
from sidecar.runtime.errors import StoreUnavailable
from sidecar.runtime.made_once import made_once
from sidecar.runtime.process_names import ancestors
from sidecar.settings import Settings, load
from sidecar.store.location import data_home

if TYPE_CHECKING:
    import subprocess

    from protocol.memories import InjectParams
    from protocol.method import CallMethod
    from sidecar.engine.engine import Engine

log = logging.getLogger(__name__)

HookOutput = Mapping[str, Any] | str


class HookProgress:
    """The progress of one event, for the thread that waits for the answer."""

    def __init__(self) -> None:
        self.written_down = threading.Event()
        """Set when the event is in the session's journal, so that the answer may be given up."""
        self.block_for: Journal | None = None
        """The journal of the session that is given a block of memories. The block then counts as shown."""


class HookRun:
    """One event of one agent, with its settings, journal and answerers."""

    def __init__(
        self,
        event: HookEvent,
        folder: Path,
        settings: Settings,
        environ: Mapping[str, str],
        agent: str,
        progress: HookProgress,
    ) -> None:
        self.event = event
        self.progress = progress
        self.agent = agent
        self.folder = folder
        self.settings = settings
        self.environ = environ
        self.home = data_home(load(None, environ).settings.store.folder)
        path = journal_path(self.home, folder, event.session_id)
        self.journal = Journal(path, event.session_id, event.transcript_path, agent)
        self._learning_process: subprocess.Popen[bytes] | None = None

    @property
    def learns(self) -> bool:
        return self.settings.memory.learns

    @made_once
    def processes(self) -> list[str]:
        """Return the processes above this one, nearest first. One of them is the agent."""
        return ancestors()

    def learn_later(self) -> None:
        """Start a process that learns from the journal while the agent goes on."""
        if self.learns and self.journal.read().unlearned:
            self._learning_process = start_learning(self.home, self.folder, self.event.session_id)

    def wait_until_learned(self) -> None:
        if self._learning_process is not None:
            self._learning_process.wait()

    @contextmanager
    def engine(self, processes: Sequence[str] = (), *, starts_sessions: bool = True) -> Iterator[Engine]:
        """Yield an engine that ends no session when it is closed.

        Write to the journal before calling this: from then on, the answer may be given up.
        """
        self.progress.written_down.set()
        from sidecar.engine.engine import Engine
        from sidecar.engine.options import EngineOptions

        process = next(iter(processes), None)
        engine = Engine(
            self.settings, EngineOptions(process=process, short_lived=True, starts_sessions=starts_sessions)
        )
        try:
            engine.lifecycle.add_workspace(self.folder)
            yield engine
        finally:
            engine.suspend_sessions()
            engine.close()

    def peer_or_engine(self) -> PeerOrEngine[Engine]:
        """Return what answers read requests: a running server, or the engine if there is none.

        As for `engine`, write to the journal first.
        """
        self.progress.written_down.set()
        return PeerOrEngine(self.home, self.folder, self.settings, self.engine)

    def context_answer(self, text: str) -> HookOutput | None:
        return context_answer(self.event, self.agent, text) if text else None

    def start_answer(self, ask: CallMethod, params: InjectParams) -> HookOutput | None:
        from sidecar.engine.start_text import MAX_TOKENS, start_text

        budget = min(MAX_TOKENS, self.settings.memory.inject_budget_tokens)
        return self.context_answer(start_text(ask, params, budget).text)


@contextmanager
def tolerating_write_failures() -> Iterator[None]:
    """Log a failure to write: the agent gets its answer even if nothing can be written."""
    try:
        yield
    except (OSError, StoreUnavailable) as error:
        log.warning("A hook could not write its event down: %s", error)
