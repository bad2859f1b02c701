"""The open folders and the settings of one client, which its engine follows.

Opening, closing and reconfiguring run in the `write` lane: later requests wait for them, earlier requests do not see
them, and the event loop never touches a store.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Final

import msgspec

from protocol.methods import METHODS, Method
from sidecar.checkout.paths import folder_of
from sidecar.engine.host import EngineHost, Notify
from sidecar.lsp.client_info import UNKNOWN_CLIENT, ClientInfo
from sidecar.runtime.errors import SidecarError
from sidecar.runtime.event import Event
from sidecar.runtime.lanes import Lanes
from sidecar.settings import LoadedSettings

if TYPE_CHECKING:
    from sidecar.engine.engine import Engine

log = logging.getLogger(__name__)

Section = Mapping[str, object] | None

ERROR: Final = 1  # LSP's MessageType
WARNING: Final = 2
EARLIER_READS_SECONDS = 5.0
"""Time to wait for requests that came before a folder was closed or settings changed."""


class ClientMessage(msgspec.Struct):
    """The parameters of `window/showMessage` and `window/logMessage`; `type` is LSP's MessageType."""

    type: int
    message: str


class ClientLogHandler(logging.Handler):
    """Sends warnings and errors to the client's log window, without tracebacks, which may quote memories."""

    def __init__(self, notify: Notify) -> None:
        super().__init__(logging.WARNING)
        self._notify = notify

    def emit(self, record: logging.LogRecord) -> None:
        kind = ERROR if record.levelno >= logging.ERROR else WARNING
        self._notify("window/logMessage", ClientMessage(kind, record.getMessage()))


@dataclass(frozen=True)
class ServerOptions:
    """How a server is started; `problems` of the settings are shown to the client.

    The settings are loaded again once the client has named its folder and options.
    """

    engine_factory: Callable[[LoadedSettings, Notify], Engine]
    load_settings: Callable[[Path | None, Mapping[str, str], Section, Section], LoadedSettings]
    environ: Mapping[str, str]
    methods: Mapping[str, Method] = field(default_factory=lambda: METHODS)
    problems: Sequence[str] = ()


class ClientFolders:
    """The folders and settings of one client: they are opened, closed and set in the engine of `host`. Thread-safe."""

    def __init__(self, host: EngineHost, lanes: Lanes, options: ServerOptions, notify: Notify) -> None:
        self._host = host
        self._lanes = lanes
        self._notify = notify
        self._options = options
        self._configuration: Section = None
        self._folders: dict[str, Path] = {}
        self._shown: set[str] = set()
        self.folder_added: Event[[]] = Event()
        """Announces that another folder is being opened."""
        self._client = UNKNOWN_CLIENT
        self._watches = True  # unless the client reports changed files

    # -- on the reader's thread before there is an event loop, on the loop afterwards --------------------------

    def start_engine(self, client: ClientInfo) -> None:
        """Start the engine and open the client's folders in the background, once `initialize` is answered."""
        self._client = client
        self._watches = not client.watches
        for uri in client.folders:
            self._remember(uri)
        folders = dict(self._folders)
        self._write(lambda: self._start_with(folders))

    def add_folder(self, uri: str) -> None:
        folder = self._remember(uri)
        if folder is not None:
            self._write(lambda: self._open(folder, uri))
            self.folder_added.announce()

    def remove_folder(self, uri: str) -> None:
        """Close a folder; its memory stays on disk."""
        same = folder_of(uri)
        for known in [known for known, folder in self._folders.items() if known == uri or folder == same]:
            del self._folders[known]
        others = dict(self._folders)
        self._write(lambda: self._close(uri, others))

    def configure(self, configuration: Section) -> None:
        if configuration == self._configuration:
            return
        self._configuration = configuration
        self._write(self._reconfigure)

    def watch_folders(self) -> None:
        """Watch the folders after all, because the client will not report file changes."""
        if self._watches:
            return
        self._watches = True
        for uri, folder in list(self._folders.items()):
            self.remove_folder(uri)
            self._folders[uri] = folder
            self._write(partial(self._open, folder, uri))

    # -- on threads ------------------------------------------------------------------------------------------

    def _write(self, task: Callable[[], None]) -> None:
        self._lanes.submit("write", task)

    def _start_with(self, folders: Mapping[str, Path]) -> None:
        self._host.start(lambda: self._options.engine_factory(self._load(), self._notify))
        try:
            self._host.engine()
        except SidecarError as error:
            self.show(error.message, ERROR)
            return
        for uri, folder in folders.items():
            self._open(folder, uri)

    def _open(self, folder: Path, uri: str) -> None:
        try:
            loaded = self._load(folder)
            self._host.engine().lifecycle.add_workspace(
                folder, settings=loaded.settings, client_watches=not self._watches, uri=uri, problems=loaded.problems
            )
        except SidecarError as error:
            self.show(f"{folder} cannot be opened: {error.message}", ERROR)

    def _close(self, uri: str, others: Mapping[str, Path]) -> None:
        self._lanes.wait_for_earlier_reads(EARLIER_READS_SECONDS)
        self._host.if_started(lambda engine: engine.lifecycle.close_workspace(uri))
        closed = folder_of(uri)
        for other, folder in others.items():  # the same folder may be open under another name
            if closed is not None and folder.resolve() == closed.resolve():
                self._open(folder, other)

    def _reconfigure(self) -> None:
        self._lanes.wait_for_earlier_reads(EARLIER_READS_SECONDS)
        loaded = self._load()
        self._host.if_started(lambda engine: engine.lifecycle.reconfigure(loaded.settings, loaded.problems, self._load))

    def _load(self, folder: Path | None = None) -> LoadedSettings:
        """Load the settings of one folder, or of none; a folder's own file and overrides hold in that folder only."""
        options = self._options
        loaded = options.load_settings(folder, options.environ, self._client.options, self._configuration)
        problems = dict.fromkeys([*options.problems, *loaded.problems])
        unshown = [problem for problem in problems if problem not in self._shown]
        if unshown:
            self.show("\n".join(unshown), WARNING)
        self._shown.update(unshown)
        return loaded

    def show(self, message: str, kind: int) -> None:
        """Show a message to the person at the editor. Thread-safe."""
        self._notify("window/showMessage", ClientMessage(kind, message))

    def _remember(self, uri: str) -> Path | None:
        folder = folder_of(uri)
        if folder is None:
            log.warning("A workspace folder without a usable file:// URI was ignored.")
            return None
        self._folders[uri] = folder
        return folder
