"""The folders of one connection: the client's roots or, without any, the folder of its start."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from sidecar.checkout.paths import folder_of
from sidecar.engine.host import EngineHost
from sidecar.runtime.errors import InvalidField
from sidecar.settings import LoadedSettings, Settings

if TYPE_CHECKING:
    from sidecar.engine.engine import Engine

ENGINE_SECONDS = 30.0
# A client with roots may take this long to name them before the default folder is opened.
ROOTS_SECONDS = 2.0

# A new session on this connection is told of this many recently summarised files.
_MAX_IN_HAND = 10
Load = Callable[[Path | None], LoadedSettings]


class ServedFolders:
    """The folders that one connection serves in the engine of `host`. Any thread may wait for them."""

    def __init__(self, host: EngineHost, default: Path, load: Load) -> None:
        self._host = host
        self._default = default
        self._load = load
        self._lock = threading.Lock()
        self._settled = threading.Event()  # set once the folders to serve are known
        self._folders: dict[str, Path] = {}
        self.in_hand: deque[tuple[str, str]] = deque(maxlen=_MAX_IN_HAND)

    def use_default(self) -> None:
        self.use([self._default.as_uri()])

    def use(self, uris: Sequence[str]) -> None:
        """Serve only these folders. Calls that name no folder are about the first."""
        folders = {uri: folder for uri in uris if (folder := _existing_folder(uri)) is not None}
        if not folders:
            folders = {self._default.as_uri(): self._default}
        engine = self._host.engine(ENGINE_SECONDS)
        with self._lock:
            for uri in [uri for uri in self._folders if uri not in folders]:
                engine.lifecycle.close_workspace(uri)
            open_uris = set(self._folders)
            self._folders = folders
            for uri, folder in folders.items():
                if uri not in open_uris:
                    loaded = self._load(folder)
                    engine.lifecycle.add_workspace(folder, settings=loaded.settings, uri=uri, problems=loaded.problems)
        self._settled.set()
        engine.warm_up(None, "workspace opened", if_set=True)

    def engine(self, seconds: float = ROOTS_SECONDS) -> Engine:
        """Return the engine with open folders; the client has `seconds` to name them."""
        engine = self._host.engine(ENGINE_SECONDS)
        if not self._settled.wait(seconds):
            self.use_default()
        return engine

    def workspace(self, name: str | None) -> str:
        """Return the URI of the folder with this URI, path or last part of a path; by default, of the first folder."""
        with self._lock:
            folders = dict(self._folders)
        if name is None:
            return next(iter(folders))
        for uri, folder in folders.items():
            if name in (uri, str(folder), folder.name):
                return uri
        raise InvalidField(
            f"No workspace is called {name!r}.", path="$.workspace", hint="Open are: " + ", ".join(folders)
        )

    def settings(self, uri: str) -> Settings:
        with self._lock:
            folder = self._folders.get(uri)
        return self._load(folder).settings


def _existing_folder(uri: str) -> Path | None:
    folder = folder_of(uri)
    return folder.resolve() if folder is not None and folder.is_dir() else None
