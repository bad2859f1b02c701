"""Clocks that jump, clients that do not read, no network, and hours of work."""

from __future__ import annotations

import os
import random
import re
import select
import shutil
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from tests.bench.long_life.client import PROCESS
from tests.bench.soak import Clock
from tests.client.stdio_client import Client
from tests.reliability.disks import all_there
from tests.reliability.outcome import Outcome, Skipped
from tests.reliability.sandbox import PROGRAM, Sandbox, alive
from tests.reliability.trees import peak

DAY = 86_400_000
JUMPS = (0, DAY, -DAY, 40 * DAY, 365 * DAY, -365 * DAY, 40_000 * DAY, -19_000 * DAY, 3_600_000, -1, 0)
READING_MIB = 250.0
"""A server whose client does not read may take so much."""

RENEWED = 15.0
"""Seconds without a byte taken or a page more after which a server has come to rest."""


def clocks(room: Path, chance: random.Random, tries: int) -> Outcome:
    """The clock jumps between and within whatever is done; nothing fades that was just said, all is answered."""
    with Sandbox(room) as sandbox:
        outcome, clock = Outcome(), Clock(room / "clock")
        moved: dict[str, Any] = {
            "command": (sys.executable, "-P", str(PROCESS), "serve"),
            "env": {"SOAK_CLOCK": str(room / "clock")},
        }
        client = sandbox.server(**moved)
        kept: dict[str, str] = {}
        for number in range(tries):
            clock.move_to(chance.choice(JUMPS))
            session = f"s{number % 3}"
            marker = f"mark0x{number}"
            given: list[tuple[str, object]] = [
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
                    kept[str(answer["result"]["memory"]["id"])] = marker
                if "error" in answer:
                    outcome.told += 1
                    if answer["error"]["code"] == -32603:
                        outcome.wrong.append(f"{method}: {answer['error']}")
                if chance.random() < 0.3:
                    clock.move_to(chance.choice(JUMPS))
            if number % 5 == 4:
                client.close()
                client = sandbox.server(**moved)
        clock.move_to(0)
        outcome.acknowledged = len(kept)
        there = {str(memory["id"]): str(memory["content"]) for memory in sandbox.memories(client)}
        outcome.lost += [f"{marker} is gone" for id, marker in kept.items() if marker not in there.get(id, "")]
        sandbox.judge(outcome, ended=True)
        return outcome


def readers(room: Path, chance: random.Random, tries: int) -> Outcome:
    """A client asks and never reads: the server stays small, and others are served (issue 14.9)."""
    with Sandbox(room) as sandbox:
        outcome = Outcome()
        other = sandbox.server()
        for number in range(20):
            other.call("memory/record", {"content": f"mark0x{number} is kept. " + "It is long. " * 1_000})
            outcome.acknowledged += 1
        process = subprocess.Popen(
            [*PROGRAM, "serve"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env={**os.environ, **sandbox.environ},
            cwd=sandbox.folder,
        )
        try:
            _flood(sandbox, process, tries, outcome)
        finally:
            process.kill()
            process.wait()
            for pipe in (process.stdin, process.stdout):
                assert pipe is not None
                pipe.close()
        alive(other, outcome, "a client that does not read")
        all_there(sandbox, other, {f"mark0x{number}" for number in range(20)}, outcome)
        sandbox.judge(outcome)
        return outcome


def _flood(sandbox: Sandbox, process: subprocess.Popen[bytes], tries: int, outcome: Outcome) -> None:
    assert process.stdin is not None
    folder = {"uri": sandbox.folder.as_uri(), "name": "work"}
    hello: dict[str, object] = {"processId": None, "rootUri": None, "capabilities": {}, "workspaceFolders": [folder]}
    asked = [("initialize", hello), *[("memory/list", {"limit": 200})] * tries]
    data = b"".join(
        Client.frame({"jsonrpc": "2.0", "id": number, "method": method, "params": params})
        for number, (method, params) in enumerate(asked)
    )
    sink = process.stdin.fileno()
    os.set_blocking(sink, False)
    ready = select.poll()  # `select` takes no descriptor above 1,023
    ready.register(sink, select.POLLOUT)
    moved, most = time.monotonic(), 0.0
    while process.poll() is None and time.monotonic() < moved + RENEWED:
        outcome.tries += 1
        if (now := peak(process.pid)) > most + 0.5:
            moved, most = time.monotonic(), now
        if most > READING_MIB:
            outcome.wrong.append(f"{most:.0f} MiB and more for a client that does not read")
            return
        if not data or not ready.poll(1_000):
            time.sleep(0.1)
            continue
        try:
            data = data[os.write(sink, data[:65_536]) :]
        except BrokenPipeError:
            break
        moved = time.monotonic()
    outcome.notes.append(f"ended with {process.poll()}, {most:.0f} MiB at most; {len(data):,} bytes were not taken")
    if process.poll() is not None and not re.search(r"does not read|not reading|no longer reads|slow", sandbox.logs()):
        outcome.wrong.append("the connection was closed without a word in the log")


def network(room: Path, chance: random.Random, tries: int) -> Outcome:
    """With nothing configured all works where there is no network, and no socket but a local one is made."""
    if shutil.which("unshare") is None or shutil.which("strace") is None:
        raise Skipped("unshare or strace is not here")
    with Sandbox(room) as sandbox:
        outcome = Outcome()
        (sandbox.folder / "a.py").write_text("def f():\n    return 1\n" * 20)
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
                [
                    "unshare",
                    "-rn",
                    "strace",
                    "-f",
                    "-qq",
                    "-A",
                    "-e",
                    "trace=socket,connect,sendto,sendmsg",
                    "-o",
                    str(traced),
                    *words,
                ],
                env={**os.environ, **sandbox.environ},
                cwd=sandbox.folder,
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
