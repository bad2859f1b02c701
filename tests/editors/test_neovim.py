"""The Neovim plugin, by keystrokes in a real terminal, against the real sidecar."""

from __future__ import annotations

import json
import os
import signal
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.client.json_value import Json, document, fields
from tests.client.neovim import Installed, Neovim, has_ended, kept, pinned
from tests.editors.conftest import AgentProject

# The first test installs what all of them need.
pytestmark = pytest.mark.timeout(1_500)

Start = Callable[..., Neovim]

# In a copy of the module that is told of nothing else.
TOGETHER = """\
function() \
  local used = package.loaded['memory_sidecar.changes'] \
  package.loaded['memory_sidecar.changes'] = nil \
  local changes = require('memory_sidecar.changes') \
  package.loaded['memory_sidecar.changes'] = used \
  local one, found = 'file:///one', {} \
  local function named(id) changes.memories({ workspaceUri = one, changes = { { id = id } } }) end \
  local function nothing() changes.memories({ workspaceUri = one, changes = {} }) end \
  local function told(...) \
    local before = #found \
    for _, each in ipairs({ ... }) do each() end \
    vim.wait(60000, function() return #found > before end, 5) \
  end \
  changes.listen('test', function(change) \
    found[#found + 1] = { ids = vim.tbl_keys(change.ids), workspaces = vim.tbl_keys(change.workspaces) } \
  end) \
  told(function() named('a') end) \
  told(function() named('a') end, nothing) \
  told(function() named('a') end, changes.everything) \
  told(function() named('b') end) \
  return found \
end"""

ASKED_AGAIN = """\
function() \
  local client, changes = require('memory_sidecar.client'), require('memory_sidecar.changes') \
  local send, held, count = client.send, nil, 0 \
  client.send = function(running, method, params, done, bufnr) \
    if method ~= 'sidecar/status' then return send(running, method, params, done, bufnr) end \
    count = count + 1 \
    held = function() send(running, method, params, done, bufnr) end \
  end \
  changes.everything() \
  vim.wait(60000, function() return held ~= nil end, 5) \
  local flushed = false \
  changes.listen('test', function() flushed = true end) \
  changes.everything() \
  vim.wait(60000, function() return flushed end, 5) \
  held() \
  local again = vim.wait(10000, function() return count > 1 end, 5) \
  client.send = send \
  if again then held() end \
  changes.listen('test', nil) \
  return again \
end"""

HOVERS = """\
function() \
  local client = vim.lsp.get_clients({ bufnr = 0, name = 'memory_sidecar' })[1] \
  local params = vim.lsp.util.make_position_params(0, client.offset_encoding) \
  local answer = client:request_sync('textDocument/hover', params, 60000, 0) \
  return answer ~= nil and type(answer.result) == 'table' \
end"""


@pytest.fixture(scope="session")
def neovim_011() -> Installed:
    return pinned(kept("neovim-0.11"))


@pytest.fixture
def start(neovim_011: Installed, project: AgentProject, tmp_path: Path) -> Iterator[Start]:
    running: list[Neovim] = []

    def begin(*files: str, **more: Any) -> Neovim:
        environment = more.pop("environment", None) or project.environment()
        scratch = tmp_path / f"nvim{len(running)}"
        running.append(Neovim(neovim_011, more.pop("folder", project.folder), environment, scratch, files, **more))
        return running[-1]

    yield begin
    for each in running:
        each.close()


def memories(project: AgentProject, *arguments: str) -> list[Json]:
    return list(document(project.sidecar("list", "--json", "--agent", "*", *arguments))["items"])


def recorded(project: AgentProject, text: str, *options: str) -> Json:
    return document(project.sidecar("record", text, "--json", *options))["memory"]


def test_a_memory_is_recorded_with_completion_and_shown_where_it_belongs(start: Start, project: AgentProject) -> None:
    nvim = start("letters.py")
    nvim.attached()
    nvim.type(":Memory rec\t type=f\t category=proc\t")
    nvim.sees(r"Memory record type=feedback category=procedure")
    nvim.type(' name="Greet politely" `letters.py::greet` has to stay polite.\r')
    nvim.sees(r"Remembered “Greet politely”")
    nvim.sees(r"def greet\(name: str\) -> str: 1 memory")
    nvim.sees(r"\[memory 1\]")
    [memory] = memories(project)
    assert fields(memory, "type", "category") == ("feedback", "procedure")

    nvim.type(":6\rwK")
    nvim.sees(r"has to stay polite\.")
    nvim.type("\x1b0j")
    nvim.no_more(r"has to stay polite\.")

    nvim.command("6")
    nvim.command("lua vim.lsp.codelens.run()")
    nvim.sees(r"greet in letters\.py: 1 memory")
    nvim.type("e")
    nvim.sees(r"name: Greet politely")
    nvim.type("Goand *kind*.\x1b")
    nvim.command("w")
    nvim.sees(r"wrote “Greet politely”, version 2")
    [memory] = memories(project)
    assert memory["content"] == "`letters.py::greet` has to stay polite.\nand *kind*."

    nvim.command("Memory record type=nonsense x")
    nvim.sees(r"type is not nonsense; it is one of user, feedback")
    nvim.command("Memory nonsense")
    nvim.sees(r"there is no subcommand nonsense")


def test_a_memory_that_names_only_a_symbol_is_shown_at_its_definition(start: Start, project: AgentProject) -> None:
    (project.folder / "cart.py").write_text("class Cart:\n    def add(self, n): ...\n")
    recorded(project, "`Cart.add` must refuse negative counts.", "--name", "Negative counts")
    nvim = start("cart.py")
    nvim.attached()
    nvim.sees(r"def add\(self, n\): \.\.\. 1 memory")
    nvim.type(":2\rfaK")
    nvim.sees(r"must refuse negative counts\.")
    nvim.type("\x1b")
    nvim.command("2")
    nvim.command("lua vim.lsp.codelens.run()")
    nvim.sees(r"Cart\.add in cart\.py: 1 memory")
    nvim.type("e")
    nvim.sees(r"name: Negative counts")


def test_an_edited_memory_loses_nothing_that_others_write(start: Start, project: AgentProject) -> None:
    memory = recorded(project, "The tests need a database.", "--name", "Database")
    nvim = start("letters.py")
    nvim.attached()
    nvim.type(":Memory edit Dat\t\r")
    nvim.sees(r"The tests need a database\.")

    # No change of one's own: what another process writes is shown.
    project.sidecar("edit", str(memory["id"]), "--content", "The tests need PostgreSQL 16.")
    nvim.sees(r"The tests need PostgreSQL 16\.")

    # With changes: neither is lost.
    nvim.type("Go" + "Start it first.\x1b")
    nvim.sees(r"Start it first\.")
    project.sidecar("edit", str(memory["id"]), "--content", "The tests need PostgreSQL 17.")
    nvim.sees(r"changed elsewhere while you edit it")
    nvim.command("w")
    nvim.sees(r"not written: version 3 of somebody else is shown beside")
    assert memories(project)[0]["content"] == "The tests need PostgreSQL 17."
    nvim.sees(r"Database \(project, version 2\)\[\+\].*Database \(project, version 3\)")
    nvim.sees(r"Start it first\.|PostgreSQL 17\.")

    nvim.type("\x17h")
    nvim.command("w!")
    nvim.sees(r"wrote “Database”, version 4")
    assert memories(project)[0]["content"] == "The tests need PostgreSQL 16.\nStart it first."
    versions = json.loads(project.sidecar("history", str(memory["id"]), "--json"))["versions"]
    assert "The tests need PostgreSQL 17." in [version["memory"]["content"] for version in versions]

    # A text that cannot be read is refused, and the buffer keeps it.
    nvim.command("only")
    nvim.command("%s/^type: project/type: nonsense/")
    nvim.command("w")
    nvim.sees(r"not written: line \d+: type is one of user, feedback")
    nvim.command("q")
    nvim.sees(r"E37|E162|No write since last change")
    nvim.command("e!")
    nvim.sees(r"type: project")
    nvim.command("Memory history")
    nvim.sees(r"version 4 · updated")
    nvim.type("u")
    nvim.sees(r"Undone")
    nvim.type("q")
    nvim.sees(r"The tests need PostgreSQL 17\.")


def test_a_selection_and_a_long_text_are_recorded(start: Start, project: AgentProject) -> None:
    nvim = start("letters.py")
    nvim.attached()
    nvim.type(":6\rVjj:Memory record name=Beginning how one greets\r")
    nvim.sees(r"Remembered “Beginning”")
    [memory] = memories(project)
    assert memory["content"].startswith("how one greets\n\n`letters.py`, lines 6 to 8:\n\n```\ndef greet(")
    assert memory["files"] == ["letters.py"]

    nvim.type(":3\r0vE:Memory record name=Word\r")
    nvim.sees(r"Remembered “Word”")
    assert "```\nGREETING\n```" in next(each for each in memories(project) if each["name"] == "Word")["content"]

    nvim.command("Memory record type=reference tags=a,b")
    nvim.sees(r"tags: a, b")
    nvim.command("w")
    nvim.sees(r"not written: there is no text below")
    nvim.type("Gi" + "The handbook is at `docs/`.\x1b")
    nvim.command("2s/$/Handbook/")
    nvim.command("w")
    nvim.sees(r"Remembered “ ?Handbook”")
    found = next(each for each in memories(project) if each["type"] == "reference")
    assert fields(found, "name", "tags", "content") == ("Handbook", ["a", "b"], "The handbook is at `docs/`.")
    nvim.type("GA Look there.\x1b")
    nvim.command("wq")
    nvim.until(lambda: any(each["content"].endswith("Look there.") for each in memories(project)), "the second text")


def test_memories_are_found_and_changed(start: Start, project: AgentProject) -> None:
    recorded(project, "Deploys are blocked by the missing certificate.", "--category", "blocker", "--name", "Cert")
    recorded(project, "Logs are written as JSON lines.", "--name", "Log format")
    recorded(project, "Prefer pnpm to npm.", "--type", "user", "--name", "Package manager")
    nvim = start("letters.py")
    nvim.sees(r"\[memory 3\]")

    nvim.command("Memory search how are logs written")
    nvim.sees(r"(?s)1: Log format.*Type number")
    nvim.type("1\r")
    nvim.sees(r"Logs are written as JSON lines")
    nvim.command("Memory pin")
    nvim.sees(r"Pinned “Log format”")
    nvim.sees(r"pinned: true")
    nvim.command("b letters.py")

    nvim.type(":Memory archive Log")
    nvim.completes(r"Memory archive Log\\ format")
    nvim.type("\r")
    nvim.sees(r"Archived “Log format”")
    nvim.type(":Memory restore ")
    nvim.completes(r"Memory restore Log\\ format")
    nvim.type("\r")
    nvim.sees(r"Restored “Log format”")
    nvim.command("Memory resolve Cert")
    nvim.sees(r"Resolved “Cert”")
    nvim.command("Memory undo Cert")
    nvim.sees(r"Undone “Cert”")
    nvim.command("Memory promote scope=global Cert")
    nvim.sees(r"“Cert” is now seen by scope global")
    nvim.command("Memory archive Nothing")
    nvim.sees(r"there is no such memory: Nothing")
    nvim.command("Memory delete Package manager")
    nvim.sees(r"Delete “Package manager”\?")
    nvim.type("1\r")
    nvim.sees(r"Deleted “Package manager”")
    states = {str(memory["name"]): fields(memory, "status", "scope") for memory in memories(project)}
    assert states == {"Log format": ("active", "project"), "Cert": ("active", "global")}

    # The cursor says which is meant: an entry of the memory file.
    nvim.command("e .agents/MEMORY.md")
    nvim.command("/Log format")
    nvim.until(lambda: nvim.lua("#vim.lsp.get_clients({ bufnr = 0, name = 'memory_sidecar' })") == 1, "a client")
    # Pressed once, when it will be answered: a second time would go into the window that shows it.
    nvim.until(lambda: nvim.lua(f"({HOVERS})()"), "what is known of the entry")
    nvim.type("K")
    nvim.sees(r"Memory ·")
    nvim.type("$")
    nvim.no_more(r"Memory ·")
    nvim.command("Memory archive")
    nvim.sees(r"Archived “Log format”")

    nvim.command("b letters.py")
    recorded(project, "Logs are written as JSON lines, one a record.", "--name", "Log format 2")
    nvim.command("Memory maintain")
    nvim.sees(r"It would do: .*archive")
    nvim.type("d")
    nvim.sees(r"maintenance is done")


def test_several_are_changed_linked_exported_and_reminded_of(start: Start, project: AgentProject) -> None:
    for number in ("one", "two", "three"):
        recorded(project, f"Step {number} of the release.", "--name", f"Step {number}")
    other = project.folder.parent / "other"
    other.mkdir()
    subprocess.run(["git", "init", "-q", str(other)], check=True)
    (other / "plan.py").write_text("PLAN = 1\n")
    nvim = start("letters.py", rows=48)
    nvim.sees(r"\[memory 3\]")

    # Asked in one buffer and answered in another one: it is the first one's workspace that is meant.
    nvim.command("Memory delete Step three")
    nvim.sees(r"Delete “Step three”\?")
    nvim.lua(f"vim.fn.execute('badd {other}/plan.py')")
    nvim.type("1\r")
    nvim.sees(r"Deleted “Step three”")
    nvim.command("Memory! archive Step")
    nvim.sees(r"(?s)Step one.*Archive 2 memories\?")
    nvim.type("1\r")
    nvim.sees(r"Archived 2 memories\.")
    assert memories(project) == []
    nvim.command("Memory! restore step t")
    nvim.sees(r"Restore 1 memory\?")
    nvim.type("1\r")
    nvim.sees(r"Restored 1 memory\.")
    nvim.command("Memory restore Step one")
    nvim.sees(r"Restored “Step one”")

    nvim.command("Memory edit Step one")
    nvim.sees(r"Step one of the release\.")
    nvim.type(":Memory link kind=seq\t Step\\ tw\t\r")
    nvim.sees(r"“Step one” comes before “Step two”\.")
    nvim.command("Memory links")
    nvim.sees(r"comes before “Step two” \(project\)")
    nvim.type("\r")
    nvim.sees(r"Step two of the release\.")
    nvim.command("Memory links")
    nvim.sees(r"comes after “Step one” \(project\)")
    nvim.type("x")
    nvim.sees(r"It is linked to no other memory\.")
    nvim.type("q")
    nvim.command("b letters.py")

    nvim.command('Memory remind at="tomorrow 9am" every=weekdays Renew the certificate')
    nvim.sees(r"You and your agents are reminded at 20\d\d-\d\d-\d\d 09:00")
    nvim.command("Memory reminders")
    nvim.sees(r"09:00  Renew the certificate \(weekdays\)")
    nvim.type("x")
    nvim.sees(r"No reminder waits\.")
    nvim.type("q")

    nvim.command("Memory export all.jsonl")
    nvim.sees(r"Exported \d memories with their history to all\.jsonl")
    lines = [json.loads(line) for line in (project.folder / "all.jsonl").read_text().splitlines()]
    assert (lines[0]["kind"], lines[-1]["kind"]) == ("header", "end")
    assert (project.folder / "all.jsonl").stat().st_mode & 0o777 == 0o600
    nvim.command("Memory export all.jsonl")
    nvim.sees(r"all\.jsonl is there\s*already")  # Neovim breaks long messages between words
    nvim.type("\r")

    nvim.command("Memory summary")
    nvim.sees(r"of the file’s [\d,]+ tokens")
    nvim.type("/greet13\r")
    nvim.type("\r")
    nvim.no_more(r"of the file’s [\d,]+ tokens")
    at = nvim.lua("vim.fn.getline('.')")
    assert at.startswith("def greet13("), at


def test_block_of_an_agent_is_shown(start: Start, project: AgentProject) -> None:
    recorded(project, "Greetings in letters.py begin with Dear.", "--name", "Dear")
    nvim = start("letters.py")
    nvim.sees(r"\[memory 1\]")
    nvim.command("Memory inject budget=2000 how does a greeting begin")
    nvim.sees(r"█░+ \d+ of 2,000 tokens · 2 items · 0 left out")
    nvim.sees(r"Greetings in letters\.py begin with Dear\.")
    nvim.sees(r"Dear · matches: .*greet")

    # Another process changes what the float shows.
    recorded(project, "A greeting begins with a capital letter.", "--name", "Capital")
    nvim.sees(r"A greeting begins with a capital letter\.")
    nvim.type("q")
    nvim.no_more(r"of 2,000 tokens")

    nvim.command("Memory summary")
    nvim.sees(r"of the file’s [\d,]+ tokens · \d+ lines · from the outline")
    nvim.sees(r"letters\.py \(python, \d+ lines\): Writes letters")
    project.sidecar("show", "Dear")
    nvim.type("q")
    nvim.no_more(r"from the outline")
    nvim.watched()
    nvim.command("Memory status")
    nvim.sees(r"2 memories \(0 global, 0 personal, 2 project\)")
    nvim.sees(r"watching files: own")
    nvim.type("\x1b")
    nvim.command("Memory log")
    nvim.sees(r"sidecar\.log|lsp\.log")


def test_changes_of_files_and_of_other_processes_show_without_asking(start: Start, project: AgentProject) -> None:
    nvim = start("letters.py", before="vim.g.memory_sidecar = { virtual_text = true }")
    nvim.attached()
    recorded(project, "`letters.py::greet` never fails.", "--name", "Greet")
    nvim.sees(r"def greet\(name: str\) -> str: ■ 1 memory")
    nvim.sees(r"\[memory 1\]")

    # Nobody tells the sidecar of this but its own watcher.
    nvim.watched()
    letters = project.folder / "letters.py"
    letters.write_text(letters.read_text().replace('"""Greet somebody, form 0."""', '"""Greet nobody."""'))
    nvim.command("checktime")
    nvim.sees(r"1 memory · 1 suspect")
    nvim.command("Memory verify Greet")
    nvim.sees(r"Verified “Greet”")
    nvim.no_more(r"suspect")
    nvim.command("Memory toggle virtual_text")
    nvim.no_more(r"■ 1 memory")

    # A second folder is served by the same process.
    other = project.folder.parent / "other"
    other.mkdir()
    subprocess.run(["git", "init", "-q", str(other)], check=True)
    (other / "plan.py").write_text("PLAN = 1\n")
    nvim.command(f"e {other}/plan.py")
    nvim.sees(r"plan\.py \[memory 0\]")
    nvim.command("Memory record The plan is secret.")
    nvim.sees(r"plan\.py \[memory 1\]")
    assert [memory["name"] for memory in memories(project)] == ["Greet"]
    assert nvim.sidecar()


def test_plugin_recovers_from_a_killed_sidecar_and_leaves_none_behind(start: Start, project: AgentProject) -> None:
    nvim = start("letters.py")
    nvim.attached()
    first = nvim.sidecar()
    first.send_signal(signal.SIGKILL)
    nvim.sees(r"the sidecar ended unexpectedly \(signal 9\); it is started again")
    second = nvim.sidecar()
    assert second.pid != first.pid
    nvim.attached()
    nvim.command("Memory record Still here.")
    nvim.sees(r"Remembered “Still here”")

    nvim.command("Memory restart | Memory restart")
    third = nvim.until(
        lambda: [sidecar for sidecar in nvim.sidecars() if sidecar.pid != second.pid and has_ended(second)],
        "a third sidecar",
    )
    assert len(third) == 1
    nvim.sees(r"\[memory 1\]")
    nvim.quit()
    nvim.until(lambda: has_ended(third[0]), "the end of the sidecar")

    again = start("letters.py")
    again.attached()
    last = again.sidecar()
    os.kill(int(again.lua("vim.fn.getpid()")), signal.SIGKILL)
    again.until(lambda: has_ended(last), "the end of the sidecar")


def test_a_restart_says_nothing_of_what_the_old_sidecar_refuses(start: Start) -> None:
    nvim = start("letters.py")
    nvim.attached()
    old = nvim.sidecar()
    nvim.lua(
        "(function() local running = require('memory_sidecar.client').running()"
        " require('memory_sidecar.lifecycle').restart()"
        " local document = vim.lsp.util.make_text_document_params(0)"
        " return { (running:request('textDocument/diagnostic', { textDocument = document }, nil, 0)) } end)()"
    )
    nvim.until(lambda: has_ended(old), "the end of the sidecar")
    nvim.attached()
    assert "32600" not in str(nvim.lua("{ vim.fn.execute('messages') }"))


def test_plugin_says_what_to_do_without_the_sidecar(start: Start, project: AgentProject) -> None:
    without = {**project.environment(), "PATH": "/usr/bin:/bin"}
    nvim = start("letters.py", environment=without)
    nvim.sees(r"memory-sidecar is not on your PATH\. Install it")
    nvim.type("\r")
    nvim.command("Memory status")
    nvim.sees(r"memory-sidecar is not on your PATH")
    nvim.type("\r")
    nvim.command("checkhealth memory_sidecar")
    nvim.sees(r"ERROR .*is not on your PATH")
    nvim.sees(r"Install it from a clone")
    nvim.sees(r"Let uvx download and run it")
    nvim.quit()

    # uvx runs it where it is not installed, but only when an option says so: anybody may publish that name.
    uvx = project.folder.parent / "uvx-only"
    uvx.mkdir()
    (uvx / "uvx").write_text(
        f'#!/bin/sh\necho "$2" >> {uvx}/ran\n[ "$1 $3" = "--from memory-sidecar" ] && shift 3 || exit 9\n'
        f'exec {project.bin}/memory-sidecar "$@"\n'
    )
    (uvx / "uvx").chmod(0o755)
    there = {**without, "PATH": f"{uvx}:/usr/bin:/bin"}
    nvim = start("letters.py", environment=there)
    nvim.sees(r"memory-sidecar is not on your PATH\. Install it")
    nvim.quit()
    assert not (uvx / "ran").exists()
    for said, source in (("true", "memory-sidecar"), ("'/src/sidecar'", "/src/sidecar")):
        nvim = start("letters.py", environment=there, before=f"vim.g.memory_sidecar = {{ uvx = {said} }}")
        nvim.sees(r"not installed, so uvx runs it")
        nvim.attached()
        nvim.quit()
        assert (uvx / "ran").read_text().splitlines()[-1] == source

    # An option names it.
    command = f"{{ '{project.bin}/memory-sidecar', 'serve', '--stdio' }}"
    settings = "{ memory = { enabled = false } }"
    before = f"vim.g.memory_sidecar = {{ cmd = {command}, nonsense = 1, settings = {settings} }}"
    nvim = start("letters.py", environment=without, before=before)
    nvim.sees(r"\[memory off\]")
    nvim.command("checkhealth memory_sidecar")
    nvim.sees(r"there is no option nonsense")
    nvim.sees(r"Memory is switched off")


def test_health_and_help_are_there(start: Start, project: AgentProject) -> None:
    nvim = start("letters.py", rows=58)
    nvim.attached()
    nvim.command("checkhealth memory_sidecar")
    nvim.sees(r"OK Neovim 0\.11\.4")
    nvim.sees(r"(?s)OK memory-sidecar, version .*found by\s+PATH\)")
    nvim.sees(r"(?s)OK \S+project, because of\s+\.git")
    nvim.sees(r"OK Version \S+ process \d+, 1 buffer attached")
    nvim.sees(r"files\s+watched\s+by\s+the\s+sidecar")
    nvim.sees(r"The settings of the sidecar are valid")
    assert "ERROR" not in nvim.screen()
    assert "WARNING" not in nvim.screen()
    nvim.command("q")

    nvim.command(f"helptags {nvim.plugin}/doc")
    nvim.command("help memory-sidecar")
    nvim.sees(r"\*memory-sidecar\*|memory-sidecar\.txt")
    for name in nvim.lua("require('memory_sidecar.commands').names()"):
        assert nvim.lua(f"#vim.fn.getcompletion(':Memory-{name}', 'help')") >= 1, name
    options = nvim.lua("vim.tbl_keys(require('memory_sidecar.config').get())")
    for option in options:
        assert nvim.lua(f"#vim.fn.getcompletion('memory-sidecar-{option}', 'help')") >= 1, option


def test_no_change_is_lost_that_comes_together_with_another(start: Start, project: AgentProject) -> None:
    recorded(project, "The first.")
    nvim = start("letters.py")
    nvim.sees(r"\[memory 1\]")
    # Of three changes that are told at once, one names a memory, one none of a workspace, one nothing at all.
    assert nvim.lua(f"({TOGETHER})()") == [
        {"ids": ["a"], "workspaces": ["file:///one"]},
        {"ids": [], "workspaces": ["file:///one"]},
        {"ids": [], "workspaces": []},
        {"ids": ["b"], "workspaces": ["file:///one"]},
    ]
    # A change that comes while the status is asked for: the answer may be of before, so it is asked for again.
    assert nvim.lua(f"({ASKED_AGAIN})()") == True  # noqa: E712
