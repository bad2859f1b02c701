"""Where things are kept on this machine, without making anything."""

from __future__ import annotations

from pathlib import Path

from sidecar.settings import Settings


def store_folder(settings: Settings) -> Path:
    """The folder that holds, or would hold, every store."""
    if settings.store.folder is not None:
        return settings.store.folder
    from platformdirs import user_data_path

    return user_data_path("memory-sidecar", appauthor=False)
