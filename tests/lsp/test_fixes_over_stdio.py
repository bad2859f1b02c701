"""Every shape of a failure and its fix through the real process: the memories left when the session has ended."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from tests.client.json_value import Json
from tests.client.stdio_client import StdioClient
from tests.learning.fix_shapes import shapes
from tests.lsp.test_events_over_stdio import OPTIONS

IGNORED = ("window/logMessage", "memory/didChange", "file/didInvalidate", "$/progress", "client/registerCapability")


def of_fixes(client: StdioClient) -> list[Json]:
    found = client.call("memory/list", {"limit": 200})["items"]
    return [memory for memory in found if memory["source"] == "extractor:error-fix"]


def test_each_shape_of_fix_reaches_the_next_session(spawn: Callable[..., StdioClient], tmp_path: Path) -> None:
    with spawn(ignore=IGNORED) as client:
        client.initialize(tmp_path, options=OPTIONS)
        for shape in shapes():
            for number, (kind, params) in enumerate(shape.events(str(tmp_path))):
                client.notify(f"event/{kind}", {"sessionId": shape.id, "callId": f"{shape.id}{number}", **params})
            client.call("session/end", {"sessionId": shape.id})
            found = of_fixes(client)
            if shape.once or not shape.says:  # others wait for somebody's word
                assert [shape.fits(str(memory["content"])) for memory in found] == [True] * bool(shape.says), shape.id
            for memory in found:
                assert str(tmp_path) not in memory["content"]
                client.call("memory/delete", {"id": memory["id"]})
