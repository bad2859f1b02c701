"""A sender of notifications that goes to a test instead of a client."""

from __future__ import annotations

from collections.abc import Callable

import msgspec

from sidecar.wire.notification_sender import NotificationSender


def notifying(listener: Callable[[str, msgspec.Struct], object]) -> NotificationSender:
    """Return a sender whose notifications the listener hears."""

    class Notifying(NotificationSender):
        def notify(self, method: str, params: msgspec.Struct) -> None:
            listener(method, params)

    return Notifying()
