"""What the front needs from the engine, and nothing more. `sidecar.engine.engine.Engine` fits it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias

import msgspec

from sidecar.runtime.cancellation import Call

if TYPE_CHECKING:
    from sidecar.engine.handlers.editor import EditorQueries

Notify: TypeAlias = Callable[[str, msgspec.Struct], None]
Progress: TypeAlias = Callable[[int, int, str], None]


class EngineLike(Protocol):
    """The facade. Every method may be called on any thread; `close` and the two cancels never block for long."""

    @property
    def editor(self) -> EditorQueries | None:
        """What editors ask besides the methods of the table; None where there is nothing of the kind."""

    def open_workspace(
        self,
        folder: Path,
        *,
        settings: Any = None,
        client_watches: bool = False,
        uri: str | None = None,
        problems: Sequence[str] = (),
    ) -> object:
        """Open a folder with its own settings and what was wrong with them, under the client's name for it.

        `client_watches`: the editor reports changes, so we need not watch.
        """

    def close_workspace(self, uri: str) -> None:
        """Close the folder of this `file://` URI; unknown ones are ignored."""

    def call(self, method: str, params: msgspec.Struct, call: Call | None = None) -> msgspec.Struct | None:
        """Serve one method of the table. Raises `SidecarError`."""

    def files_changed(self, uris: Sequence[str]) -> None:
        """Files that were created, written or deleted, as far as an editor knows. May be wrong or repeated."""

    def files_renamed(self, pairs: Sequence[tuple[str, str]]) -> None:
        """Files or folders that moved: (old URI, new URI)."""

    def reconfigure(
        self,
        settings: Any,
        problems: Sequence[str] = (),
        *,
        settings_for: Callable[[Path], Any] | None = None,
        problems_for: Callable[[Path], Sequence[str]] | None = None,
    ) -> None:
        """Use these settings from now on, and each folder its own; `problems` are shown by `sidecar/status`."""

    def warm_up(self, progress: Progress | None, cause: str, *, if_set: bool = False) -> None:
        """Read the workspaces' files; returns when done or cancelled. `progress(done, total, what)`.

        `if_set`: only where the settings want it.
        """

    def cancel_warm_up(self) -> None:
        """Stop a running warm-up soon."""

    def note_only(self) -> None:
        """Write down what sessions do from now on, and learn nothing from it."""

    def settle(self) -> None:
        """Store what waits to be stored. May take as long as the store does."""

    def close(self) -> None:
        """Flush and stop everything within a second; idempotent."""


class LoadedLike(Protocol):
    """Settings and what was wrong with them (`sidecar.settings.Loaded`)."""

    @property
    def settings(self) -> Any:
        """The effective settings."""

    @property
    def problems(self) -> Sequence[str]:
        """One sentence per bad setting, naming its key."""


EngineFactory: TypeAlias = Callable[[LoadedLike, Notify], EngineLike]
SettingsLoader: TypeAlias = Callable[
    [Path | None, Mapping[str, str], Mapping[str, object] | None, Mapping[str, object] | None], LoadedLike
]


def default_engine(loaded: LoadedLike, notify: Notify) -> EngineLike:
    """The real engine. Imported when a client has come: stores and parsers are not needed to say hello."""
    from sidecar.engine.decoder_warmup import work_out
    from sidecar.engine.engine import Engine
    from sidecar.runtime.processes import own

    work_out()  # now, while no request is being answered
    return Engine(
        loaded.settings, notify=notify, settings_problems=loaded.problems, process=own(), notes=True
    )


def default_settings(
    folder: Path | None,
    environ: Mapping[str, str],
    options: Mapping[str, object] | None = None,
    configuration: Mapping[str, object] | None = None,
) -> LoadedLike:
    """Settings from the files, the environment and the client."""
    from sidecar.settings import load

    return load(folder, environ, options, configuration)
