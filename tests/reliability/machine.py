"""A machine that behaves badly: clocks that jump, disks that are full or read-only, clients that do not read, no network."""

from __future__ import annotations

import contextlib
import mmap
import os
import random
import re
import resource
import select
import shutil
import sqlite3
import struct
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tests.client.stdio_client import Client, StdioClient, Unanswered
from tests.reliability.house import MOVED, PROGRAM, House, alive
from tests.reliability.outcome import Outcome, Skipped
from tests.reliability.trees import peak

DAY = 86_400_000
JUMPS = (0, DAY, -DAY, 40 * DAY, 365 * DAY, -365 * DAY, 40_000 * DAY, -19_000 * DAY, 3_600_000, -1, 0)
READING_MIB = 250.0
"""A server whose client does not read may take so much."""

RENEWED = 15.0
"""Seconds without a byte taken or a page more after which a server has come to rest."""


class Clock:
    """The milliseconds that the clocks of the processes below it are ahead."""

    def __init__(self, path: Path) -> None:
        path.write_bytes(bytes(8))
        self.environ = {"RELIABILITY_CLOCK": str(path)}
        with path.open("r+b") as file:
            self._view = mmap.mmap(file.fileno(), 8)

    def set(self, ahead: int) -> None:
        """Move it."""
        self._view[:8] = struct.pack("<q", ahead)


def clocks(room: Path, chance: random.Random, tries: int) -> Outcome:
    """The clock jumps between and within whatever is done; nothing fades that was just said, all is answered."""
    with House(room) as house:
        outcome, clock = Outcome(), Clock(room / "clock")
        client = house.server(command=(*MOVED, "serve"), env=clock.environ)
        kept: dict[str, str] = {}
        for number in range(tries):
            clock.set(chance.choice(JUMPS))
            session = f"s{number % 3}"
            marker = f"mark0x{number}"
            given: list[tuple[str, Any]] = [
                ("session/start", {"sessionId": session, "workingOn": "the zebra"}),
                ("memory/record", {"content": f"{marker} is kept.", "sessionId": session}),
                ("session/claim", {"sessionId": session, "item": f"item {number % 4}"}),
                ("reminder/set", {"text": f"{marker} is due.", "at": chance.choice(("+2h", "tomorrow 9am"))}),
                ("memory/inject", {"prompt": "what is kept?", "sessionId": session}),
                ("context/boot", {"sessionId": session}),
                ("memory/search", {"query": "kept"}),
                ("session/end", {"sessionId": session, "summary": f"Did {marker}."}),
                ("memory/maintain", {}),
                ("sidecar/status", {}),
            ]
            for method, params in given:
                outcome.tries += 1
                answer = client.response(client.start(method, params), 600)
                if method == "memory/record" and "result" in answer:
                    kept[answer["result"]["memory"]["id"]] = marker
                if "error" in answer:
                    outcome.told += 1
                    if answer["error"]["code"] == -32603:
                        outcome.wrong.append(f"{method}: {answer['error']}")
                if chance.random() < 0.3:
                    clock.set(chance.choice(JUMPS))
            if number % 5 == 4:
                client.close()
                client = house.server(command=(*MOVED, "serve"), env=clock.environ)
        clock.set(0)
        outcome.acknowledged = len(kept)
        there = {memory["id"]: memory["content"] for memory in house.memories(client)}
        outcome.lost += [f"{marker} is gone" for id, marker in kept.items() if marker not in there.get(id, "")]
        house.judge(outcome, ended=True)
        return outcome


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


def _all_there(house: House, client: StdioClient, kept: set[str], outcome: Outcome) -> None:
    said = " ".join(memory["content"] for memory in house.memories(client))
    outcome.acknowledged = len(kept)
    outcome.lost += [f"{marker} is gone" for marker in sorted(kept) if f"{marker} " not in said]


def no_room(room: Path, chance: random.Random, tries: int) -> Outcome:
    """No file may grow any further, as on a full disk, and then it may again; killed in between, now and then."""
    with House(room) as house:
        outcome, kept = Outcome(), set[str]()
        client = house.server()
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
                client = house.server()
            else:
                unlimited = (resource.RLIM_INFINITY, resource.RLIM_INFINITY)
                resource.prlimit(client.process.pid, resource.RLIMIT_FSIZE, unlimited)
            client.call("memory/record", {"content": f"mark{number}x9999 is kept. "})
            kept.add(f"mark{number}x9999")
        _all_there(house, house.server(), kept, outcome)
        house.judge(outcome)
        return outcome


@contextlib.contextmanager
def _mounted(house: House, size: str) -> Iterator[list[str]]:
    """A small disk below the house's data, in a namespace of its own; what a command there begins with."""
    data = house.home / "data"
    data.mkdir(exist_ok=True)
    script = f'mount -t tmpfs -o size={size} t "{data}" && echo ready && exec sleep 100000'
    holder = subprocess.Popen(
        ["unshare", "-rm", "sh", "-c", script], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    )
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
    with House(room) as house, _mounted(house, "5m") as inside:
        outcome, kept = Outcome(), set[str]()
        ballast = house.home / "data" / "ballast"
        for number in range(tries):
            client = house.spawn(command=[*inside, *PROGRAM, "serve"])
            client.initialize(house.folder)
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
        client = house.spawn(command=[*inside, *PROGRAM, "serve"])
        client.initialize(house.folder)
        _all_there(house, client, kept, outcome)
        house.judge(outcome, ended=True)
        return outcome


def _reads_only(house: House, client: StdioClient, outcome: Outcome) -> None:
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
    if "result" in answer and "It is written." not in str(house.memories(client)):
        outcome.lost.append("what was acknowledged in a store that cannot be written")


def _with_memory(house: House) -> None:
    (house.folder / "a.py").write_text('"""Does a."""\n\n\ndef f(x):\n    return x\n')
    client = house.server()
    client.call("memory/record", {"content": "The zebra sleeps at noon."})
    client.call("file/summary", {"path": "a.py"})
    client.close()


def read_only(room: Path, chance: random.Random, tries: int) -> Outcome:
    """The store lies on a disk that was mounted for reading only."""
    with House(room) as house:
        outcome = Outcome(acknowledged=1)
        _with_memory(house)
        data = house.home / "data"
        script = f'mount --bind "{data}" "{data}" && mount -o remount,bind,ro "{data}" && exec "$@"'
        inside = ["unshare", "-rm", "sh", "-c", script, "sh"]
        if subprocess.run([*inside, "true"], capture_output=True, check=False).returncode:
            raise Skipped("this machine lets nobody mount in a namespace")
        client = house.server(command=[*inside, *PROGRAM, "serve"])
        _reads_only(house, client, outcome)
        done = subprocess.run(
            [*inside, *PROGRAM, "hook"],
            input=b'{"hook_event_name":"SessionStart","session_id":"s","cwd":"%b"}' % os.fsencode(house.folder),
            capture_output=True,
            env={**os.environ, **house.environ},
            cwd=house.folder,
            check=False,
        )
        if done.returncode or b"Traceback" in done.stderr:
            outcome.crashed.append(f"a hook on a read-only disk: {done.stderr[-300:]!r}")
        house.judge(outcome)
        return outcome


def too_new(room: Path, chance: random.Random, tries: int) -> Outcome:
    """The store was written by a version that does not exist yet."""
    with House(room) as house:
        outcome = Outcome(acknowledged=1)
        _with_memory(house)
        for path in house.home.rglob("memories/cache.db"):
            with contextlib.closing(sqlite3.connect(path)) as sql, sql:
                sql.execute("UPDATE Cache SET value = 99 WHERE key LIKE '%version%' AND typeof(value) = 'integer'")
                if not sql.execute("SELECT changes()").fetchone()[0]:
                    raise AssertionError("the layout's version is kept elsewhere now")
        client = house.server()
        _reads_only(house, client, outcome)
        house.judge(outcome)
        return outcome


def readers(room: Path, chance: random.Random, tries: int) -> Outcome:
    """A client asks and never reads: the server stays small, and others are served (issue 14.9)."""
    with House(room) as house:
        outcome = Outcome()
        other = house.server()
        for number in range(20):
            other.call("memory/record", {"content": f"mark0x{number} is kept. " + "It is long. " * 1_000})
            outcome.acknowledged += 1
        process = subprocess.Popen(
            [*PROGRAM, "serve"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env={**os.environ, **house.environ},
            cwd=house.folder,
        )
        try:
            _flood(house, process, tries, outcome)
        finally:
            process.kill()
            process.wait()
            for pipe in (process.stdin, process.stdout):
                assert pipe is not None
                pipe.close()
        alive(other, outcome, "a client that does not read")
        _all_there(house, other, {f"mark0x{number}" for number in range(20)}, outcome)
        house.judge(outcome)
        return outcome


def _flood(house: House, process: subprocess.Popen[bytes], tries: int, outcome: Outcome) -> None:
    assert process.stdin is not None
    folder = {"uri": house.folder.as_uri(), "name": "work"}
    hello = {"processId": None, "rootUri": None, "capabilities": {}, "workspaceFolders": [folder]}
    asked = [("initialize", hello), *[("memory/list", {"limit": 200})] * tries]
    data = b"".join(
        Client.frame({"jsonrpc": "2.0", "id": number, "method": method, "params": params})
        for number, (method, params) in enumerate(asked)
    )
    sink = process.stdin.fileno()
    os.set_blocking(sink, False)
    moved, most = time.monotonic(), 0.0
    while process.poll() is None and time.monotonic() < moved + RENEWED:
        outcome.tries += 1
        if (now := peak(process.pid)) > most + 0.5:
            moved, most = time.monotonic(), now
        if most > READING_MIB:
            outcome.wrong.append(f"{most:.0f} MiB and more for a client that does not read")
            return
        if not data or not select.select([], [sink], [], 1)[1]:
            time.sleep(0.1)
            continue
        try:
            data = data[os.write(sink, data[:65_536]) :]
        except BrokenPipeError:
            break
        moved = time.monotonic()
    outcome.notes.append(f"ended with {process.poll()}, {most:.0f} MiB at most; {len(data):,} bytes were not taken")
    if process.poll() is not None and not re.search(r"does not read|not reading|no longer reads|slow", house.logs()):
        outcome.wrong.append("the connection was closed without a word in the log")


def network(room: Path, chance: random.Random, tries: int) -> Outcome:
    """With nothing configured all of it works where there is no network, and no socket but of the machine itself is made."""
    if shutil.which("unshare") is None or shutil.which("strace") is None:
        raise Skipped("unshare or strace is not here")
    with House(room) as house:
        outcome = Outcome()
        (house.folder / "a.py").write_text("def f():\n    return 1\n" * 20)
        traced = room / "traced"
        command = str(Path(sys.executable).with_name("memory-sidecar"))
        for words in (
            [command, "tour"],
            [command, "record", "The zebra sleeps at noon."],
            [command, "doctor"],
            [command, "inject", "zebra"],
            [command, "setup"],
        ):
            outcome.tries += 1
            done = subprocess.run(
                ["unshare", "-rn", "strace", "-f", "-qq", "-A", "-e", "trace=socket,connect,sendto,sendmsg", "-o", str(traced), *words],
                env={**os.environ, **house.environ},
                cwd=house.folder,
                capture_output=True,
                stdin=subprocess.DEVNULL,
                check=False,
            )
            if b"unshare failed" in done.stderr or b"ptrace" in done.stderr:
                raise Skipped(done.stderr.decode(errors="replace").strip()[:200])
            if done.returncode:
                outcome.crashed.append(f"{words[1:]} ended with {done.returncode}: {done.stderr[-300:]!r}")
        calls = [line for line in traced.read_text(errors="replace").splitlines() if "(" in line]
        outside = [line for line in calls if re.search(r"AF_INET|AF_PACKET|AF_NETLINK", line)]
        outcome.notes.append(f"{len(calls)} calls of sockets, {len(outside)} of them to a network")
        outcome.wrong += outside[:5]
        return outcome


def soak(room: Path, chance: random.Random, tries: int) -> Outcome:
    """`tests/bench/soak.py` for so many minutes: seven servers, agents, editors, hooks, kills, days that pass."""
    outcome = Outcome(tries=tries)
    done = subprocess.run(
        [sys.executable, "-P", "tests/bench/soak.py", "--minutes", str(tries), "--seed", str(chance.randrange(99))],
        cwd=Path(__file__).resolve().parents[2],
        capture_output=True,
        text=True,
        check=False,
    )
    shown = done.stdout.partition("\nprocess ")[2].splitlines()
    outcome.notes += ["process " + shown[0], *(line for line in shown[1:] if line.strip())] if shown else []
    if found := re.search(r"operations: (\d+)", done.stdout):
        outcome.acknowledged = int(found[1])
    outcome.wrong += [line for line in done.stdout.splitlines() if line.startswith("FAILURE")]
    if done.returncode and not outcome.wrong:
        outcome.crashed.append(done.stderr[-1_500:] or done.stdout[-1_500:])
    return outcome
