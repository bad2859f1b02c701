"""`workspace/didChangeConfiguration` and `workspace/configuration`: settings pushed by or pulled from the client."""

from __future__ import annotations

import logging
from collections.abc import Generator
from typing import Any

from lsprotocol import types

from sidecar.lsp.client_info import SECTION, section_of
from sidecar.lsp.features.requests_to_client import register_with_client, wait_for_answer
from sidecar.lsp.language_server import SidecarServer

log = logging.getLogger(__name__)

REGISTRATION = "memory-sidecar-configuration"


def register(server: SidecarServer) -> None:
    """Register the notification; if it carries no settings of ours, ask the client for them."""

    # A generator runs to its first `yield` at once; a coroutine would start after requests that came later.
    def changed(params: types.DidChangeConfigurationParams) -> Generator[Any, Any, None]:
        pushed = section_of(params.settings)
        if pushed:
            server.folders.configure(pushed)
        elif server.client.configures:
            yield pull_configuration, (server,), None
        elif params.settings is not None:
            server.folders.configure(pushed)

    server.feature(types.WORKSPACE_DID_CHANGE_CONFIGURATION)(changed)


async def register_for_changes(server: SidecarServer) -> None:
    """Register for changes of the settings, if the client reports them only on registration."""
    if not server.client.registers_configuration:
        return
    options = types.DidChangeConfigurationRegistrationOptions(section=SECTION)
    if not await register_with_client(server, REGISTRATION, types.WORKSPACE_DID_CHANGE_CONFIGURATION, options):
        log.info("The client does not register for changes of configuration.")


async def pull_configuration(server: SidecarServer) -> None:
    """Request the client's settings; no answer, or an empty one, changes nothing."""
    if not server.client.configures:
        return
    params = types.ConfigurationParams(items=[types.ConfigurationItem(section=SECTION)])
    received, answer = await wait_for_answer(server.workspace_configuration_async(params))
    if not received:
        log.info("The client did not answer workspace/configuration.")
    configuration = section_of(answer[0]) if answer else None
    if configuration is not None:
        server.folders.configure(configuration)
