"""A model reads what a user said in a session: with a real server, an endpoint and a real command."""

from __future__ import annotations

import json
import stat
import sys
from collections.abc import Mapping
from importlib.util import find_spec
from pathlib import Path

import pytest

from tests.client.json_value import Json
from tests.client.stdio_client import StdioClient
from tests.conftest import Spawn
from tests.summaries.conftest import Endpoint, completion
from tests.waiting import eventually

pytestmark = pytest.mark.skipif(find_spec("openai") is None, reason="the extra models is not installed")
IGNORED = ("window/logMessage", "memory/didChange", "file/didInvalidate", "$/progress", "client/registerCapability")
SAID = "Mondays are for releases, so the train must never be changed on a Monday morning by anybody"
ANSWER = {
    "operations": [
        {
            "op": "add",
            "text": "The release train must never be changed on a Monday morning.",
            "type": "feedback",
            "scope": "project",
            "quote": "the train must never be changed on a Monday morning",
            "message": 1,
        },
        {"op": "add", "text": "Deploys are green on Fridays.", "quote": "Deploys are green on Fridays", "message": 1},
    ]
}


def options(models: Mapping[str, object], learn: str = "confirm") -> dict[str, object]:
    return {
        "files": {"warmUp": False},
        "watch": {"mode": "off"},
        "memory": {"learnBufferSeconds": 0, "learn": learn},
        "models": models,
    }


def program(folder: Path, body: str) -> str:
    """Create a program that reads a question and writes an answer."""
    path = folder / "answering"
    path.write_text(f"#!{sys.executable}\nimport json, os, sys, time\n{body}\n")
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return str(path)


def session(client: StdioClient, id: str, said: str = SAID) -> None:
    client.notify("event/reasoning", {"sessionId": id, "text": "I have changed the release train."})
    client.notify("event/userMessage", {"sessionId": id, "text": said})
    client.call("session/end", {"sessionId": id})


def learned(client: StdioClient) -> list[Json]:
    items = list(client.call("memory/list", {})["items"])
    return [item for item in items if item["source"] == "extractor:model"]


def test_an_endpoint_is_given_the_session_and_only_what_was_said_is_kept(
    spawn: Spawn, tmp_path: Path, endpoint: Endpoint
) -> None:
    endpoint.reply = lambda body: (200, {}, completion(json.dumps(ANSWER)))
    given = {"endpoint": endpoint.url, "name": "m", "sessions": "endpoint", "summaries": False}
    with spawn(ignore=IGNORED) as client:
        client.initialize(tmp_path, options=options(given))
        session(client, "one")
        (memory,) = eventually(lambda: learned(client))
        assert memory["content"] == ANSWER["operations"][0]["text"]
        came_from = eventually(lambda: client.call("memory/candidates", {"memoryId": memory["id"]})["items"])
        evidence = came_from[0]["evidence"][-1]
        assert evidence["words"] == ANSWER["operations"][0]["quote"]
        assert evidence["before"] == "I have changed the release train."
    (asked,) = endpoint.texts()
    assert SAID in asked
    assert "I have changed the release train." in asked


def test_sessions_are_not_sent_unless_the_user_chose_a_reader(spawn: Spawn, tmp_path: Path, endpoint: Endpoint) -> None:
    given = {"endpoint": endpoint.url, "name": "m", "summaries": False, "facets": False}
    with spawn(ignore=IGNORED) as client:
        client.initialize(tmp_path, options=options(given))
        session(client, "one")
        assert client.call("sidecar/status", {})["workspaces"][0]["model"].get("waiting", 0) == 0
    assert endpoint.asked == []


def test_a_command_answers_in_an_empty_folder_and_our_hooks_keep_quiet(spawn: Spawn, tmp_path: Path) -> None:
    place = tmp_path / "program"
    place.mkdir()
    seen = place / "seen.json"
    command = program(
        place,
        "question = sys.stdin.read()\n"
        f"told = {{'question': question, 'files': os.listdir('.'), 'quiet': os.environ.get('MEMORY_SIDECAR_QUIET')}}\n"
        f"open({str(seen)!r}, 'w').write(json.dumps(told))\n"
        f"print('Sure:', json.dumps({ANSWER!r}))",
    )
    folder = tmp_path / "project"
    folder.mkdir()
    with spawn(ignore=IGNORED) as client:
        client.initialize(folder, options=options({"sessions": "command", "command": command}))
        session(client, "one")
        assert len(eventually(lambda: learned(client))) == 1
        assert client.call("sidecar/status", {})["modelTokensToday"] > 0
    command_input = json.loads(seen.read_text())
    assert SAID in command_input["question"]
    assert command_input["files"] == []
    assert command_input["quiet"] == "1"


@pytest.mark.parametrize("body", ["sys.exit(3)", "print('I would rather not.')", "print()"])
def test_a_command_that_fails_or_talks_harms_nothing(spawn: Spawn, tmp_path: Path, body: str) -> None:
    place = tmp_path / "program"
    place.mkdir()
    folder = tmp_path / "project"
    folder.mkdir()
    given = {"sessions": "command", "command": program(place, f"sys.stdin.read()\nopen('{place}/ran', 'w')\n{body}")}
    with spawn(ignore=(*IGNORED,)) as client:
        client.initialize(folder, options=options(given))
        session(client, "one")
        eventually((place / "ran").exists)
        assert learned(client) == []


def test_proposed_only_where_a_person_decides(spawn: Spawn, tmp_path: Path, endpoint: Endpoint) -> None:
    endpoint.reply = lambda body: (200, {}, completion(json.dumps(ANSWER)))
    given = {"endpoint": endpoint.url, "name": "m", "sessions": "endpoint", "summaries": False}
    with spawn(ignore=IGNORED) as client:
        client.initialize(tmp_path, options=options(given, "propose"))
        session(client, "one")
        eventually(lambda: client.call("memory/candidates", {})["items"])
        assert client.call("memory/list", {})["items"] == []


def test_session_reading_supersedes_an_agent_s_memory_but_not_a_person_s(
    spawn: Spawn, tmp_path: Path, endpoint: Endpoint
) -> None:
    given = {"endpoint": endpoint.url, "name": "m", "sessions": "endpoint", "summaries": False}
    with spawn(ignore=IGNORED) as client:
        client.initialize(tmp_path, options=options(given))
        old = client.call("memory/record", {"content": "The release train is changed on Monday morning."})["memory"]
        pinned = client.call("memory/record", {"content": "The release train is Ada's.", "pinned": True})["memory"]
        operations = [
            {
                "op": "supersede",
                "id": f"M{old['id'][-6:]}",
                "text": "The release train must never be changed on a Monday morning.",
                "quote": "the train must never be changed on a Monday morning",
                "message": 1,
            },
            {"op": "forget", "id": f"M{pinned['id'][-6:]}", "quote": "Mondays are for releases", "message": 1},
        ]
        endpoint.reply = lambda body: (200, {}, completion(json.dumps({"operations": operations})))
        session(client, "one")
        eventually(lambda: client.call("memory/get", {"id": old["id"]})["status"] == "archived")
        assert client.call("memory/get", {"id": pinned["id"]})["status"] == "active"
        assert len(learned(client)) == 1
        assert client.call("memory/undo", {"id": old["id"]})["status"] == "active"
