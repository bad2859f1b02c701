"""`secrets.redact` for modules imported at start, which loads the rules only when there is something to clean."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sidecar.text.secrets import RemovedSecrets


def redact(text: str, give_way: Callable[[], None] = lambda: None) -> tuple[str, list[RemovedSecrets]]:
    from sidecar.text import secrets

    return secrets.redact(text, give_way)
