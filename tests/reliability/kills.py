"""Processes killed at random moments; the next one must have everything that was acknowledged."""

from __future__ import annotations

import contextlib
import json
import os
import random
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.client.json_value import Json, changed
from tests.client.learning_processes import wait_for_learning_processes
from tests.client.stdio_client import ROOT, StdioClient, Unanswered
from tests.reliability.ledger import Ledger
from tests.reliability.outcome import Outcome
from tests.reliability.sandbox import MOVED, PROGRAM, Sandbox

Effect = Callable[[bool], None]
Asked = tuple[str, object, Effect]
"""Told whether the request was acknowledged, or may have been done."""

WORDS = sorted(set("".join(each if each.isalpha() else " " for each in (ROOT / "LICENSE").read_text()).lower().split()))
BURST = 6
IMPORTED = 40
MAX_AT_ONCE = 150
"""Lines that MEMORY.md has room for; what is beyond is deleted as it goes."""

PATIENCE = 90.0
"""Seconds in which a start reads what was typed, on a machine that has much else to do."""

MEMORY_FILE = ".agents/MEMORY.md"


class Victim:
    """One project whose servers are killed, again and again."""

    def __init__(self, sandbox: Sandbox, chance: random.Random) -> None:
        self.sandbox, self.chance, self.outcome = sandbox, chance, Outcome()
        self.ledger = Ledger()
        self.ids: dict[str, str] = {}
        self.alike = chance.random() < 0.3
        """Texts that hardly differ are the ones that are mistaken for each other."""

    def text(self, marker: str) -> str:
        """Something of any length that a memory may say."""
        if self.alike:
            return f"{marker} " + f"says {marker} of many things " * self.chance.choice((1, 3, 40)) + "at last."
        words = " ".join(self.chance.choices(WORDS, k=self.chance.choice((6, 20, 150))))
        return f"{marker} {words}."

    # -- what is asked of a server; each gives a request and its effect --------------------------------------

    def record(self) -> Asked:
        marker = self.ledger.marker()
        text = self.text(marker)
        scope = self.chance.choice(("project", "personal", "global"))
        return (
            "memory/record",
            {"content": text, "name": marker, "scope": scope},
            lambda sure: self.ledger.put(marker, text, sure=sure),
        )

    def update(self) -> Asked:
        if not self.ids:
            return self.record()
        marker, id = self.chance.choice(list(self.ids.items()))
        text = self.text(marker)
        return ("memory/update", {"id": id, "content": text}, lambda sure: self.ledger.put(marker, text, sure=sure))

    def delete(self) -> Asked:
        if not self.ids:
            return self.record()
        marker, id = self.ids.popitem()
        purge = self.chance.random() < 0.3
        return ("memory/delete", {"id": id, "purge": purge}, lambda sure: self.ledger.drop(marker, sure=sure))

    def imported(self) -> Asked:
        rows = {marker: self.text(marker) for marker in (self.ledger.marker() for _ in range(IMPORTED))}
        lines = [
            json.dumps({"type": "entity", "name": marker, "entityType": "fact", "observations": [text]})
            for marker, text in rows.items()
        ]

        def done(sure: bool) -> None:
            self.ledger.together.append(list(rows))
            for marker, text in rows.items():
                self.ledger.put(marker, f"{marker} (fact):\n- {text}", sure=sure)

        return ("memory/import", {"text": "\n".join(lines), "name": "memory.json", "format": "mcp-memory"}, done)

    def maintain(self) -> Asked:
        return "memory/maintain", {}, lambda sure: None

    def twice(self) -> Asked:
        """The same text under another name, for maintenance to merge."""
        marker = self.ledger.marker()
        self.ledger.put(marker, marker, sure=False)
        text = f"{marker} is a text that is there twice."
        self.ledger.kept[marker].texts = {text}

        def done(sure: bool) -> None:
            self.ledger.kept[marker].sure |= sure

        return "memory/record", {"content": text, "name": f"{marker} {self.chance.random()}"}, done

    def edit_file(self) -> None:
        """Add a line to MEMORY.md by hand, as an editor does that writes and renames."""
        path = self.sandbox.folder / MEMORY_FILE
        if path.exists():
            marker = self.ledger.marker()
            text = f"{marker} was written by hand."
            beside = path.with_name("MEMORY.md.edited")
            beside.write_text(path.read_text() + f"- {text}\n")
            os.replace(beside, path)
            self.ledger.put(marker, text, sure=True)
            self.outcome.acknowledged += 1

    # -- the round -------------------------------------------------------------------------------------------

    def check(self, client: StdioClient) -> None:
        """Compare, and leave room in MEMORY.md."""
        memories = self.sandbox.memories(client)
        until = time.monotonic() + PATIENCE  # a line written by hand is read in the background of a start
        while self.ledger.missing(memories) and time.monotonic() < until:
            time.sleep(0.2)
            memories = self.sandbox.memories(client)
        for marker in sorted(self.ledger.missing(memories)):
            path = self.sandbox.folder / MEMORY_FILE
            typed = path.exists() and marker in path.read_text()
            state = client.call("sidecar/status", {}).get("memoryFile")
            self.outcome.notes.append(f"{marker} {'stands' if typed else 'does not stand'} in MEMORY.md: {state}")
        self.ledger.check(memories, self.outcome)
        self.ids = {
            marker: str(memory["id"]) for memory in memories for marker in self.ledger.kept if memory["name"] == marker
        }
        for marker in list(self.ids)[: max(0, len(memories) - MAX_AT_ONCE)]:
            client.call("memory/delete", {"id": self.ids.pop(marker), "purge": True})
            del self.ledger.kept[marker]

    def ask_and_kill(self, client: StdioClient, kinds: list[str], seconds: float) -> None:
        """Send a burst, kill at a moment of it, and see what had been answered."""
        sent: dict[object, Effect] = {}
        answers: dict[object, Json] = {}
        for kind in kinds:
            if kind == "edit_file":
                self.edit_file()
                continue
            method, params, effect = getattr(self, kind)()
            sent[client.start(method, params)] = effect
        for id in list(sent)[: self.chance.randrange(len(sent) + 1)]:
            with contextlib.suppress(Unanswered):
                answers[id] = client.response(id)
        time.sleep(self.chance.random() * seconds)
        client.process.kill()
        client.wait_for_exit()
        client.hang_up()
        answers |= {each.get("id"): each for each in client.reader.messages if "method" not in each}
        for id, effect in sent.items():
            answered = id in answers
            if answered and "error" in answers[id]:
                self.outcome.wrong.append(f"refused: {answers[id]['error']['message']}")
            effect(answered)
            self.outcome.acknowledged += answered
        self.ledger.check_file(self.sandbox.folder / MEMORY_FILE, self.outcome)

    def attack(self, kinds: list[list[str]], tries: int, seconds: float, **given: Any) -> None:
        """So many kills; one in six of them while the server is still starting."""
        for _ in range(tries):
            self.outcome.tries += 1
            if self.chance.random() < 0.16:
                early = self.sandbox.spawn(**given)
                early.start("initialize", _greeting(self.sandbox.folder))
                time.sleep(self.chance.random() * 0.6)
                early.kill()
                continue
            client = self.sandbox.server(**given)
            self.check(client)
            if given:  # a store that this opening has changed is old for the next one
                self.age()
            self.ask_and_kill(client, self.chance.choice(kinds), seconds)
        client = self.sandbox.server()
        self.check(client)
        client.close()

    def age(self) -> None:
        """Nothing: see `Migrated`."""


def _greeting(folder: Path) -> dict[str, object]:
    return {
        "processId": None,
        "rootUri": None,
        "capabilities": {},
        "workspaceFolders": [{"uri": folder.as_uri(), "name": folder.name}],
    }


def _servers(room: Path, chance: random.Random, kinds: list[list[str]], tries: int, seconds: float) -> Outcome:
    with Sandbox(room) as sandbox:
        victim = Victim(sandbox, chance)
        victim.attack(kinds, tries, seconds)
        leftovers(sandbox, victim.outcome)
        sandbox.judge(victim.outcome)
        return victim.outcome


def _judged(sandbox: Sandbox, victim: Victim, client: StdioClient, acknowledged: int) -> Outcome:
    """What a last server finds of all that was acknowledged, and what it leaves behind."""
    victim.check(client)
    client.close()
    victim.outcome.acknowledged = acknowledged
    leftovers(sandbox, victim.outcome)
    sandbox.judge(victim.outcome)
    return victim.outcome


def leftovers(sandbox: Sandbox, outcome: Outcome) -> None:
    """Temporary files of killed writers are gone once a later server ended in good order."""
    signs = (".tmp", ".making", ".copying", ".salvaged", ".edited")
    for path in [*sandbox.home.rglob("*"), *(sandbox.folder / ".agents").rglob("*")]:
        if any(sign in path.name for sign in signs):
            outcome.wrong.append(f"left behind: {path.relative_to(sandbox.room)}")


def record(room: Path, chance: random.Random, tries: int) -> Outcome:
    """Killed while memories are recorded, one after another and in a burst."""
    return _servers(room, chance, [["record"], ["record"] * BURST], tries, 0.05)


def update(room: Path, chance: random.Random, tries: int) -> Outcome:
    """Killed among updates, deletions and records."""
    return _servers(room, chance, [["record", "update", "update", "delete"], ["update"] * BURST], tries, 0.05)


def imports(room: Path, chance: random.Random, tries: int) -> Outcome:
    """Killed in imports, which are all or nothing."""
    return _servers(room, chance, [["imported"], ["record", "imported"]], tries, 0.2)


def maintenance(room: Path, chance: random.Random, tries: int) -> Outcome:
    """Killed while duplicates are merged."""
    return _servers(room, chance, [["twice", "twice", "record", "maintain"]], tries, 0.25)


def memory_file(room: Path, chance: random.Random, tries: int) -> Outcome:
    """Killed while MEMORY.md is read and written, with lines added by hand."""
    return _servers(room, chance, [["record", "edit_file", "record"], ["update"] * 3, ["edit_file"]], tries, 1.2)


def migration(room: Path, chance: random.Random, tries: int) -> Outcome:
    """Killed while a store of an older layout is migrated: it is the old one or the new one, and whole."""
    with Sandbox(room) as sandbox:
        victim = Victim(sandbox, chance)
        victim.attack([["record"] * 20], 3, 0.5)
        acknowledged = victim.outcome.acknowledged
        newer: dict[str, Any] = {"command": (*MOVED, "serve"), "env": {"RELIABILITY_MIGRATE": "1"}}
        whole = sandbox.home.with_name("older")
        subprocess.run(["cp", "-a", str(sandbox.home), str(whole)], check=True)
        for _ in range(tries):
            victim.outcome.tries += 1
            killed = sandbox.spawn(**newer)
            killed.start("initialize", _greeting(sandbox.folder))
            killed.notify("initialized", {})
            killed.start("memory/list", {})
            time.sleep(0.2 + chance.random() * 0.5)
            killed.kill()
            if chance.random() < 0.2:
                client = sandbox.server(**newer)
                victim.check(client)
                client.close()
                subprocess.run(["rm", "-r", str(sandbox.home)], check=True)
                subprocess.run(["cp", "-a", str(whole), str(sandbox.home)], check=True)
        return _judged(sandbox, victim, sandbox.server(**newer), acknowledged)


def salvage(room: Path, chance: random.Random, tries: int) -> Outcome:
    """Killed while a store with a damaged first page is salvaged, which loses nothing."""
    with Sandbox(room) as sandbox:
        victim = Victim(sandbox, chance)
        victim.attack([["record"] * 20], 3, 0.5)
        acknowledged = victim.outcome.acknowledged
        for number in range(tries):
            victim.outcome.tries += 1
            if number % 5 == 0:
                (path,) = sandbox.home.rglob("workspaces/*/memory/memories/cache.db")
                with path.open("r+b") as file:
                    file.write(b"\xa7" * 100)
            killed = sandbox.spawn()
            killed.start("initialize", _greeting(sandbox.folder))
            killed.notify("initialized", {})
            killed.start("memory/list", {})
            time.sleep(0.15 + chance.random() * 0.4)
            killed.kill()
        return _judged(sandbox, victim, sandbox.server(), acknowledged)


def fronts(room: Path, chance: random.Random, tries: int) -> Outcome:
    """Hooks, commands and MCP servers killed: an exit status of 0, or an answer, is the acknowledgement."""
    with Sandbox(room) as sandbox:
        outcome, ledger = Outcome(), Ledger()
        for number in range(tries):
            outcome.tries += 1
            marker = ledger.marker()
            text = f"{marker} needs the flag --slow."
            if number % 3 == 2:
                agent = sandbox.mcp()
                agent.ask("tools/call", {"name": "remember", "arguments": {"content": text, "name": marker}})
                time.sleep(chance.random() * 2)
                agent.kill()
                answers = []
                while (line := agent.arrived.get(timeout=60)) is not None:
                    answers.append(line)
                sure = any("result" in line and line.get("id") == 2 for line in answers)
            else:
                event = {"hook_event_name": "UserPromptSubmit", "session_id": f"s{number}", "cwd": str(sandbox.folder)}
                event["prompt"] = f"Remember: {text}"
                hook = number % 3 == 0
                process = subprocess.Popen(
                    [*PROGRAM, *(("hook",) if hook else ("record", "--name", marker, text))],
                    stdin=subprocess.PIPE,
                    stdout=subprocess.DEVNULL,
                    stderr=subprocess.DEVNULL,
                    env={**os.environ, **sandbox.environ},
                    cwd=sandbox.folder,
                )
                assert process.stdin is not None
                process.stdin.write(json.dumps(event).encode() if hook else b"")
                process.stdin.close()
                with contextlib.suppress(subprocess.TimeoutExpired):
                    process.wait(chance.random() * 3)
                process.kill()
                sure = process.wait() == 0
            ledger.put(marker, f"Remember: {text}" if number % 3 == 0 else text, sure=sure)
            outcome.acknowledged += sure
        for number in range(0, tries, 3):  # what was noted is settled
            sandbox.hook("SessionEnd", session=f"s{number}")
        wait_for_learning_processes(sandbox.home)
        client = sandbox.server()
        found = sandbox.memories(client)
        for each in client.call("memory/candidates", {"limit": 200})["items"]:
            found.append(changed(each, status="active"))
        ledger.check(found, outcome)
        client.close()
        leftovers(sandbox, outcome)
        sandbox.judge(outcome)
        return outcome
