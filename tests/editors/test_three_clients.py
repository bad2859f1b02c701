"""VS Code, Neovim and an agent on one workspace at once, each with a process of its own, over plain stdio.

What one of them records, the others are told of and show, without asking. How soon is measured by
tests/bench/three_clients.py.
"""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.client.line_client import LineClient
from tests.client.three import FollowingEditor, agent
from tests.waiting import eventually

SOURCE = '"""Retrying."""\n\n\ndef run(times):\n    return times\n\n\ndef stop(times):\n    return -times\n'
NAME = "src/x.py"
PAGE = ".agents/MEMORY.md"
SECONDS = 120.0


class Three(NamedTuple):
    code: FollowingEditor
    vim: FollowingEditor
    agent: LineClient
    folder: Path
    env: dict[str, str]

    @property
    def editors(self) -> tuple[FollowingEditor, FollowingEditor]:
        return self.code, self.vim

    def fresh(self) -> None:
        """What was told so far counts no more."""
        for editor in self.editors:
            editor.forget()

    def remember(self, **given: object) -> str:
        answer = self.agent.tool("remember", **given)
        assert not answer.get("isError"), answer
        return str(answer["structuredContent"]["id"])

    def recall(self, query: str) -> list[str]:
        items = self.agent.tool("recall", query=query)["structuredContent"]["items"]
        return [str(item["content"]) for item in items]

    def page(self) -> str:
        try:
            return (self.folder / PAGE).read_text()
        except FileNotFoundError:
            return ""

    def write_by_hand(self, name: str, text: str) -> None:
        """As a person does who looks whether it is still there: a sidecar may write the page at the same moment."""

        def stands() -> bool:
            gone = name not in self.page()
            if any(memory["name"] == name for memory in self.vim.call("memory/list")["items"]):
                return True
            if gone:
                page = self.page().rstrip("\n") + f"\n- **{name}**: {text}\n"
                (self.folder / PAGE).write_text(page)
                self.code.wrote(PAGE)
            return False

        eventually(stands)

    @staticmethod
    def lists(editor: FollowingEditor, ids: set[str]) -> bool:
        return ids <= {memory["id"] for memory in editor.call("memory/list", {"limit": 100})["items"]}


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, str], Path]:
    root = tmp_path_factory.mktemp("three")
    folder, home = root / "work", root / "home"
    (folder / "src").mkdir(parents=True)
    home.mkdir()
    (folder / NAME).write_text(SOURCE)
    subprocess.run(["git", "init", "-q", str(folder)], check=True)
    env = {"HOME": str(home), "XDG_DATA_HOME": str(home / "data"), "XDG_CONFIG_HOME": str(home / "config")}
    return folder, {**env, "XDG_STATE_HOME": str(home / "state")}, home


@pytest.fixture
def three(place: tuple[Path, dict[str, str], Path]) -> Iterator[Three]:
    folder, env, home = place
    (folder / NAME).write_text(SOURCE)
    code, vim = FollowingEditor("vscode-languageclient-9", folder, env), FollowingEditor("neovim-0.11", folder, env)
    try:
        with agent(folder, home, env) as started:
            for editor in (code, vim):
                editor.open(NAME)
                editor.lenses(NAME)  # whoever was answered once is told of all that changes from then on
            yield Three(code, vim, started, folder, env)
    finally:
        code.close()
        vim.close()


def test_change_by_one_client_shows_in_the_others(three: Three) -> None:
    # The agent records.
    three.fresh()
    id = three.remember(content=f"`{NAME}::run` must stay idempotent.", name="Idempotent")
    for editor in three.editors:
        editor.told_of(id, "created")
        editor.shows(NAME, lambda titles: "1 memory" in titles, "a lens")
    eventually(lambda: three.code.notices("workspace/codeLens/refresh"))
    assert not three.vim.notices("workspace/codeLens/refresh")  # it declares no such thing
    # VS Code edits.
    three.fresh()
    three.code.call("memory/update", {"id": id, "content": f"`{NAME}::run` may be called twice."})
    three.vim.told_of(id, "updated")
    hover = {"textDocument": {"uri": (three.folder / NAME).as_uri()}, "position": {"line": 3, "character": 5}}
    eventually(lambda: "called twice" in str(three.vim.call("textDocument/hover", hover)))
    eventually(lambda: three.recall("run called twice") == [f"`{NAME}::run` may be called twice."])
    # A person edits MEMORY.md, which all three watch: one memory comes of it, not three.
    eventually(lambda: "called twice" in three.page())
    three.fresh()
    three.write_by_hand("By hand", f"`{NAME}::stop` never returns zero.")
    for editor in three.editors:
        editor.shows(NAME, lambda titles: len(titles) == 3, "what was written by hand")
    made = [memory for memory in three.vim.call("memory/list")["items"] if memory["name"] == "By hand"]
    assert len(made) == 1
    eventually(lambda: any("never returns zero" in one for one in three.recall("stop returns zero")))
    # Neovim archives.
    three.fresh()
    three.vim.call("memory/archive", {"id": made[0]["id"]})
    three.code.told_of(str(made[0]["id"]), "archived")
    three.code.until(lambda: len(three.code.lenses(NAME)) == 2, "one lens less")
    eventually(lambda: not any("never returns zero" in one for one in three.recall("stop returns zero")))
    eventually(lambda: "By hand" not in three.page())
    # The file changes outside of every editor.
    three.fresh()
    (three.folder / NAME).write_text(SOURCE.replace("return times", "return times + 1"))
    three.code.wrote(NAME)
    for editor in three.editors:
        editor.shows(NAME, lambda titles: titles[0] == "1 memory · 1 suspect · summary fresh", "a suspect memory")
    eventually(lambda: three.vim.notices("file/didInvalidate"))
    # It still holds, says VS Code; then the agent forgets it.
    three.fresh()
    three.code.call("memory/verify", {"id": id})
    three.vim.until(lambda: three.vim.lenses(NAME)[0] == "1 memory · summary fresh", "that it was verified")
    three.fresh()
    three.agent.tool("forget", id=id, purge=True)
    for editor in three.editors:
        editor.shows(NAME, lambda titles: titles == [], "that it was forgotten")
    assert id not in json.dumps(three.code.call("memory/list"))


def test_killed_client_loses_nothing_and_may_come_back(three: Three, place: tuple[Path, dict[str, str], Path]) -> None:
    """What it was told to be stored is there, the others go on, and it may come back."""
    folder, env, home = place
    three.fresh()
    acknowledged = [three.remember(content=f"Fact number {number} of the killed agent.") for number in range(5)]
    for number in range(20):  # more is under way when it dies
        arguments = {"content": f"Unanswered fact number {number}."}
        three.agent.ask("tools/call", {"name": "remember", "arguments": arguments})
    three.agent.kill()
    for editor in three.editors:
        editor.told_of(acknowledged[-1], "created")
        eventually(partial(three.lists, editor, set(acknowledged)))
    # An editor dies while the other writes.
    three.fresh()
    started = three.vim.client.start("memory/record", {"content": "Written while another one died."})
    three.code.kill()
    assert three.vim.client.response(started)["result"]["status"] == "created"
    with agent(folder, home, env) as back:
        three.vim.forget()
        answer = back.tool("remember", content=f"`{NAME}::run` is told by the agent that came back.")
        three.vim.told_of(str(answer["structuredContent"]["id"]))
        three.vim.until(lambda: "1 memory" in three.vim.lenses(NAME), "a lens of the agent that came back")
        code = FollowingEditor("vscode-languageclient-9", folder, env)
        try:
            code.open(NAME)
            eventually(lambda: "1 memory" in code.lenses(NAME))
            status = code.call("sidecar/status")
            assert status["workspaces"]
        finally:
            code.close()


def test_an_editor_without_a_plugin_is_told_by_refreshes(three: Three) -> None:
    plain = FollowingEditor("vscode-languageclient-9", three.folder, three.env, plugin=False)
    try:
        plain.open(PAGE)
        before = len(plain.lenses(NAME))
        plain.forget()
        three.vim.call("memory/record", {"content": f"`{NAME}::stop` is seen without a plugin."})
        for refresh in ("workspace/codeLens/refresh", "workspace/diagnostic/refresh"):
            eventually(partial(plain.notices, refresh))
        plain.shows(NAME, lambda titles: len(titles) == before + 1, "another lens")
    finally:
        plain.close()
