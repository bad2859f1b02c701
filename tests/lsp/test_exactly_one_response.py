"""Whatever a client sends, each request gets exactly one response and nothing else is answered."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from lsprotocol import types

from tests.client.stdio_client import Client, InProcessClient

scalars = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-(2**70), 2**70),
    st.floats(allow_nan=False, allow_infinity=False),
    st.text(max_size=8),
)
values = st.recursive(
    scalars,
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(st.text(max_size=6), inner, max_size=3)),
    max_leaves=8,
)
likely = st.fixed_dictionaries(
    {},
    optional={
        "textDocument": values,
        "uri": values,
        "text": values,
        "limit": values,
        "id": values,
        "token": values,
        "event": values,
        "settings": values,
        "command": values,
        "files": values,
        "jsonrpc": values,
        "method": values,
    },
)
never = {"shutdown", "exit", "initialize", "$/cancelRequest", "test/print", "test/notify", "test/slow", "test/read"}
methods = st.one_of(
    st.sampled_from(sorted(set(types.METHOD_TO_TYPES) - never)),
    st.sampled_from(["test/echo", "test/seen", "test/fail", "test/event", "memory/record", "nope", "$/nope"]),
    st.text(max_size=10),
)
messages = st.fixed_dictionaries(
    {"jsonrpc": st.just("2.0"), "method": methods},
    optional={"params": st.one_of(likely, values), "request": st.booleans()},
)


@pytest.fixture(scope="module")
def client(time_to_end: None) -> Iterator[Client]:
    from tests.client.fake_engine import fake_options

    ignorable = ["window/logMessage", "window/showMessage", "textDocument/publishDiagnostics"]
    with InProcessClient(fake_options({}), ignore=ignorable) as started:
        started.initialize()
        yield started


@settings(suppress_health_check=list(HealthCheck))
@given(st.lists(messages, min_size=1, max_size=15))
def test_each_request_gets_exactly_one_response(client: Client, batch: list[dict[str, object]]) -> None:
    owed: Counter[object] = Counter()
    for number, message in enumerate(batch):
        sent = {key: value for key, value in message.items() if key != "request"}
        if message.get("request"):
            sent["id"] = f"r{number}"
            owed[sent["id"]] += 1
        elif not isinstance(sent.get("params", {}), dict | list | None):
            owed[None] += 1  # neither request nor notification
        client.send(json.dumps(sent).encode())
    client.call("test/write", {"text": "all writes before this one have ended"})
    client.call("test/echo", {"text": "end"})
    got: Counter[object] = Counter()
    while got.total() < owed.total():
        got[client.wait(lambda m: "method" not in m)["id"]] += 1
    assert got == owed
    assert client.unconsumed() == []
    client.reader.messages.clear()
