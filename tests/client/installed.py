"""Programs that tests run and that are not ours: installed once, outside of the repository, by the usual clients.

The folder is `SIDECAR_TEST_CACHE`, else one in the temporary folder. What fails is tried again after a pause. A test is
skipped, with the reason, where a program cannot be had (no npm, no network).
"""

from __future__ import annotations

import fcntl
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
import uuid
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import pytest

INSTALL_SECONDS = 400
"""For all attempts of one command together."""

PAUSES = (5.0, 20.0)
"""Seconds before a command that failed is run again: a registry or a mirror may be busy."""


def cache() -> Path:
    given = os.environ.get("SIDECAR_TEST_CACHE")
    return Path(given) if given else Path(tempfile.gettempdir()) / f"memory-sidecar-tests-{os.getuid()}"


def npm(package: str, version: str, binary: str) -> Path:
    """The program `binary` of an npm package."""
    if shutil.which("npm") is None:
        pytest.skip(f"npm is not installed, so {package} cannot be")
    name = package.rsplit("/", 1)[-1]

    def fill(folder: Path) -> None:
        command = ["npm", "install", "--no-audit", "--no-fund", "--prefix", str(folder), f"{package}@{version}"]
        _run(command, folder, package)

    return once(f"npm-{name}-{version}", fill) / "node_modules" / ".bin" / binary


def npm_dependency(package: str, version: str) -> Path:
    """A folder in which `npm install` has put this one dependency: package.json, its lock file and node_modules."""

    def fill(folder: Path) -> None:
        (folder / "package.json").write_text(json.dumps({"dependencies": {package: version}}))
        _run(
            ["npm", "install", "--no-audit", "--no-fund", "--ignore-scripts", "--prefix", str(folder)], folder, package
        )

    return once(f"npm-dependency-{package.strip('@').replace('/', '-')}-{version}", fill)


def venv(name: str, *requirements: str) -> Path:
    """The interpreter of a virtual environment with these packages."""

    def fill(folder: Path) -> None:
        _run([sys.executable, "-m", "venv", str(folder)], folder, name)
        python = folder / "bin" / "python"
        _run([str(python), "-m", "pip", "install", "-q", *requirements], folder, name)

    return once(f"venv-{name}", fill) / "bin" / "python"


def once(name: str, fill: Callable[[Path], None]) -> Path:
    """The folder of this name in the cache, filled the first time it is asked for, by one process at a time."""
    done = cache() / name
    marker = done / ".complete"
    if not marker.exists():
        cache().mkdir(parents=True, exist_ok=True)
        with (cache() / f"{name}.lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            if not marker.exists():
                # Made in its place, since an environment knows its own path; a half-made one is made anew.
                if done.exists():
                    done.rename(done.with_name(f"{name}.old-{uuid.uuid4().hex}"))
                done.mkdir(parents=True)
                fill(done)
                marker.touch()
    return done


def fetch(command: Sequence[str], folder: Path, environment: Mapping[str, str] | None = None) -> str:
    """Run what fetches something from outside, again after a pause where it fails. Why it failed; empty: it did not."""
    end = time.monotonic() + INSTALL_SECONDS
    for pause in (*PAUSES, None):
        try:
            done = subprocess.run(
                command,
                cwd=folder,
                env=environment,
                stdin=subprocess.DEVNULL,
                capture_output=True,
                text=True,
                timeout=max(1.0, end - time.monotonic()),
                check=False,
            )
        except subprocess.TimeoutExpired:
            return f"{' '.join(command[:3])} took more than {INSTALL_SECONDS} s"
        if not done.returncode:
            return ""
        why = f"{' '.join(command[:3])} ended with {done.returncode}: {done.stderr[-1000:]}"
        if pause is None or time.monotonic() + pause > end:
            break
        time.sleep(pause)
    return why


def _run(command: Sequence[str], folder: Path, what: str) -> None:
    if why := fetch(command, folder):
        pytest.skip(f"{what} could not be installed: {why}")
