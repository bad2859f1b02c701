"""One event of an agent: what is needed to write it down and to answer it."""

from __future__ import annotations

import logging
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sidecar.engine.session_journal import Journal, journal_path
from sidecar.hooks.dialects import context_answer
from sidecar.hooks.event import HookEvent
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
    """How far the work on one event is, for the thread that waits for it."""

    def __init__(self) -> None:
        self.written_down = threading.Event()
        """Set when the whole event is in the session's journal: from here on the answer may be given up."""
        self.block_for: Journal | None = None
        """The session that is given a block of memories, which then counts as shown."""


class HookRun:
    """One event of one agent, and what is needed to write it down and answer it."""

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
        self._settler: subprocess.Popen[bytes] | None = None

    @property
    def learns(self) -> bool:
        return self.settings.memory.learns

    @made_once
    def processes(self) -> list[str]:
        """Return the processes that may be the agent's, nearest first."""
        return ancestors()

    def learn_later(self) -> None:
        """Start a process that learns from the journal while the agent goes on."""
        from sidecar.engine.ended_sessions import start_learning

        if self.learns and self.journal.read().unlearned:
            self._settler = start_learning(self.home, self.folder, self.event.session_id)

    def wait_until_learned(self) -> None:
        """Wait for that process, which continues if this one may wait no longer."""
        if self._settler is not None:
            self._settler.wait()

    @contextmanager
    def engine(self, processes: Sequence[str] = (), *, starts_sessions: bool = True) -> Iterator[Engine]:
        """Yield an engine that leaves sessions as they are at its end.

        The caller has written to the journal: from here on the answer may be given up.
        """
        self.progress.written_down.set()
        from sidecar.engine.engine import Engine
        from sidecar.engine.options import EngineOptions

        process = next(iter(processes), None)
        engine = Engine(
            self.settings, EngineOptions(process=process, short_lived=True, starts_sessions=starts_sessions)
        )
        try:
            engine.open_workspace(self.folder)
            yield engine
        finally:
            engine.suspend_sessions()
            engine.close()

    def asker(self) -> PeerOrEngine[Engine]:
        """Return what answers read requests: a running server, or the engine if there is none.

        As with `engine`, call it only when everything has been written down.
        """
        self.progress.written_down.set()
        return PeerOrEngine(self.home, self.folder, self.settings, self.engine)

    def context_answer(self, text: str) -> HookOutput | None:
        return context_answer(self.event, self.agent, text) if text else None

    def start_answer(self, ask: CallMethod, params: InjectParams) -> HookOutput | None:
        """Give the agent what a session begins with."""
        from sidecar.engine.start_text import MAX_TOKENS, start_text

        budget = min(MAX_TOKENS, self.settings.memory.inject_budget_tokens)
        return self.context_answer(start_text(ask, params, budget).text)


@contextmanager
def tolerating_write_failures() -> Iterator[None]:
    """Write down what can be: if nothing can be written, the agent is still told what is known."""
    try:
        yield
    except (OSError, StoreUnavailable) as error:
        log.warning("A hook could not note what happened: %s", error)
