"""Secrets sent through every door of a real process: no byte of its files or answers contains one."""

from __future__ import annotations

import json
import os
import re
import sqlite3
import subprocess
import sys
import time
import zlib
from collections import defaultdict
from collections.abc import Iterator
from functools import cached_property
from pathlib import Path

import pytest

from tests.bench.secret_planting import Planted, Planter
from tests.client.git import git
from tests.client.json_value import Json
from tests.client.line_client import LineClient
from tests.client.stdio_client import StdioClient
from tests.conftest import Spawn

pytestmark = [pytest.mark.slow, pytest.mark.long]

QUIET = ("window/logMessage", "textDocument/publishDiagnostics", "memory/didChange", "file/didInvalidate", "$/progress")
START = 8
"""Characters by which a half of a key is looked up; shorter halves are not looked for."""
PIECE = 1 << 16
_STREAM = re.compile(rb"\x78[\x01\x5e\x9c\xda]")


class Doors:
    """The planted secrets by door; each door has its own keys, so that a leak shows where it came in."""

    def __init__(self) -> None:
        self.planted: dict[str, list[tuple[str, str]]] = {}

    def texts(self, door: str, *, lines: bool = False, every: int = 1) -> list[str]:
        """Return a text of every kind, or of every n-th; `lines`: without private keys, which fit no line."""
        planter = Planter(len(self.planted) + 500)
        first = len(self.planted) % every
        made: dict[str, Planted] = {kind: make() for kind, make in list(planter.kinds.items())[first::every]}
        chosen = {kind: planted for kind, planted in made.items() if not lines or "\n" not in planted.text}
        self.planted[door] = [(kind, planted.key) for kind, planted in chosen.items()]
        return [planted.text for planted in chosen.values()]

    @cached_property
    def halves(self) -> dict[str, list[tuple[str, tuple[str, str]]]]:
        """Each half of a key by its first characters, with its (door, kind); asked for once all is planted."""
        found: dict[str, list[tuple[str, tuple[str, str]]]] = defaultdict(list)
        for door, keys in self.planted.items():
            for kind, key in keys:
                solid = key.split("\n")[1] if "\n" in key else key
                middle = len(solid) // 2
                for half in (solid[:middle], solid[middle:]):
                    if len(half) >= START:
                        found[half[:START]].append((half, (door, kind)))
        return found

    def leaks(self, data: bytes) -> Iterator[tuple[str, str]]:
        """Yield (door, kind) of each secret whose key, or half of it, is there.

        Thousands of halves are looked for in megabytes: only those whose first characters occur at all.
        """
        text = data.decode("utf-8", "replace")
        for begin in range(0, len(text), PIECE):
            piece = text[begin : begin + PIECE + START - 1]
            starts = {piece[at : at + START] for at in range(len(piece) - START + 1)}
            for start in self.halves.keys() & starts:
                yield from (about for half, about in self.halves[start] if half in text)


def contents(path: Path) -> Iterator[bytes]:
    """Yield the bytes of a file and of everything compressed in it."""
    if path.suffix == ".db":
        with sqlite3.connect(f"file:{path}?mode=ro", uri=True) as db:
            for (name,) in db.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall():
                try:
                    rows = db.execute(f'SELECT * FROM "{name}"').fetchall()
                except sqlite3.Error:
                    continue
                for value in (value for row in rows for value in row):
                    yield from _unpacked(value if isinstance(value, bytes) else str(value).encode())
    yield from _unpacked(path.read_bytes())


def _unpacked(data: bytes) -> Iterator[bytes]:
    yield data
    rest = memoryview(data)
    for match in _STREAM.finditer(data):
        try:
            yield zlib.decompressobj().decompress(rest[match.start() :])
        except zlib.error:
            continue


def _project(folder: Path, doors: Doors) -> None:
    """Write source files, documents and data with a secret of each kind."""
    for name, form in (
        ("config.py", "def connect_{0}(host, note={1}):\n    '''Connects. {2}'''\n    return {1}\n\n\n"),
        ("config.ts", "/** Connects. {2} */\nexport function connect{0}(note = {1}) {{ return {1}; }}\n"),
        ("Config.java", "class Config{0} {{ static final String NOTE_{0} = {1}; /* {2} */ }}\n"),
        ("config.go", "// Note{0} is {2}\nconst Note{0} = {1}\n"),
    ):
        texts = doors.texts(f"file {name}", lines=True)
        folder.joinpath(name).write_text(
            "\n".join(
                form.format(at, json.dumps(text), text.replace("*/", "").replace("'''", ""))
                for at, text in enumerate(texts)
            )
        )
    for name, joint in (
        ("notes.md", "\n\n"),
        ("deploy.sh", "\n"),
        (".env", "\n"),
        ("data.txt", "\n\n"),
        ("all.yaml", "\n"),
    ):
        folder.joinpath(name).write_text(joint.join(doors.texts(f"file {name}", lines=True)) + "\n")
    rows = [{"note": text} for text in doors.texts("file data.json", lines=True)]
    folder.joinpath("data.json").write_text(json.dumps(rows, indent=1))


def _imports(folder: Path, doors: Doors) -> list[str]:
    """Write files of every format."""
    made: dict[str, str] = {}

    def page(door: str) -> str:
        return "\n\n".join(f"- {text}" for text in doors.texts(door, lines=True))

    made[".opencode/memory/a.md"] = f"---\nname: a\ntype: decision\n---\n{page('import opencode')}\n"
    made[".serena/memories/a.md"] = page("import serena")
    made["claude/a.md"] = f"---\nname: a\nmetadata:\n  type: project\n---\n{page('import claude')}\n"
    made["AGENTS.md"] = f"## Notes\n\n{page('import markdown')}\n"
    texts = doors.texts("import mcp", lines=True)
    made["memory.jsonl"] = json.dumps({"type": "entity", "name": "Server", "entityType": "host", "observations": texts})
    found = [{"content": text, "category": "fact"} for text in doors.texts("import semantic", lines=True)]
    made["semantic.json"] = json.dumps({"version": "1.0", "exported_at": "2026-01-01", "memories": found})
    lines = [
        {"path": "config.py", "facets": [f"`connect_1` wants {text} here, always and everywhere."]}
        for text in doors.texts("import prism", lines=True)
    ]
    made["file-history/a.jsonl"] = "\n".join(map(json.dumps, lines))
    for name, text in made.items():
        path = folder / "in" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return [f"in/{name}" for name in made]


@pytest.mark.timeout(1_800)  # less than a minute of work, on a machine that may be busy
def test_no_door_lets_a_secret_in(spawn: Spawn, tmp_path: Path) -> None:
    doors = Doors()
    folder = tmp_path / "project"
    folder.mkdir()
    _project(folder, doors)
    imports = _imports(folder, doors)
    _commits(folder, doors)
    with (tmp_path / "stderr.txt").open("wb") as sink:
        client = spawn(cwd=folder, ignore=QUIET, stderr=sink)
        client.initialize(folder, options={"log": {"level": "debug"}})
        asking = Asking(client)
        _record(asking, doors, imports)
        _hold_sessions(asking, doors)
        _talk(client, doors)
        _ask_with_secrets(asking, doors)
        _read_everything(asking, folder)
        client.close()
    leaks: dict[tuple[str, str], str] = {}
    for answer in [*asking.answers, *_commands(folder, tmp_path / "home", doors)]:
        leaks.update(dict.fromkeys(doors.leaks(answer), "an answer"))
    for file in (file for file in tmp_path.rglob("*") if file.is_file() and not _given(file, tmp_path)):
        for data in contents(file):
            leaks.update(dict.fromkeys(doors.leaks(data), str(file.relative_to(tmp_path))))
    planted = sum(map(len, doors.planted.values()))
    key = doors.planted["record"][0][1]
    assert ("record", doors.planted["record"][0][0]) in doors.leaks(f"told {key} aloud".encode()), "what leaks is found"
    shown = "\n".join(f"{door}: {kind}, in {where}" for (door, kind), where in sorted(leaks.items()))
    (tmp_path / "leaks.txt").write_text(shown)
    if out := os.environ.get("SECRET_DOORS_OUT"):
        Path(out).write_text(f"{len(leaks)} of {planted} through {len(doors.planted)} doors\n{shown}\n")
    assert len(doors.planted) >= 25
    assert not [where for where in leaks.values() if where != "an answer"], shown
    assert len(leaks) <= planted * 0.01, shown  # returned to whoever asked


def _commits(folder: Path, doors: Doors) -> None:
    """Commit the project, with secrets in the messages."""
    git(folder, "init", "-q")
    git(folder, "add", ".")
    for text in doors.texts("commit", lines=True, every=8):
        git(folder, "commit", "-qm", f"Change config\n\n{text}", "--allow-empty")


class Asking:
    """Asks a server, and keeps the bytes of its answers."""

    def __init__(self, client: StdioClient) -> None:
        self._client = client
        self.answers: list[bytes] = []

    def __call__(self, method: str, params: dict[str, object]) -> Json:
        answer = self._client.response(self._client.start(method, params))
        self.answers.append(json.dumps(answer, ensure_ascii=False).encode())
        return answer.get("result")


def _record(ask: Asking, doors: Doors, imports: list[str]) -> None:
    """Record, change and import memories."""
    ids = [ask("memory/record", {"content": text})["memory"]["id"] for text in doors.texts("record")]
    for id, text in zip(ids, doors.texts("update"), strict=True):
        ask("memory/update", {"id": id, "content": text, "description": text[:900]})
    for path in imports:
        ask("memory/import", {"path": path})
    ask("memory/import", {"text": "\n\n".join(doors.texts("import text")), "name": "notes"})


def _hold_sessions(ask: Asking, doors: Doors) -> None:
    """Say of sessions what they work on, claim, are reminded of and have done."""
    for at, text in enumerate(doors.texts("session", lines=True, every=4)):
        agent = text if len(text) < 90 else "none"
        ask("session/start", {"sessionId": f"s{at}", "workingOn": text[:1_000], "agent": agent})
        ask("session/claim", {"sessionId": f"s{at}", "item": text})
        ask("reminder/set", {"text": text, "at": "+2h"})
        ask("session/end", {"sessionId": f"s{at}", "summary": text})


def _ask_with_secrets(ask: Asking, doors: Doors) -> None:
    """Observe facts and ask questions that have secrets in them."""
    for text in doors.texts("observe", lines=True, every=3):
        said = f"`connect_1` must be called with {text} because the host of the team refuses all else."
        ask("file/observe", {"sessionId": "t", "text": said, "paths": ["config.py"]})
    for text in doors.texts("query", lines=True, every=4):
        ask("memory/search", {"query": text})
        ask("memory/inject", {"prompt": text, "sessionId": "t"})
        ask("memory/get", {"id": text})
    ask("session/end", {"sessionId": "t"})


def _read_everything(ask: Asking, folder: Path) -> None:
    """Ask for all that is told of files and memories."""
    names = [path.name for path in folder.iterdir() if path.is_file()]
    for name in names:
        ask("file/summary", {"path": name})
        ask("file/summary", {"path": name, "intent": "edit"})
        uri = {"uri": (folder / name).as_uri()}
        ask("textDocument/documentSymbol", {"textDocument": uri})
        for line in range(0, 40, 10):
            ask("textDocument/hover", {"textDocument": uri, "position": {"line": line, "character": 10}})
    ask("file/handoff", {"sessionId": "t"})
    for focus in ([], names[:4]):
        ask("workspace/repoMap", {"budgetTokens": 60_000, "files": focus})
    ask("file/search", {"query": "connect host note password token secret config"})
    for method in ("context/boot", "memory/list", "memory/candidates", "memory/export", "sidecar/status"):
        ask(method, {})
    ask("memory/bootstrap", {})
    ask("memory/maintain", {})


def _given(path: Path, root: Path) -> bool:
    """Return True if the test itself wrote the file; everything else in the project is the process's."""
    parts = path.relative_to(root).parts
    return (parts[0] == "project" and parts[1:2] != (".agents",)) or parts[0] == "leaks.txt"


def _talk(client: StdioClient, doors: Doors) -> None:
    """Send what an agent reports about its session."""
    for at, text in enumerate(doors.texts("user's words", lines=True)):
        client.notify("event/userMessage", {"sessionId": "t", "text": f"From now on, always use this: {text}"})
        if at % 10 == 0:
            client.response(client.start("file/recordRead", {"sessionId": "t", "path": "config.py"}))
    for text in doors.texts("reasoning", lines=True):
        client.notify(
            "event/reasoning",
            {"sessionId": "t", "text": f"We decided that `connect_1` uses {text}, since all else failed for us today."},
        )
    for at, text in enumerate(doors.texts("commands", lines=True)):
        call = {"sessionId": "t", "tool": "bash", "callId": str(at), "input": {"command": f"deploy {text}"}}
        client.notify("event/toolCall", call)
        client.notify("event/toolResult", {**call, "output": f"error: refused {text}", "exitCode": at % 2})
    found = "\n".join(
        f"- **Fact {at}** (project): {text}" for at, text in enumerate(doors.texts("compaction", lines=True))
    )
    client.notify("event/compaction", {"sessionId": "t", "summary": f"## Memory Candidates\n{found}\n"})


def _commands(folder: Path, home: Path, doors: Doors) -> list[bytes]:
    """Use the command line, hooks with a transcript, and MCP."""
    environ = {
        **os.environ,
        "HOME": str(home),
        **{f"XDG_{name}_HOME": str(home / name.lower()) for name in ("DATA", "CONFIG", "STATE", "CACHE")},
    }
    outputs: list[bytes] = []

    def run(*arguments: str, given: str = "") -> None:
        done = subprocess.run(
            [sys.executable, "-P", "-m", "sidecar", *arguments],
            cwd=folder,
            env={**environ, "PYTHONPATH": str(Path(__file__).parents[2])},
            input=given.encode(),
            capture_output=True,
            check=False,
        )
        outputs.extend((done.stdout, done.stderr))

    run("record", "--", "Notes of today.\n\n" + "\n\n".join(doors.texts("command record", lines=True)))
    run("search", "--", " ".join(doors.texts("command search", lines=True))[:3_000])
    transcript = home / "transcript.jsonl"
    spoken = [
        {
            "type": kind,
            "message": {"role": kind, "content": [{"type": "text", "text": f"From now on, always use {text}"}]},
        }
        for kind in ("user", "assistant")
        for text in doors.texts(f"transcript {kind}", lines=True)
    ]
    transcript.write_text("\n".join(map(json.dumps, spoken)))
    about = {"session_id": "h", "cwd": str(folder), "transcript_path": str(transcript)}
    prompt = "\n".join(doors.texts("hook prompt", lines=True))
    run("hook", given=json.dumps({**about, "hook_event_name": "SessionStart", "source": "startup"}))
    run("hook", given=json.dumps({**about, "hook_event_name": "UserPromptSubmit", "prompt": f"Always do:\n{prompt}"}))
    for text in doors.texts("hook commands", lines=True, every=12):
        event = {"hook_event_name": "PostToolUse", "tool_name": "Bash", "tool_input": {"command": f"deploy {text}"}}
        run("hook", given=json.dumps({**about, **event, "tool_response": {"stdout": text, "stderr": text}}))
    for name in ("Stop", "PreCompact", "SessionEnd"):
        run("hook", given=json.dumps({**about, "hook_event_name": name}))
    time.sleep(2)
    transcript.unlink()
    mcp = LineClient(folder, home)
    mcp.hello()
    for text in doors.texts("mcp", lines=True, every=4):
        for tool, given in (("remember", {"content": text}), ("recall", {"query": text})):
            outputs.append(json.dumps(mcp.tool(tool, **given)).encode())
    mcp.close()
    run("list", "--json")
    run("maintain")
    run("export", "--output", str(home / "export.jsonl"))
    run("status", "--json")
    return outputs
