"""The folders of a user that the platform sets aside for programs: data, configuration, state with logs.

platformdirs knows them for every system. On Linux the usual case is three lines, and its import is felt in each hook:
it is asked only where something is unusual, be it another system, no plain `HOME`, or an `XDG_...` that is no plain path.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Literal

NAME = "memory-sidecar"
Kind = Literal["data", "config", "log"]

_PLACES = {
    "data": ("XDG_DATA_HOME", ".local/share", NAME),
    "config": ("XDG_CONFIG_HOME", ".config", NAME),
    "log": ("XDG_STATE_HOME", ".local/state", f"{NAME}/log"),
}


def user_folder(kind: Kind) -> Path:
    """Our folder of this kind, by the process's environment; it need not exist."""
    variable, usual, inside = _PLACES[kind]
    if (
        sys.platform == "linux"
        and not hasattr(sys, "getandroidapilevel")
        and "ANDROID_DATA" not in os.environ
    ):
        home, given = os.environ.get("HOME", ""), os.environ.get(variable, "")
        if _is_plain(given):
            return Path(given, inside)
        if not given and _is_plain(home):
            return Path(home, usual, inside)
    import platformdirs

    if kind == "data":
        return platformdirs.user_data_path(NAME, appauthor=False)
    if kind == "config":
        return platformdirs.user_config_path(NAME, appauthor=False)
    return platformdirs.user_log_path(NAME, appauthor=False)


def _is_plain(path: str) -> bool:
    return path.startswith("/") and path.strip() == path and "~" not in path
