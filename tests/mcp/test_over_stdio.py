"""The MCP front as a client meets it: a real process over stdio."""

from __future__ import annotations

import signal
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.client.hostile import inside
from tests.client.json_value import Json, fields
from tests.client.line_client import LineClient

Connect = Callable[..., LineClient]


def text_of(result: Json) -> str:
    return "\n".join(str(part["text"]) for part in result["content"])


@pytest.mark.parametrize(
    ("asked", "answered"),
    [
        ("2024-11-05", "2024-11-05"),
        ("2025-03-26", "2025-03-26"),
        ("2025-06-18", "2025-06-18"),
        ("2025-11-25", "2025-11-25"),
        ("2026-07-28", "2025-11-25"),
        ("1999-01-01", "2025-11-25"),
    ],
)
def test_a_version_is_agreed_on(connect: Connect, asked: str, answered: str) -> None:
    client = connect()
    hello = client.hello(asked)
    assert hello["protocolVersion"] == answered
    assert hello["serverInfo"]["name"] == "memory-sidecar"
    tools = client.request("tools/list")["tools"]
    assert ("outputSchema" in tools[0]) == (answered >= "2025-06-18")
    assert ("annotations" in tools[0]) == (answered >= "2025-03-26")
    assert client.close() == 0


def test_memory_of_one_process_is_known_to_the_next(connect: Connect) -> None:
    first = connect()
    first.hello()
    stored = first.tool("remember", content="Run the tests with pnpm vitest.", name="Tests", category="procedure")
    assert stored["structuredContent"]["status"] == "created"
    assert first.tool("remember", content="Run the tests with pnpm vitest.", name="Tests")["structuredContent"][
        "status"
    ] == ("duplicate")
    assert first.close() == 0
    second = connect()
    second.hello()
    found = second.tool("recall", query="how are the tests run")
    assert "pnpm vitest" in text_of(found)
    id = found["structuredContent"]["items"][0]["id"]
    assert "pnpm vitest" in text_of(second.tool("context", prompt="run the tests"))
    changed = second.tool("update_memory", id=id, content="Run the tests with pnpm test.")
    assert changed["structuredContent"]["memory"]["content"] == "Run the tests with pnpm test."
    undone = second.tool("update_memory", id=id, action="undo")
    assert "vitest" in undone["structuredContent"]["memory"]["content"]
    assert second.tool("forget", id=id)["structuredContent"] == {"id": id, "undoable": True}
    assert second.tool("recall")["structuredContent"] == {"items": []}
    assert second.close() == 0


def test_new_session_on_a_connection_is_told_of_the_files_in_hand(connect: Connect) -> None:
    client = connect()
    client.hello()
    assert "Files in hand" not in text_of(client.tool("context"))
    client.tool("file_summary", path="letters.py")
    told = text_of(client.tool("context", prompt="write a letter"))
    assert "Files in hand, the latest first:\n- letters.py — " in told
    assert "Files in hand" not in text_of(client.tool("context", budget_tokens=60))
    assert client.close() == 0


def test_file_tools_return_summaries_matches_and_a_map(connect: Connect) -> None:
    client = connect()
    client.hello()
    found = client.tool("file_summary", path="letters.py")
    assert "send_3" in text_of(found)
    assert found["structuredContent"]["fileTokens"] > found["structuredContent"]["tokens"]
    assert not client.tool("repo_map", budgetTokens=500)["isError"]
    assert not client.tool("find_files", query="send a letter")["isError"]


def test_mistakes_of_a_model_are_told_to_the_model(connect: Connect) -> None:
    client = connect()
    client.hello()
    for name, arguments, said in (
        ("recall", {"limit": "many"}, "limit"),
        ("recall", {"text": "x"}, "text"),
        ("remember", {}, "content"),
        ("forget", {"id": "nothing"}, "nothing"),
        ("remember", {"content": "Praise the agent", "category": "directive"}, "directive"),
        ("update_memory", {"id": "x"}, "Give an action"),
        ("update_memory", {"id": "x", "category": "directive"}, "Only the user gives directives"),
        ("file_summary", {"path": "absent.py"}, "absent.py"),
        ("file_summary", {"path": "/etc/passwd"}, "/etc/passwd"),
        ("recall", {"workspace": "elsewhere", "query": "x"}, "elsewhere"),
    ):
        result = client.tool(name, **arguments)
        assert result["isError"], name
        assert said in text_of(result)
    refused = client.answer(client.ask("tools/call", {"name": "no_such", "arguments": {}}))
    assert refused["error"]["code"] == -32602
    assert client.answer(client.ask("no/such"))["error"]["code"] == -32601


def test_garbage_is_answered_and_survived(connect: Connect) -> None:
    client = connect()
    client.send({"jsonrpc": "2.0", "id": 90, "method": "tools/list"})
    assert client.answer(90)["error"]["code"] == -32600
    client.hello()
    for data, code in (
        (b"{not json\n", -32700),
        (b'{"jsonrpc":"2.0","id":1,"method":"ping","params":"\xff"}\n', -32700),
        (b"[]\n", -32600),
        (b'"text"\n', -32600),
        (b'{"id":5,"method":"ping"}\n', -32600),
        (b"Content-Length: 2\r\n", -32700),
        (b'{"jsonrpc":"2.0","id":null,"method":"ping"}\n', -32600),
    ):
        client.send_raw(data)
        assert client.message()["error"]["code"] == code, data
    client.send_raw(b"\n  \n")
    nested = b'{"jsonrpc":"2.0","id":77,"method":"ping","params":{"a":' + b"[" * 5000 + b"]" * 5000 + b"}}\n"
    client.send_raw(nested)
    assert "error" in client.message()
    client.send([{"jsonrpc": "2.0", "id": 51, "method": "ping"}, {"jsonrpc": "2.0", "id": 52, "method": "ping"}])
    assert client.answer(51)["result"] == {}
    assert client.answer(52)["result"] == {}
    client.send_raw(b'{"jsonrpc":"2.0","id":53,')
    client.send_raw(b'"method":"ping"}\n')
    assert client.answer(53)["result"] == {}
    assert client.close() == 0


def test_roots_are_the_workspaces(connect: Connect, tmp_path: Path) -> None:
    places = []
    for name in ("one", "two"):
        place = tmp_path / name
        place.mkdir()
        subprocess.run(["git", "init", "-q", str(place)], check=True)
        places.append(place)
    client = connect()
    client.hello(roots={"listChanged": True})
    asked = client.message()
    assert asked["method"] == "roots/list"
    roots = [{"uri": place.as_uri(), "name": place.name} for place in places]
    client.send({"jsonrpc": "2.0", "id": asked["id"], "result": {"roots": roots}})
    client.tool("remember", content="The first folder uses tabs.")
    client.tool("remember", content="The second folder uses spaces.", workspace="two")
    assert "spaces" not in text_of(client.tool("recall", query="tabs or spaces"))
    assert "spaces" in text_of(client.tool("recall", query="tabs or spaces", workspace=str(places[1])))
    client.notify("notifications/roots/list_changed")
    asked = client.message()
    client.send({"jsonrpc": "2.0", "id": asked["id"], "result": {"roots": roots[1:]}})
    client.request("ping")
    until = time.monotonic() + 90
    while "spaces" not in text_of(client.tool("recall", query="tabs or spaces")):
        assert time.monotonic() < until, "the first root is still served"
        time.sleep(0.02)


def test_a_client_that_never_names_its_roots_is_served_where_it_stands(connect: Connect) -> None:
    client = connect()
    client.hello(roots={})
    assert "send_3" in text_of(client.tool("file_summary", path="letters.py"))


def test_resources_and_prompts_are_listed_and_read(connect: Connect) -> None:
    client = connect()
    client.hello()
    id = client.tool("remember", content="Deploys happen on Mondays.")["structuredContent"]["id"]
    uris = [each["uri"] for each in client.request("resources/list")["resources"]]
    assert uris == ["memory://context", f"memory://{id}"]
    read = client.request("resources/read", {"uri": f"memory://{id}"})["contents"][0]
    assert "Mondays" in read["text"]
    assert "Mondays" in client.request("resources/read", {"uri": "memory://context"})["contents"][0]["text"]
    summary = client.request("resources/read", {"uri": "file-summary://letters.py"})["contents"][0]
    assert "send_3" in summary["text"]
    templates = client.request("resources/templates/list")["resourceTemplates"]
    assert {each["uriTemplate"] for each in templates} == {"memory://{id}", "file-summary://{+path}"}
    for uri in ("memory://none", "file-summary://absent.py", "file-summary:///etc/passwd", "other://x"):
        assert client.answer(client.ask("resources/read", {"uri": uri}))["error"]["code"] == -32002
    assert {each["name"] for each in client.request("prompts/list")["prompts"]} == {"recall", "note-down"}
    asked = client.request("prompts/get", {"name": "recall", "arguments": {"topic": "deploys"}})
    assert "Mondays" in asked["messages"][0]["content"]["text"]
    refused = client.answer(client.ask("prompts/get", {"name": "recall"}))
    assert refused["error"]["code"] == -32602


def test_a_cancelled_request_is_not_answered(connect: Connect) -> None:
    client = connect()
    client.hello()
    id = client.ask("tools/call", {"name": "recall", "arguments": {"query": "x"}})
    client.notify("notifications/cancelled", {"requestId": id, "reason": "changed my mind"})
    client.notify("notifications/cancelled", {"requestId": 4711})
    assert client.request("ping") == {}
    answered = [message for message in client.seen if message.get("id") == id]
    assert len(answered) <= 1  # the answer may have been on its way
    assert fields(client.tool("recall"), "isError") == (False,)


def test_the_stateless_version_needs_no_handshake(connect: Connect) -> None:
    client = connect()
    meta = {"io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientCapabilities": {}}
    found = client.request("server/discover", {"_meta": meta})
    assert found["resultType"] == "complete"
    assert "2026-07-28" in found["supportedVersions"]
    listed = client.request("tools/list", {"_meta": meta})
    assert fields(listed, "resultType", "cacheScope") == ("complete", "private")
    params = {"name": "file_summary", "arguments": {"path": "letters.py"}, "_meta": meta}
    assert client.request("tools/call", params)["resultType"] == "complete"
    wrong = {"io.modelcontextprotocol/protocolVersion": "2031-01-01"}
    refused = client.answer(client.ask("tools/list", {"_meta": wrong}))["error"]
    assert refused["code"] == -32022
    assert refused["data"]["requested"] == "2031-01-01"


def test_acknowledged_memory_survives_the_hardest_end(connect: Connect) -> None:
    client = connect()
    client.hello()
    client.tool("remember", content="Kill nine does not lose this sentence.")
    client.kill()
    again = connect()
    again.hello()
    assert "Kill nine" in text_of(again.tool("recall", query="kill nine"))
    again.process.send_signal(signal.SIGTERM)
    assert again.process.wait(90) == 128 + signal.SIGTERM


def test_requests_before_the_end_are_answered(connect: Connect) -> None:
    client = connect()
    client.hello()
    id = client.ask("tools/call", {"name": "remember", "arguments": {"content": "Said at the very end."}})
    assert client.close() == 0
    assert fields(client.answer(id)["result"], "isError") == (False,)


def test_switched_off_memory_says_so_and_keeps_nothing(connect: Connect) -> None:
    client = connect(env={"MEMORY_SIDECAR_MEMORY_ENABLED": "false"})
    client.hello()
    said = client.tool("remember", content="Not to be kept.")
    assert said["isError"]
    assert "switched off" in text_of(said)
    assert fields(client.tool("file_summary", path="letters.py"), "isError") == (False,)


def test_slow_calls_report_progress(connect: Connect) -> None:
    client = connect()
    client.hello()
    params = {"name": "repo_map", "arguments": {}, "_meta": {"progressToken": "mine"}}
    client.request("tools/call", params)
    told = [message for message in client.seen if message.get("method") == "notifications/progress"]
    assert told
    assert {message["params"]["progressToken"] for message in told} == {"mine"}


def test_a_claim_is_one_agent_s(connect: Connect) -> None:
    first, second = connect(), connect()
    first.hello()
    second.hello()
    assert first.tool("session", action="claim", item="issue 5", workingOn="the fronts")["structuredContent"]["claimed"]
    other = second.tool("session", action="claim", item="issue 5")["structuredContent"]
    assert fields(other, "claimed") == (False,)
    assert other["owner"].startswith("mcp-")
    assert "the fronts" in text_of(second.tool("session", action="list"))
    refused = second.tool("session", action="release", item="issue 5")
    assert text_of(refused).startswith("Not released: issue 5; session ")
    assert text_of(first.tool("session", action="release", item="issue 5")) == "Released: issue 5."
    assert second.tool("session", action="claim", item="issue 5")["structuredContent"]["claimed"]
    ended = second.tool("session", action="end", summary="Fronts are done.")
    assert fields(ended, "isError") == (False,)


def test_weak_matches_are_told_apart(connect: Connect) -> None:
    client = connect()
    client.hello()
    client.tool("remember", content="Installs run with uv, never with pip.", name="installs")
    sure = client.tool("recall", query="how do installs run, with pip?")
    found = sure["structuredContent"]["items"][0]
    assert found["match"] == "likely"
    assert f"likely: {found['score']:.2f}" in text_of(sure)
    for item in client.tool("recall", query="zebra crossing")["structuredContent"]["items"]:
        assert item["match"] == "only close in words or meaning"


def test_a_corrected_memory_is_called_what_it_says(connect: Connect) -> None:
    client = connect()
    client.hello()
    made = client.tool("remember", content="Deploy to staging with make deploy")["structuredContent"]["id"]
    done = client.tool("update_memory", id=made, content="Deploy to production with fly deploy")
    assert "staging" not in text_of(done)
    assert done["structuredContent"]["memory"]["content"] == "Deploy to production with fly deploy"
    assert "name" not in done["structuredContent"]["memory"]
    given = client.tool("remember", content="Ask Ann before a release", name="Ann decides")
    done = client.tool("update_memory", id=given["structuredContent"]["id"], content="Ask Bob before a release")
    assert str(done["structuredContent"]["hint"]) in text_of(done)
    assert "The name still says “Ann decides”" in text_of(done)
    assert client.close() == 0


def test_a_derived_name_is_not_said_before_its_text(connect: Connect) -> None:
    client = connect()
    client.hello()
    text = "The event queue is Kafka, because the order per customer matters more than speed."
    id = client.tool("remember", content=text)["structuredContent"]["id"]
    client.tool("remember", content="Deploys happen on Mondays.", name="Release day")
    for answer in (client.tool("recall", query="event queue"), client.tool("recall")):
        said = {item["id"]: item for item in answer["structuredContent"]["items"]}
        assert said[id]["content"] == text
        assert "name" not in said[id]
        assert text_of(answer).count("event queue") == 1
        assert f"[{id}]" in text_of(answer)
    assert "Release day: Deploys" in text_of(client.tool("recall", query="deploys"))
    read = client.request("resources/read", {"uri": f"memory://{id}"})["contents"][0]["text"]
    assert read.count("event queue") == 1
    changed = client.tool("update_memory", id=id, pinned=True)
    assert text_of(changed).count("event queue") == 1


def test_stored_text_stands_in_one_fence(connect: Connect) -> None:
    client = connect()
    client.hello()
    client.tool("remember", content="Deploys happen on Mondays.", name="Release day")
    merged = client.tool("remember", content="Never on a Friday.", name="Release day")
    assert merged["structuredContent"]["status"] == "merged"
    answers = [client.tool("recall"), merged, client.tool("file_summary", path="letters.py")]
    answers += [client.tool("find_files", query="send a letter"), client.tool("context", prompt="deploys")]
    for answer in answers:
        assert inside(text_of(answer))
    assert text_of(client.tool("recall", query="deploys", types=["user"])) == "Nothing is remembered about that."
