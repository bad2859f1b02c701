"""The notifications of a server to its client."""

from __future__ import annotations

from collections.abc import Callable

import msgspec

from sidecar.runtime.event import Event
from sidecar.wire.messages import notification


class NotificationSender:
    """Sends notifications on any thread; drops them before `begin`, when a client takes nothing but answers."""

    def __init__(self, send: Callable[[bytes], None] = lambda _: None) -> None:
        self._send = send
        self._begun = False
        self.sent: Event[[str, msgspec.Struct]] = Event()

    def begin(self) -> bool:
        """Let notifications through; return whether this was the first call."""
        first, self._begun = not self._begun, True
        return first

    def notify(self, method: str, params: msgspec.Struct) -> None:
        """Send a notification of the table."""
        if self._begun:
            self._send(notification(method, params))
            self.sent(method, params)

    def send_message(self, method: str, kind: int, message: str) -> None:
        """Send `window/showMessage` or `window/logMessage`; `kind` is LSP's MessageType."""
        if self._begun:
            self._send(notification(method, {"type": int(kind), "message": message}))
