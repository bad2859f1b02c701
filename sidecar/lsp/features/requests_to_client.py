"""Requests to the client after `initialize`, such as registrations, which the client may leave unanswered."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable
from typing import Any, TypeVar

from lsprotocol import types
from pygls.exceptions import JsonRpcException

from sidecar.lsp.language_server import SidecarServer

CLIENT_ANSWER_SECONDS = 30.0

T = TypeVar("T")


async def wait_for_answer(response: Awaitable[T], seconds: float = CLIENT_ANSWER_SECONDS) -> tuple[bool, T | None]:
    """Return True and the client's answer, or False if it refuses or takes too long."""
    try:
        async with asyncio.timeout(seconds):
            return True, await response
    except (JsonRpcException, TimeoutError):
        return False, None


async def register_with_client(server: SidecarServer, id: str, method: str, options: Any) -> bool:
    """Register for a method with the client; return True on success."""
    registration = types.Registration(id=id, method=method, register_options=options)
    response = server.client_register_capability_async(types.RegistrationParams(registrations=[registration]))
    return (await wait_for_answer(response))[0]
