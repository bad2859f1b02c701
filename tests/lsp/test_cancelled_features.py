"""A request of an editor's feature that another thread cancels: its work stops, and its id is free again."""

from __future__ import annotations

import asyncio
import threading

import pytest
from lsprotocol import types

from sidecar.lsp import features
from sidecar.lsp.language_server import SidecarServer
from sidecar.wire.inflight import InFlight, Pending
from tests.client.fake_engine import fake_options
from tests.client.stdio_client import InProcessClient


def test_work_that_another_thread_cancels_as_it_begins_is_stopped(monkeypatch: pytest.MonkeyPatch) -> None:
    began: list[int] = []

    async def declare(params: types.DeclarationParams) -> None:
        began.append(params.position.line)
        if params.position.line == 0:
            await asyncio.sleep(600)

    def register(server: SidecarServer) -> None:
        server.feature(types.TEXT_DOCUMENT_DECLARATION)(declare)

    def accept(requests: InFlight, pending: Pending) -> bool:
        accepted = real(requests, pending)
        if pending.method == types.TEXT_DOCUMENT_DECLARATION and not cancelled:
            cancelled.append(pending)  # as the lane `now` does while the client leaves
            thread = threading.Thread(target=requests.cancel, args=(pending,))
            thread.start()
            thread.join()
        return accepted

    cancelled: list[Pending] = []
    real = InFlight.accept
    monkeypatch.setattr(features, "register_features", register)
    monkeypatch.setattr(InFlight, "accept", accept)
    with InProcessClient(fake_options({})) as client:
        client.initialize()
        same_id = [
            {
                "jsonrpc": "2.0",
                "id": "x",
                "method": types.TEXT_DOCUMENT_DECLARATION,
                "params": {"textDocument": {"uri": "file:///a.py"}, "position": {"line": line, "character": 0}},
            }
            for line in range(2)
        ]
        client.send_bytes(b"".join(client.frame(message) for message in same_id))
        assert client.response("x")["error"]["code"] == -32800
        assert client.response("x")["result"] is None
        assert began == [1]
