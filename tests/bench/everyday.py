"""Prompts as people type them, and the memories that matter for them, played through the fronts of a real process.

    python -P tests/bench/everyday.py FILE... [--fronts inject,hook,mcp] [--model static] [--missed]

A FILE holds `stores`: `memories` (texts), `prompts` (`text`; `right`, indexes of the memories that bear on it; `fine`,
of those that do no harm; `kind`; `before`, earlier prompts of the session) and `none`, prompts that no memory is about.
Each store is recorded into a workspace of its own. `inject` asks `memory/inject` over LSP, `hook` runs the command of
`UserPromptSubmit` once a prompt, `mcp` calls the tool `context`.

Prints, for each front and kind of prompt, the share of prompts that were shown a right memory; the mean number of
memories shown that are neither right nor fine; and how many prompts without a right memory were shown any such.
`--missed` lists what was missed and what was shown in its place.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
if str(ROOT) not in sys.path:
    sys.path.insert(0, str(ROOT))

from sidecar.text.fence import one_line  # noqa: E402
from tests.bench.methods import Peer, start_server  # noqa: E402

Json = dict[str, Any]
Ask = Callable[[str, list[str]], set[int]]
"""The memories shown for a prompt, by index, after earlier prompts of its session."""

OWN = Path(__file__).parent / "data" / "everyday.json"
_BEGINNING = 48  # characters by which a memory is recognised in a text


def main(arguments: list[str] | None = None) -> int:
    """Measure what was asked for."""
    parser = argparse.ArgumentParser(description="Prompts of every day through the fronts.")
    parser.add_argument("files", type=Path, nargs="*", default=[OWN])
    parser.add_argument("--fronts", default="inject,hook,mcp")
    parser.add_argument("--model", default="static")
    parser.add_argument("--missed", action="store_true")
    options = parser.parse_args(arguments)
    os.environ["MEMORY_SIDECAR_EMBEDDINGS_MODEL"] = options.model
    os.environ["MEMORY_SIDECAR_MEMORY_LEARN"] = "off"
    for file in options.files:
        if not file.is_file():
            print(f"{file} is not there", file=sys.stderr)
            return 2
        stores = json.loads(file.read_text("utf-8"))["stores"]
        print(f"{file.name}: {len(stores)} stores, {sum(len(one['memories']) for one in stores)} memories")
        for front in options.fronts.split(","):
            tallies = {one["name"]: Tally() for one in stores}
            for store in stores:
                play(store, front, tallies[store["name"]], missed=options.missed)
            whole = Tally.sum(tallies.values())
            for name, tally in (*tallies.items(), ("all", whole)) if len(tallies) > 1 else [("all", whole)]:
                print(f"  {front:7} {name[:34]:34} {tally}", flush=True)
    return 0


class Tally:
    """What was shown, by kind of prompt."""

    def __init__(self) -> None:
        self.right: dict[str, list[bool]] = defaultdict(list)
        self.wrong: list[int] = []
        self.none: list[bool] = []

    @classmethod
    def sum(cls, several: Any) -> Tally:
        """All of them together."""
        whole = cls()
        for one in several:
            for kind, found in one.right.items():
                whole.right[kind] += found
            whole.wrong += one.wrong
            whole.none += one.none
        return whole

    def __str__(self) -> str:
        kinds = "  ".join(
            f"{kind} {sum(found)}/{len(found)} = {100 * statistics.fmean(found):.0f} %"
            for kind, found in sorted(self.right.items(), reverse=True)
        )
        wrong = f"wrong {statistics.fmean(self.wrong):.2f}" if self.wrong else ""
        none = f"none {sum(self.none)}/{len(self.none)}" if self.none else ""
        return f"{kinds}  {wrong}  {none}"


def play(store: Json, front: str, tally: Tally, *, missed: bool) -> None:
    """Record a store's memories and ask its prompts of one front."""
    prompts = [*store["prompts"], *({"text": text, "right": []} for text in store.get("none", []))]
    usual = "other" if store.get("other_words") else "shared"
    with tempfile.TemporaryDirectory() as place, FRONTS[front](Path(place), store["memories"]) as ask:
        for prompt in prompts:
            shown = ask(prompt["text"], prompt.get("before", []))
            right, wrong = set(prompt["right"]), shown - {*prompt["right"], *prompt.get("fine", [])}
            if right:
                tally.right[prompt.get("kind", usual)].append(bool(shown & right))
                tally.wrong.append(len(wrong))
            else:
                tally.none.append(bool(wrong))
            if missed and (wrong if not right else not shown & right):
                said = [store["memories"][index][:70] for index in sorted(wrong)]
                wanted = [store["memories"][index][:70] for index in sorted(right)]
                print(f"    {prompt['text'][:90]!r}\n      wanted {wanted}\n      shown  {said}")


@contextmanager
def recorded(place: Path, memories: list[str]) -> Iterator[tuple[Peer, dict[str, int], Path]]:
    """A server with these memories, their indexes by id, and its workspace."""
    workspace = place / "workspace"
    workspace.mkdir()
    subprocess.run(["git", "init", "-q", str(workspace)], check=True)
    server, _ = start_server(place / "store", workspace)
    try:
        ids = {
            server.call("memory/record", {"content": text})["memory"]["id"]: index
            for index, text in enumerate(memories)
        }
        wait_for_vectors(server)
        yield server, ids, workspace
    finally:
        server.stop()


def wait_for_vectors(server: Peer) -> None:
    """Wait until meaning counts: models beside the table embed in the background, and words decide until then."""
    until, quiet = time.monotonic() + 300, 0
    while os.environ["MEMORY_SIDECAR_EMBEDDINGS_MODEL"] not in ("off", "static") and quiet < 5:
        if time.monotonic() > until:
            raise SystemExit("the model did not come")
        found = server.call("sidecar/status", {})["workspaces"][0]["embedding"]
        quiet = quiet + 1 if found["state"] == "ready" and found["operation"] != "running" else 0
        server.call("memory/search", {"query": "zebra"})
        time.sleep(0.2)


@contextmanager
def by_inject(place: Path, memories: list[str]) -> Iterator[Ask]:
    """`memory/inject`, a session for each prompt."""
    with recorded(place, memories) as (server, ids, _):
        count = 0

        def ask(prompt: str, before: list[str]) -> set[int]:
            nonlocal count
            count += 1
            for earlier in before:
                server.call("memory/inject", {"prompt": earlier, "sessionId": f"s{count}"})
            found = server.call("memory/inject", {"prompt": prompt, "sessionId": f"s{count}"})
            return {ids[item["id"]] for item in found["items"] if item.get("id") in ids}

        yield ask


@contextmanager
def by_hook(place: Path, memories: list[str]) -> Iterator[Ask]:
    """The command that agents call with each prompt, a session for each."""
    with recorded(place, memories) as (server, _, workspace):
        server.stop()
        environ = {**os.environ, "PYTHONPATH": str(ROOT), "MEMORY_SIDECAR_STORE_FOLDER": str(place / "store")}
        count = 0

        def ask(prompt: str, before: list[str]) -> set[int]:
            nonlocal count
            count += 1
            shown = set[int]()
            for text in (*before, prompt):
                event = {"hook_event_name": "UserPromptSubmit", "session_id": f"s{count}", "prompt": text}
                data = json.dumps({**event, "cwd": str(workspace)}).encode()
                command = [sys.executable, "-P", "-m", "sidecar", "hook"]
                done = subprocess.run(command, input=data, capture_output=True, env=environ, cwd=workspace, check=True)
                told = json.loads(done.stdout)["hookSpecificOutput"] if done.stdout.strip() else {}
                # What an earlier prompt of the session was shown stands in front of the agent already.
                shown |= _recognised(told.get("additionalContext", ""), memories)
            return shown

        yield ask


@contextmanager
def by_mcp(place: Path, memories: list[str]) -> Iterator[Ask]:
    """The tool `context` of one MCP server; each prompt is a task of its own."""
    with recorded(place, memories) as (server, _, workspace):
        server.stop()
        environ = {**os.environ, "PYTHONPATH": str(ROOT), "MEMORY_SIDECAR_STORE_FOLDER": str(place / "store")}
        command = [sys.executable, "-P", "-m", "sidecar", "mcp"]
        with subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environ, cwd=workspace
        ) as process:
            assert process.stdin is not None
            assert process.stdout is not None
            stdin, stdout = process.stdin, process.stdout

            def send(message: Json) -> None:
                stdin.write(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")
                stdin.flush()

            def call(method: str, params: Json) -> Json:
                send({"id": 1, "method": method, "params": params})
                while True:
                    message: Json = json.loads(stdout.readline())
                    if message.get("id") == 1 and "method" not in message:
                        result: Json = message["result"]
                        return result

            info = {"name": "bench", "version": "1"}
            call("initialize", {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": info})
            send({"method": "notifications/initialized"})

            def ask(prompt: str, before: list[str]) -> set[int]:
                arguments = {"prompt": "\n".join((*before, prompt))}
                found = call("tools/call", {"name": "context", "arguments": arguments})
                return _recognised(found["content"][0]["text"], memories)

            yield ask
            stdin.close()


FRONTS = {"inject": by_inject, "hook": by_hook, "mcp": by_mcp}


def _recognised(text: str, memories: list[str]) -> set[int]:
    flat = " ".join(text.split())
    return {index for index, memory in enumerate(memories) if one_line(memory)[:_BEGINNING] in flat}


if __name__ == "__main__":
    raise SystemExit(main())
