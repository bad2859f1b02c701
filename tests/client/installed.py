"""Programs that tests run and that are not ours: installed once, outside of the repository, by the usual clients.

The folder is `SIDECAR_TEST_CACHE`, else one in the temporary folder. A test is skipped, with the reason, where
a program cannot be had (no npm, no network).
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import uuid
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

INSTALL_SECONDS = 170


def cache() -> Path:
    given = os.environ.get("SIDECAR_TEST_CACHE")
    return Path(given) if given else Path(tempfile.gettempdir()) / f"memory-sidecar-tests-{os.getuid()}"


def npm(package: str, version: str, binary: str) -> Path:
    """The program `binary` of an npm package."""
    if shutil.which("npm") is None:
        pytest.skip(f"npm is not installed, so {package} cannot be")
    name = package.rsplit("/", 1)[-1]

    def fill(folder: Path) -> None:
        command = [
            "npm",
            "install",
            "--no-audit",
            "--no-fund",
            "--prefix",
            str(folder),
            f"{package}@{version}",
        ]
        _run(command, folder, package)

    return once(f"npm-{name}-{version}", fill) / "node_modules" / ".bin" / binary


def venv(name: str, *requirements: str) -> Path:
    """The interpreter of a virtual environment with these packages."""

    def fill(folder: Path) -> None:
        _run([sys.executable, "-m", "venv", str(folder)], folder, name)
        python = folder / "bin" / "python"
        _run([str(python), "-m", "pip", "install", "-q", *requirements], folder, name)

    return once(f"venv-{name}", fill) / "bin" / "python"


def once(name: str, fill: Callable[[Path], None]) -> Path:
    """The folder of this name in the cache, filled the first time it is asked for."""
    done = cache() / name
    marker = done / ".complete"
    if not marker.exists():
        # Made in its place, since an environment knows its own path; a half-made one is made anew.
        if done.exists():
            done.rename(done.with_name(f"{name}.old-{uuid.uuid4().hex}"))
        done.mkdir(parents=True)
        fill(done)
        marker.touch()
    return done


def _run(command: Sequence[str], folder: Path, what: str) -> None:
    try:
        done = subprocess.run(
            command, cwd=folder, capture_output=True, text=True, timeout=INSTALL_SECONDS, check=False
        )
    except subprocess.TimeoutExpired:
        pytest.skip(f"{what} could not be installed within {INSTALL_SECONDS} s")
    if done.returncode:
        pytest.skip(f"{what} could not be installed: {done.stderr[-300:]}")
