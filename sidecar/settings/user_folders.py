"""The folders for data, configuration, logs and sockets that the platform gives to programs."""

from __future__ import annotations

import os
import warnings
from pathlib import Path
from typing import Literal

PROGRAM_NAME = "memory-sidecar"
FolderKind = Literal["data", "config", "log", "runtime"]


def user_folder(kind: FolderKind) -> Path:
    """Return our folder of this kind, existing or not, as this process's environment places it."""
    import platformdirs  # many processes do not need it

    if kind == "runtime":
        with warnings.catch_warnings():  # suppress a warning on the agent's stderr if XDG_RUNTIME_DIR is not set
            warnings.simplefilter("ignore")
            folder = platformdirs.user_runtime_path(PROGRAM_NAME, appauthor=False)
        # Without XDG_RUNTIME_DIR this is a folder of all programs; use a separate one, which can be removed.
        if folder.parent.name.startswith("runtime-"):
            return folder.parent.with_name(f"{PROGRAM_NAME}-{os.getuid()}")
        return folder
    paths = {"data": platformdirs.user_data_path, "config": platformdirs.user_config_path}
    return paths.get(kind, platformdirs.user_log_path)(PROGRAM_NAME, appauthor=False)
