"""Garbage on the wire of the real servers: the next requests are answered, each once."""

from __future__ import annotations

import json
import queue
import random
from pathlib import Path

from tests.client.stdio_client import StdioClient, Unanswered
from tests.reliability.garbage import BODIES, GARBAGE
from tests.reliability.outcome import Outcome
from tests.reliability.sandbox import Sandbox

PROTECTED = "The zebra sleeps at noon."


def garbage(room: Path, chance: random.Random, tries: int) -> Outcome:
    """Each kind, in any order, then three good requests, of which the first reads what was acknowledged."""
    with Sandbox(room) as sandbox:
        outcome = Outcome()
        client = sandbox.server()
        id = client.call("memory/record", {"content": PROTECTED})["memory"]["id"]
        outcome.acknowledged = 1
        for name in chance.sample(list(GARBAGE), len(GARBAGE)) * tries:
            outcome.tries += 1
            client.send_bytes(GARBAGE[name])
            try:
                for _ in range(3):
                    if client.call("memory/get", {"id": id})["content"] != PROTECTED:
                        outcome.lost.append(f"what was acknowledged, after {name}")
            except (Unanswered, AssertionError, OSError) as error:
                outcome.crashed.append(f"after {name}: {str(error)[:300]}")
                client.kill()
                client = sandbox.server()
            outcome.told += _answers(client, name, outcome)
        client.close()
        sandbox.judge(outcome, ended=True)
        return outcome


def _answers(client: StdioClient, name: str, outcome: Outcome) -> int:
    """Take away what the garbage was answered with; judged."""
    with client.reader.changed:
        answers = [message for message in client.reader.messages if "method" not in message]
        client.reader.messages[:] = []
    ids = [json.dumps(answer.get("id")) for answer in answers if answer.get("id") is not None]
    if len(ids) > len(set(ids)) + 1:  # two bodies in one garbage may bear one id
        outcome.wrong.append(f"{name} was answered {len(ids)} times")
    for each in answers:
        error = each.get("error")
        if error is not None and error["code"] == -32603:
            outcome.wrong.append(f"{name} was answered as a defect")
        if error is not None and len(error["message"]) > 1_000:
            outcome.wrong.append(f"{name} was answered with {len(error['message'])} characters")
    return len(answers)


def lines(room: Path, chance: random.Random, tries: int) -> Outcome:
    """The same over MCP, one JSON text a line."""
    with Sandbox(room) as sandbox:
        outcome = Outcome()
        client = sandbox.mcp()
        client.tool("remember", content=PROTECTED)
        outcome.acknowledged = 1
        kinds = {**BODIES, **{f"frame: {name}": data for name, data in GARBAGE.items() if "body: " not in name}}
        for name in chance.sample(list(kinds), len(kinds)) * tries:
            outcome.tries += 1
            data = kinds[name]
            try:
                client.send_raw((data if "frame: " in name else data.replace(b"\n", b" ")) + b"\n")
                found: object = client.tool("recall", query="zebra")
            except (AssertionError, OSError, queue.Empty) as error:
                outcome.crashed.append(f"after {name}: {type(error).__name__} {str(error)[:300]}")
                client.kill()
                client = sandbox.mcp()
                continue
            if PROTECTED not in str(found):
                outcome.lost.append(f"what was acknowledged, after {name}")
            for each in client.seen:
                if each.get("error", {}).get("code") == -32603:
                    outcome.wrong.append(f"{name} was answered as a defect")
            outcome.told += len(client.seen)
            client.seen.clear()
        sandbox.judge(outcome)
        return outcome
