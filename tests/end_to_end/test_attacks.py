"""Attacks of every kind through every front that a model hears of, over the real processes.

Each attack of the corpus is tried on the fence itself (`tests/text/test_fence.py`) and on whole blocks
(`tests/memories/test_inject_attacks.py`); here, four of each kind show that no front goes past the fence. One process
of the language server is told everything; then the MCP server and the hooks of an agent tell it again.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from urllib.parse import quote

import pytest

from tests.client.hostile import acting, attacks, inside, strings
from tests.client.json_value import Json
from tests.client.line_client import ROOT, LineClient
from tests.client.stdio_client import StdioClient


def some_of_each_kind(number: int) -> list[str]:
    """Return up to `number` attacks of each kind but the long ones, evenly chosen."""
    kinds: dict[str, list[str]] = {}
    for kind, text in attacks():
        kinds.setdefault(kind, []).append(text)
    del kinds["long"]
    return [text for texts in kinds.values() for text in texts[:: -(-len(texts) // number)]]


ATTACKS = some_of_each_kind(4)
PER_FILE = 8
"""Memories that are told of one file."""

NOTIFICATIONS = ("window/logMessage", "textDocument/publishDiagnostics", "memory/didChange", "file/didInvalidate")
Told = Callable[[str], None]


class AttackedProject:
    """A project full of attacks, and the processes that tell of it."""

    def __init__(self, home: Path) -> None:
        self.folder = home / "work"
        self.folder.mkdir()
        subprocess.run(["git", "init", "-q", str(self.folder)], check=True)
        names = {"XDG_DATA_HOME": "data", "XDG_CONFIG_HOME": "config", "XDG_STATE_HOME": "state"}
        self.environ = {"HOME": str(home), "PYTHONPATH": str(ROOT), "MEMORY_SIDECAR_HOOKS_ANSWER_SECONDS": "60"}
        self.environ |= {name: str(home / place) for name, place in names.items()}
        self.paths = [self._write(number, text) for number, text in enumerate(ATTACKS)]
        self.server = StdioClient(cwd=self.folder, env=self.environ, ignore=NOTIFICATIONS)
        self.server.initialize(self.folder)
        self.ids = [self._tell(number, text) for number, text in enumerate(ATTACKS)]
        self.mcp = LineClient(self.folder, home, env=self.environ)
        self.mcp.hello()

    def _write(self, number: int, text: str) -> str:
        """A file that says the attack in its documentation, below a path that says it as well where one can."""
        quoted = text.replace("\0", "").replace("\\", "").replace('"""', "")
        path = f"lib/{number}/{text[:60].strip('/')}.py"
        try:
            (self.folder / path).parent.mkdir(parents=True, exist_ok=True)
            (self.folder / path).touch()
        except (OSError, ValueError):
            path = f"lib/{number}.py"
        first = f'def first(text: str = "x") -> None:\n    """{quoted}"""\n\n\n# {quoted!a}\n'
        code = f'"""{quoted} is what it does."""\n\n\n{first}'
        (self.folder / path).write_text(code + "first()\n" * 30, encoding="utf-8")
        return path

    def _tell(self, number: int, text: str) -> str:
        call, name = self.server.call, f"{text[:150].strip() or 'blank'} {number}"
        type, category = [
            ("project", None),
            ("user", None),
            ("feedback", None),
            ("project", "directive"),
            ("project", "blocker"),
        ][number % 5]
        said = {"name": name} if number % 2 else {}
        files = [self.paths[number - number % PER_FILE], text[:200].replace("\0", "").strip() or "x"]
        stored = {"content": f"{text} number {number}", "files": files, "type": type, "category": category, **said}
        id = call("memory/record", {key: value for key, value in stored.items() if value is not None})["memory"]["id"]
        call(
            "file/observe",
            {"sessionId": "me", "text": f"`first` returns None after {text}.", "paths": [self.paths[number]]},
        )
        return str(id)

    def hook(self, name: str, session: str, **fields: object) -> str:
        """What one hook process told the agent."""
        event = {"hook_event_name": name, "session_id": session, "cwd": str(self.folder), **fields}
        done = subprocess.run(
            [sys.executable, "-P", "-m", "sidecar", "hook"],
            input=json.dumps(event).encode(),
            capture_output=True,
            env={**os.environ, **self.environ},
            check=True,
            timeout=180,
        )
        return str(json.loads(done.stdout)["hookSpecificOutput"]["additionalContext"]) if done.stdout else ""

    def close(self) -> None:
        self.mcp.kill()
        self.server.kill()


@pytest.fixture(scope="module")
def attacked(tmp_path_factory: pytest.TempPathFactory) -> Iterator[AttackedProject]:
    found = AttackedProject(tmp_path_factory.mktemp("attacks"))
    yield found
    found.close()


def judge(text: str, *, fenced: bool | None = True) -> None:
    """Fails when something in a text for a model could act, or stored text stands outside of the fence.

    `fenced` is None where a sentence of ours may be all there is to say.
    """
    if fenced or (fenced is None and "<memory-notes>" in text):
        text = inside(text)
    assert not acting(text), (acting(text)[:3], text[:2_000])


def judge_answer(result: Json, *, fenced: bool | None = True) -> None:
    """The same of a tool's answer, its data included."""
    (part,) = result["content"]
    judge(str(part["text"]), fenced=None if result["isError"] else fenced)
    for text in strings(result.get("structuredContent", {})):
        judge(text, fenced=text == part["text"])


def tools(attacked: AttackedProject, number: int, text: str) -> Iterator[tuple[Json, bool | None]]:
    call, id, path = attacked.mcp.tool, attacked.ids[number], attacked.paths[number]
    yield call("recall", query=f"{text} number {number}", limit=5), True
    yield call("context", prompt=f"{text} number {number}", files=[path], budgetTokens=500), True
    yield call("file_summary", path=path), True
    yield call("find_files", query=f"{text} is what it does", limit=3), None
    yield call("remember", content=f"{text} number {number}", name=f"again {number}"), None
    yield call("remember", content=f"{text} with more {number}", name=f"again {number}"), True
    yield call("update_memory", id=id, content=f"{text} changed {number}"), True
    for wrong in ({"id": text}, {"id": id, "action": "undo", "workspace": text}):
        yield call("update_memory", **wrong), None


def test_tools_fence_hostile_memories(attacked: AttackedProject) -> None:
    found = set()
    for number, text in enumerate(ATTACKS):
        for result, fenced in tools(attacked, number, text):
            judge_answer(result, fenced=fenced)
            items = result.get("structuredContent", {}).get("items", [])
            found |= {number for item in items if item.get("id") == attacked.ids[number]}
    assert len(found) > len(ATTACKS) * 0.9, "they were really told"


def test_tools_that_tell_of_everything(attacked: AttackedProject) -> None:
    judge_answer(attacked.mcp.tool("repo_map", budgetTokens=20_000))
    judge_answer(attacked.mcp.tool("recall", limit=50))


def test_sessions_and_claims_carry_no_attack(attacked: AttackedProject) -> None:
    call, at_once, told = attacked.server.call, 40, 0
    for start in range(0, len(ATTACKS), at_once):
        sessions = {}
        for number, text in list(enumerate(ATTACKS))[start : start + at_once]:
            id = "".join(filter(str.isprintable, f"{text[:60]}{number}")).strip()
            sessions[id] = text
            agent = text[:60].strip() or "x"
            call("session/start", {"sessionId": id, "workingOn": text[:900], "agent": agent})
            item = "".join(filter(str.isprintable, f"{text[:200]} {number}"))
            call("session/claim", {"sessionId": id, "item": item})
            judge_answer(attacked.mcp.tool("session", action="claim", item=item), fenced=False)
        listed = attacked.mcp.tool("session", action="list")
        judge_answer(listed)
        assert listed["content"][0]["text"].count("\n- ") >= len(sessions)
        judge(str(call("context/boot", {"budgetTokens": 50_000, "include": ["sessions"]})["text"]))
        for id, text in sessions.items():
            call("session/end", {"sessionId": id, "summary": f"Done: {text}"})
            if text := str(call("context/boot", {"budgetTokens": 50_000, "include": ["recentSessions"]})["text"]):
                judge(text)
                told += 1
    assert told > len(ATTACKS) * 0.9, "a summary that quotes a block of ours is not kept"


def test_resources_fence_hostile_memories(attacked: AttackedProject) -> None:
    listed: list[Json] = []
    cursor: dict[str, object] = {}
    while page := attacked.mcp.request("resources/list", cursor):
        listed += page["resources"]
        if "nextCursor" not in page:
            break
        cursor = {"cursor": page["nextCursor"]}
    assert {f"memory://{id}" for id in attacked.ids} <= {each["uri"] for each in listed}
    for text in strings(listed):
        judge(text, fenced=False)
    uris = [f"memory://{id}" for id in attacked.ids] + [f"file-summary://{quote(path)}" for path in attacked.paths]
    for uri in [*uris, "memory://context"]:
        (read,) = attacked.mcp.request("resources/read", {"uri": uri})["contents"]
        judge(str(read["text"]))
    for text in ATTACKS:
        refused = attacked.mcp.answer(attacked.mcp.ask("resources/read", {"uri": f"memory://{text}"}))
        judge(str(refused["error"]["message"]), fenced=False)


def test_prompts_fence_hostile_memories(attacked: AttackedProject) -> None:
    for number, text in enumerate(ATTACKS):
        topic = f"{text} number {number}"
        told = attacked.mcp.request("prompts/get", {"name": "recall", "arguments": {"topic": topic}})
        (message,) = told["messages"]
        asked, mark, block = message["content"]["text"].partition("<memory-notes>\n")
        judge(asked, fenced=False)
        if mark:
            judge(mark + block)


def test_file_hooks_keep_the_fence(attacked: AttackedProject) -> None:
    told = 0
    for number in range(0, len(ATTACKS), PER_FILE):
        edit = {
            "tool_name": "Edit",
            "tool_input": {"file_path": str(attacked.folder / attacked.paths[number]), "old_string": "x"},
        }
        text = attacked.hook("PreToolUse", "s1", **edit)
        judge(text)
        told += text.count("\n- ")
    assert told > len(ATTACKS) * 0.9


@pytest.mark.parametrize("at", range(0, len(ATTACKS), 20))
def test_prompt_hooks_keep_the_fence(attacked: AttackedProject, at: int) -> None:
    if text := attacked.hook("UserPromptSubmit", f"p{at}", prompt=" ".join(ATTACKS[at : at + 8])):
        judge(text)


def test_session_start_hooks_keep_the_fence(attacked: AttackedProject) -> None:
    judge(attacked.hook("SessionStart", "s2", source="startup"))


def test_context_of_a_sub_agent_keeps_the_fence(attacked: AttackedProject) -> None:
    for number in range(0, len(ATTACKS), 10):
        session = f"reader {number}"
        for path in attacked.paths[number : number + 10]:
            attacked.server.call("file/recordRead", {"sessionId": session, "path": path})
        told = attacked.server.call("file/handoff", {"sessionId": session})
        judge(str(told["text"]))
        for text in strings([item["text"] for item in told["items"]]):
            judge(text, fenced=False)
        assert told["text"].count("\n- ") == len(told["items"]) >= min(3, len(attacked.paths) - number)


def test_boot_context_keeps_the_fence(attacked: AttackedProject) -> None:
    for number in range(10):
        due = datetime.now(UTC) + timedelta(seconds=5)  # a busy machine is slow to take it in
        text = "\nand\n".join(ATTACKS[number::10])[:1_000]  # a lone "<" is no part of the next attack
        attacked.server.call("reminder/set", {"text": text, "at": due.isoformat()})
    time.sleep(max(0.0, (due - datetime.now(UTC)).total_seconds()) + 0.1)
    for part in ("directives", "blockers", "reminders"):
        judge(str(attacked.server.call("context/boot", {"budgetTokens": 50_000, "include": [part]})["text"]))
