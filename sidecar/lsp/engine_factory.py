"""Make this front's engine and settings; imported only once a client has connected, because hello needs neither."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

import msgspec

if TYPE_CHECKING:
    from sidecar.engine.engine import Engine
    from sidecar.settings import Loaded

Notify: TypeAlias = Callable[[str, msgspec.Struct], None]
Progress: TypeAlias = Callable[[int, int, str], None]
EngineFactory: TypeAlias = "Callable[[Loaded, Notify], Engine]"
Section: TypeAlias = Mapping[str, object] | None
SettingsLoader: TypeAlias = "Callable[[Path | None, Mapping[str, str], Section, Section], Loaded]"


def default_engine(loaded: Loaded, notify: Notify) -> Engine:
    from sidecar.engine.decoder_warmup import work_out
    from sidecar.engine.engine import Engine
    from sidecar.runtime.processes import own

    work_out()  # now, while no request is being answered
    return Engine(loaded.settings, notify=notify, settings_problems=loaded.problems, process=own(), notes=True)


def default_settings(
    folder: Path | None,
    environ: Mapping[str, str],
    options: Mapping[str, object] | None = None,
    configuration: Mapping[str, object] | None = None,
) -> Loaded:
    from sidecar.settings import load

    return load(folder, environ, options, configuration)
