"""UNSUPPORTED.md lists exactly the methods that a client may send and nobody answers."""

from __future__ import annotations

import re
from pathlib import Path

from lsprotocol import types

import sidecar.lsp
from sidecar.engine.host import EngineHost
from sidecar.lsp.connection import LspConnection
from sidecar.lsp.features import register_features
from sidecar.lsp.language_server import SidecarServer
from sidecar.runtime.ending import Ending
from tests.client.fake_engine import fake_options
from tests.conftest import StartInProcess

LISTED = re.compile(r"^- `(.+)`$", re.MULTILINE)


def test_the_list_of_unsupported_methods_is_current() -> None:
    connection = LspConnection(lambda _: None, lambda: None, Ending(), EngineHost(), fake_options({}, {}))
    server = SidecarServer(connection)
    register_features(server)
    answered = {*server.protocol.fm.builtin_features, *server.protocol.fm.features, types.CANCEL_REQUEST}
    sent_by_clients = {m for m in types.METHOD_TO_TYPES if types.message_direction(m) != "serverToClient"}
    page = Path(sidecar.lsp.__path__[0]) / "UNSUPPORTED.md"
    listed = LISTED.findall(page.read_text())
    assert sorted(listed) == sorted(sent_by_clients - answered)


def test_no_unsupported_method_is_advertised(in_process: StartInProcess) -> None:
    with in_process() as client:
        capabilities = client.initialize()["capabilities"]
    told = {"positionEncoding", "textDocumentSync", "executeCommandProvider", "workspace", "experimental"}
    assert set(capabilities) == told
