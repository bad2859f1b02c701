"""An agent's requests of our own methods are answered before pygls is imported, and in their order."""

from __future__ import annotations

import asyncio
import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any, cast

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from lsprotocol import types
from pygls.protocol import default_converter
from pygls.uris import to_fs_path

from protocol.errors import ErrorCode
from sidecar.checkout.paths import folder_of
from sidecar.engine.host import EngineHost
from sidecar.lsp.client_info import ClientInfo, read_client_info
from sidecar.lsp.connection import EndOfInput, LspConnection
from sidecar.lsp.early_initialize import EarlyAnswer
from sidecar.lsp.inbox import Inbox
from sidecar.lsp.process_end import ParentWatch
from sidecar.runtime.ending import Ending
from sidecar.wire.framing import BadFrame
from sidecar.wire.messages import Notification, Request
from tests.client.fake_engine import fake_options
from tests.client.json_value import Json
from tests.conftest import Spawn

ROOT = Path(__file__).resolve().parents[2]
EDITORS = json.loads((Path(__file__).parent / "data/editors.json").read_text())
CONVERTER: Any = cast("Any", default_converter)()
AGENT: dict[str, object] = {"capabilities": {"window": {"workDoneProgress": True}}}
EDITOR: dict[str, object] = {"capabilities": {"textDocument": {"hover": {}}}}
FOLLOWER: dict[str, object] = {"capabilities": {"experimental": {"memorySidecar": {"didChange": True}}}}


class Line:
    """An inbox with a connection behind it, and the messages sent."""

    def __init__(self) -> None:
        self.sent: list[Json] = []
        self.ending = Ending()
        self.connection = LspConnection(
            lambda frame: self.sent.append(json.loads(frame.split(b"\r\n\r\n", 1)[1])),
            lambda: None,
            self.ending,
            EngineHost(),
            fake_options({}),
        )
        self.inbox = Inbox(self.connection, ParentWatch(Ending()))

    def request(self, id: int, method: str, params: object = None) -> None:
        self.inbox.receive([Request(id, method, msgspec.Raw(msgspec.json.encode(params or {})))])

    def notify(self, method: str, params: object = None) -> None:
        self.inbox.receive([Notification(method, msgspec.Raw(msgspec.json.encode(params or {})))])

    def answered(self) -> set[Json]:
        """Return the ids that were answered, once nothing is being served any more."""
        assert self.connection.lanes.drain(("read", "write", "slow"), 60)
        return {message["id"] for message in self.sent if "id" in message}


@pytest.fixture
def line() -> Line:
    return Line()


def test_an_agent_is_answered_at_once(line: Line) -> None:
    line.request(1, "initialize", AGENT)
    line.notify("initialized")
    line.request(2, "test/echo", {"text": "a"})
    line.request(1, "test/write", {"text": "the id of initialize is free again"})
    assert line.answered() == {1, 2}
    assert [int(message["id"]) for message in line.sent].count(1) == 2
    line.inbox.wait(lambda: False)  # everything is answered, so the rest of the server may start


def test_a_bad_frame_of_an_agent_is_refused_without_the_whole_server(line: Line) -> None:
    line.request(1, "initialize", AGENT)
    line.inbox.receive([BadFrame("body", "The body is no JSON.")])
    assert [message["error"]["code"] for message in line.sent if "error" in message] == [ErrorCode.PARSE_ERROR]
    assert [type(event) for event in line.inbox.take_all()] == [EarlyAnswer]


def test_requests_behind_a_message_of_lsp_wait_with_it(line: Line) -> None:
    line.request(1, "initialize", AGENT)
    line.notify("initialized")
    line.request(2, "test/echo", {"text": "a"})
    line.notify("workspace/didChangeWorkspaceFolders", {"event": {"added": [], "removed": []}})
    line.request(3, "test/echo", {"text": "b"})
    line.request(4, "test/write", {"text": "c"})
    assert line.answered() == {1, 2}


def test_changed_files_are_reported_to_the_engine_without_the_whole_server(line: Line) -> None:
    reported: list[str] = []
    line.request(1, "initialize", AGENT)
    line.request(2, "test/echo", {"text": "a"})
    assert line.answered() == {1, 2}
    engine: Any = line.connection.engine()
    engine.files_changed = reported.extend
    line.notify("workspace/didChangeWatchedFiles", {"changes": [{"uri": "file:///a", "type": 1}, {"uri": "file:///b"}]})
    line.request(3, "test/echo", {"text": "b"})
    assert line.connection.lanes.drain(("changes",), 60)
    assert line.answered() == {1, 2, 3}
    assert reported == ["file:///a", "file:///b"]
    line.notify("workspace/didChangeWatchedFiles", {"changes": "all"})
    line.request(4, "test/echo", {"text": "c"})
    assert line.answered() == {1, 2, 3}


@pytest.mark.parametrize("client", [EDITOR, FOLLOWER], ids=["editor", "follower"])
def test_an_editor_waits_for_the_whole_server(line: Line, client: Json) -> None:
    line.request(1, "initialize", client)
    line.request(2, "test/echo", {"text": "a"})
    assert line.answered() == {1}
    line.inbox.wait(lambda: False)


def test_a_client_that_is_not_greeted_waits(line: Line) -> None:
    line.request(1, "initialize", {"capabilities": []})
    line.request(2, "test/echo", {"text": "a"})
    assert line.answered() == set()
    line.inbox.wait(lambda: False)


def test_a_request_can_be_taken_back_before_the_whole_server_is_there(line: Line) -> None:
    line.request(1, "initialize", AGENT)
    line.request(2, "test/slow", {"seconds": 60.0})
    line.request(3, "test/slow", {"seconds": 60.0})
    for id in (2, 3, "nobody's"):
        line.notify("$/cancelRequest", {"id": id})
    line.notify("$/cancelRequest", {})
    assert line.answered() == {1, 2, 3}
    assert {message["error"]["code"] for message in line.sent if message.get("id") in (2, 3)} == {-32800}


def test_the_wait_ends_with_the_input_and_with_the_process(line: Line) -> None:
    line.inbox.wait(lambda: True)
    line.request(1, "initialize", AGENT)
    line.request(2, "test/slow", {"seconds": 0.2})
    line.inbox.receive([EndOfInput()])
    line.inbox.wait(lambda: False)
    assert line.connection.lanes.drain(("now",), 60)
    assert line.ending.code == 1


def test_an_event_that_the_loop_has_taken_is_not_left_over(line: Line) -> None:
    async def take() -> list[Any]:
        return list(await line.inbox.fetch(running=False))

    line.request(1, "initialize", EDITOR)
    line.notify("test/event", {"text": "once"})
    assert [type(event) for event in asyncio.run(take())] == [EarlyAnswer, Notification]
    line.inbox.close()
    assert line.inbox.take_all() == []


def test_an_answer_needs_neither_pygls_nor_asyncio() -> None:
    code = (
        "import sys, msgspec\n"
        "from sidecar.lsp import server\n"
        "from sidecar.wire.messages import Request\n"
        "from tests.client.fake_engine import TEST_METHODS, FakeEngine, fake_load\n"
        "sent = []\n"
        "options = server.ServerOptions(FakeEngine, fake_load, {}, TEST_METHODS)\n"
        "connection = server.LspConnection(sent.append, lambda: None, server.Ending(), server.EngineHost(), options)\n"
        "inbox = server.Inbox(connection, server.process_end.ParentWatch(server.Ending()))\n"
        'inbox.receive([Request(1, "initialize", msgspec.Raw(b\'{"capabilities":{}}\')),'
        ' Request(2, "test/echo", msgspec.Raw(b\'{"text":"a"}\'))])\n'
        'connection.lanes.drain(("write", "read"), 60)\n'
        "assert len(sent) == 2, sent\n"
        "print(*sorted({name.split('.')[0] for name in sys.modules}))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT, check=True, timeout=300
    )
    assert not set(done.stdout.split()) & {"pygls", "lsprotocol", "cattrs", "attrs", "asyncio", "click", "rich"}


def test_an_agent_comes_and_leaves_without_pygls(tmp_path: Path) -> None:
    code = (
        "import os, sys\n"
        "from sidecar.lsp.server import ServerOptions, run\n"
        "from tests.client.fake_engine import TEST_METHODS, FakeEngine, fake_load\n"
        "options = ServerOptions(FakeEngine, fake_load, {}, TEST_METHODS)\n"
        "done = run(os.open(sys.argv[1], os.O_RDONLY), os.dup(1), options)\n"
        "print(done.code, *sorted({name.split('.')[0] for name in sys.modules}), file=sys.stderr)"
    )
    messages: list[dict[str, object]] = [
        {"id": 1, "method": "initialize", "params": {"processId": None, "rootUri": None, "capabilities": {}}},
        {"method": "initialized", "params": {}},
        {"id": 2, "method": "test/echo", "params": {"text": "a"}},
        {"method": "workspace/didChangeWatchedFiles", "params": {"changes": [{"uri": "file:///a", "type": 1}]}},
        {"id": 3, "method": "shutdown"},
        {"id": 4, "method": "test/echo", "params": {"text": "b"}},
        {"id": 5, "method": "shutdown"},
        {"method": "exit"},
    ]
    bodies = [json.dumps({"jsonrpc": "2.0", **message}).encode() for message in messages]
    given = tmp_path / "given"
    given.write_bytes(b"".join(b"Content-Length: %d\r\n\r\n%b" % (len(body), body) for body in bodies))
    done = subprocess.run(
        [sys.executable, "-c", code, str(given)], capture_output=True, cwd=ROOT, check=True, timeout=300
    )
    answers = {one["id"]: one for one in map(json.loads, re.findall(rb"\{.*?\}(?=Content|$)", done.stdout))}
    assert answers[3]["result"] is None
    assert {answers[id]["error"]["code"] for id in (4, 5)} == {-32600}
    code_and_modules = done.stderr.decode().split()
    assert code_and_modules[0] == "0"
    assert not set(code_and_modules) & {"pygls", "lsprotocol", "cattrs", "attrs", "asyncio", "click", "rich"}


def test_a_real_server_answers_early_and_goes_on(spawn: Spawn, tmp_path: Path) -> None:
    (tmp_path / "work").mkdir()
    with spawn(cwd=tmp_path / "work", ignore=("memory/didChange", "file/didInvalidate")) as client:
        uri = (tmp_path / "work").as_uri()
        hello: dict[str, object] = {"processId": None, "rootUri": uri, "capabilities": {}}
        first = client.start("initialize", hello)
        client.notify("initialized", {})
        stored = client.start("memory/record", {"content": "The parser reads the lexer's tokens."})
        found = client.start("memory/search", {"query": "parser"})
        assert "capabilities" in client.response(first)["result"]
        assert client.response(stored)["result"]["status"] == "created"
        assert len(client.response(found)["result"]["items"]) == 1
        symbols = client.start("workspace/symbol", {"query": "parser"})  # an LSP method, so pygls is imported now
        assert "result" in client.response(symbols)
        assert client.call("sidecar/status")["workspaces"][0]["uri"] == uri


def told_by_types(said: dict[str, object]) -> ClientInfo:
    return read_client_info(CONVERTER.unstructure(CONVERTER.structure(said, types.InitializeParams)))


@pytest.mark.parametrize("name", EDITORS)
def test_a_client_is_understood_alike_with_and_without_types(name: str) -> None:
    said = {"processId": None, "rootUri": "file:///tmp/a%20b", **EDITORS[name]}
    assert read_client_info(said) == told_by_types(said)


@pytest.mark.parametrize(
    "said",
    [
        {"rootPath": "/tmp/a b"},
        {"rootUri": "file:///a", "rootPath": "/b"},
        {"rootUri": "file:///a", "workspaceFolders": []},
        {"rootUri": "file:///a", "workspaceFolders": [{"uri": "file:///b", "name": "b"}]},
        {"initializationOptions": {"memorySidecar": {"memory": {"enabled": False}}, "other": [1, None]}},
        {"initializationOptions": {"memory": {"enabled": False, "list": [{"a": 1}]}}},
        {"initializationOptions": []},
        {"capabilities": {"workspace": {"configuration": True, "didChangeWatchedFiles": {}}}},
        {"capabilities": {"experimental": {"memorySidecar": {"person": True}}}},
        {"capabilities": {"experimental": [1]}},
    ],
    ids=str,
)
def test_early_and_full_server_read_initialize_alike(said: dict[str, object]) -> None:
    whole = {"processId": None, "rootUri": None, "capabilities": {}, **said}
    assert read_client_info(whole) == told_by_types(whole)


def test_malformed_capabilities_are_ignored() -> None:
    wrong = {"capabilities": {"workspace": 5, "window": [], "textDocument": None}, "workspaceFolders": {"a": 1}}
    nothing = read_client_info({})
    assert read_client_info(wrong) == read_client_info(None) == read_client_info([]) == nothing
    assert not nothing.folders
    assert nothing.agent


@given(st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=20))
def test_folders_are_what_pygls_makes_of_their_uris(rest: str) -> None:
    for uri in (f"file:///{rest}", f"file://{rest}", f"file:{rest}"):
        try:
            path = to_fs_path(uri)
        except ValueError:
            path = None
        folder = folder_of(uri)
        if path is None or "\0" in path:
            assert folder is None or path is None
        else:
            assert (folder or Path()) == Path(path)
