"""Behaviour observed in clients, and facts in an editor: a real server, one workspace."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.client.json_value import Json, fields
from tests.client.stdio_client import StdioClient

SOURCE = '"""Retrying."""\n\n\ndef run(times):\n    return times\n\n\ndef stop(times):\n    return -times\n'
LEARNED = "`run` returns `times` unchanged because the callers rely on it to count their attempts in the log."
WHERE = {"line": 3, "character": 5}
CAPABILITIES: dict[str, object] = {
    "textDocument": {"hover": {"contentFormat": ["plaintext"]}, "codeLens": {}},
    "workspace": {"didChangeWatchedFiles": {"dynamicRegistration": True}},
    "window": {"showMessage": {}},
}


class EditorClient:
    """A client that reports file changes and consumes every message it expects."""

    def __init__(self, client: StdioClient, folder: Path) -> None:
        self.stdio = client
        self.folder = folder
        self.path = folder / "src/x.py"

    def open(self, text: str, version: int = 1, uri: str | None = None) -> None:
        item = {"uri": uri or self.path.as_uri(), "languageId": "python", "version": version, "text": text}
        self.stdio.notify("textDocument/didOpen", {"textDocument": item})
        told = self.stdio.notification("textDocument/publishDiagnostics")
        assert told == {"uri": item["uri"], "diagnostics": []}

    def close(self, uri: str | None = None) -> None:
        self.stdio.notify("textDocument/didClose", {"textDocument": {"uri": uri or self.path.as_uri()}})

    def save(self) -> None:
        self.stdio.notify("textDocument/didSave", {"textDocument": {"uri": self.path.as_uri()}})

    def changed(self, *paths: Path, kind: int = 2) -> None:
        changes = [{"uri": path.as_uri(), "type": kind} for path in paths]
        self.stdio.notify("workspace/didChangeWatchedFiles", {"changes": changes})

    def hover(self, line: int = 3, character: int = 5, uri: str | None = None) -> Json:
        document = {"uri": uri or self.path.as_uri()}
        params = {"textDocument": document, "position": {"line": line, "character": character}}
        return self.stdio.call("textDocument/hover", params)

    def lenses(self) -> list[str]:
        params = {"textDocument": {"uri": self.path.as_uri()}}
        return [str(one["command"]["title"]) for one in self.stdio.call("textDocument/codeLens", params)]

    def quiet(self) -> None:
        """Check that the server has finished and sent nothing unexpected."""
        self.stdio.call("sidecar/status")
        self.stdio.check_consumed()


@pytest.fixture
def client(tmp_path: Path) -> Iterator[EditorClient]:
    folder = tmp_path / "work"
    (folder / "src").mkdir(parents=True)
    (folder / "src/x.py").write_text(SOURCE)
    subprocess.run(["git", "init", "-q", str(folder)], check=True)
    names = ("HOME", "XDG_DATA_HOME", "XDG_STATE_HOME", "XDG_CONFIG_HOME")
    env = {name: str(tmp_path / name) for name in names}
    with StdioClient(cwd=folder, env=env) as stdio:
        stdio.initialize(folder, capabilities=CAPABILITIES)
        stdio.reply(stdio.server_request("client/registerCapability"))
        yield EditorClient(stdio, folder)


def test_a_document_may_be_opened_again_and_again(client: EditorClient) -> None:
    """opencode opens a document anew instead of changing it, under any version."""
    client.stdio.call("memory/record", {"content": "`src/x.py::run` may be called twice."})
    client.stdio.notification("memory/didChange")
    client.open(SOURCE, 3)
    client.open("# one\n" + SOURCE, 3)
    client.open("# one\n# two\n" + SOURCE, 0)
    assert client.hover() is None
    assert "called twice" in client.hover(5)["contents"]["value"]
    client.close()
    client.close()
    assert "called twice" in client.hover()["contents"]["value"]
    client.quiet()


def test_a_list_of_diagnostics_comes_before_anything_else(client: EditorClient) -> None:
    uri = (client.folder / "new.py").as_uri()
    item = {"uri": uri, "languageId": "python", "version": 1, "text": ""}
    client.stdio.notify("textDocument/didOpen", {"textDocument": item})
    first = client.stdio.wait(lambda message: True)
    assert fields(first, "method", "params.diagnostics") == ("textDocument/publishDiagnostics", [])
    client.quiet()


def test_the_same_change_many_times_is_told_once(client: EditorClient) -> None:
    """ALE saves twice, VS Code reports the same change up to five times."""
    client.stdio.call("file/summary", {"path": "src/x.py"})
    client.path.write_text(SOURCE.replace("-times", "0"))
    client.open(client.path.read_text())
    client.save()
    client.save()
    for _ in range(5):
        client.changed(client.path)
    told = client.stdio.notification("file/didInvalidate")
    assert [file["path"] for file in told["files"]] == ["src/x.py"]
    client.stdio.ignore.add("textDocument/publishDiagnostics")  # comes when typing is over
    client.save()
    client.changed(client.path)
    client.quiet()


def test_lock_files_and_scratch_files_of_editors(client: EditorClient) -> None:
    """Emacs makes a dangling link beside a file being edited, Vim a file 4913 and a swap file."""
    client.stdio.call("file/summary", {"path": "src/x.py"})
    lock = client.folder / "src/.#x.py"
    os.symlink("user@host.123:456", lock)
    scratch = [client.folder / "src" / name for name in (".x.py.swp", "4913", "x.py~")]
    for path in scratch:
        path.write_bytes(b"\0b0VIM")
    client.changed(lock, *scratch, kind=1)
    lock.unlink()
    for path in scratch:
        path.unlink()
    client.changed(lock, *scratch, kind=3)
    client.quiet()
    assert client.lenses() == []


def test_requests_that_were_not_advertised_are_answered_quietly(client: EditorClient) -> None:
    """Kate asks for symbols even if the server never advertised any."""
    document = {"textDocument": {"uri": client.path.as_uri()}}
    assert client.stdio.call("textDocument/documentSymbol", document) is None
    for method in ("semanticTokens/full", "definition", "documentHighlight"):
        error = client.stdio.error(f"textDocument/{method}", {**document, "position": WHERE})
        assert error["code"] == -32601
    client.quiet()


def test_documents_that_are_no_files(client: EditorClient) -> None:
    for uri in ("untitled:Untitled-1", "git:/src/x.py?%7B%7D", "vscode-notebook-cell:/a.ipynb#W0", "output:x"):
        client.open("def run():\n    pass\n", uri=uri)
        assert client.hover(0, 5, uri) is None
        params = {"textDocument": {"uri": uri}}
        assert not client.stdio.call("textDocument/codeLens", params)
        context = {"range": {"start": WHERE, "end": WHERE}, "context": {"diagnostics": []}}
        assert not client.stdio.call("textDocument/codeAction", {**params, **context})
        client.close(uri)
    client.quiet()


def test_changes_of_documents_that_are_not_open(client: EditorClient) -> None:
    document = {"uri": client.path.as_uri(), "version": 2}
    client.stdio.notify("textDocument/didChange", {"textDocument": document, "contentChanges": [{"text": "x"}]})
    client.close()
    client.save()
    assert client.hover() is None
    client.stdio.ignore.add("textDocument/publishDiagnostics")
    client.quiet()


def test_facts_with_their_age_and_whether_they_hold(client: EditorClient) -> None:
    client.stdio.call("file/recordRead", {"path": "src/x.py", "sessionId": "s"})
    taken = client.stdio.call("file/observe", {"sessionId": "s", "text": LEARNED, "paths": ["src/x.py"]})
    assert len(taken["facets"]) == 1
    value = client.hover()["contents"]["value"]
    assert value.startswith("Fact · learned 20")
    assert "(today)" in value or "(yesterday)" in value
    assert "callers rely on it" in value
    assert "earlier version" not in value
    assert client.hover(7, 5) is None  # the fact does not mention `stop`
    assert client.lenses() == ["1 fact · summary fresh"]
    # The part that the fact is about did not change, so the fact stays.
    client.path.write_text(SOURCE.replace("-times", "0"))
    client.changed(client.path)
    client.stdio.notification("file/didInvalidate")
    assert "earlier version" not in client.hover()["contents"]["value"]
    assert client.lenses() == ["1 fact · summary fresh"]
    # That part is rewritten: the fact may no longer hold.
    client.path.write_text(SOURCE.replace("return times", "return times + 1"))
    client.changed(client.path)
    client.stdio.notification("file/didInvalidate")
    assert "of an earlier version, may hold no more" in client.hover()["contents"]["value"]
    assert client.lenses() == ["1 fact to verify · summary fresh"]
    command = {"command": "memorySidecar.showFile", "arguments": [{"uri": client.path.as_uri(), "quiet": True}]}
    told = client.stdio.call("workspace/executeCommand", command)["text"]
    assert "fact, learned 20" in told
    assert "of an earlier version" in told
    client.stdio.ignore |= {"memory/didChange"}
    client.quiet()


def test_a_lens_tells_of_suspect_memories(client: EditorClient) -> None:
    client.stdio.ignore |= {"memory/didChange", "file/didInvalidate"}
    for content in ("`src/x.py::run` is called by cron.", "`src/x.py::run` may be slow.", "`src/x.py` is old."):
        client.stdio.call("memory/record", {"content": content})
    assert client.lenses() == ["3 memories · summary fresh", "2 memories"]
    client.path.write_text(SOURCE.replace("return times", "return times + 1"))
    client.changed(client.path)
    assert client.lenses() == ["3 memories · 3 suspect · summary fresh", "2 memories · 2 suspect"]
    value = client.hover()["contents"]["value"]
    assert "SUSPECT: recorded against an older version of src/x.py" in value
