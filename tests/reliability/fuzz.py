"""Fuzzing of framing and params over the real process, by grammar and guided by coverage.

What is sent grows from the contract's own vectors and from kinds of garbage: trees of JSON are changed, and the bytes
of frames. The server marks which edges of the code behind the wire were taken (`process.py`); what takes a new one is
kept and changed further. After each input a request reads what was acknowledged at the start: it must be answered, and
right; each request that was sent whole must be answered once, none with an internal error, and no defect logged.
"""

from __future__ import annotations

import copy
import json
import mmap
import queue
import random
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from lsprotocol import types

from protocol.methods import METHODS
from sidecar.hooks.front import CANDIDATES_REQUEST
from tests.client.json_value import Json
from tests.client.line_client import LineClient
from tests.client.stdio_client import ROOT, Client, StdioClient, Unanswered
from tests.reliability.garbage import GARBAGE
from tests.reliability.outcome import Outcome
from tests.reliability.sandbox import MOVED, Sandbox

ROUND = 1_500
"""Inputs to one server; a fresh one has no thousands of memories that slow it down."""

KEPT = 4_000
CANARY = "canary-of-another-folder"
PROTECTED = "The zebra sleeps at noon."
NEVER = ("exit", "shutdown", "initialize")
WORDS = """
* / .. ../outside.txt a.py a.py/ . ./ ~ %00 file:/// file:///etc/passwd file://host/x untitled:1 lib link.py \u202e
+2h now 2026-13-45 99999999999999999999999999999999 !12 project global user archived <memory-notes>
""".split()
WORTHS: tuple[object, ...] = (
    *(None, True, False, 0, -1, 1, 2**31, 2**53, 2**63, 2**64, -(2**63), 10**30, 0.5, 1e308, -0.0),
    *("", " ", "\0", "\ud7ff\ufffd", "x" * 300, "x" * 20_000, "a\nb\r\n# c", *WORDS),
    *([], {}, [[]], {"": ""}, [None], {"a": {"b": {"c": []}}}),
)
TOKENS = (
    *b"""Content-Length: content-length: { } " \\ \\u0000 "id": "method": 0 99999999999 -1 null , :""".split(),
    *(b"\r\n\r\n", b"\n", b"\r", b"\xff", b"\0", b"[" * 50, b"\xef\xbb\xbf", b" "),
)

Message = dict[str, Any]


def seeds() -> list[Message | bytes]:
    """Where it begins: every vector of a method that a client sends, requests of LSP, and garbage."""
    vectors = json.loads((ROOT / "protocol" / "vectors.json").read_text())
    ours = {row.name: row for row in METHODS.values() if row.sender == "client"}
    found: list[Message | bytes] = [
        {"method": each["method"], "params": each["value"]}
        for each in vectors
        if each["part"] == "params" and each["method"] in ours
    ]
    place = {"textDocument": {"uri": "file:///x/a.py", "version": 1}, "position": {"line": 0, "character": 4}}
    extra = {
        "range": {"start": {"line": 0, "character": 0}, "end": {"line": 1, "character": 0}},
        "context": {"diagnostics": [], "includeDeclaration": True},
        "options": {"tabSize": 4, "insertSpaces": True},
        "contentChanges": [{"text": "x = 2\n"}],
        "changes": [{"uri": "file:///x/a.py", "type": 2}],
        "command": "memory-sidecar.remember",
        "arguments": [{}],
        "event": {"added": [], "removed": []},
        "files": [{"oldUri": "file:///x/a.py", "newUri": "file:///x/b.py"}],
        "settings": {},
        "query": "f",
        "id": 1,
        "token": 1,
        "value": "off",
    }
    found += [{"method": name, "params": place | extra} for name in types.METHOD_TO_TYPES if name not in NEVER]
    return found + [data for data in GARBAGE.values() if len(data) < 20_000]


class Mutator:
    """Makes new inputs of known ones."""

    def __init__(self, chance: random.Random, texts: list[str]) -> None:
        self.chance, self.texts = chance, texts

    def change(self, one: Message | bytes, other: Message | bytes) -> Message | bytes:
        """Something near `one`, with parts of `other`; only brackets where that has become too deep for us."""
        try:
            changed = self._changed(one, other)
            json.dumps(None if isinstance(changed, bytes) else changed)
        except RecursionError:
            return b"[" * 5_000
        return changed

    def _changed(self, one: Message | bytes, other: Message | bytes) -> Message | bytes:
        if isinstance(one, bytes):
            return self._bytes(one, other if isinstance(other, bytes) else Client.frame(other))
        if self.chance.random() < 0.15:
            return self._bytes(Client.frame({"jsonrpc": "2.0", "id": "torn", **one}), b"")
        changed = copy.deepcopy(one)
        for _ in range(self.chance.choice((1, 1, 1, 2, 4))):
            self._tree(changed, other["params"] if isinstance(other, dict) else None)
        return changed

    def _tree(self, message: Message, donor: Any) -> None:
        places = list(_places(message, "params"))
        holder, key = self.chance.choice(places)
        roll = self.chance.random()
        if roll < 0.5:
            holder[key] = self._worth(holder[key])
        elif roll < 0.62 and donor is not None:
            inner, name = self.chance.choice(list(_places({"params": donor}, "params")))
            holder[key] = copy.deepcopy(inner[name])
        elif roll < 0.74 and isinstance(holder, dict) and key != "params":
            del holder[key]
        elif roll < 0.86 and isinstance(holder[key], dict):
            holder[key][self.chance.choice(("workspaceUri", "noSuch", "sessionId", "id", "limit", "path", ""))] = (
                self._worth(None)
            )
        elif roll < 0.95 and isinstance(holder[key], list):
            holder[key] = holder[key] * self.chance.choice((2, 50)) or [self._worth(None)]
        elif roll < 0.98:
            for _ in range(self.chance.choice((3, 60, 600))):
                holder[key] = [holder[key]] if self.chance.random() < 0.5 else {"a": holder[key]}
        else:
            message["params"] = self._worth(message["params"])

    def _worth(self, old: Any) -> Any:
        if isinstance(old, str) and old and self.chance.random() < 0.3:
            at = self.chance.randrange(len(old))
            return old[:at] + self.chance.choice(("", "\0", "é", "`", "](", "\\", "'", "\u2028", old)) + old[at + 1 :]
        if isinstance(old, int) and self.chance.random() < 0.3:
            return old + self.chance.choice((-1, 1, 1000, -1000))
        if self.chance.random() < 0.3:
            return self.chance.choice(self.texts)
        return copy.deepcopy(self.chance.choice(WORTHS))

    def _bytes(self, data: bytes, other: bytes) -> bytes:
        changed = bytearray(data)
        for _ in range(self.chance.choice((1, 1, 2, 5, 20))):
            at = self.chance.randrange(len(changed) + 1)
            end = min(len(changed), at + self.chance.choice((1, 2, 8, 60)))
            roll = self.chance.random()
            if roll < 0.3 and at < len(changed):
                changed[at] ^= 1 << self.chance.randrange(8)
            elif roll < 0.6:
                changed[at:at] = self.chance.choice(TOKENS)
            elif roll < 0.75:
                del changed[at:end]
            elif roll < 0.85:
                changed[at:at] = changed[at:end]
            elif roll < 0.95 and other:
                start = self.chance.randrange(len(other))
                changed[at:end] = other[start : start + 200]
            else:
                del changed[at:]
        return bytes(changed[:50_000])


def _places(holder: Any, key: object) -> Iterator[tuple[Any, Any]]:
    yield holder, key
    value = holder[key]
    if isinstance(value, dict):
        for name in value:
            yield from _places(value, name)
    elif isinstance(value, list):
        for number in range(min(len(value), 20)):
            yield from _places(value, number)


class _Wire:
    """What LSP and MCP have in common for this."""

    def __init__(self, sandbox: Sandbox, over: str, cover: Path) -> None:
        self.over, self.sent = over, 0
        env = {"RELIABILITY_COVER": str(cover), "PYTHONHASHSEED": "0"}
        self.client: StdioClient | LineClient
        if over == "lsp":
            self.client = sandbox.server(command=(*MOVED, "serve"), env=env)
            self.client.notify("textDocument/didOpen", {"textDocument": _document(sandbox)})
            self.id = self.client.call("memory/record", {"content": PROTECTED})["memory"]["id"]
        else:
            self.client = sandbox.mcp(program=MOVED, env=env)
            self.client.tool("remember", content=PROTECTED)

    def send(self, one: Message | bytes) -> str | None:
        """Send it; the id that its answer must bear, if it is owed one."""
        self.sent += 1
        if isinstance(one, bytes):
            data, id = one, None
        else:
            id = f"f{self.sent}"
            message = {"jsonrpc": "2.0", "id": id, **one}
            if one["method"] in types.METHOD_TO_TYPES and types.METHOD_TO_TYPES[one["method"]][1] is None:
                del message["id"]
                id = None
            data = json.dumps(message).encode()
            data = b"Content-Length: %d\r\n\r\n%b" % (len(data), data) if self.over == "lsp" else data
        if isinstance(self.client, StdioClient):
            self.client.send_bytes(data)
        else:
            self.client.send_raw(data + b"\n")
        return id

    def settle(self, id: str | None) -> list[Json]:
        """Every answer that came until what was acknowledged was read, and the one to `id`."""
        if isinstance(self.client, StdioClient):
            found = str(self.client.call("memory/get", {"id": self.id})["content"])
            answers = [self.client.response(id)] if id is not None else []
            with self.client.reader.changed:
                answers += [each for each in self.client.reader.messages if "method" not in each]
                self.client.reader.messages[:] = []
                assert not self.client.reader.garbage, "what is no frame was sent"
        else:
            found = str(self.client.tool("recall", query="zebra sleeps noon"))
            answers = [self.client.answer(id)] if id is not None else []
            answers += self.client.seen
            self.client.seen = []
        assert PROTECTED in found, f"what was acknowledged reads {found[:200]!r}"
        return answers


def _document(sandbox: Sandbox) -> object:
    return {"uri": (sandbox.folder / "a.py").as_uri(), "languageId": "python", "version": 1, "text": "x = 1\n"}


def _furnish(sandbox: Sandbox) -> None:
    (sandbox.room / "outside.txt").write_text(CANARY)
    (sandbox.folder / "a.py").write_text('"""Does a."""\n\n\ndef f(x):\n    """Give x."""\n    return x\n' * 3)
    (sandbox.folder / "lib").mkdir()
    (sandbox.folder / "link.py").symlink_to(sandbox.room / "outside.txt")


def _fuzz(room: Path, chance: random.Random, tries: int, over: str, begin: list[Message | bytes]) -> Outcome:
    room.mkdir(exist_ok=True)
    outcome, corpus = Outcome(), list(begin)
    cover = room.with_name(f"{room.name}.cover")
    cover.write_bytes(bytes(65_536))
    with cover.open("r+b") as file:
        seen = mmap.mmap(file.fileno(), 65_536)
    edges, began, first = 0, time.monotonic(), len(corpus)
    while outcome.tries < tries and len(outcome.faults) < 20:
        with Sandbox(room / f"round{outcome.tries}") as sandbox:
            _furnish(sandbox)
            wire = _Wire(sandbox, over, cover)
            outcome.acknowledged += 1
            texts = [
                (sandbox.folder / "a.py").as_uri(),
                sandbox.folder.as_uri(),
                str(sandbox.room / "outside.txt"),
                "fuzz",
            ]
            mutator = Mutator(chance, texts)
            for _ in range(min(ROUND, tries - outcome.tries)):
                outcome.tries += 1
                one = mutator.change(chance.choice(corpus), chance.choice(corpus))
                try:
                    id = wire.send(one)
                    answers = wire.settle(id)
                except (Unanswered, AssertionError, OSError, queue.Empty) as error:
                    outcome.crashed.append(f"{type(error).__name__} {str(error)[:400]} after {str(one)[:600]}")
                    break
                outcome.told += sum("error" in each for each in answers)
                _judge(one, answers, outcome)
                if (count := 65_536 - seen[:].count(0)) > edges:
                    edges = count
                    if len(corpus) < KEPT and len(json.dumps(one) if isinstance(one, dict) else one) < 30_000:
                        corpus.append(one)
            sandbox.judge(outcome)
    rate = outcome.tries / (time.monotonic() - began)
    outcome.notes.append(f"{edges} edges, {len(corpus) - first} of {outcome.tries} inputs kept, {rate:.0f} a second")
    cover.unlink()
    return outcome


def _judge(one: Message | bytes, answers: list[Any], outcome: Outcome) -> None:
    ids = [each["id"] for each in answers if isinstance(each.get("id"), str) and each["id"].startswith("f")]
    if len(ids) > len(set(ids)):
        outcome.wrong.append(f"answered twice: {str(one)[:600]}")
    for each in answers:
        if each.get("error", {}).get("code") == -32603:
            outcome.wrong.append(f"answered as a defect: {str(one)[:600]}: {each['error']['message'][:200]}")
        if CANARY in str(each):
            outcome.wrong.append(f"told what lies outside: {str(one)[:600]}")


def wire(room: Path, chance: random.Random, tries: int) -> Outcome:
    """The language server."""
    return _fuzz(room, chance, tries, "lsp", seeds())


def lines(room: Path, chance: random.Random, tries: int) -> Outcome:
    """The MCP server."""
    calls: list[Message | bytes] = []
    with Sandbox(room / "asked") as sandbox:
        for tool in sandbox.mcp().request("tools/list")["tools"]:
            given = {name: _example(shape) for name, shape in tool["inputSchema"].get("properties", {}).items()}
            for arguments in (given, {str(name): given[str(name)] for name in tool["inputSchema"].get("required", ())}):
                calls.append({"method": "tools/call", "params": {"name": tool["name"], "arguments": arguments}})
    for method in ("ping", "resources/list", "prompts/list", "resources/templates/list"):
        calls.append({"method": method, "params": {}})
    calls.append({"method": "resources/read", "params": {"uri": "memory://context"}})
    calls.append({"method": "prompts/get", "params": {"name": "recall", "arguments": {"topic": "zebra"}}})
    calls.append({"method": "completion/complete", "params": {"ref": {"type": "ref/prompt", "name": "recall"}}})
    return _fuzz(room, chance, tries, "mcp", calls)


def _example(shape: Any) -> Any:
    if "enum" in shape:
        return shape["enum"][0]
    kinds = {"string": "a.py", "integer": 3, "number": 0.5, "boolean": True, "array": ["a.py"], "object": {}}
    return kinds.get(shape.get("type", "string"), "a.py")


def hooks(room: Path, chance: random.Random, tries: int) -> Outcome:
    """What agents send to hooks: the process ends with 0 and prints nothing, JSON, or what a summary is to hold."""
    with Sandbox(room) as sandbox:
        _furnish(sandbox)
        outcome = Outcome()
        mutator = Mutator(chance, [str(sandbox.folder), "s1", "Bash", "a.py"])
        common = {"session_id": "s1", "cwd": str(sandbox.folder), "transcript_path": str(sandbox.folder / "a.py")}
        corpus = [
            {"method": "hook", "params": {"hook_event_name": name, **common, **fields}}
            for name, fields in (
                ("SessionStart", {"source": "startup"}),
                ("UserPromptSubmit", {"prompt": "Remember: the zebra sleeps."}),
                ("PreToolUse", {"tool_name": "Edit", "tool_input": {"file_path": "a.py", "old_string": "x"}}),
                ("PostToolUse", {"tool_name": "Bash", "tool_input": {"command": "ls"}, "tool_response": {"exit": 1}}),
                ("Stop", {"stop_hook_active": False}),
                ("PreCompact", {"trigger": "auto"}),
                ("SessionEnd", {"reason": "exit"}),
            )
        ]
        for _ in range(tries):
            outcome.tries += 1
            one = mutator.change(chance.choice(corpus), chance.choice(corpus))
            data = one if isinstance(one, bytes) else json.dumps(one["params"]).encode()
            done = sandbox.run("hook", input=data)
            if done.returncode or b"Traceback" in done.stderr:
                outcome.crashed.append(f"ended with {done.returncode} {done.stderr[-200:]!r} after {data[:400]!r}")
            if done.stdout.strip() and not done.stdout.startswith(CANDIDATES_REQUEST.encode()):
                try:
                    json.loads(done.stdout)
                except ValueError:
                    outcome.wrong.append(f"printed {done.stdout[:100]!r} after {data[:400]!r}")
        sandbox.judge(outcome)
        return outcome
