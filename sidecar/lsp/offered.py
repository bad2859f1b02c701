"""Make `offered.json`: the capabilities that pygls computes for a client that declares everything.

    python -m sidecar.lsp.offered

Run it after adding or changing a feature; a test fails while the file is out of date.
"""

from __future__ import annotations

import asyncio
from typing import Any

import msgspec
from pygls.protocol import default_converter

from protocol.wire import PROTOCOL_VERSION
from sidecar.engine.engine import Engine
from sidecar.engine.host import EngineHost
from sidecar.lsp.client_folders import ServerOptions
from sidecar.lsp.connection import LspConnection
from sidecar.lsp.early_initialize import OFFERED, Capabilities, withhold
from sidecar.lsp.features import register_features
from sidecar.lsp.language_server import SidecarServer
from sidecar.runtime.ending import Ending
from sidecar.settings import load
from sidecar.wire.messages import Request

EVERYTHING: dict[str, Any] = {
    "general": {"positionEncodings": ["utf-16"]},
    "textDocument": {"hover": {}, "diagnostic": {}, "synchronization": {"willSave": True, "willSaveWaitUntil": True}},
    "workspace": {
        "diagnostics": {"refreshSupport": True},
        "fileOperations": dict.fromkeys(
            ("didCreate", "willCreate", "didRename", "willRename", "didDelete", "willDelete"), True
        ),
    },
}


async def _receive(server: SidecarServer, request: Request) -> None:
    server.protocol.receive(request)  # on the loop that it needs


def computed(declared: dict[str, Any]) -> dict[str, Any]:
    """Return the result of `initialize` for a client of these capabilities, as pygls computes it from our features."""
    connection = LspConnection(
        lambda _: None,
        lambda: None,
        Ending(),
        EngineHost(),
        ServerOptions(lambda loaded, _: Engine(loaded.settings), load, environ={}, methods={}),
    )
    connection.refuse_from_now_on()  # so that no engine is started
    server = SidecarServer(connection)
    register_features(server)
    params = msgspec.json.encode({"processId": None, "rootUri": None, "capabilities": declared})
    asyncio.run(_receive(server, Request(1, "initialize", msgspec.Raw(params))))
    capabilities = default_converter().unstructure(server.protocol.server_capabilities)  # type: ignore[no-untyped-call]
    capabilities["experimental"] = {"memorySidecar": {"protocolVersion": PROTOCOL_VERSION}}
    withhold(capabilities, msgspec.convert(declared, Capabilities))
    return {"capabilities": capabilities, "serverInfo": {"name": server.name, "version": server.version}}


def rendered() -> bytes:
    """Return the bytes of the file, without the version, which `initialize_result` adds."""
    result = computed(EVERYTHING)
    del result["serverInfo"]["version"]
    return msgspec.json.format(msgspec.json.encode(result), indent=1) + b"\n"


if __name__ == "__main__":
    OFFERED.write_bytes(rendered())
