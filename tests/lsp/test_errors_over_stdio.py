"""Every kind of mistake gets exactly one response, with the right code, from a real process."""

from __future__ import annotations

import pytest

from tests.client.json_value import Json, fields
from tests.client.stdio_client import Client, StdioClient
from tests.conftest import Spawn


def refused(client: Client, body: bytes, id: object = None) -> Json:
    """Send one body; return its only response after checking that the server still works."""
    client.send(body)
    error = client.response(id)["error"]
    assert client.call("test/echo", {"text": "still here"}) == {"text": "still here", "size": 10}
    return error


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"{",
        b'{"jsonrpc":"2.0","id":90,"method":"test/echo"',
        b'{"jsonrpc":"2.0","id":90,"method":"test/echo","params":{"text":"\xff"}}',
        b"\xff\xfe\x00",
        b'{"jsonrpc":"2.0","id":90,"method":"test/echo","params":{"extra":' + b"[" * 200_000 + b"]" * 200_000 + b"}}",
    ],
)
def test_unparsable_messages_are_answered(client: StdioClient, body: bytes) -> None:
    assert refused(client, body)["code"] == -32700


@pytest.mark.parametrize(
    ("body", "id"),
    [
        (b"[]", None),
        (b'[{"jsonrpc":"2.0","id":91,"method":"test/echo"}]', None),
        (b"5", None),
        (b'{"jsonrpc":"1.0","id":91,"method":"test/echo"}', 91),
        (b'{"id":91,"method":"test/echo"}', 91),
        (b'{"jsonrpc":"2.0","id":91,"method":7}', 91),
        (b'{"jsonrpc":"2.0","id":"x","method":null}', "x"),
        (b'{"jsonrpc":"2.0","id":91}', 91),
        (b'{"jsonrpc":"2.0","id":null,"method":"test/echo"}', None),
        (b'{"jsonrpc":"2.0","id":true,"method":"test/echo"}', None),
        (b'{"jsonrpc":"2.0","id":1.5,"method":"test/echo"}', None),
        (b'{"jsonrpc":"2.0","id":{"a":1},"method":"test/echo"}', None),
        (b'{"jsonrpc":"2.0","id":91,"method":"test/echo","params":"text"}', 91),
        (b'{"jsonrpc":"2.0","id":91,"method":"test/echo","params":7}', 91),
    ],
)
def test_an_invalid_request_is_refused(client: StdioClient, body: bytes, id: object) -> None:
    assert refused(client, body, id)["code"] == -32600


@pytest.mark.parametrize(
    ("params", "path"),
    [
        ({"limit": "7"}, "$.limit"),
        ({"limit": 0}, "$.limit"),
        ({"limit": 1.5}, "$.limit"),
        ({"text": 5}, "$.text"),
        ({"files": ["a", 5]}, "$.files[1]"),
        ({"txet": "a"}, "$.txet"),
        ([], "$"),
    ],
)
def test_wrong_params_name_the_field(client: StdioClient, params: object, path: str) -> None:
    error = client.error("test/echo", params)
    assert error["code"] == -32602
    assert error["data"]["path"] == path
    assert path in error["message"]


def test_a_missing_field_is_named(client: StdioClient) -> None:
    assert client.error("test/fail")["data"]["path"] == "$.how"
    assert client.error("memory/search", {})["data"]["path"] == "$.query"


def test_wrong_params_of_lsp_methods_name_the_field(fake_server: Spawn) -> None:
    with fake_server() as client:
        error = client.error("initialize", {"processId": "x", "capabilities": {}, "rootUri": None})
        assert fields(error, "code", "data.path") == (-32602, "$.processId")
        error = client.error("initialize", {"processId": None, "rootUri": None, "capabilities": {}, "trace": 5})
        assert error["code"] == -32602
        client.initialize()
        error = client.error("workspace/executeCommand", {"arguments": []})
        assert fields(error, "code", "data.path") == (-32602, "$.command")


@pytest.mark.parametrize("method", ["nope", "$/nope", "textDocument/rename", "test/didNotify", "initialized", ""])
def test_an_unknown_method_is_refused(client: StdioClient, method: str) -> None:
    assert client.error(method, {})["code"] == -32601


def test_unknown_notifications_are_ignored(client: StdioClient) -> None:
    for method in ("nope", "$/nope", "$/setTrace", "textDocument/hover", "shutdown", "initialize"):
        client.notify(method, {"value": "off"})
    client.notify("$/setTrace", {"value": 5})
    client.ignore.add("window/logMessage")
    assert client.call("test/echo")["text"] == ""


def test_requests_before_initialize_are_refused(fake_server: Spawn) -> None:
    with fake_server() as client:
        client.notify("test/event", {"text": "early"})
        client.notify("workspace/didChangeConfiguration", {"settings": {}})
        for method in ("test/echo", "shutdown", "nope"):
            assert client.error(method)["code"] == -32002
        client.send(b"{")
        assert client.response(None)["error"]["code"] == -32700
        client.initialize()
        assert "event early" not in client.call("test/seen")["events"]


def test_initialize_twice_and_after_shutdown(fake_server: Spawn) -> None:
    client = fake_server()
    client.initialize()
    assert client.error("initialize", {"processId": None, "rootUri": None, "capabilities": {}})["code"] == -32600
    assert client.call("shutdown") is None
    for method in ("initialize", "shutdown", "test/echo", "nope"):
        assert client.error(method)["code"] == -32600
    client.notify("test/event", {"text": "late"})
    client.notify("exit")
    assert client.wait_for_exit() == 0
    client.close()


def test_requests_pipelined_behind_initialize_are_answered(fake_server: Spawn) -> None:
    with fake_server() as client:
        first = client.start("initialize", {"processId": None, "rootUri": None, "capabilities": {}})
        second = client.start("test/echo", {"text": "a"})
        assert "capabilities" in client.response(first)["result"]
        assert client.response(second)["result"]["text"] == "a"


def test_a_duplicate_id_is_refused_while_the_first_runs(client: StdioClient) -> None:
    client.start("test/slow", {"seconds": 3.0}, id="twin")
    client.start("test/echo", {"text": "b"}, id="twin")
    assert client.response("twin")["error"]["code"] == -32600
    assert "events" in client.response("twin")["result"]
    client.start("test/echo", {"text": "c"}, id="twin")
    assert client.response("twin")["result"]["text"] == "c"


def test_a_number_and_a_text_are_two_ids(client: StdioClient) -> None:
    client.start("test/slow", {"seconds": 0.5}, id=500)
    client.start("test/echo", {"text": "b"}, id="500")
    assert client.response("500")["result"]["text"] == "b"
    assert "result" in client.response(500)


def test_nested_jsonrpc_keys_are_data(client: StdioClient) -> None:
    nested = {"jsonrpc": "2.0", "id": 1, "method": "exit", "params": {"jsonrpc": 5}}
    assert client.call("test/echo", {"text": "a", "extra": nested})["text"] == "a"


def test_responses_to_nothing_are_ignored(client: StdioClient) -> None:
    client.start("test/slow", {"seconds": 0.3}, id="mine")
    for id in (77, "mine", None):
        client.send({"jsonrpc": "2.0", "id": id, "result": 1})
        client.send({"jsonrpc": "2.0", "id": id, "error": {"code": 1, "message": "x"}})
    assert "events" in client.response("mine")["result"]
    client.ignore.add("window/logMessage")


def test_errors_of_the_engine_keep_their_code_and_data(client: StdioClient) -> None:
    assert client.error("test/fail", {"how": "found"}) == {
        "code": -32010,
        "message": "No memory has this id.",
        "data": {"path": "$.id", "hint": "List them."},
    }
    assert client.error("test/fail", {"how": "file"})["data"] == {"reason": "directory"}


@pytest.mark.parametrize("how", ["defect", "surrogate", "exit"])
def test_a_defect_tells_no_detail(client: StdioClient, how: str) -> None:
    error = client.error("test/fail", {"how": how})
    assert error["code"] == -32603
    assert set(error) == {"code", "message"}
    assert "secret" not in error["message"]
    logged = client.notification("window/logMessage")
    assert logged["type"] == 1
    assert "secret" not in logged["message"]
    assert "Traceback" not in logged["message"]


def test_a_failing_notification_is_logged_and_survived(client: StdioClient) -> None:
    client.notify("test/event", {"text": 5})
    assert "$.text" in client.notification("window/logMessage")["message"]
    client.notify("workspace/didChangeWatchedFiles", {"changes": [{"uri": "file:///raise", "type": 2}]})
    message = client.notification("window/logMessage")["message"]
    assert "secret" not in message
    client.notify("textDocument/didSave", {"textDocument": {}})
    assert "$.textDocument" in client.notification("window/logMessage")["message"]
    assert client.call("test/echo", {"text": "a"})["size"] == 1


def test_an_engine_that_does_not_start_says_so_on_each_request(fake_server: Spawn) -> None:
    with fake_server() as client:
        client.initialize(options={"refuse": True})
        assert "refuses" in client.notification("window/showMessage")["message"]
        client.ignore.add("window/logMessage")
        for _ in range(2):
            assert "refuses" in client.error("test/echo")["message"]


def test_large_messages_arrive_whole_both_ways(client: StdioClient) -> None:
    text = "x\u00e9" * 8_000_000
    result = client.call("test/echo", {"text": text})
    assert result["size"] == len(text)
    assert result["text"] == text


def test_stray_output_does_not_reach_the_stream(client: StdioClient) -> None:
    assert client.call("test/print")["events"] == ["0"]
    assert client.call("test/echo", {"text": "a"})["size"] == 1


def test_an_error_does_not_repeat_megabytes(client: StdioClient) -> None:
    assert len(client.error("test/" + "x" * 1_000_000)["message"]) < 300
    id = "i" * 1_000_000
    client.start("test/read", {"seconds": 60}, id=id)
    client.start("test/echo", id=id)
    answers = [client.response(id)]
    client.notify("$/cancelRequest", {"id": id})
    answers.append(client.response(id))
    assert [answer["error"]["code"] for answer in answers] == [-32600, -32800]
    assert all(len(answer["error"]["message"]) < 300 for answer in answers)
