"""Find secrets in a text and replace each with a visible mark: `[redacted: KIND]`.

The rules are imported with the first text, so that a start does not wait for them.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sidecar.text.secrets.detection import RemovedSecrets


def redact(text: str, give_way: Callable[[], None] = lambda: None) -> tuple[str, list[RemovedSecrets]]:
    """Replace every secret with `[redacted: KIND]`; return the text and the number of each kind. Idempotent.

    `give_way` is called between the searches of a long text; no other thread can run during a search.
    """
    from sidecar.text.secrets import detection

    return detection.redact(text, give_way)


def remove_secrets_of(text: str, part: str) -> str:
    """Remove from the text every secret that is found in `part`, keeping the number of lines."""
    from sidecar.text.secrets import detection

    return detection.remove_secrets_of(text, part)
