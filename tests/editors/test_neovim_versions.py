"""The Neovim plugin in the oldest Neovim that it supports and in the newest that can be had, and with the pickers.

telescope.nvim is the real one. fzf-lua and snacks.nvim are in no package index, so modules of the same interface stand
in for them: they take what the plugin hands over and use it as the real ones do.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.client.neovim import Installed, Neovim, has_ended, kept, of_debian
from tests.editors.conftest import AgentProject

# The first test installs what all of them need.
pytestmark = pytest.mark.timeout(1_500)

NEWEST = (0, 12)
"""The newest Neovim that the plugin was made with. Debian's unstable brings another one some day."""

SELECTED = "require('telescope.actions.state').get_selected_entry()"

RECORD = 'Memory record type=feedback name="Greet politely" `letters.py::greet` has to stay polite.'

FZF_LUA = """\
local M = {}
local function pick(lines, options)
  local shown = {}
  for _, line in ipairs(lines) do
    shown[#shown + 1] = line:match('^[^\\t]*\\t(.*)$')
  end
  vim.ui.select(shown, { prompt = options.prompt }, function(_, index)
    vim.g.previewed = options.preview({ lines[index] })
    options.actions['enter']({ lines[index] })
  end)
end
function M.fzf_exec(lines, options) pick(lines, options) end
function M.fzf_live(contents, options)
  local lines = {}
  contents({ options.query or '' })(function(line)
    if line then lines[#lines + 1] = line else vim.schedule(function() pick(lines, options) end) end
  end)
end
return M
"""

SNACKS = """\
local M = {}
function M.pick(options)
  local context = { filter = { search = options.search or '' }, async = {} }
  local found = options.finder(options, context)
  local function show(items)
    vim.ui.select(items, { prompt = options.title, format_item = function(item)
      return options.format(item)[1][1]
    end }, function(item)
      vim.g.previewed = item.preview.text
      options.confirm({ close = function() end }, item)
    end)
  end
  if type(found) == 'table' then return show(found) end
  local items = {}
  local thread = coroutine.create(function()
    found(function(item) items[#items + 1] = item end)
    vim.schedule(function() show(items) end)
  end)
  context.async.suspend = function() coroutine.yield() end
  context.async.resume = function() coroutine.resume(thread) end
  coroutine.resume(thread)
end
return M
"""


@pytest.fixture(scope="module")
def oldest() -> Installed:
    return of_debian("trixie", kept("neovim-0.10"), "lua-check")[0]


@pytest.fixture(scope="module")
def newest() -> tuple[Installed, Path]:
    return of_debian("sid", kept("neovim-newest"), "neovim-telescope", "neovim-plenary")


@pytest.fixture
def opened() -> Iterator[list[Neovim]]:
    running: list[Neovim] = []
    yield running
    for each in running:
        each.close()


def everyday(nvim: Neovim, project: AgentProject) -> None:
    """What one does with it: record, hover, lenses, edit, review, look at what an agent sees, restart."""
    nvim.attached()
    nvim.command(RECORD)
    nvim.sees(r"Remembered “Greet politely”")
    nvim.sees(r"1 memory · summary fresh")
    nvim.sees(r"\[memory 1\]")
    nvim.type("/def greet\rwK")
    nvim.sees(r"has to stay polite\.")
    nvim.type("\x1b0j")
    nvim.command("Memory inject greet")
    nvim.sees(r"tokens · 2 items")
    nvim.type("q")
    nvim.type(":Memory edit Gr\t\r")
    nvim.sees(r"name: Greet politely")
    nvim.type("GA Always.\x1b")
    nvim.command("w")
    nvim.sees(r"wrote “Greet politely”, version 2")
    project.sidecar("edit", "Greet politely", "--content", "`letters.py::greet` stays polite.")
    nvim.sees(r"stays polite\.")
    nvim.command("bdelete")
    project.propose("Letters are printed on Thursday.")
    nvim.sees(r"\[memory 1 · 1 to review\]")
    nvim.command("Memory review")
    nvim.sees(r"(?s)Letters are printed on Thursday\..*the agent 20")
    nvim.type("\r")
    nvim.sees(r"found by compaction")
    nvim.type("r")
    nvim.sees(r"No candidate waits\.")
    nvim.type("q")
    nvim.command("Memory restart")
    nvim.sees(r"starting the sidecar again")
    nvim.sees(r"\[memory 1\]")
    nvim.command("Memory summary")
    nvim.sees(r"letters\.py \(python, \d+ lines\): Writes letters")
    nvim.type("q")


def test_the_oldest_supported(oldest: Installed, project: AgentProject, tmp_path: Path, opened: list[Neovim]) -> None:
    nvim = Neovim(oldest, project.folder, project.environment(), tmp_path / "nvim", ["letters.py"])
    opened.append(nvim)
    everyday(nvim, project)
    assert nvim.lua("{ vim.version().major, vim.version().minor }") == [0, 10]
    sidecar = nvim.sidecar()
    nvim.command("checkhealth memory_sidecar")
    nvim.sees(r"(?s)WARNING Neovim 0\.10\.\d.*has no\s+vim\.lsp\.enable")
    nvim.quit()
    nvim.until(lambda: has_ended(sidecar), "the end of the sidecar")


def test_the_newest_with_telescope(
    newest: tuple[Installed, Path], project: AgentProject, tmp_path: Path, opened: list[Neovim]
) -> None:
    installed, root = newest
    share = root / "usr" / "share"
    paths = [share / "neovim-plenary", share / "neovim-telescope"]
    before = "\n".join(f"vim.opt.runtimepath:append('{path}')" for path in paths)
    nvim = Neovim(installed, project.folder, project.environment(), tmp_path / "nvim", ["letters.py"], before=before)
    opened.append(nvim)
    version = tuple(int(part) for part in nvim.lua("{ vim.version().major, vim.version().minor }"))
    assert version >= NEWEST
    try:
        everyday(nvim, project)
        telescope(nvim, project)
    except AssertionError as failure:
        if version == NEWEST:
            raise
        pytest.xfail(f"Neovim {version} is newer than {NEWEST}, which is the newest that is known: {failure}")


def telescope(nvim: Neovim, project: AgentProject) -> None:
    """Search while typing, pin what is found, and open it."""
    project.sidecar("record", "Logs are JSON lines.", "--name", "Log format")
    nvim.sees(r"\[memory 2\]")
    nvim.command("Memory search")
    nvim.sees(r"(?s)Log format.*Greet politely|Greet politely.*Log format")
    nvim.type("json")
    nvim.no_more(r"Greet politely")
    nvim.sees(r"Logs are JSON lines\.")  # the preview
    nvim.until(lambda: nvim.lua(f"{SELECTED} ~= nil"), "something that is selected")
    nvim.type("\x1bp")
    nvim.sees(r"Pinned “Log format”")
    # It searches again after that, and until it is answered there may be nothing to open.
    pinned = f"(function(entry) return entry ~= nil and entry.value.memory.pinned end)({SELECTED})"
    nvim.until(lambda: nvim.lua(pinned), "the answer of the search after that")
    nvim.type("\r")
    nvim.sees(r"name: Log format")
    [log] = [each for each in json.loads(project.sidecar("list", "--json"))["items"] if each["name"] == "Log format"]
    assert log["pinned"] is True


def test_memories_are_picked_with_fzf_lua_and_snacks(
    oldest: Installed, project: AgentProject, tmp_path: Path, opened: list[Neovim]
) -> None:
    for path, module in (("fzf-lua", FZF_LUA), ("snacks/picker", SNACKS)):
        place = tmp_path / "pickers" / "lua" / path / "init.lua"
        place.parent.mkdir(parents=True)
        place.write_text(module)
    project.sidecar("record", "Logs are JSON lines.", "--name", "Log format")
    before = f"vim.opt.runtimepath:append('{tmp_path}/pickers')"
    nvim = Neovim(oldest, project.folder, project.environment(), tmp_path / "nvim", ["letters.py"], before=before)
    opened.append(nvim)
    nvim.attached()
    for picker in ("fzf-lua", "snacks"):
        nvim.command(f"lua vim.g.memory_sidecar = {{ picker = '{picker}' }} vim.g.previewed = nil")
        for command in ("Memory search json", "Memory list"):
            nvim.command(command)
            nvim.sees(r"1: .*Log format")
            nvim.type("1\r")
            nvim.sees(r"name: Log format")
            assert "Logs are JSON lines." in nvim.lua("vim.g.previewed")
            nvim.command("bdelete")
            nvim.sees(r"Writes letters")
