"""Record one exchange a method with a real server, for the protocol page: `python -m tests.protocol.examples`.

Writes `protocol/examples.json`. Ids, hashes and times differ from run to run, so that they are only recorded when the
contract has changed; a test holds what is there against the structs.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import msgspec

from protocol.client import Client
from protocol.methods import METHODS
from tests.client.json_value import Json

HERE = Path(__file__).resolve()
TARGET = HERE.parents[2] / "protocol" / "examples.json"
MAX_TEXT, MAX_ITEMS = 240, 2
SOURCE = '''"""What a customer wants to buy."""


class Cart:
    """Holds items until they are paid."""

    def add(self, sku: str) -> None:
        """Add one item."""
        self.items.append(sku)
'''


class Recorder:
    """A client whose exchanges are kept, one a method."""

    def __init__(self, client: Client, folder: Path) -> None:
        self.client = client
        self.folder = str(folder)
        self.found: dict[str, dict[str, Any]] = {}

    def ask(self, method: str, **params: Any) -> Any:
        row = METHODS[method]
        if row.result is None:
            self.client.notify(method, params)
            self.keep(method, params)
            return None
        result = self.client.request(method, params, Any)
        msgspec.convert(result, row.result)  # fails when the example would not hold
        self.keep(method, params, result)
        return result

    def keep(self, method: str, params: Any, result: object = None) -> None:
        if method not in self.found:
            self.found[method] = self._short(
                {"params": params} if result is None else {"params": params, "result": result}
            )

    def _short(self, value: Any) -> Any:
        if isinstance(value, str):
            text = value.replace(self.folder, "/home/me/shop")
            text = re.sub(r"/[^ ]*/store/", "/home/me/.local/share/memory-sidecar/", text)
            return text if len(text) <= MAX_TEXT else f"{text[:MAX_TEXT]}…"
        if isinstance(value, list):
            return [self._short(each) for each in value[:MAX_ITEMS]]
        if isinstance(value, dict):
            return {key: self._short(each) for key, each in value.items()}
        return value


def record() -> dict[str, dict[str, Json]]:
    """Play a session in a new repository, and return an exchange for each method."""
    with tempfile.TemporaryDirectory() as room:
        folder = Path(room).resolve() / "shop"
        (folder / "src").mkdir(parents=True)
        (folder / "src" / "cart.py").write_text(SOURCE)
        (folder / "README.md").write_text("# Shop\n\nA shop in one file.\n")
        commit = "git init -q . && git add . && git -c user.name=me -c user.email=me@example.org commit -qm first"
        subprocess.run(commit, shell=True, cwd=folder, check=True)
        environ = {
            **os.environ,
            "HOME": room,
            "XDG_RUNTIME_DIR": room,
            "MEMORY_SIDECAR_STORE_FOLDER": f"{room}/store",
            "MEMORY_SIDECAR_LOG_FILE": f"{room}/log",
        }
        command = [sys.executable, "-P", "-m", "sidecar", "serve"]
        with Client(command, {**environ, "PYTHONPATH": str(HERE.parents[2])}, cwd=folder) as client:
            client.initialize([folder])
            recorder = Recorder(client, folder)
            _play(recorder, folder)
    missing = set(METHODS) - set(recorder.found)
    assert not missing, missing
    return {name: recorder.found[name] for name in METHODS}


def _play(r: Recorder, folder: Path) -> None:
    r.ask("session/start", sessionId="s1", workingOn="the cart", agent="example")
    r.ask("session/heartbeat", sessionId="s1")
    r.ask("session/claim", sessionId="s1", item="src/cart.py")
    text = "`Cart.add` does not check the stock; call `Stock.reserve` first."
    fact = r.ask("memory/record", content=text, category="fact", files=["src/cart.py"], sessionId="s1")["memory"]["id"]
    other = r.ask("memory/record", content="Amounts are integers of cents.", category="decision")["memory"]["id"]
    blocker = r.ask("memory/record", content="#12: the sandbox is down.", category="blocker")["memory"]["id"]
    mine = r.ask("memory/record", content="Run the tests with `make check`.", type="user")["memory"]["id"]
    r.client.wait("memory/didChange")
    r.ask("memory/search", query="what checks the stock", limit=3)
    r.ask("memory/inject", prompt="add an item to the cart", sessionId="s1", budgetTokens=600)
    r.ask("memory/explain", id=fact, prompt="add an item to the cart")
    r.ask("memory/get", id=fact)
    r.ask("memory/list", categories=["fact"], limit=10)
    r.ask("memory/update", id=other, content="Amounts are integers of rappen.", expectedVersion=1)
    r.ask("memory/history", id=other)
    r.ask("memory/undo", id=other)
    r.ask("memory/redo", id=other)
    r.ask("memory/rate", id=fact, useful=True)
    r.ask("memory/link", **{"from": fact, "to": other, "kind": "related"})
    r.ask("memory/links", id=fact)
    r.ask("memory/verify", id=fact)
    r.ask("memory/promote", id=mine, scope="global")
    r.ask("memory/archive", id=other, reason="no longer so")
    r.ask("memory/restore", id=other)
    r.ask("context/boot", sessionId="s1", budgetTokens=400)
    r.ask("context/entity", entity="#12")
    r.ask("memory/resolve", id=blocker)
    r.ask("memory/reopen", id=blocker)
    r.ask("context/close", entity="#12")
    r.ask("memory/maintain", dryRun=True)
    r.ask("memory/export", types=["user"])
    r.ask("memory/import", text="## Decisions\n\n- Use SQLite.\n", name="notes.md", dryRun=True)
    r.ask("memory/bootstrap", dryRun=True)
    r.ask("memory/stats", weeks=1)
    r.ask("memory/file")
    r.ask("file/summary", path="src/cart.py", sessionId="s1")
    r.ask("file/recordRead", path="src/cart.py", sessionId="s1")
    said = "`Cart.add` keeps duplicates: the same sku twice means two pieces."
    r.ask("file/observe", sessionId="s1", text=said, paths=["src/cart.py"])
    r.ask("file/handoff", sessionId="s1")
    r.ask("file/search", query="add an item to the cart", limit=3)
    r.ask("workspace/repoMap", budgetTokens=200)
    r.ask("event/toolCall", sessionId="s1", tool="bash", input={"command": "pytest"}, callId="c1")
    r.ask("event/toolResult", sessionId="s1", tool="bash", output="1 passed", exitCode=0, callId="c1")
    r.ask("event/reasoning", sessionId="s1", text="The cart keeps duplicates.")
    r.ask(
        "event/compaction",
        sessionId="s1",
        summary="## Memory Candidates\n- **Cart** (project, project): It is small.\n"
        "- **Shop** (project, project): It sells shoes.",
    )
    r.ask("event/userMessage", sessionId="s1", text="Please keep the changelog up to date when you change the cart.")
    told = r.ask("memory/candidates", limit=5)["items"]
    for method, one in zip(("memory/confirm", "memory/reject"), told, strict=False):
        r.ask(method, id=one["id"])
    reminder = r.ask("reminder/set", text="renew the certificate", at="+1M", recurrence="monthly")["reminder"]["id"]
    r.ask("reminder/list")
    r.ask("reminder/advance", id=reminder)
    r.ask("reminder/clear", id=reminder)
    r.ask("session/list")
    r.ask("session/release", sessionId="s1", item="src/cart.py")
    r.ask("session/import", dryRun=True)
    r.ask("hooks/verify")
    r.ask("hooks/run", event="PreToolUse", tool="Bash", input={"command": "ls"})
    (folder / "src" / "cart.py").write_text(SOURCE.replace("Add one item.", "Add an item."))
    r.client.notify(
        "workspace/didChangeWatchedFiles", {"changes": [{"uri": f"{folder.as_uri()}/src/cart.py", "type": 2}]}
    )
    r.ask("memory/delete", id=other)
    r.ask("sidecar/status")
    r.ask("sidecar/metrics")
    r.ask("session/end", sessionId="s1", summary="Looked at the cart.")
    for name in ("memory/didChange", "file/didInvalidate"):
        told_one = r.client.wait(name)
        assert told_one is not None, name
        r.keep(name, msgspec.json.decode(told_one.params))


if __name__ == "__main__":
    TARGET.write_bytes(msgspec.json.format(msgspec.json.encode(record()), indent=1) + b"\n")
