"""What `initialize` says about a client, and what follows for our answers.

Nothing is sent that a client has not declared: no request, no registration, no form of an answer. Advertising differs,
because some editors use features that they do not declare (Kate 22.12 completion, formatting and workspace symbols,
Helix 24 document symbols, lsp-mode 8 code lenses). A client that declares any of our features counts as an editor and
is offered all of them; a client that declares none, such as an agent, is offered none.

The JSON is read rather than lsprotocol's types, so that a value of a shape unknown to LSP counts as absent.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping
from typing import Any, Final
from urllib.parse import quote

import msgspec

log = logging.getLogger(__name__)

SECTION: Final = "memorySidecar"
EDITOR_FEATURES: Final = {
    "hoverProvider": "hover",
    "codeLensProvider": "codeLens",
    "codeActionProvider": "codeAction",
    "documentSymbolProvider": "documentSymbol",
    "foldingRangeProvider": "foldingRange",
    "completionProvider": "completion",
    "documentFormattingProvider": "formatting",
}
"""Features for editors; a client that declares any of them under `textDocument` is an editor."""


class ClientInfo(msgspec.Struct, frozen=True):
    """What a client is and can do."""

    folders: tuple[str, ...]  # URIs
    options: Mapping[str, object] | None  # its settings for us
    watches: bool  # reports changes of files
    progress: bool  # shows progress that we begin
    configures: bool  # answers questions about its settings
    registers_configuration: bool  # reports changes of its settings if asked to
    by_person: bool  # a person drives it
    edits: bool  # an editor
    markdown: bool  # renders Markdown in hovers
    links_commands: bool  # runs the commands of our VS Code extension from links in a hover
    literal_actions: bool  # takes code actions that carry their edit
    versioned_edits: bool  # checks the version of a document that it edits for us
    nested_symbols: bool  # shows symbols as a tree
    show_document: bool  # opens a document for us
    pulls_diagnostics: bool  # asks for diagnostics itself
    refreshes_lenses: bool  # asks for code lenses again when we tell it
    refreshes_diagnostics: bool  # asks for diagnostics again when we tell it
    registers_formatting: bool  # takes formatting for some files only
    wants_memory_changes: bool  # also those that other processes make

    @property
    def hears_of_others(self) -> bool:
        """Return whether the client wants other processes' changes reported as they happen."""
        return self.refreshes_lenses or self.refreshes_diagnostics or self.wants_memory_changes

    @property
    def agent(self) -> bool:
        """Return whether the client neither edits nor hears of other processes' changes."""
        return not self.edits and not self.hears_of_others

    @property
    def silent(self) -> bool:
        """Return whether the client is an agent to which we send no requests after `initialize`."""
        interactive = self.watches or self.progress or self.configures or self.registers_configuration
        return self.agent and not interactive


def read_client_info(params: object) -> ClientInfo:
    """Read the parameters of `initialize`; never raises."""
    declared = value_at(params, "capabilities")
    ours = value_at(declared, "experimental", SECTION)

    def of_documents(*names: str) -> Any:
        return value_at(declared, "textDocument", *names)

    def of_workspaces(*names: str) -> Any:
        return value_at(declared, "workspace", *names)

    formats = of_documents("hover", "contentFormat")
    # Neovim 0.11 pulls diagnostics but cannot be told to pull again: it would show those of the last keystroke.
    refreshes = of_workspaces("diagnostics", "refreshSupport") is True
    return ClientInfo(
        folders=tuple(_folders(params)),
        options=section_of(value_at(params, "initializationOptions")),
        watches=of_workspaces("didChangeWatchedFiles", "dynamicRegistration") is True,
        progress=value_at(declared, "window", "workDoneProgress") is True,
        configures=of_workspaces("configuration") is True,
        registers_configuration=of_workspaces("didChangeConfiguration", "dynamicRegistration") is True,
        by_person=value_at(ours, "person") is True,
        edits=any(of_documents(name) is not None for name in EDITOR_FEATURES.values()),
        markdown=isinstance(formats, list)
        and next((format == "markdown" for format in formats if format in ("markdown", "plaintext")), False),
        links_commands=value_at(ours, "commandLinks") is True,
        literal_actions=bool(of_documents("codeAction", "codeActionLiteralSupport")),
        versioned_edits=bool(of_workspaces("workspaceEdit", "documentChanges")),
        nested_symbols=bool(of_documents("documentSymbol", "hierarchicalDocumentSymbolSupport")),
        show_document=bool(value_at(declared, "window", "showDocument", "support")),
        pulls_diagnostics=of_documents("diagnostic") is not None and refreshes,
        refreshes_lenses=of_workspaces("codeLens", "refreshSupport") is True,
        refreshes_diagnostics=refreshes,
        registers_formatting=bool(of_documents("formatting", "dynamicRegistration")),
        wants_memory_changes=value_at(ours, "didChange") is True,
    )


def section_of(options: Any) -> Mapping[str, object] | None:
    """Return the sidecar's part of a settings object: the value at `memorySidecar`, or else the object itself."""
    if not isinstance(options, dict):
        if options is not None:
            log.warning("Settings must be an object; they were ignored.")
        return None
    section = options.get(SECTION)
    return section if isinstance(section, dict) else options


def _folders(params: object) -> list[str]:
    """Return the client's folders, or its root if it names no folders, as older clients do."""
    folders = value_at(params, "workspaceFolders")
    if folders and isinstance(folders, list):
        return [uri for folder in folders if isinstance(uri := value_at(folder, "uri"), str)]
    uri, path = value_at(params, "rootUri"), value_at(params, "rootPath")
    if isinstance(uri, str) and uri:
        return [uri]
    return [f"file://{quote(path)}"] if isinstance(path, str) and path.startswith("/") else []


def value_at(value: object, *names: str) -> Any:
    """Return the value at a path of JSON objects, or None."""
    for name in names:
        value = value.get(name) if isinstance(value, dict) else None
    return value


UNKNOWN_CLIENT: Final = read_client_info(None)
"""Stands for the client until `initialize` declares more."""
