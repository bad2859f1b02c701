"""Milliseconds of what editors ask, over stdio: `python tests/bench/editor_latency.py [--memories N] [--lines N]`.

A real server, 5,000 memories and a Python file of 3,000 lines that is open in the client; one memory in twenty names a
symbol of the file. `typed`: the text was changed right before, so that its outline is made anew. `recorded`: another
memory was recorded right before.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from tests.client.json_value import Json  # noqa: E402
from tests.client.stdio_client import StdioClient  # noqa: E402

CALLS = 100
CAPABILITIES: dict[str, object] = {
    "textDocument": {
        "hover": {"contentFormat": ["markdown"]},
        "codeLens": {},
        "codeAction": {"codeActionLiteralSupport": {"codeActionKind": {"valueSet": []}}},
        "documentSymbol": {"hierarchicalDocumentSymbolSupport": True},
        "foldingRange": {},
        "completion": {},
        "formatting": {},
        "diagnostic": {},
    },
    "workspace": {"symbol": {}, "diagnostics": {"refreshSupport": True}},
}
NOISE = ["memory/didChange", "file/didInvalidate", "window/logMessage", "textDocument/publishDiagnostics"]


class Bench:
    """A workspace, its server, and the file in question."""

    def __init__(self, root: Path, lines: int, memories: int) -> None:
        folder = root / "work"
        folder.mkdir()
        subprocess.run(["git", "init", "-q", str(folder)], check=True)
        functions = lines // 6
        self.text = "".join(
            f'def step_{n}(value: int) -> int:\n    """Step {n}."""\n    total = value + {n}\n'
            f"    if total > {n}:\n        total -= 1\n    return total\n"
            for n in range(functions)
        )
        self.source = folder / "steps.py"
        self.source.write_text(self.text)
        (folder / "other.py").write_text("def use(value):\n    return step_1(value)\n")
        self.page = folder / ".agents/MEMORY.md"
        home = {"HOME": str(root), "XDG_DATA_HOME": f"{root}/d", "XDG_STATE_HOME": f"{root}/s"}
        self.client = StdioClient(cwd=folder, env=home, ignore=[*NOISE, "workspace/diagnostic/refresh"])
        self.client.initialize(folder, capabilities=CAPABILITIES)
        for number in range(memories):
            about = f"`steps.py::step_{number % functions}`" if number % 20 == 0 else f"topic {number * 7919}"
            content = f"{about}: what was found out number {number} about rounding and retries."
            self.client.start("memory/record", {"content": content})
        self.client.call("sidecar/status", timeout=600)
        self.client.reader.messages.clear()
        item = {"uri": self.source.as_uri(), "languageId": "python", "version": 1, "text": self.text}
        self.client.notify("textDocument/didOpen", {"textDocument": item})
        self.version = 1

    def ask(self, method: str, path: Path | None = None, **more: Any) -> Json:
        uri = (path or self.source).as_uri()
        return self.client.call(f"textDocument/{method}", {"textDocument": {"uri": uri}, **more})

    def typed(self) -> None:
        self.version += 1
        where = {"line": 0, "character": 0}
        change = {"range": {"start": where, "end": where}, "text": "# typed\n"}
        document = {"uri": self.source.as_uri(), "version": self.version}
        self.client.notify("textDocument/didChange", {"textDocument": document, "contentChanges": [change]})

    def recorded(self) -> None:
        self.version += 1
        self.client.call("memory/record", {"content": f"One more thing, number {self.version}."})


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--lines", type=int, default=3_000)
    parser.add_argument("--memories", type=int, default=5_000)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        bench = Bench(Path(folder), given.lines, given.memories)
        with bench.client:
            _table(bench, given.lines)


def _table(bench: Bench, lines: int) -> None:
    named, local = {"line": 0, "character": 6}, {"line": 2, "character": 6}
    middle = {"line": lines // 2, "character": 4}
    whole = {"start": middle, "end": {"line": lines // 2 + 5, "character": 0}}
    context: dict[str, object] = {"diagnostics": []}
    cases: list[tuple[str, Callable[[], Any]]] = [
        ("hover, a symbol with memories", lambda: bench.ask("hover", position=named)),
        ("hover, a word that nothing is known of", lambda: bench.ask("hover", position=local)),
        ("codeLens", lambda: bench.ask("codeLens")),
        ("codeAction", lambda: bench.ask("codeAction", range=whole, context=context)),
        ("workspace/symbol", lambda: bench.client.call("workspace/symbol", {"query": "rounding"})),
        ("diagnostic, a source file", lambda: bench.ask("diagnostic")),
        ("diagnostic, MEMORY.md", lambda: bench.ask("diagnostic", bench.page)),
        ("documentSymbol, MEMORY.md", lambda: bench.ask("documentSymbol", bench.page)),
        ("hover, MEMORY.md", lambda: bench.ask("hover", bench.page, position={"line": 8, "character": 4})),
    ]
    before: list[tuple[str, Callable[[], None]]] = [
        ("", lambda: None),
        ("typed", bench.typed),
        ("recorded", bench.recorded),
    ]
    print(f"{'':44}{'first':>9}{'p50':>9}{'p99':>9}  ms")
    for what, prepare in before:
        for name, ask in cases:
            times = []
            for _ in range(CALLS if not what else CALLS // 4):
                prepare()
                started = time.perf_counter()
                ask()
                times.append((time.perf_counter() - started) * 1e3)
            first, ordered = times[0], sorted(times)
            label = f"{name}{', ' if what else ''}{what}"
            print(
                f"{label:44}{first:9.2f}{ordered[len(ordered) // 2]:9.2f}{ordered[int(len(ordered) * 0.99) - 1]:9.2f}"
            )


if __name__ == "__main__":
    main()
