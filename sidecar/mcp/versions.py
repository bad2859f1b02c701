"""Versions of the protocol, and how a request names its own.

Up to 2025-11-25, `initialize` agrees on a version. Since 2026-07-28 there is no handshake: each request carries its
version in `_meta`, and `server/discover` lists the supported ones.
"""

from __future__ import annotations

from typing import Any, Final

from protocol.errors import ErrorCode

HANDSHAKE: Final = ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25")
STATELESS: Final = ("2026-07-28",)
SUPPORTED: Final = (*HANDSHAKE, *STATELESS)
VERSION_KEY: Final = "io.modelcontextprotocol/protocolVersion"
UNSUPPORTED_VERSION: Final = -32022

_OUTPUT_SINCE: Final = "2025-06-18"
_ANNOTATIONS_SINCE: Final = "2025-03-26"
_RESOURCE_NOT_FOUND: Final = -32002  # the code up to 2025-11-25


def agreed(wanted: str) -> str:
    """Return the requested version if supported, or the newest that has a handshake."""
    return wanted if wanted in HANDSHAKE else HANDSHAKE[-1]


def version_of(meta: Any) -> str | None:
    version = meta.get(VERSION_KEY) if isinstance(meta, dict) else None
    return version if isinstance(version, str) else None


def is_stateless(version: str) -> bool:
    return version in STATELESS


def has_structured_output(version: str) -> bool:
    return version >= _OUTPUT_SINCE


def has_annotations(version: str) -> bool:
    return version >= _ANNOTATIONS_SINCE


def not_found_code(version: str) -> int:
    return int(ErrorCode.INVALID_PARAMS) if is_stateless(version) else _RESOURCE_NOT_FOUND
