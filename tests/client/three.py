"""Editors and an agent on one workspace, each a process of its own, as far as they are driven over plain stdio."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TypeVar

from tests.client.json_value import Json
from tests.client.line_client import LineClient
from tests.client.stdio_client import StdioClient

DATA = Path(__file__).resolve().parents[1] / "lsp/data/editors.json"
SECONDS = 120.0

T = TypeVar("T")


class FollowingEditor:
    """An editor that answers what it is asked, and looks again whenever it is told that something has changed.

    It never asks by itself: what it shows is what it looked at after it was told. `plugin`: it has ours, which follows
    `memory/didChange`; without it only what the protocol's own refreshes bring is seen.
    """

    def __init__(self, name: str, folder: Path, env: Mapping[str, str], *, plugin: bool = True) -> None:
        capabilities = json.loads(DATA.read_text())[name]["capabilities"]
        if plugin:
            capabilities["experimental"] = {"memorySidecar": {"didChange": True}}
        watched = capabilities["workspace"].get("didChangeWatchedFiles", {})
        self.watches = bool(watched.get("dynamicRegistration"))
        self.folder = folder
        self.told: list[tuple[float, str, Json]] = []
        self._lock = threading.Lock()
        self._versions: dict[Path, int] = {}
        self.client = StdioClient(cwd=folder, env=env)
        self.client.initialize(folder, capabilities=capabilities)
        self._alive = True
        self._pump = threading.Thread(target=self._answer, daemon=True)
        self._pump.start()

    def _answer(self) -> None:
        """Take what the server says by itself as it comes, with the time; answer its requests."""
        reader = self.client.reader
        while self._alive and not reader.ended:
            with reader.changed:
                found = [message for message in reader.messages if "method" in message]
                for one in found:
                    reader.messages.remove(one)
                if not found:
                    reader.changed.wait(0.2)
                    continue
            now = time.monotonic()
            for one in found:
                with self._lock:
                    self.told.append((now, str(one["method"]), one.get("params")))
                if "id" in one:
                    items = one.get("params", {}).get("items", [])
                    self.client.reply(one, [None for _ in items] if "configuration" in one["method"] else None)

    def call(self, method: str, params: object = None) -> Json:
        return self.client.call(method, params, SECONDS)

    def open(self, name: str) -> None:
        path = self.folder / name
        item = {"uri": path.as_uri(), "languageId": "x", "version": 0, "text": path.read_text()}
        self.client.notify("textDocument/didOpen", {"textDocument": item})

    def wrote(self, name: str) -> None:
        """What an editor that watches files says when one was written."""
        if self.watches:
            change = {"uri": (self.folder / name).as_uri(), "type": 2}
            self.client.notify("workspace/didChangeWatchedFiles", {"changes": [change]})

    def lenses(self, name: str) -> list[str]:
        """Empty, too, where the server has nothing to say yet."""
        document = {"textDocument": {"uri": (self.folder / name).as_uri()}}
        return [str(one["command"]["title"]) for one in self.call("textDocument/codeLens", document) or ()]

    def notices(self, *methods: str) -> list[tuple[float, str, Json]]:
        """What it was told, so far, by these methods."""
        with self._lock:
            return [one for one in self.told if one[1] in methods]

    def forget(self) -> None:
        with self._lock:
            self.told.clear()

    def until(self, fact: Callable[[], T | None], what: str) -> T:
        """Look after each notice only: nothing that was not told of is found."""
        deadline, looked = time.monotonic() + SECONDS, -1
        while True:
            with self._lock:
                count = sum(one[1] in TELLING for one in self.told)
            if count != looked:
                looked = count
                if looked and (found := fact()):
                    return found
            assert time.monotonic() < deadline, (what, self.told[-5:])
            time.sleep(0.01)

    def shows(self, name: str, fact: Callable[[list[str]], bool], what: str) -> None:
        """Wait until the lenses of a file are so."""
        self.until(lambda: fact(self.lenses(name)), what)

    def told_of(self, id: str, *changes: str) -> tuple[float, str]:
        """When it was told that this memory changed, and how; `?` when it was told to look at everything anew.

        `changes`: what of it is waited for. One of before may be told once more.
        """
        deadline = time.monotonic() + SECONDS
        while True:
            for at, _, params in self.notices("memory/didChange"):
                for change in params["changes"]:
                    if change["id"] == id and (not changes or change["change"] in changes):
                        return at, str(change["change"])
                if not params["changes"]:
                    return at, "?"
            assert time.monotonic() < deadline, (id, self.told[-5:])
            time.sleep(0.005)

    def kill(self) -> None:
        """As `kill -9` does."""
        self._alive = False
        self.client.kill()
        self._pump.join(5)

    def close(self) -> None:
        self._alive = False
        self._pump.join(5)
        self.client.reader.messages.clear()
        self.client.ignore |= {"memory/didChange", "file/didInvalidate", *TELLING}
        if self.client.process.poll() is None:
            self.client.kill()


TELLING = (
    "memory/didChange",
    "file/didInvalidate",
    "workspace/codeLens/refresh",
    "workspace/diagnostic/refresh",
    "textDocument/publishDiagnostics",
)


@contextmanager
def agent(folder: Path, home: Path, env: Mapping[str, str]) -> Iterator[LineClient]:
    """An agent with the MCP server."""
    started = LineClient(folder, home, env=env)
    try:
        started.hello()
        yield started
    finally:
        started.kill()
