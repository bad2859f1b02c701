"""The VS Code extension in a real window, the plugin in a real Neovim and an agent over MCP, at once on one folder."""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tests.client.neovim import Neovim, kept, pinned
from tests.client.three import agent
from tests.client.vscode import installed, npm_run, run_suite, window, working_copy

pytestmark = pytest.mark.timeout(3_000)
SECONDS = 500.0


def test_vscode_neovim_and_an_agent(tmp_path: Path) -> None:
    code = installed()
    extension = working_copy(tmp_path / "extension", code)
    npm_run(extension, "bundle")
    npm_run(extension, "bundle", "--", "--tests")
    place = window(tmp_path / "place", opened="one")
    folder, home = place.opened, place.place / "home"
    # The window's sidecar has nothing but HOME: the others have to find the same store.
    local = {
        "XDG_DATA_HOME": str(home / ".local/share"),
        "XDG_STATE_HOME": str(home / ".local/state"),
        "XDG_CONFIG_HOME": str(home / ".config"),
    }
    environment = {"PATH": f"{place.place}/bin:/usr/bin:/bin", "HOME": str(home), "LANG": "C.UTF-8", **local}

    def heard(name: str) -> str:
        said = place.place / f"said-{name}"
        end = time.monotonic() + SECONDS
        while not said.exists():
            assert not window_ran.done(), window_ran.result()
            assert time.monotonic() < end, f"{name} was not said"
            time.sleep(0.05)
        return said.read_text()

    with ThreadPoolExecutor(1) as pool:
        window_ran = pool.submit(run_suite, code, extension, "three", place)
        nvim = Neovim(pinned(kept("neovim-0.11")), folder, environment, tmp_path / "nvim", ["letters.py"])
        try:
            with agent(folder, home, local) as started:
                nvim.attached()
                heard("code-ready")
                started.tool("remember", content="`letters.py::greet` is what the agent says.", name="From the agent")
                nvim.sees(r"\[memory 1\]")
                nvim.sees(r"def greet.*1 memory")
                heard("code-saw-agent")

                heard("code-ready-for-neovim")
                nvim.command('Memory record name="From Neovim" `letters.py::greet` is what Neovim says.')
                nvim.sees(r"Remembered “From Neovim”")
                heard("code-saw-neovim")
                found = started.tool("recall", query="what Neovim says")["structuredContent"]["items"]
                assert any(item["name"] == "From Neovim" for item in found)

                id = heard("code-recorded")
                nvim.sees(r"\[memory 3\]")
                nvim.sees(r"def greet.*3 memories")
                found = started.tool("recall", query="what VS Code says")["structuredContent"]["items"]
                assert any(item["id"] == id for item in found)
                (place.place / "said-others-saw-code").touch()
                nvim.quit()  # first: the run of the window fails when a sidecar of this folder is left
                window_ran.result(timeout=SECONDS)
        finally:
            nvim.close()
            (place.place / "said-others-saw-code").touch()
