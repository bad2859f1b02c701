"""The client's own model reads sessions: a real process over stdio, and a client that answers, refuses or vanishes."""

from __future__ import annotations

import json
import queue
from collections.abc import Callable
from pathlib import Path

import pytest

from sidecar.engine.engine import Engine
from sidecar.engine.options import EngineOptions
from sidecar.settings import Settings
from sidecar.settings.model import ModelSettings, StoreSettings
from tests.client.calling import EngineCalls
from tests.client.json_value import Json
from tests.client.line_client import LineClient
from tests.waiting import eventually

Connect = Callable[..., LineClient]
CHOSEN = {"MEMORY_SIDECAR_MODELS_SESSIONS": "client"}
SAID = "The release train must never be changed on a Monday morning by anybody of the team"
ANSWER = {
    "operations": [
        {
            "op": "add",
            "text": "The release train must never be changed on a Monday morning.",
            "type": "feedback",
            "scope": "project",
            "quote": "must never be changed on a Monday morning",
            "message": 1,
        }
    ]
}


def a_session_is_over(tmp_path: Path, folder: Path) -> None:
    """Leave a question in the store from another process, as an agent's hook does."""
    from protocol.events import UserMessageParams
    from protocol.sessions import EndParams

    store = tmp_path / "home" / "data" / "memory-sidecar"
    settings = Settings(store=StoreSettings(folder=store), models=ModelSettings(sessions="client"))
    engine = Engine(settings, EngineOptions(short_lived=True))
    engine.lifecycle.add_workspace(folder)
    EngineCalls(engine).event_user_message(UserMessageParams(session_id="one", text=SAID))
    EngineCalls(engine).session_end(EndParams(session_id="one"))
    assert engine.wait_for_models(5) is False, "nobody here can be asked"
    engine.close()


def question(client: LineClient) -> Json:
    """Return the server's question to the client."""
    while True:
        message = next((each for each in client.seen if "method" in each), None) or client.message()
        if message in client.seen:
            client.seen.remove(message)
        if message.get("method") == "sampling/createMessage":
            return message


def answered(client: LineClient, asked: Json, result: object) -> None:
    client.send({"jsonrpc": "2.0", "id": asked["id"], "result": result})


def learned(client: LineClient) -> list[str]:
    found = client.tool("recall")["structuredContent"]["items"]
    return [str(each.get("content") or each.get("text")) for each in found]


def silent(client: LineClient, seconds: float) -> bool:
    """Return True if no further question comes."""
    try:
        message = client.arrived.get(timeout=seconds)
    except queue.Empty:
        return True
    return message is not None and message.get("method") != "sampling/createMessage"


def test_a_client_that_offers_its_model_is_asked_and_delays_nothing(
    connect: Connect, tmp_path: Path, folder: Path
) -> None:
    a_session_is_over(tmp_path, folder)
    client = connect(env=CHOSEN)
    client.hello(sampling={})
    asked = question(client)
    assert SAID in asked["params"]["messages"][0]["content"]["text"]
    assert "long-term memory" in asked["params"]["systemPrompt"]
    assert asked["params"]["includeContext"] == "none"
    assert learned(client) == [], "a request is answered while the question waits"
    content = {"type": "text", "text": json.dumps(ANSWER)}
    answered(client, asked, {"role": "assistant", "model": "m", "content": content})
    assert "Monday morning" in eventually(lambda: learned(client))[0]
    assert client.close() == 0


def test_a_client_without_a_model_is_asked_nothing(connect: Connect, tmp_path: Path, folder: Path) -> None:
    a_session_is_over(tmp_path, folder)
    client = connect(env=CHOSEN)
    client.hello()
    assert learned(client) == []
    assert silent(client, 2)


def test_nothing_is_asked_unless_it_was_chosen(connect: Connect, tmp_path: Path, folder: Path) -> None:
    a_session_is_over(tmp_path, folder)
    client = connect()
    client.hello(sampling={})
    assert learned(client) == []
    assert silent(client, 2)


@pytest.mark.parametrize(
    "reply",
    [
        {"error": {"code": -1, "message": "User rejected sampling request"}},
        {"result": {"role": "assistant", "content": {"type": "image", "data": "", "mimeType": "image/png"}}},
        {"result": ["nonsense"]},
        {"result": {"content": {"type": "text", "text": "I would rather not."}}},
    ],
)
def test_client_that_refuses_or_answers_nonsense_is_not_asked_again(
    connect: Connect, tmp_path: Path, folder: Path, reply: Json
) -> None:
    a_session_is_over(tmp_path, folder)
    client = connect(env=CHOSEN)
    client.hello(sampling={})
    client.send({"jsonrpc": "2.0", "id": "sampling-99", "result": {}})
    client.send({"jsonrpc": "2.0", "id": question(client)["id"], **reply})
    assert learned(client) == []
    assert silent(client, 1)
    assert client.close() == 0
    again = connect(env=CHOSEN)
    again.hello(sampling={})
    assert learned(again) == []
    assert silent(again, 2)


def test_a_question_that_is_under_way_at_the_end_is_taken_back_and_asked_by_the_next_one(
    connect: Connect, tmp_path: Path, folder: Path
) -> None:
    a_session_is_over(tmp_path, folder)
    client = connect(env=CHOSEN)
    client.hello(sampling={})
    asked = question(client)
    assert client.close() == 0, "it does not wait for the answer"
    told = [each for each in iter(client.arrived.get, None) if each["method"] == "notifications/cancelled"]
    assert [each["params"]["requestId"] for each in told] == [asked["id"]]
    again = connect(env=CHOSEN)
    again.hello(sampling={})
    assert SAID in question(again)["params"]["messages"][0]["content"]["text"]
