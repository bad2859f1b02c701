"""The notifications of a server to its client."""

from __future__ import annotations

from collections.abc import Callable

import msgspec

from sidecar.wire.messages import notification


class NotificationSender:
    """Sends notifications, but none before `begin`: LSP forbids them before `initialize` is answered. Thread-safe."""

    def __init__(self, send: Callable[[bytes], None]) -> None:
        self._send = send
        self._begun = False

    def begin(self) -> bool:
        """Let notifications through; return whether this was the first call."""
        first, self._begun = not self._begun, True
        return first

    def notify(self, method: str, params: msgspec.Struct) -> None:
        if self._begun:
            self._send(notification(method, params))
