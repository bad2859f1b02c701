"""Capabilities that real editors declare, and what the real server gives each editor in return.

`data/editors.json` holds capabilities recorded from the editors themselves, or read in their sources, without the parts
that do not concern us.
"""

from __future__ import annotations

import json
import subprocess
import time
from pathlib import Path
from typing import cast

import pytest

from tests.client.json_value import Json
from tests.client.stdio_client import StdioClient

EDITORS: dict[str, object] = {
    name: one["capabilities"]
    for name, one in json.loads((Path(__file__).parent / "data/editors.json").read_text()).items()
}
SOURCE = '"""Retrying."""\n\n\nclass Retry:\n    def run(self, times):\n        return times\n'
LEARNED = (
    "I have read the file. `Retry.run` returns `times` unchanged because the callers rely on it to count attempts. "
    "Next I look at the tests."
)
ALWAYS = {"hover", "codeLens", "codeAction", "documentSymbol", "foldingRange", "completion", "workspaceSymbol"}
ALWAYS |= {"executeCommand"}


def at(given: object, path: str) -> Json:
    for name in path.split("."):
        given = given.get(name) if isinstance(given, dict) else None
    return cast(Json, given)


def asked_of(capabilities: object) -> set[str]:
    """Return the requests of ours that a server may send to a client of these capabilities."""
    rules = {
        "workspace/configuration": "workspace.configuration",
        "window/workDoneProgress/create": "window.workDoneProgress",
        "workspace/codeLens/refresh": "workspace.codeLens.refreshSupport",
        "workspace/diagnostic/refresh": "workspace.diagnostics.refreshSupport",
        "window/showDocument": "window.showDocument.support",
    }
    allowed = {method for method, path in rules.items() if at(capabilities, path)}
    registered = ("workspace.didChangeWatchedFiles", "workspace.didChangeConfiguration", "textDocument.formatting")
    if any(at(capabilities, f"{path}.dynamicRegistration") for path in registered):
        allowed.add("client/registerCapability")
    return allowed


@pytest.fixture(scope="module")
def workspace(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, str]]:
    """Make a folder with a memory, a fact and a stale reference; return it and the environment of its store."""
    root = tmp_path_factory.mktemp("editors")
    folder = root / "work"
    (folder / "src").mkdir(parents=True)
    (folder / "src/x.py").write_text(SOURCE)
    subprocess.run(["git", "init", "-q", str(folder)], check=True)
    env = {name: str(root / name) for name in ("HOME", "XDG_DATA_HOME", "XDG_STATE_HOME", "XDG_CONFIG_HOME")}
    with StdioClient(cwd=folder, env=env, ignore=["memory/didChange", "file/didInvalidate"]) as client:
        client.initialize(folder)
        client.call("memory/record", {"content": "`src/x.py::Retry.run` must stay idempotent.", "name": "Idem"})
        client.call("memory/record", {"content": "See `src/x.py::Retry` for 😀 retries.", "name": "See"})
        client.call("file/recordRead", {"path": "src/x.py", "sessionId": "s"})
        facts = client.call("file/observe", {"sessionId": "s", "text": LEARNED, "paths": ["src/x.py"]})
        assert len(facts["facets"]) == 1, facts
        # Wait here, because the time limit of ending may be too short to write it on a busy machine.
        page, until = folder / ".agents/MEMORY.md", time.monotonic() + 90
        while not page.exists() or "See" not in page.read_text():
            assert time.monotonic() < until
            time.sleep(0.02)
    return folder, env


class Driver:
    """Answers the server's requests, as an editor does, and keeps them."""

    def __init__(self, client: StdioClient, folder: Path) -> None:
        self.client = client
        self.folder = folder
        self.asked: list[Json] = []

    def serve(self) -> None:
        """Answer every request that has come."""
        with self.client.reader.changed:
            found = [one for one in self.client.reader.messages if "method" in one and "id" in one]
            for one in found:
                self.client.reader.messages.remove(one)
        for one in found:
            self.asked.append(one)
            self.client.reply(one, [None] if one["method"] == "workspace/configuration" else None)

    def ask(self, method: str, name: str, **more: object) -> Json:
        self.serve()
        document = {"uri": (self.folder / name).as_uri()}
        return self.client.call(f"textDocument/{method}", {"textDocument": document, **more})

    def open(self, name: str) -> None:
        path = self.folder / name
        item = {"uri": path.as_uri(), "languageId": "x", "version": 0, "text": path.read_text()}
        self.client.notify("textDocument/didOpen", {"textDocument": item})


@pytest.mark.parametrize("name", EDITORS)
def test_each_editor_is_offered_what_it_can_use(name: str, workspace: tuple[Path, dict[str, str]]) -> None:
    capabilities, (folder, env) = EDITORS[name], workspace
    noise = ["memory/didChange", "file/didInvalidate", "$/progress", "textDocument/publishDiagnostics"]
    with StdioClient(cwd=folder, env=env, ignore=noise) as client:
        offered = client.initialize(folder, capabilities=capabilities)["capabilities"]
        editor = Driver(client, folder)
        pulls = "diagnosticProvider" in offered
        assert pulls == bool(
            at(capabilities, "textDocument.diagnostic") and at(capabilities, "workspace.diagnostics.refreshSupport")
        )
        registers = bool(at(capabilities, "textDocument.formatting.dynamicRegistration"))
        expected = {f"{one}Provider" for one in ALWAYS} | ({"diagnosticProvider"} if pulls else set())
        expected |= set() if registers else {"documentFormattingProvider"}
        assert {one for one in offered if one.endswith("Provider")} == expected
        encodings = at(capabilities, "general.positionEncodings") or ["utf-16"]
        assert offered["positionEncoding"] in encodings

        editor.open("src/x.py")
        assert client.notification("textDocument/publishDiagnostics")["diagnostics"] == []
        hover = editor.ask("hover", "src/x.py", position={"line": 4, "character": 9})["contents"]
        markdown = at(capabilities, "textDocument.hover.contentFormat")[0] == "markdown"
        assert hover["kind"] == ("markdown" if markdown else "plaintext")
        assert ("```" in hover["value"]) == markdown
        for words in ("must stay idempotent", "recorded 20", "Fact", "learned 20", "day)", "callers rely"):
            assert words in hover["value"]  # today, or yesterday around midnight

        lenses = editor.ask("codeLens", "src/x.py")
        titles = [one["command"]["title"] for one in lenses]
        assert titles == ["2 memories · 1 fact · summary fresh", "1 memory", "1 memory"]

        place = {"start": {"line": 4, "character": 8}, "end": {"line": 4, "character": 11}}
        actions = editor.ask("codeAction", "src/x.py", range=place, context={"diagnostics": []})
        assert all(isinstance(one["command"], dict) for one in actions)  # literals: every editor declares them

        editor.open(".agents/MEMORY.md")
        symbols = editor.ask("documentSymbol", ".agents/MEMORY.md")
        nested = bool(at(capabilities, "textDocument.documentSymbol.hierarchicalDocumentSymbolSupport"))
        assert ("selectionRange" in symbols[0]) == nested
        assert editor.ask("documentSymbol", "src/x.py") is None
        folds = editor.ask("foldingRange", ".agents/MEMORY.md")
        assert all(one["endLine"] > one["startLine"] for one in folds)
        found = client.call("workspace/symbol", {"query": "idempotent"})
        assert found[0]["name"] == "Idem"

        shown = client.call(
            "workspace/executeCommand",
            {"command": "memorySidecar.record", "arguments": [{"content": f"Said in {name}.", "open": True}]},
        )
        told = client.notification("window/showMessage")["message"]
        assert told.startswith("Remembered “")
        id = shown["memory"]["id"]
        client.call("memory/delete", {"id": id, "purge": True})
        editor.serve()
        assert {one["method"] for one in editor.asked} <= asked_of(capabilities)
        client.ignore |= asked_of(capabilities) | {"window/logMessage"}
