"""Start the server of this very version, for `tour` and `doctor`."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from pathlib import Path

import sidecar


def server_command() -> list[str]:
    """Return the command line of the server. `-P` keeps Python from importing packages of the current folder."""
    return [sys.executable, "-P", "-m", "sidecar", "serve", "--stdio"]


def server_environment(environ: Mapping[str, str]) -> dict[str, str]:
    """Return the environment for `server_command`; this package's folder is on the path unless it is installed."""
    root = Path(sidecar.__file__).absolute().parent.parent
    if root.name in ("site-packages", "dist-packages"):
        return dict(environ)
    return {**environ, "PYTHONPATH": os.pathsep.join(filter(None, (str(root), environ.get("PYTHONPATH"))))}
