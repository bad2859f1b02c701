"""Disks that are full or read-only, and stores that may not be written."""

from __future__ import annotations

import contextlib
import os
import random
import resource
import sqlite3
import subprocess
from collections.abc import Iterator
from pathlib import Path

from tests.client.stdio_client import StdioClient, Unanswered
from tests.reliability.outcome import Outcome, Skipped
from tests.reliability.sandbox import PROGRAM, Sandbox


def _fill(client: StdioClient, outcome: Outcome, kept: set[str], who: str, most: int) -> None:
    """Write until refusals; what was answered counts."""
    refused = 0
    for number in range(most):
        outcome.tries += 1
        marker = f"mark{who}x{number}"
        text = f"{marker} is kept. " + "It is long. " * 300
        try:
            answer = client.response(client.start("memory/record", {"content": text}), 300)
        except (Unanswered, OSError) as error:
            outcome.crashed.append(f"on a full disk: {str(error)[:200]}")
            return
        if "result" in answer:
            kept.add(marker)
            continue
        refused += 1
        outcome.told += 1
        if answer["error"]["code"] == -32603 or "defect" in answer["error"]["message"]:
            outcome.wrong.append(f"on a full disk: {answer['error']}")
        if refused == 5:
            return


def all_there(sandbox: Sandbox, client: StdioClient, kept: set[str], outcome: Outcome) -> None:
    said = " ".join(str(memory["content"]) for memory in sandbox.memories(client))
    outcome.acknowledged = len(kept)
    outcome.lost += [f"{marker} is gone" for marker in sorted(kept) if f"{marker} " not in said]


def no_room(room: Path, chance: random.Random, tries: int) -> Outcome:
    """No file may grow any further, as on a full disk, and then it may again; killed in between, now and then."""
    with Sandbox(room) as sandbox:
        outcome, kept = Outcome(), set[str]()
        client = sandbox.server()
        for number in range(tries):
            client.call("memory/record", {"content": f"before {number}"})
            most = chance.randrange(150_000, 900_000)
            resource.prlimit(client.process.pid, resource.RLIMIT_FSIZE, (most, resource.RLIM_INFINITY))
            _fill(client, outcome, kept, str(number), 400)
            for method, params in (("memory/search", {"query": "kept"}), ("memory/inject", {})):
                if "error" in (found := client.response(client.start(method, params))):
                    outcome.wrong.append(f"{method} on a full disk: {found['error']}")
            if number % 2:
                client.kill()
                client = sandbox.server()
            else:
                unlimited = (resource.RLIM_INFINITY, resource.RLIM_INFINITY)
                resource.prlimit(client.process.pid, resource.RLIMIT_FSIZE, unlimited)
            client.call("memory/record", {"content": f"mark{number}x9999 is kept. "})
            kept.add(f"mark{number}x9999")
        all_there(sandbox, sandbox.server(), kept, outcome)
        sandbox.judge(outcome)
        return outcome


@contextlib.contextmanager
def _mounted(sandbox: Sandbox, size: str) -> Iterator[list[str]]:
    """A small disk below the sandbox's data, in a namespace of its own; what a command there begins with."""
    data = sandbox.home / "data"
    data.mkdir(exist_ok=True)
    script = f'mount -t tmpfs -o size={size} t "{data}" && echo ready && exec sleep 100000'
    holder = subprocess.Popen(["unshare", "-rm", "sh", "-c", script], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    assert holder.stdout is not None
    try:
        if holder.stdout.readline() != b"ready\n":
            raise Skipped("this machine lets nobody mount in a namespace")
        yield ["nsenter", "-t", str(holder.pid), "-U", "-m", "--preserve-credentials"]
    finally:
        holder.kill()
        holder.wait()
        holder.stdout.close()


def full_disk(room: Path, chance: random.Random, tries: int) -> Outcome:
    """A real disk of a few megabytes is filled up, by us and by others; then room is made."""
    with Sandbox(room) as sandbox, _mounted(sandbox, "5m") as inside:
        outcome, kept = Outcome(), set[str]()
        ballast = sandbox.home / "data" / "ballast"
        for number in range(tries):
            client = sandbox.spawn(command=[*inside, *PROGRAM, "serve"])
            client.initialize(sandbox.folder)
            client.call("sidecar/status", {})
            fill = f"head -c 9M /dev/zero > {ballast} 2>/dev/null; truncate -s -{chance.randrange(300)}K {ballast}"
            subprocess.run([*inside, "sh", "-c", fill], check=False)
            _fill(client, outcome, kept, str(number), 60)
            if number % 2:
                client.kill()
            subprocess.run([*inside, "rm", "-f", str(ballast)], check=True)
            if not number % 2:
                client.call("memory/search", {"query": "kept"})
                client.close()
        client = sandbox.spawn(command=[*inside, *PROGRAM, "serve"])
        client.initialize(sandbox.folder)
        all_there(sandbox, client, kept, outcome)
        sandbox.judge(outcome, ended=True)
        return outcome


def _reads_only(sandbox: Sandbox, client: StdioClient, outcome: Outcome) -> None:
    """Reads are answered from what is there; writes say why not (issue 14.11)."""
    for method, params in (
        ("memory/search", {"query": "zebra sleeps"}),
        ("memory/inject", {"prompt": "When does the zebra sleep?"}),
        ("file/summary", {"path": "a.py"}),
    ):
        outcome.tries += 1
        answer = client.response(client.start(method, params), 300)
        if "error" in answer:
            outcome.wrong.append(f"{method}: {answer['error']['message'][:300]}")
        elif method != "file/summary" and "zebra sleeps" not in str(answer):
            outcome.wrong.append(f"{method} does not tell what is there")
    outcome.tries += 1
    answer = client.response(client.start("memory/record", {"content": "It is written."}), 300)
    outcome.told += "error" in answer
    if answer.get("error", {}).get("code") == -32603:
        outcome.wrong.append(f"a write: {answer['error']['message'][:300]}")
    if "result" in answer and "It is written." not in str(sandbox.memories(client)):
        outcome.lost.append("what was acknowledged in a store that cannot be written")


def _with_memory(sandbox: Sandbox) -> None:
    (sandbox.folder / "a.py").write_text('"""Does a."""\n\n\ndef f(x):\n    return x\n')
    client = sandbox.server()
    client.call("memory/record", {"content": "The zebra sleeps at noon."})
    client.call("file/summary", {"path": "a.py"})
    client.close()


def read_only(room: Path, chance: random.Random, tries: int) -> Outcome:
    """The store lies on a disk that was mounted for reading only."""
    with Sandbox(room) as sandbox:
        outcome = Outcome(acknowledged=1)
        _with_memory(sandbox)
        data = sandbox.home / "data"
        script = f'mount --bind "{data}" "{data}" && mount -o remount,bind,ro "{data}" && exec "$@"'
        inside = ["unshare", "-rm", "sh", "-c", script, "sh"]
        if subprocess.run([*inside, "true"], capture_output=True, check=False).returncode:
            raise Skipped("this machine lets nobody mount in a namespace")
        client = sandbox.server(command=[*inside, *PROGRAM, "serve"])
        _reads_only(sandbox, client, outcome)
        done = subprocess.run(
            [*inside, *PROGRAM, "hook"],
            input=b'{"hook_event_name":"SessionStart","session_id":"s","cwd":"%b"}' % os.fsencode(sandbox.folder),
            capture_output=True,
            env={**os.environ, **sandbox.environ},
            cwd=sandbox.folder,
            check=False,
        )
        if done.returncode or b"Traceback" in done.stderr:
            outcome.crashed.append(f"a hook on a read-only disk: {done.stderr[-300:]!r}")
        sandbox.judge(outcome)
        return outcome


def too_new(room: Path, chance: random.Random, tries: int) -> Outcome:
    """The store was written by a version that does not exist yet."""
    with Sandbox(room) as sandbox:
        outcome = Outcome(acknowledged=1)
        _with_memory(sandbox)
        for path in sandbox.home.rglob("memories/cache.db"):
            with contextlib.closing(sqlite3.connect(path)) as sql, sql:
                sql.execute("UPDATE Cache SET value = 99 WHERE key LIKE '%version%' AND typeof(value) = 'integer'")
                if not sql.execute("SELECT changes()").fetchone()[0]:
                    raise AssertionError("the layout's version is kept elsewhere now")
        client = sandbox.server()
        _reads_only(sandbox, client, outcome)
        sandbox.judge(outcome)
        return outcome
