"""One connection's engine and folders: the client's roots, or else the folder we were started in."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from sidecar.checkout.paths import folder_of
from sidecar.engine.host import EngineHost
from sidecar.runtime.errors import InvalidField
from sidecar.text import fence

if TYPE_CHECKING:
    from protocol.files import HandoffResult
    from sidecar.engine.engine import Engine
    from sidecar.engine.session_opening import Opening
    from sidecar.models.ways import Chat
    from sidecar.settings import Loaded

ENGINE_SECONDS = 30.0
ROOTS_SECONDS = 2.0
"""How long a client that has roots may take to name them before the default folder is opened."""

LONGEST_PROMPT = 200_000

_IN_HAND = 10
"""Number of files (with their folders) last summarised that are told to a session beginning on this connection."""

Load = Callable[[Path | None], "Loaded"]
Start = Callable[["Loaded"], "Engine"]


class Home:
    """One connection's engine, opened once the client has said hello; any thread may wait for it."""

    def __init__(self, default: Path, load: Load, start: Start) -> None:
        self._default = default
        self._load = load
        self.host = EngineHost(lambda: start(load(None)))
        self._lock = threading.Lock()
        self._settled = threading.Event()  # the folders to serve are known
        self._folders: dict[str, Path] = {}
        self._model: Chat | None = None
        self.in_hand: deque[tuple[str, str]] = deque(maxlen=_IN_HAND)

    def offer(self, model: Chat) -> None:
        """Let folders opened from now on ask the client's own model."""
        self._model = model

    def use_default(self) -> None:
        self.use([self._default.as_uri()])

    def use(self, uris: Sequence[str]) -> None:
        """Serve these folders and no others; the first is the default of calls that name none."""
        wanted = {uri: folder for uri in uris if (folder := _existing_folder(uri)) is not None}
        if not wanted:
            wanted = {self._default.as_uri(): self._default}
        engine = self.host.engine(ENGINE_SECONDS)
        engine.offer(self._model)
        with self._lock:
            for uri in [uri for uri in self._folders if uri not in wanted]:
                engine.close_workspace(uri)
            known = set(self._folders)
            self._folders = wanted
            for uri, folder in wanted.items():
                if uri not in known:
                    own = self._load(folder)
                    engine.open_workspace(folder, settings=own.settings, uri=uri, problems=own.problems)
        self._settled.set()
        engine.warm_up(None, "workspace opened", if_set=True)

    def engine(self) -> Engine:
        """Return the engine with its folders open; raises `SidecarError` if it could not be built."""
        engine = self.host.engine(ENGINE_SECONDS)
        if not self._settled.wait(ROOTS_SECONDS):
            self.use_default()
        return engine

    def workspace(self, named: str | None) -> str:
        """Return the URI of the folder that a call names by URI, path or last part, or of the first one."""
        with self._lock:
            folders = dict(self._folders)
        if named is None:
            return next(iter(folders))
        for uri, folder in folders.items():
            if named in (uri, str(folder), folder.name):
                return uri
        raise InvalidField(
            f"No workspace is called {named!r}.", path="$.workspace", hint="Open are: " + ", ".join(folders)
        )

    def budget(self, uri: str) -> int:
        """Return the budget of a block whose caller names none."""
        with self._lock:
            folder = self._folders.get(uri)
        return self._load(folder).settings.memory.inject_budget_tokens


def _existing_folder(uri: str) -> Path | None:
    folder = folder_of(uri)
    return folder.resolve() if folder is not None and folder.is_dir() else None


class Desk:
    """One tool call's access to the engine: its workspace and its caller."""

    def __init__(self, home: Home, session_id: str, workspace: str | None = None) -> None:
        self.session_id = session_id
        self._home = home
        self._named = workspace

    def call(self, method: str, params: Mapping[str, object]) -> Any:
        """Call a method of the table and return its result struct. Takes wire names and plain values; None means not
        given.
        """
        from protocol.methods import METHODS

        engine = self._home.engine()
        given = {key: value for key, value in params.items() if value is not None}
        if "workspaceUri" in METHODS[method].params.__struct_encode_fields__:
            given["workspaceUri"] = self._home.workspace(self._named)
        try:
            struct = msgspec.convert(given, METHODS[method].params)
        except msgspec.ValidationError as error:
            text, _, path = str(error).partition(" - at ")
            raise InvalidField(text, path=path.strip("`") or None) from None
        return engine.call(method, struct)

    def wait(self) -> None:
        """Wait for the engine, before which no struct may be read; raises `SidecarError` if it never comes."""
        self._home.engine()

    def opening(
        self, budget: int | None = None, *, prompt: str | None = None, files: Sequence[str] | None = None
    ) -> Opening:
        """Return what an agent gets when it begins, within a budget (by default the setting's)."""
        from sidecar.engine.session_opening import Opening, opening

        engine = self._home.engine()  # first, because it settles which folders are open
        if prompt is not None and len(prompt) > LONGEST_PROMPT:
            raise InvalidField(f"A prompt has at most {LONGEST_PROMPT:,} characters.", path="$.prompt")
        uri = self._home.workspace(self._named)
        more = {"prompt": prompt} if prompt is not None else {}
        budget = budget or self._home.budget(uri)
        handed = self._handed_on(uri, budget // 4)
        who = {"session_id": self.session_id, "workspace_uri": uri}
        found = opening(engine.call, budget - handed.tokens, files=list(files or ()), **who, **more)
        return Opening(fence.joined(found.text, handed.text), found.tokens + handed.tokens)

    def asked_of(self, path: str) -> None:
        """Note that the caller has a file in hand, by its relative path."""
        item = (self._home.workspace(self._named), path)
        with suppress(ValueError):
            self._home.in_hand.remove(item)
        self._home.in_hand.append(item)

    def _handed_on(self, uri: str, most: int) -> Opening:
        """Return a line for each file in hand, or nothing if they take more than `most` tokens together."""
        from sidecar.engine.session_opening import Opening

        files = [path for folder, path in tuple(self._home.in_hand) if folder == uri]
        found: HandoffResult = self.call("file/handoff", {"sessionId": self.session_id, "files": files})
        return Opening(found.text, found.tokens) if found.tokens <= most else Opening("", 0)

    def reading(self) -> tuple[int, int]:
        """Return how many of the workspaces' files have been read ahead, and of how many."""
        rows = self.call("sidecar/status", {}).workspaces
        return sum(row.warmup.done for row in rows), sum(row.warmup.total for row in rows)
