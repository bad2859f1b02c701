"""Capabilities that real editors declare, and what the real server gives each editor in return.

`data/editors.json` holds capabilities recorded from the editors themselves, or read in their sources, without the parts
that do not concern us.
"""

from __future__ import annotations

import json
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from typing import cast

import pytest

from tests.client.json_value import Json
from tests.client.stdio_client import StdioClient

EDITORS: dict[str, object] = {
    name: recorded["capabilities"]
    for name, recorded in json.loads((Path(__file__).parent / "data/editors.json").read_text()).items()
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


class Editor:
    """A session of one editor: its capabilities, what it was offered, and the server's requests, which it answers."""

    def __init__(self, name: str, client: StdioClient, folder: Path) -> None:
        self.name, self.client, self.folder = name, client, folder
        self.capabilities = EDITORS[name]
        self.offered = client.initialize(folder, capabilities=self.capabilities)["capabilities"]
        self.asked: list[Json] = []

    def can(self, path: str) -> bool:
        """Return whether the editor declares a capability."""
        return bool(at(self.capabilities, path))

    def serve(self) -> None:
        """Answer every request that has come."""
        with self.client.reader.changed:
            requests = [message for message in self.client.reader.messages if "method" in message and "id" in message]
            for request in requests:
                self.client.reader.messages.remove(request)
        for request in requests:
            self.asked.append(request)
            self.client.reply(request, [None] if request["method"] == "workspace/configuration" else None)

    def ask(self, method: str, name: str, **more: object) -> Json:
        self.serve()
        document = {"uri": (self.folder / name).as_uri()}
        return self.client.call(f"textDocument/{method}", {"textDocument": document, **more})

    def open(self, name: str) -> None:
        path = self.folder / name
        item = {"uri": path.as_uri(), "languageId": "x", "version": 0, "text": path.read_text()}
        self.client.notify("textDocument/didOpen", {"textDocument": item})


@pytest.fixture(scope="module", params=EDITORS)
def editor(request: pytest.FixtureRequest, workspace: tuple[Path, dict[str, str]]) -> Iterator[Editor]:
    """Start one server for all tests of an editor."""
    folder, env = workspace
    noise = ["memory/didChange", "file/didInvalidate", "$/progress", "textDocument/publishDiagnostics"]
    with StdioClient(cwd=folder, env=env, ignore=noise) as client:
        editor = Editor(request.param, client, folder)
        editor.open("src/x.py")
        editor.open(".agents/MEMORY.md")
        yield editor
        client.ignore |= asked_of(editor.capabilities) | {"window/logMessage"}


def test_an_editor_is_offered_what_it_can_use(editor: Editor) -> None:
    expected = {f"{feature}Provider" for feature in ALWAYS}
    if editor.can("textDocument.diagnostic") and editor.can("workspace.diagnostics.refreshSupport"):
        expected.add("diagnosticProvider")
    if not editor.can("textDocument.formatting.dynamicRegistration"):
        expected.add("documentFormattingProvider")
    assert {feature for feature in editor.offered if feature.endswith("Provider")} == expected


def test_positions_are_counted_as_the_editor_counts(editor: Editor) -> None:
    encodings = at(editor.capabilities, "general.positionEncodings") or ["utf-16"]
    assert editor.offered["positionEncoding"] in encodings


def test_a_file_without_stale_references_has_no_diagnostics(editor: Editor) -> None:
    assert editor.client.notification("textDocument/publishDiagnostics")["diagnostics"] == []


def test_hover_tells_memories_and_facts_in_the_format_of_the_editor(editor: Editor) -> None:
    hover = editor.ask("hover", "src/x.py", position={"line": 4, "character": 9})["contents"]
    markdown = at(editor.capabilities, "textDocument.hover.contentFormat")[0] == "markdown"
    assert hover["kind"] == ("markdown" if markdown else "plaintext")
    assert ("```" in hover["value"]) == markdown
    for words in ("must stay idempotent", "recorded 20", "Fact", "learned 20", "day)", "callers rely"):
        assert words in hover["value"]  # today, or yesterday around midnight


def test_lenses_count_what_is_known_of_each_place(editor: Editor) -> None:
    titles = [lens["command"]["title"] for lens in editor.ask("codeLens", "src/x.py")]
    assert titles == ["2 memories · 1 fact · summary fresh", "1 memory", "1 memory"]


def test_code_actions_are_literals(editor: Editor) -> None:
    place = {"start": {"line": 4, "character": 8}, "end": {"line": 4, "character": 11}}
    actions = editor.ask("codeAction", "src/x.py", range=place, context={"diagnostics": []})
    assert all(isinstance(action["command"], dict) for action in actions), "every editor declares them"


def test_the_memory_file_alone_has_an_outline_and_folds(editor: Editor) -> None:
    symbols = editor.ask("documentSymbol", ".agents/MEMORY.md")
    nested = editor.can("textDocument.documentSymbol.hierarchicalDocumentSymbolSupport")
    assert ("selectionRange" in symbols[0]) == nested
    folds = editor.ask("foldingRange", ".agents/MEMORY.md")
    assert all(fold["endLine"] > fold["startLine"] for fold in folds)
    assert editor.ask("documentSymbol", "src/x.py") is None


def test_memories_are_among_the_symbols_of_the_workspace(editor: Editor) -> None:
    editor.serve()
    assert editor.client.call("workspace/symbol", {"query": "idempotent"})[0]["name"] == "Idem"


def test_recording_by_command_tells_its_user(editor: Editor) -> None:
    recorded = editor.client.call(
        "workspace/executeCommand",
        {"command": "memorySidecar.record", "arguments": [{"content": f"Said in {editor.name}.", "open": True}]},
    )
    assert editor.client.notification("window/showMessage")["message"].startswith("Remembered “")
    editor.client.call("memory/delete", {"id": recorded["memory"]["id"], "purge": True})


def test_an_editor_is_asked_only_what_it_can_answer(editor: Editor) -> None:
    """The last of these tests, so that all that they caused has been asked."""
    editor.serve()
    assert {request["method"] for request in editor.asked} <= asked_of(editor.capabilities)
