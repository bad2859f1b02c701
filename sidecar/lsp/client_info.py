"""What `initialize` says about a client, as far as opening its folders and serving our own methods need it.

Read from the JSON rather than lsprotocol's types: a value of another shape than LSP's counts as absent.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping
from typing import Any, Final
from urllib.parse import quote

import msgspec

logger = logging.getLogger(__name__)

SECTION: Final = "memorySidecar"
SHOWN: Final = {
    "hoverProvider": "hover",
    "codeLensProvider": "codeLens",
    "codeActionProvider": "codeAction",
    "documentSymbolProvider": "documentSymbol",
    "foldingRangeProvider": "foldingRange",
    "completionProvider": "completion",
    "documentFormattingProvider": "formatting",
}
"""Features for editors; a client that declares any of them under `textDocument` is one."""


class ClientInfo(msgspec.Struct, frozen=True):
    """`folders` are URIs; an `agent` neither edits nor follows changes; `person`: a person drives the client."""

    folders: tuple[str, ...]
    options: Mapping[str, object] | None
    watches: bool
    progress: bool
    configures: bool
    registers_configuration: bool
    person: bool
    agent: bool

    @property
    def silent(self) -> bool:
        """An agent of whom nothing is asked once it is initialized: no registration, settings or progress."""
        asked = self.watches or self.progress or self.configures or self.registers_configuration
        return self.agent and not asked


def read_client_info(said: object) -> ClientInfo:
    """Read the parameters of `initialize`; never raises."""
    able = at(said, "capabilities")
    own = at(able, "experimental", SECTION)
    refreshes = (at(able, "workspace", each, "refreshSupport") for each in ("codeLens", "diagnostics"))
    follows = True in refreshes or at(own, "didChange") is True
    return ClientInfo(
        folders=tuple(_folders(said)),
        options=section_of(at(said, "initializationOptions")),
        watches=at(able, "workspace", "didChangeWatchedFiles", "dynamicRegistration") is True,
        progress=at(able, "window", "workDoneProgress") is True,
        configures=at(able, "workspace", "configuration") is True,
        registers_configuration=at(able, "workspace", "didChangeConfiguration", "dynamicRegistration") is True,
        person=at(own, "person") is True,
        agent=not is_editor(able) and not follows,
    )


def section_of(given: Any) -> Mapping[str, object] | None:
    """Return the sidecar's part of a settings object: under the key `memorySidecar`, or the object itself."""
    if not isinstance(given, dict):
        if given is not None:
            logger.warning("Settings must be an object; they were ignored.")
        return None
    own = given.get(SECTION)
    return own if isinstance(own, dict) else given


def _folders(said: object) -> list[str]:
    """Return the client's folders, or its root if it names none, as older clients do."""
    several = at(said, "workspaceFolders")
    if several and isinstance(several, list):
        return [uri for each in several if isinstance(uri := at(each, "uri"), str)]
    uri, path = at(said, "rootUri"), at(said, "rootPath")
    if isinstance(uri, str) and uri:
        return [uri]
    return [f"file://{quote(path)}"] if isinstance(path, str) and path.startswith("/") else []


def is_editor(capabilities: object) -> bool:
    """Return True if a client declares any of our features for editors."""
    return any(at(capabilities, "textDocument", name) is not None for name in SHOWN.values())


def at(given: object, *names: str) -> Any:
    """Return the value at a path of JSON objects, or None."""
    for name in names:
        given = given.get(name) if isinstance(given, dict) else None
    return given
