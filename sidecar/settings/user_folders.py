"""The user's folders that the platform sets aside for programs: data, configuration, state with logs, sockets."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from sidecar.system.users import user_name_in_paths

NAME = "memory-sidecar"
FolderKind = Literal["data", "config", "log", "runtime"]


def user_folder(kind: FolderKind) -> Path:
    """Return our folder of this kind, by the process's environment; it need not exist."""
    import platformdirs  # here, because most processes are told where the store is, or need it once

    if kind == "runtime":
        import warnings

        with warnings.catch_warnings():  # it warns where XDG_RUNTIME_DIR is not set, on the agent's stderr
            warnings.simplefilter("ignore")
            folder = platformdirs.user_runtime_path(NAME, appauthor=False)
        # Without one it would create a folder for all programs in the temporary folder; one of our own can be removed.
        if folder.parent.name.startswith("runtime-"):
            return folder.parent.with_name(f"{NAME}-{user_name_in_paths()}")
        return folder
    paths = {"data": platformdirs.user_data_path, "config": platformdirs.user_config_path}
    return paths.get(kind, platformdirs.user_log_path)(NAME, appauthor=False)
