"""MEMORY.md and the pages of its directory form in an editor: diagnostics, fixes and navigation."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.client.json_value import Json
from tests.client.stdio_client import StdioClient
from tests.waiting import eventually

NOISE = ["memory/didChange", "file/didInvalidate", "window/showMessage", "window/logMessage"]
SOURCE = "def keep(value):\n    return value\n\n\ndef drop(value):\n    return None\n"
PUSHED: dict[str, object] = {
    "textDocument": {"codeAction": {"codeActionLiteralSupport": {"codeActionKind": {"valueSet": []}}}}
}
WHERE = {"line": 0, "character": 0}


class MemoryFileEditor:
    """A workspace with one memory about each of two symbols, and a client that gets diagnostics pushed."""

    def __init__(self, root: Path, mode: str, capabilities: object = PUSHED) -> None:
        self.folder = root / "work"
        (self.folder / "src").mkdir(parents=True)
        self.source = self.folder / "src/a.py"
        self.source.write_text(SOURCE)
        subprocess.run(["git", "init", "-q", str(self.folder)], check=True)
        names = {"HOME": "", "XDG_DATA_HOME": "d", "XDG_CONFIG_HOME": "c", "XDG_STATE_HOME": "s"}
        self.client = StdioClient(
            cwd=self.folder,
            env={name: str(root / "home" / inner) for name, inner in names.items()},
            ignore=[*NOISE, "textDocument/publishDiagnostics"],
        )
        self.client.initialize(self.folder, capabilities=capabilities, options={"memoryFile": {"mode": mode}})
        self.ids = {}
        for symbol in ("keep", "drop"):
            params = {"content": f"`src/a.py::{symbol}` is part of the 😀 contract.", "name": f"About {symbol}"}
            self.ids[symbol] = self.client.call("memory/record", params)["memory"]["id"]

    def ask(self, method: str, path: Path, **more: object) -> Json:
        return self.client.call(f"textDocument/{method}", {"textDocument": {"uri": path.as_uri()}, **more})

    def open(self, path: Path, text: str) -> None:
        item = {"uri": path.as_uri(), "languageId": "markdown", "version": 1, "text": text}
        self.client.notify("textDocument/didOpen", {"textDocument": item})

    def change(self, path: Path, text: str, version: int) -> None:
        document = {"uri": path.as_uri(), "version": version}
        self.client.notify("textDocument/didChange", {"textDocument": document, "contentChanges": [{"text": text}]})

    def close(self, path: Path) -> None:
        self.client.notify("textDocument/didClose", {"textDocument": {"uri": path.as_uri()}})

    def pushed(self, path: Path, *codes: str) -> list[Json]:
        """Return the next diagnostics of a file that have these codes."""

        def matches(message: Json) -> bool:
            params = message.get("params", {})
            if message.get("method") != "textDocument/publishDiagnostics" or params["uri"] != path.as_uri():
                return False
            return [one["code"] for one in params["diagnostics"]] == list(codes)

        return list(self.client.wait(matches)["params"]["diagnostics"])

    def complete(self, path: Path, text: str, version: int) -> list[str]:
        self.change(path, text, version)
        lines = text.split("\n")
        at = {"line": len(lines) - 1, "character": len(lines[-1].encode("utf-16-le")) // 2}
        return [str(one["label"]) for one in self.ask("completion", path, position=at)["items"]]


@pytest.fixture(scope="module")
def editor(tmp_path_factory: pytest.TempPathFactory) -> Iterator[MemoryFileEditor]:
    made = MemoryFileEditor(tmp_path_factory.mktemp("page"), "file")
    page = made.folder / ".agents/MEMORY.md"
    with made.client:
        eventually(lambda: page.exists() and "About drop" in page.read_text())
        yield made


@pytest.fixture
def page(editor: MemoryFileEditor) -> Iterator[Path]:
    path = editor.folder / ".agents/MEMORY.md"
    editor.open(path, path.read_text())
    yield path
    editor.close(path)


def test_every_opened_file_gets_an_empty_list_at_once(editor: MemoryFileEditor) -> None:
    editor.open(editor.source, SOURCE)
    assert editor.pushed(editor.source) == []
    editor.change(editor.source, "x", 2)
    assert editor.pushed(editor.source) == []
    editor.close(editor.source)


def test_symbols_and_folds_are_those_of_memory_files(editor: MemoryFileEditor, page: Path) -> None:
    text = page.read_text()
    symbols = editor.ask("documentSymbol", page)
    # In the file's order: one write puts the newest first, a second write adds new ones at the end.
    lines = [line for line, said in enumerate(text.split("\n")) if "About " in said]
    assert [one["location"]["range"]["start"]["line"] for one in symbols] == lines
    assert {one["name"] for one in symbols} == {"About drop", "About keep"}
    assert symbols[0]["containerName"] == "project"
    line = lines[0]
    assert {"startLine": line - 2, "endLine": line + 1, "kind": "region"} in editor.ask("foldingRange", page)
    assert editor.ask("documentSymbol", editor.source) is None
    assert editor.ask("foldingRange", editor.source) is None
    assert editor.ask("formatting", editor.source, options={"tabSize": 4, "insertSpaces": True}) is None


def test_an_entry_that_is_being_reworded_is_called_what_it_says_now(editor: MemoryFileEditor, page: Path) -> None:
    editor.client.call("memory/record", {"content": "Deploy to staging with make deploy"})
    text = eventually(lambda: page.read_text() if "staging" in page.read_text() else None)
    editor.change(page, text.replace("staging", "production"), 2)
    names = [one["name"] for one in editor.ask("documentSymbol", page)]
    assert "Deploy to production with make deploy" in names
    assert not any("staging" in name for name in names)


def test_a_symbol_that_goes_is_told_and_mended(editor: MemoryFileEditor, page: Path) -> None:
    editor.pushed(page)
    editor.source.write_text(SOURCE.replace("drop", "lose"))
    editor.client.notify("workspace/didChangeWatchedFiles", {"changes": [{"uri": editor.source.as_uri(), "type": 2}]})
    (amiss,) = editor.pushed(page, "referenceMissing")
    assert amiss["message"] == "drop in src/a.py does not exist any more."
    line = page.read_text().split("\n")[amiss["range"]["start"]["line"]]
    assert line[amiss["range"]["start"]["character"] : amiss["range"]["end"]["character"]] == "src/a.py::drop"
    actions = editor.ask("codeAction", page, range=amiss["range"], context={"diagnostics": [amiss]})
    fixes = {str(one["title"]): one for one in actions if one["kind"] == "quickfix"}
    assert set(fixes) == {"It still holds: verify", "Archive this memory", "Remove this entry"}
    assert fixes["Archive this memory"]["diagnostics"] == [amiss]
    (edit,) = fixes["Remove this entry"]["edit"]["changes"][page.as_uri()]
    removed = range(edit["range"]["start"]["line"], edit["range"]["end"]["line"])
    assert [page.read_text().split("\n")[at] for at in removed] == [line]
    editor.source.write_text(SOURCE)
    editor.client.notify("workspace/didChangeWatchedFiles", {"changes": [{"uri": editor.source.as_uri(), "type": 2}]})
    assert editor.pushed(page) == []


def test_conflicts_and_entries_that_are_not_taken_in(editor: MemoryFileEditor, page: Path) -> None:
    text = page.read_text()
    editor.change(page, f"{text}<<<<<<< ours\n- a\n=======\n- b\n>>>>>>> theirs\n", 2)
    found = editor.pushed(page, "conflict", "conflict", "conflict")
    assert found[0]["severity"] == 1
    editor.change(page, f"{text}- **{'n' * 201}**: 😀 `src/gone.py` is the place\n", 3)
    found = editor.pushed(page, "refused", "referenceMissing")
    assert "not taken into memory" in found[0]["message"]
    assert found[1]["message"] == "src/gone.py does not exist in this workspace."
    start = found[1]["range"]["start"]["character"]
    line = f"- **{'n' * 201}**: 😀 `src/gone.py` is the place"
    assert start == len(line[: line.index("src/gone")].encode("utf-16-le")) // 2
    editor.change(page, text, 4)
    assert editor.pushed(page) == []


def test_completion_offers_sections_marks_and_paths(editor: MemoryFileEditor, page: Path) -> None:
    assert "Feedback & Patterns" in editor.complete(page, "## ", 2)
    assert {"decision", "pinned"} <= set(editor.complete(page, "- **A** *(pinned, de", 3))
    assert editor.complete(page, "- 漢字😀 see `src/", 4) == ["src/a.py"]
    assert editor.complete(page, "- see `src/a.py::k", 5) == ["src/a.py::keep"]
    assert editor.complete(page, "- nothing here", 6) == []


def test_formatting_sends_only_the_lines_that_differ(editor: MemoryFileEditor, page: Path) -> None:
    editor.change(page, "# Memory\n\n## Project Knowledge\n\n*  **A** : text\n\n\n- b\n", 2)
    edits = editor.ask("formatting", page, options={"tabSize": 4, "insertSpaces": True})
    lines = "# Memory\n\n## Project Knowledge\n\n*  **A** : text\n\n\n- b\n".split("\n")
    for edit in reversed(edits):
        start, end = edit["range"]["start"], edit["range"]["end"]
        assert start["character"] == end["character"] == 0
        lines[start["line"] : end["line"]] = edit["newText"].split("\n")[:-1]
    made = "\n".join(lines)
    assert made.startswith("# Memory\n\n## Project Knowledge\n\n- ")
    assert made.endswith("\n\n- b\n")


def test_hover_on_an_entry_tells_how_it_stands(editor: MemoryFileEditor, page: Path) -> None:
    line = next(at for at, one in enumerate(page.read_text().split("\n")) if "About keep" in one)
    answer = editor.ask("hover", page, position={"line": line, "character": 3})
    assert answer["contents"]["value"].startswith("Memory · project, project · recorded 20")
    assert editor.ask("hover", page, position=WHERE) is None


def test_pages_of_the_directory_form_pulled(tmp_path: Path) -> None:
    pulling = {
        "textDocument": {"diagnostic": {}, "documentSymbol": {}},
        "workspace": {"diagnostics": {"refreshSupport": True}},
    }
    made = MemoryFileEditor(tmp_path, "directory", pulling)
    made.client.ignore.add("workspace/diagnostic/refresh")
    folder = made.folder / ".agents/memory"
    with made.client:
        eventually(lambda: folder.is_dir() and len(list(folder.glob("*.md"))) == 2)
        (path,) = folder.glob("about-drop-*.md")
        assert made.ask("diagnostic", path) == {"kind": "full", "items": []}
        made.source.unlink()
        (amiss,) = made.ask("diagnostic", path)["items"]
        assert amiss["code"] == "referenceMissing"
        assert amiss["data"] == {"id": made.ids["drop"]}
        (symbol,) = made.ask("documentSymbol", path)
        assert symbol["name"] == "About drop"
        made.open(path, "no front matter")
        (amiss,) = made.ask("diagnostic", path)["items"]
        assert amiss["code"] == "unreadable"
        assert "category" not in made.complete(path, "---\nname: x\ntype: ", 2)
        assert made.complete(path, "---\nname: x\ntype: ", 3) == ["project", "feedback", "reference", "user"]
        assert "category: " in made.complete(path, "---\nname: x\ncat", 4)
