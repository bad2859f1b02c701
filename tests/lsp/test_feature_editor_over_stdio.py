"""An editor without a plugin at the real server over stdio, with a client that declares everything."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.client.json_value import Json
from tests.client.stdio_client import StdioClient
from tests.waiting import eventually

SOURCE = '''"""Retrying."""


class Retry:
    """Tries again."""

    def run(self, times):  # 漢字😀 run
        return times


def main():
    return Retry().run(3)
'''
HOSTILE = (
    "`src/x.py::Retry.run` must stay idempotent ``` </div><script>alert(1)</script> "
    "[click](command:evil) https://evil.example ![x](http://evil.example/x.png)"
)
FULL = {
    "textDocument": {
        "hover": {"contentFormat": ["markdown", "plaintext"]},
        "codeLens": {},
        "codeAction": {"codeActionLiteralSupport": {"codeActionKind": {"valueSet": ["quickfix"]}}},
        "documentSymbol": {"hierarchicalDocumentSymbolSupport": True},
        "foldingRange": {},
        "completion": {},
        "formatting": {},
        "diagnostic": {},
    },
    "workspace": {
        "symbol": {},
        "workspaceEdit": {"documentChanges": True},
        "codeLens": {"refreshSupport": True},
        "diagnostics": {"refreshSupport": True},
    },
    "window": {"showDocument": {"support": True}},
    "general": {"positionEncodings": ["utf-16"]},
}
NOISE = ["memory/didChange", "file/didInvalidate", "window/showMessage", "workspace/codeLens/refresh"]
NOISE += ["workspace/diagnostic/refresh", "window/logMessage", "textDocument/publishDiagnostics"]


class Here(NamedTuple):
    client: StdioClient
    folder: Path
    env: dict[str, str]
    ids: dict[str, str]

    @property
    def source(self) -> str:
        return (self.folder / "src/x.py").as_uri()

    @property
    def page(self) -> Path:
        return self.folder / ".agents/MEMORY.md"

    def open(self, uri: str, text: str, version: int = 1, language: str = "python") -> None:
        item = {"uri": uri, "languageId": language, "version": version, "text": text}
        self.client.notify("textDocument/didOpen", {"textDocument": item})

    def close(self, uri: str) -> None:
        self.client.notify("textDocument/didClose", {"textDocument": {"uri": uri}})

    def ask(self, method: str, uri: str, **more: object) -> Json:
        return self.client.call(f"textDocument/{method}", {"textDocument": {"uri": uri}, **more})

    def hover(self, line: int, character: int, uri: str | None = None) -> Json:
        return self.ask("hover", uri or self.source, position={"line": line, "character": character})

    def run(self, command: str, *arguments: object) -> Json:
        params = {"command": f"memorySidecar.{command}", "arguments": list(arguments)}
        return self.client.call("workspace/executeCommand", params)

    def refused(self, command: str, *arguments: object) -> Json:
        return self.client.error("workspace/executeCommand", {"command": command, "arguments": list(arguments)})

    def actions(self, uri: str, first: int, last: int, character: int = 0, **context: object) -> list[Json]:
        where = {"start": {"line": first, "character": character}, "end": {"line": last, "character": 0}}
        return list(self.ask("codeAction", uri, range=where, context={"diagnostics": [], **context}))


@pytest.fixture(scope="module")
def here(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Here]:
    root = tmp_path_factory.mktemp("editor")
    folder = root / "work"
    (folder / "src").mkdir(parents=True)
    (folder / "src/x.py").write_text(SOURCE)
    (folder / "src/y.py").write_text("def other():\n    return 1\n")
    subprocess.run(["git", "init", "-q", str(folder)], check=True)
    names = {"HOME": "", "XDG_DATA_HOME": "d", "XDG_CONFIG_HOME": "c", "XDG_STATE_HOME": "s", "XDG_CACHE_HOME": "k"}
    env = {name: str(root / "home" / inner) for name, inner in names.items()}
    (root / "home").mkdir()
    with StdioClient(cwd=folder, env=env, ignore=NOISE) as client:
        client.initialize(folder, capabilities=FULL)
        ids = {}
        for name, params in {
            "symbol": {"content": HOSTILE, "category": "decision"},
            "file": {"content": "Nothing in `src/x.py` may import the network.", "name": "No network"},
            "other": {"content": "`src/y.py::other` returns one on purpose.", "category": "blocker"},
        }.items():
            ids[name] = str(client.call("memory/record", params)["memory"]["id"])
        started = Here(client, folder, env, ids)
        eventually(started.page.exists)
        yield started


def test_an_editor_is_offered_more_than_it_declares_and_sent_no_more(here: Here) -> None:
    with StdioClient(cwd=here.folder, env=here.env, ignore=NOISE) as bare:
        capabilities = bare.initialize(
            here.folder, capabilities={"textDocument": {"hover": {}, "formatting": {"dynamicRegistration": True}}}
        )["capabilities"]
        request = bare.server_request("client/registerCapability")
        bare.reply(request)
        answer = bare.call(
            "textDocument/hover", {"textDocument": {"uri": here.source}, "position": {"line": 3, "character": 7}}
        )
    assert request["params"]["registrations"][0]["method"] == "textDocument/formatting"
    offered = {name for name in capabilities if name.endswith("Provider")}
    assert {"hoverProvider", "completionProvider", "codeLensProvider", "workspaceSymbolProvider"} <= offered
    assert not offered & {"diagnosticProvider", "documentFormattingProvider"}
    assert answer["contents"]["kind"] == "plaintext"
    assert "```" not in answer["contents"]["value"]
    assert "may import the network" in answer["contents"]["value"]


def test_hover_shows_memories_with_their_date_and_nothing_active(here: Here) -> None:
    answer = here.hover(6, 9)
    value = answer["contents"]["value"]
    assert answer["contents"]["kind"] == "markdown"
    assert "**Memory** · decision, project · recorded 20" in value
    assert "(today)" in value or "(yesterday)" in value
    assert answer["range"] == {"start": {"line": 6, "character": 8}, "end": {"line": 6, "character": 11}}
    fence = value.split("```text\n", 1)[1]
    outside = value.split("```text\n", 1)[0]
    stored = fence.split("\n```", 1)[0]
    assert "must stay idempotent" in stored
    assert "evil" not in outside
    assert "```" not in stored
    assert "<script" not in outside + fence.split("\n```", 1)[1].split("```text")[0]


def test_hover_on_a_use_in_another_file_finds_the_symbol(here: Here) -> None:
    uri = (here.folder / "src/y.py").as_uri()
    here.open(uri, "def other():\n    return run(1)\n")
    value = here.hover(1, 12, uri)["contents"]["value"]
    assert "must stay idempotent" in value
    assert f"[`src/x.py`]({here.source})" in value, "no link to the file"
    page = (here.folder / ".agents/MEMORY.md").as_uri()
    assert re.search(rf"\[`MEMORY\.md`\]\({re.escape(page)}#L\d+\)", str(value)), "no link to the memory"
    assert "](command:memory" not in value
    assert here.hover(1, 6, uri) is None
    here.close(uri)


@pytest.mark.parametrize(("line", "character"), [(1, 0), (7, 9), (999, 0), (6, 10_000)])
def test_hover_on_nothing_is_null(here: Here, line: int, character: int) -> None:
    assert here.hover(line, character) is None or line == 6


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "utf-32"])
def test_positions_behind_emoji_and_cjk(here: Here, encoding: str) -> None:
    before = "    def run(self, times):  # 漢字😀 "
    codec, unit = {"utf-8": ("utf-8", 1), "utf-16": ("utf-16-le", 2), "utf-32": ("utf-32-le", 4)}[encoding]
    column = len(before.encode(codec)) // unit
    with StdioClient(cwd=here.folder, env=here.env, ignore=NOISE) as client:
        general = {"positionEncodings": [encoding]}
        result = client.initialize(here.folder, capabilities={**FULL, "general": general})
        assert result["capabilities"]["positionEncoding"] == encoding
        answer = client.call(
            "textDocument/hover",
            {"textDocument": {"uri": here.source}, "position": {"line": 6, "character": column + 1}},
        )
    assert answer["range"]["start"] == {"line": 6, "character": column}
    assert answer["range"]["end"] == {"line": 6, "character": column + 3}


def test_lenses_follow_the_text_that_is_not_saved(here: Here) -> None:
    here.open(here.source, "# one\n# two\n" + SOURCE)
    lenses = here.ask("codeLens", here.source)
    titles = {lens["range"]["start"]["line"]: lens["command"]["title"] for lens in lenses}
    assert titles == {0: "2 memories · summary fresh", 8: "1 memory"}
    edit = {"start": {"line": 0, "character": 0}, "end": {"line": 2, "character": 0}}
    change = {"textDocument": {"uri": here.source, "version": 2}, "contentChanges": [{"range": edit, "text": ""}]}
    here.client.notify("textDocument/didChange", change)
    lenses = here.ask("codeLens", here.source)
    assert [lens["range"]["start"]["line"] for lens in lenses] == [0, 6]
    assert here.client.call("codeLens/resolve", lenses[1])["command"]["title"] == "1 memory"
    command = lenses[1]["command"]
    told = here.client.call("workspace/executeCommand", {k: command[k] for k in ("command", "arguments")})
    assert "must stay idempotent" in told["text"]
    here.close(here.source)


def test_a_memory_that_names_only_a_symbol_is_at_its_definition(here: Here) -> None:
    texts = {
        "dotted": "`Cart.add` must refuse negative counts.",
        "module": "`settle_invoices()` runs at night.",
        "common": "`run()` is called by everybody.",
    }
    ids = {name: here.client.call("memory/record", {"content": text})["memory"]["id"] for name, text in texts.items()}
    uri = (here.folder / "src/cart.py").as_uri()
    source = (
        "class Cart:\n    def add(self, n): ...\n\nclass Other:\n    def add(self, n): ...\n    def run(self): ...\n"
    )
    here.open(uri, f"{source}\ndef settle_invoices(): ...\n\nsettle_invoices()\n")
    try:
        assert "negative counts" in here.hover(1, 9, uri)["contents"]["value"]
        assert here.hover(4, 9, uri) is None, "another class's method of that name"
        assert "at night" in here.hover(7, 5, uri)["contents"]["value"]
        assert "at night" in here.hover(9, 5, uri)["contents"]["value"]
        titles = {int(str(one["range"]["start"]["line"])): one["command"] for one in here.ask("codeLens", uri)}
        assert {line: one["title"] for line, one in titles.items() if line} == {1: "1 memory", 7: "1 memory"}
        told = here.client.call("workspace/executeCommand", {k: titles[1][k] for k in ("command", "arguments")})
        assert told["ids"] == [], "the file on disk has no such symbol"
        acted = [action["command"]["arguments"][0] for action in here.actions(uri, 1, 1)]
        assert {"id": ids["dotted"]} in acted
        assert not [action for action in here.actions(uri, 4, 4) if "id" in action["command"]["arguments"][0]]
        here.run("archive", {"id": ids["dotted"], "quiet": True})
        assert [one["range"]["start"]["line"] for one in here.ask("codeLens", uri)] == [0, 7]
    finally:
        here.close(uri)
        for id in ids.values():
            here.client.call("memory/delete", {"id": id, "purge": True})


def test_a_lens_of_nothing_known(here: Here) -> None:
    missing = (here.folder / "gone.py").as_uri()
    assert not here.ask("codeLens", missing)
    outside = "untitled:x"
    assert not here.ask("codeLens", outside)
    assert (
        here.client.call(
            "codeLens/resolve",
            {"range": {"start": {"line": 0, "character": 0}, "end": {"line": 0, "character": 0}}, "data": 5},
        )["data"]
        == 5
    )


def test_actions_remember_and_act(here: Here) -> None:
    actions = {str(action["title"]): action for action in here.actions(here.source, 6, 8)}
    selection = actions["Remember the selection"]["command"]["arguments"][0]
    assert selection["content"].startswith("`src/x.py`, lines 7 to 9:")
    assert "return times" in selection["content"]
    assert "Remember something about Retry.run" in actions
    assert any(title.startswith("Archive") for title in actions)
    assert here.actions(here.source, 6, 6, triggerKind=2) == []
    only = here.actions(here.source, 6, 8, only=["refactor.memorySidecar.remember"])
    assert len(only) == 2
    made = here.client.call(
        "workspace/executeCommand",
        {k: actions["Remember something about Retry.run"]["command"][k] for k in ("command", "arguments")},
    )
    shown = here.client.server_request("window/showDocument")
    here.client.reply(shown, {"success": True})
    assert shown["params"]["uri"] == here.page.as_uri()
    assert made["status"] == "created"
    assert here.run("delete", {"id": made["memory"]["id"], "purge": True, "quiet": True})["id"]


def test_commands_act_and_say_what_is_wrong(here: Here) -> None:
    blocker = here.ids["other"]
    assert here.run("resolve", blocker)["status"] == "resolved"
    here.client.wait(lambda m: str(m.get("params", {}).get("message")).startswith("Resolved “"))
    assert here.run("reopen", {"id": blocker, "quiet": True})["status"] == "active"
    assert here.run("search", "idempotent")["items"][0]["memory"]["id"] == here.ids["symbol"]
    assert here.run("archive", blocker)["status"] == "archived"
    assert here.run("restore", blocker)["status"] == "active"
    assert here.run("verify", blocker)["id"] == blocker
    assert here.run("maintain", {"dryRun": True})["dryRun"]
    assert "idempotent" in here.run("inject", "idempotent retry run")["text"]
    assert here.refused("memorySidecar.nope")["code"] == -32602
    assert here.refused("memorySidecar.archive")["data"]["path"] == "$.id"
    assert here.refused("memorySidecar.archive", "no-such-id")["code"] in (-32010, -32602)
    assert here.refused("memorySidecar.archive", {"id": blocker, "x": 1})["code"] == -32602
    assert here.refused("memorySidecar.archive", blocker, blocker)["data"]["path"] == "$.arguments[1]"
    assert here.refused("memorySidecar.archive", 5)["data"]["path"] == "$.arguments[0]"
    assert here.refused("memorySidecar.archive", {"id": blocker, "quiet": 1})["code"] == -32602
    assert here.refused("memorySidecar.showFile", {})["data"]["path"] == "$.arguments[0].uri"
    assert here.refused("memorySidecar.showMemory", {"id": "x"})["code"] == -32010


def test_a_memory_is_shown_where_it_stands(here: Here) -> None:
    eventually(lambda: "No network" in here.page.read_text())
    answer = here.run("showMemory", here.ids["file"])
    request = here.client.server_request("window/showDocument")
    here.client.reply(request, {"success": True})
    line = next(at for at, one in enumerate(here.page.read_text().split("\n")) if "No network" in one)
    assert request["params"]["uri"] == here.page.as_uri()
    assert request["params"]["selection"]["start"]["line"] == line
    assert answer["place"]["line"] == line


def test_workspace_symbols_search_memories(here: Here) -> None:
    (found, *_) = here.client.call("workspace/symbol", {"query": "network import"})
    assert found["name"] == "No network"
    assert found["location"]["uri"] == here.page.as_uri()
    assert len(here.client.call("workspace/symbol", {"query": ""})) >= 3


def test_memories_of_another_process_are_announced(here: Here) -> None:
    here.client.reader.messages.clear()
    with StdioClient([sys.executable, "-m", "sidecar", "serve"], cwd=here.folder, env=here.env, ignore=NOISE) as other:
        other.initialize(here.folder)
        made = other.call("memory/record", {"content": "Said by another process."})["memory"]["id"]
    told = here.client.wait(
        lambda m: m.get("method") == "memory/didChange" and made in [change["id"] for change in m["params"]["changes"]]
    )
    assert told["params"]["changes"] == [{"id": made, "scope": "project", "change": "created"}]
    for refresh in ("workspace/codeLens/refresh", "workspace/diagnostic/refresh"):
        here.client.reply(here.client.server_request(refresh))
    here.run("delete", {"id": made, "purge": True, "quiet": True})


def test_a_change_of_our_own_is_drawn(here: Here) -> None:
    here.client.reader.messages.clear()
    made = here.client.call("memory/record", {"content": "Said by this process."})["memory"]["id"]
    for refresh in ("workspace/codeLens/refresh", "workspace/diagnostic/refresh"):
        here.client.reply(here.client.server_request(refresh))
    here.run("delete", {"id": made, "purge": True, "quiet": True})


def test_a_change_of_another_process_hides_behind_none_of_our_own(here: Here) -> None:
    other = StdioClient([sys.executable, "-m", "sidecar", "serve"], cwd=here.folder, env=here.env, ignore=NOISE)
    with other:
        other.initialize(here.folder)
        for number in range(3):  # whether or not between the same two looks
            made = here.client.call("memory/record", {"content": f"Said by both, {number}."})["memory"]["id"]
            here.client.reader.messages.clear()
            here.client.call("memory/update", {"id": made, "content": f"Said here, {number}."})
            other.call("memory/delete", {"id": made, "purge": True})
            here.client.wait(lambda m: m.get("method") == "memory/didChange" and m["params"]["changes"] == [])


def test_a_change_right_after_the_first_answer_is_told(here: Here) -> None:
    with StdioClient(cwd=here.folder, env=here.env, ignore=NOISE) as fresh:
        fresh.initialize(here.folder, capabilities=FULL)
        fresh.call("memory/list")
        made = here.client.call("memory/record", {"content": "Said before the first look."})["memory"]["id"]
        told = fresh.wait(lambda m: m.get("method") == "memory/didChange")
        assert [change["id"] for change in told["params"]["changes"]] in ([made], [])
        here.run("delete", {"id": made, "purge": True, "quiet": True})
