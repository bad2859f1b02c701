"""Columns after emoji and CJK, in each encoding, for every feature that takes or returns a position."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.client.json_value import Json
from tests.client.stdio_client import StdioClient

CODECS = {"utf-8": ("utf-8", 1), "utf-16": ("utf-16-le", 2), "utf-32": ("utf-32-le", 4)}
LINE = "値 = '漢字😀👩‍💻'; run = 1  # run"
SOURCE = f"def run():\n    return 1\n\n\n{LINE}\n"
ENTRY = "- **名前😀** *(fact)*: 漢字👩‍💻 `src/gone.py` と `src/x.py::run` を見る"
PAGE = f"# Memory\n\n## Project Knowledge\n\n{ENTRY}\n"
FULL: dict[str, object] = {
    "textDocument": {
        "hover": {"contentFormat": ["plaintext"]},
        "codeAction": {"codeActionLiteralSupport": {"codeActionKind": {"valueSet": []}}},
        "documentSymbol": {"hierarchicalDocumentSymbolSupport": True},
        "diagnostic": {},
    },
    "workspace": {"diagnostics": {"refreshSupport": True}},
}
NOISE = ["memory/didChange", "file/didInvalidate", "window/logMessage", "textDocument/publishDiagnostics"]


class Counting:
    """A client that counts columns in one encoding."""

    def __init__(self, client: StdioClient, folder: Path, encoding: str) -> None:
        self.client = client
        self.source, self.page = folder / "src/x.py", folder / ".agents/MEMORY.md"
        self._codec, self._unit = CODECS[encoding]
        self._version = 1

    def column(self, line: str, index: int) -> int:
        return len(line[:index].encode(self._codec)) // self._unit

    def index(self, line: str, column: int) -> int:
        return len(line.encode(self._codec)[: column * self._unit].decode(self._codec))

    def cut(self, line: str, where: Json) -> str:
        """Return the text of a range within one line."""
        assert where["start"]["line"] == where["end"]["line"]
        return line[
            self.index(line, int(where["start"]["character"])) : self.index(line, int(where["end"]["character"]))
        ]

    def place(self, text: str, what: str, *, last: bool = False) -> dict[str, int]:
        """Return where a text begins, as the client counts."""
        offset = text.rindex(what) if last else text.index(what)
        lines = text[:offset].split("\n")
        return {"line": len(lines) - 1, "character": self.column(text.split("\n")[len(lines) - 1], len(lines[-1]))}

    def ask(self, method: str, path: Path, **more: object) -> Json:
        return self.client.call(f"textDocument/{method}", {"textDocument": {"uri": path.as_uri()}, **more})

    def open(self, path: Path, text: str) -> None:
        item = {"uri": path.as_uri(), "languageId": "x", "version": self._version, "text": text}
        self.client.notify("textDocument/didOpen", {"textDocument": item})

    def edit(self, path: Path, start: dict[str, int], end: dict[str, int], text: str) -> None:
        self._version += 1
        change = {"range": {"start": start, "end": end}, "text": text}
        document = {"uri": path.as_uri(), "version": self._version}
        self.client.notify("textDocument/didChange", {"textDocument": document, "contentChanges": [change]})


@pytest.fixture(scope="module", params=CODECS)
def counting(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Counting]:
    root = tmp_path_factory.mktemp("encodings")
    folder = root / "work"
    (folder / "src").mkdir(parents=True)
    (folder / "src/x.py").write_text(SOURCE)
    subprocess.run(["git", "init", "-q", str(folder)], check=True)
    env = {name: str(root / name) for name in ("HOME", "XDG_DATA_HOME", "XDG_STATE_HOME", "XDG_CONFIG_HOME")}
    noise = [*NOISE, "workspace/diagnostic/refresh"]
    with StdioClient(cwd=folder, env=env, ignore=noise) as client:
        general = {"positionEncodings": [request.param]}
        offered = client.initialize(folder, capabilities={**FULL, "general": general})["capabilities"]
        assert offered["positionEncoding"] == request.param
        client.call("memory/record", {"content": "`src/x.py::run` is 😀 safe.", "name": "Safe"})
        yield Counting(client, folder, request.param)


def test_hover_takes_and_gives_columns_of_the_encoding(counting: Counting) -> None:
    counting.open(counting.source, SOURCE)
    at = counting.place(SOURCE, "run = 1")
    hover = counting.ask("hover", counting.source, position=at)
    assert counting.cut(LINE, hover["range"]) == "run"
    assert hover["range"]["start"] == at
    assert counting.ask("hover", counting.source, position=counting.place(SOURCE, "漢字")) is None


def test_a_change_behind_them_is_made_where_the_client_means(counting: Counting) -> None:
    counting.open(counting.source, SOURCE)
    start, end = counting.place(SOURCE, "run = 1"), counting.place(SOURCE, " = 1", last=True)
    counting.edit(counting.source, start, end, "漢😀run2")
    moved = SOURCE.replace("run = 1", "漢😀run2 = 1")
    at = counting.place(moved, "run", last=True)
    hover = counting.ask("hover", counting.source, position=at)
    assert counting.cut(moved.split("\n")[4], hover["range"]) == "run"
    assert counting.ask("hover", counting.source, position=counting.place(moved, "2 = 1")) is None


def test_a_selection_is_what_was_selected(counting: Counting) -> None:
    counting.open(counting.source, SOURCE)
    where = {"start": counting.place(SOURCE, "字😀"), "end": counting.place(SOURCE, "'; run")}
    actions = counting.ask("codeAction", counting.source, range=where, context={"diagnostics": []})
    (selection,) = [action for action in actions if action["title"] == "Remember the selection"]
    assert selection["command"]["arguments"][0]["content"].split("\n")[3] == "字😀👩‍💻"


def test_symbols_diagnostics_and_completion_of_the_memory_file(counting: Counting) -> None:
    counting.open(counting.page, PAGE)
    (section,) = [one for one in counting.ask("documentSymbol", counting.page) if one.get("children")]
    (symbol,) = section["children"]
    assert symbol["name"] == "名前😀"
    assert counting.cut(ENTRY, symbol["range"]) == ENTRY
    (missing,) = counting.ask("diagnostic", counting.page)["items"]
    assert missing["code"] == "referenceMissing"
    assert counting.cut(ENTRY, missing["range"]) == "src/gone.py"
    at = counting.place(PAGE, "` を")
    (item,) = counting.ask("completion", counting.page, position=at)["items"]
    assert item["label"] == "src/x.py::run"
    assert counting.cut(ENTRY, item["textEdit"]["range"]) == "src/x.py::run"


def test_formatting_covers_whole_lines(counting: Counting) -> None:
    rough = PAGE.replace(ENTRY, f"*   {ENTRY[2:]}   ")
    counting.open(counting.page, rough)
    options = {"tabSize": 4, "insertSpaces": True}
    (edit,) = counting.ask("formatting", counting.page, options=options)
    assert edit["range"] == {"start": {"line": 4, "character": 0}, "end": {"line": 5, "character": 0}}
    assert edit["newText"] == f"{ENTRY}\n"
