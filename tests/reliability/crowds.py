"""Many processes on one store, and processes that stand still inside of it."""

from __future__ import annotations

import contextlib
import fcntl
import os
import random
import signal
import threading
import time
from collections import Counter
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import cast

from tests.client.json_value import Json
from tests.client.learning_processes import wait_for_learning_processes
from tests.client.stdio_client import StdioClient
from tests.reliability.ledger import MARKER
from tests.reliability.outcome import Outcome
from tests.reliability.sandbox import Sandbox

PROCESSES = 8
MERGED = 100
"""Writes under a name that all share; each adds a line to it."""

BUSY_SECONDS = 240.0
"""Whoever waits longer for an answer waits for ever."""


def together(jobs: Sequence[Callable[[], None]]) -> list[BaseException]:
    """Run these at the same time; what they raised."""
    raised: list[BaseException] = []

    def guarded(job: Callable[[], None]) -> None:
        try:
            job()
        except BaseException as error:
            raised.append(error)

    threads = [threading.Thread(target=guarded, args=(job,)) for job in jobs]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return raised


def writers(room: Path, chance: random.Random, tries: int) -> Outcome:
    """Eight processes write `tries` times each, of which every second one goes to the name of a shared memory."""
    with Sandbox(room) as sandbox:
        outcome, lock = Outcome(), threading.Lock()
        acknowledged: list[str] = []

        def write(who: int, tell: Callable[[str, str], Json]) -> None:
            for number in range(tries):
                marker = f"mark{who}x{number}"
                name = f"shared {number // MERGED}" if number % 2 else f"own {marker}"
                answer = tell(name, f"{marker} was written.")
                with lock:
                    outcome.tries += 1
                    if "error" in answer:
                        outcome.wrong.append(f"refused: {str(answer)[:300]}")
                    else:
                        acknowledged.append(marker)

        def over_lsp(client: StdioClient) -> Callable[[str, str], Json]:
            return lambda name, text: client.response(
                client.start("memory/record", {"content": text, "name": name}), 600
            )

        def over_mcp(name: str, text: str) -> Json:
            answer = mcp.tool("remember", content=text, name=name)
            return cast(Json, {"error": answer}) if answer["isError"] else answer

        mcp = sandbox.mcp()
        clients = [sandbox.server() for _ in range(PROCESSES - 1)]
        jobs = [partial(write, who, over_lsp(client)) for who, client in enumerate(clients)]
        jobs.append(partial(write, PROCESSES - 1, over_mcp))
        outcome.wrong += [f"{type(error).__name__}: {error}" for error in together(jobs)]
        outcome.acknowledged = len(acknowledged)
        views = [sandbox.memories(client) for client in (clients[0], clients[-1], sandbox.server())]
        for memories in views:
            found = Counter(
                marker
                for memory in memories
                if memory["status"] == "active"
                for marker in MARKER.findall(str(memory["content"]))
            )
            outcome.lost += [f"{marker} is gone" for marker in acknowledged if marker not in found]
            outcome.wrong += [f"{marker} is there {n} times" for marker, n in found.items() if n > 1]
        sandbox.judge(outcome)
        return outcome


def stopped(room: Path, chance: random.Random, tries: int) -> Outcome:
    """A server is stopped (SIGSTOP) while it writes; the others answer, and in the end all is there (14.10)."""
    with Sandbox(room) as sandbox:
        outcome, acknowledged = Outcome(), list[str]()
        holder, other = sandbox.server(), sandbox.server()
        for server in (holder, other):  # while the stores are being made there is nothing to read
            server.response(server.start("memory/record", {"content": "mark0 is kept."}), BUSY_SECONDS)
        for number in range(tries):
            outcome.tries += 1
            sent = {
                holder.start("memory/record", {"content": f"mark1x{number}n{n} is kept."}): f"mark1x{number}n{n}"
                for n in range(20)
            }
            time.sleep(chance.random() * 0.08)
            os.kill(holder.process.pid, signal.SIGSTOP)
            try:
                marker = f"mark2x{number}"
                told = other.response(other.start("memory/record", {"content": f"{marker} is kept."}), BUSY_SECONDS)
                if "error" not in told:
                    acknowledged.append(marker)
                elif told["error"]["data"].get("reason") == "busy":
                    outcome.told += 1
                else:
                    outcome.wrong.append(f"refused: {told['error']}")
                for method, params in (("memory/search", {"query": "kept"}), ("memory/inject", {"prompt": "kept"})):
                    found = other.response(other.start(method, params), BUSY_SECONDS)
                    if "error" in found:
                        outcome.wrong.append(f"{method} beside a stopped process: {found['error']['message']}")
                done = sandbox.hook("UserPromptSubmit", prompt=f"Remember: mark3x{number} is kept.")
                if done.returncode or b"Traceback" in done.stderr:
                    outcome.crashed.append(f"a hook beside a stopped process: {done.stderr[-300:]!r}")
            finally:
                os.kill(holder.process.pid, signal.SIGCONT)
            for id, marker in sent.items():
                if "result" in holder.response(id, BUSY_SECONDS):
                    acknowledged.append(marker)
        outcome.acknowledged = len(acknowledged)
        said = " ".join(str(memory["content"]) for memory in sandbox.memories(sandbox.server()))
        outcome.lost += [f"{marker} is gone" for marker in acknowledged if f"{marker} is kept" not in said]
        sandbox.judge(outcome)
        return outcome


def locked(room: Path, chance: random.Random, tries: int) -> Outcome:
    """The same with certainty: somebody holds every lock of the stores and does not let go."""
    with Sandbox(room) as sandbox:
        outcome = Outcome(tries=1)
        client = sandbox.server()
        client.call("memory/record", {"content": "mark0x1 is kept."})
        with contextlib.ExitStack() as held:
            for path in sandbox.home.rglob("*.lock"):
                file = held.enter_context(path.open("r+"))
                fcntl.flock(file, fcntl.LOCK_EX)
            writing = client.start("memory/record", {"content": "mark0x2 is kept."})
            for server in (client, sandbox.server()):
                for method, params in (("memory/search", {"query": "kept"}), ("memory/inject", {"prompt": "kept"})):
                    found = server.response(server.start(method, params), BUSY_SECONDS)
                    if "error" in found or "mark0x1" not in str(found):
                        outcome.wrong.append(f"{method} while a lock is held: {str(found)[:200]}")
            done = sandbox.hook("UserPromptSubmit", prompt="Remember: mark0x3 is kept.")
            if done.returncode or b"Traceback" in done.stderr:
                outcome.crashed.append(f"a hook while a lock is held: {done.stderr[-300:]!r}")
            told = client.response(writing, BUSY_SECONDS)
            outcome.told += "error" in told
        sandbox.hook("SessionEnd")
        wait_for_learning_processes(sandbox.home)
        said = str(sandbox.memories(sandbox.server()))
        sure = ["mark0x1", "mark0x3", *(["mark0x2"] if "result" in told else [])]
        outcome.acknowledged = len(sure)
        outcome.lost += [f"{marker} is gone" for marker in sure if marker not in said]
        sandbox.judge(outcome)
        return outcome


def ended(room: Path, chance: random.Random, tries: int) -> Outcome:
    """SIGTERM with requests and events under way: what was answered or told before is there (14.14)."""
    with Sandbox(room) as sandbox:
        outcome, acknowledged = Outcome(), list[str]()
        for number in range(tries):
            outcome.tries += 1
            client = sandbox.server()
            for n in range(5):
                text = f"From now on, always run tool{number}n{n} before a commit."
                client.notify("event/userMessage", {"sessionId": f"s{number}", "text": text})
                acknowledged.append(f"tool{number}n{n}")
            client.call("sidecar/status", {})  # the events were read by then
            sent = {
                client.start("memory/record", {"content": f"kept{number}n{n} is kept."}): f"kept{number}n{n}"
                for n in range(10)
            }
            time.sleep(chance.random() * 0.05)
            client.process.send_signal(signal.SIGTERM)
            client.wait_for_exit(BUSY_SECONDS)
            client.hang_up()
            answers: dict[object, Json] = {
                message.get("id"): message for message in client.reader.messages if "method" not in message
            }
            acknowledged += [marker for id, marker in sent.items() if id in answers and "result" in answers[id]]
        outcome.acknowledged = len(acknowledged)
        client = sandbox.server()
        for number in range(tries):
            client.call("session/end", {"sessionId": f"s{number}"})
        said = str(sandbox.memories(client)) + str(client.call("memory/candidates", {"limit": 200}))
        outcome.lost += [f"{marker} is gone" for marker in acknowledged if f"{marker} " not in said]
        sandbox.judge(outcome, ended=True)
        return outcome
