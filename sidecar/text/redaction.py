"""Call `secrets.redact`, importing its rules only with the first text, so that a start does not wait for them."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sidecar.text.secrets import RemovedSecrets


def redact(text: str, give_way: Callable[[], None] = lambda: None) -> tuple[str, list[RemovedSecrets]]:
    from sidecar.text import secrets

    return secrets.redact(text, give_way)
