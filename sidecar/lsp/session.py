"""What one client has set up: the engine, its settings and the open folders.

Opening, closing and reconfiguring run in the `write` lane: requests that came later wait for them, requests that
came earlier do not see them, and the event loop never touches a store.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lsprotocol import types
from pygls.uris import from_fs_path, to_fs_path

from sidecar.errors import SidecarError, StoreUnavailable
from sidecar.lsp.engine_port import EngineFactory, EngineLike, LoadedLike, SettingsLoader

if TYPE_CHECKING:
    from sidecar.lsp.host import SidecarServer

logger = logging.getLogger(__name__)

SECTION = "memorySidecar"
# Requests that came before a folder was closed, or settings changed, may take so long to end.
READS_SECONDS = 5.0


class Session:
    """State of one connection. Attributes without an underscore are set once, when `initialize` comes."""

    def __init__(
        self,
        server: SidecarServer,
        engine_factory: EngineFactory,
        load_settings: SettingsLoader,
        environ: Mapping[str, str],
    ) -> None:
        self._server = server
        self._factory = engine_factory
        self._load = load_settings
        self._environ = environ
        self._engine: EngineLike | None = None
        self._failure: SidecarError | None = None
        self._options: Mapping[str, object] | None = None
        self._configuration: Mapping[str, object] | None = None
        self._folders: dict[str, Path] = {}
        self._shown: set[str] = set()
        self.problems: tuple[str, ...] = ()  # of before there was a client
        self.client_watches = False
        self.client_progress = False
        self.client_configures = False
        self.client_registers_configuration = False

    # -- on the event loop -----------------------------------------------------------------------------------

    def prepare(self, params: types.InitializeParams) -> None:
        """Note what the client is and wants. Touches no disk."""
        workspace, window = params.capabilities.workspace, params.capabilities.window
        watched = workspace.did_change_watched_files if workspace else None
        changed = workspace.did_change_configuration if workspace else None
        self.client_watches = bool(watched and watched.dynamic_registration)
        self.client_progress = bool(window and window.work_done_progress)
        self.client_configures = bool(workspace and workspace.configuration)
        self.client_registers_configuration = bool(changed and changed.dynamic_registration)
        self._options = section_of(params.initialization_options)
        for uri in _folder_uris(params):
            self._note(uri)

    def begin(self) -> None:
        """Build the engine and open the folders, in the background. `initialize` was just answered."""
        folders = dict(self._folders)
        self._write(lambda: self._start(folders))

    def add_folder(self, uri: str) -> None:
        """Open one more folder."""
        folder = self._note(uri)
        if folder is not None:
            self._write(lambda: self._open(folder, uri))
            self._server.follower.opened()

    def remove_folder(self, uri: str) -> None:
        """Close a folder; its memory stays."""
        same = folder_of(uri)
        for known in [known for known, folder in self._folders.items() if known == uri or folder == same]:
            del self._folders[known]
        others = dict(self._folders)
        self._write(lambda: self._close(uri, others))

    def configure(self, configuration: Mapping[str, object] | None) -> None:
        """Take what the client now says the settings are."""
        if configuration == self._configuration:
            return
        self._configuration = configuration
        self._write(self._reconfigure)

    def watch_ourselves(self) -> None:
        """The client will not report file changes after all."""
        if not self.client_watches:
            return
        self.client_watches = False
        for uri, folder in list(self._folders.items()):
            self.remove_folder(uri)
            self._folders[uri] = folder
            self._write(partial(self._open, folder, uri))

    def tell(self, action: Callable[[EngineLike], None]) -> None:
        """Hand a notice of the client to the engine, in order, on a thread."""
        self._server.lanes.submit("notice", lambda: self._when_open(action))

    # -- on threads ------------------------------------------------------------------------------------------

    def engine(self) -> EngineLike:
        """The engine. Raises `SidecarError` when it could not be built."""
        if self._engine is not None:
            return self._engine
        raise self._failure or StoreUnavailable("The sidecar is not ready.")

    def settle(self) -> None:
        """Let the engine, if there is one, store what waits. May take as long as the store does."""
        if self._engine is not None:
            self._engine.settle()

    def close(self) -> None:
        """Close the engine, if there is one. May take as long as the engine does."""
        if self._engine is not None:
            self._engine.close()

    def _write(self, job: Callable[[], None]) -> None:
        self._server.lanes.submit("write", job)

    def _when_open(self, action: Callable[[EngineLike], None]) -> None:
        if self._engine is not None:
            action(self._engine)

    def _start(self, folders: Mapping[str, Path]) -> None:
        try:
            loaded = self._loaded()
            self._engine = self._factory(loaded, self._server.notify_client)
        except Exception as error:
            logger.error(
                "The engine did not start: %s.",
                type(error).__name__,
                exc_info=(type(error), error, error.__traceback__),
            )
            failure = StoreUnavailable("The sidecar could not start; its log says more.")
            self._failure = error if isinstance(error, SidecarError) else failure
            self.show(self._failure.message, types.MessageType.Error)
            return
        for uri, folder in folders.items():
            self._open(folder, uri)

    def _open(self, folder: Path, uri: str) -> None:
        try:
            own = self._loaded(folder)
            self.engine().open_workspace(
                folder,
                settings=own.settings,
                client_watches=self.client_watches,
                uri=uri,
                problems=own.problems,
            )
        except SidecarError as error:
            self.show(f"{folder} cannot be opened: {error.message}", types.MessageType.Error)

    def _close(self, uri: str, others: Mapping[str, Path]) -> None:
        self._server.lanes.wait_for_earlier_reads(READS_SECONDS)
        self._when_open(lambda engine: engine.close_workspace(uri))
        closed = folder_of(uri)
        for other, folder in others.items():  # the same folder may be open under another name
            if closed is not None and folder.resolve() == closed.resolve():
                self._open(folder, other)

    def _reconfigure(self) -> None:
        self._server.lanes.wait_for_earlier_reads(READS_SECONDS)
        loaded = self._loaded()
        self._when_open(
            lambda engine: engine.reconfigure(
                loaded.settings,
                loaded.problems,
                settings_for=lambda folder: self._loaded(folder).settings,
                problems_for=lambda folder: self._loaded(folder).problems,
            )
        )

    def _loaded(self, folder: Path | None = None) -> LoadedLike:
        """Settings of one folder, or of none: a folder's own file and overrides are for that folder alone."""
        loaded = self._load(folder, self._environ, self._options, self._configuration)
        problems = tuple(dict.fromkeys([*self.problems, *loaded.problems]))
        fresh = [problem for problem in problems if problem not in self._shown]
        if fresh:
            self.show("\n".join(fresh), types.MessageType.Warning)
        self._shown.update(fresh)
        return loaded

    def show(self, message: str, kind: types.MessageType) -> None:
        """A message for the person at the editor. Any thread."""
        self._server.window_show_message(types.ShowMessageParams(type=kind, message=message))

    def _note(self, uri: str) -> Path | None:
        folder = folder_of(uri)
        if folder is None:
            logger.warning("A workspace folder that is no usable file:// URI was ignored.")
            return None
        self._folders[uri] = folder
        return folder


def folder_of(uri: str) -> Path | None:
    """The folder that a `file://` URI names; None when it names none."""
    if not uri.startswith("file:"):
        return None
    try:
        path = to_fs_path(uri)
    except ValueError:
        return None
    return Path(path) if path and "\0" not in path else None


def section_of(given: Any) -> Mapping[str, object] | None:
    """The sidecar's part of a settings object: under the key `memorySidecar`, or the object itself."""
    if not isinstance(given, dict):
        if given is not None:
            logger.warning("Settings must be an object; they were ignored.")
        return None
    own = given.get(SECTION)
    return own if isinstance(own, dict) else given


def _folder_uris(params: types.InitializeParams) -> list[str]:
    if params.workspace_folders:
        return [folder.uri for folder in params.workspace_folders]
    if params.root_uri:
        return [params.root_uri]
    if params.root_path:
        uri = from_fs_path(params.root_path)
        return [uri] if uri else []
    return []
