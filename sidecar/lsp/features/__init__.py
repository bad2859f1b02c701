"""Features for editors, one file each: news about folders, files and settings, and what is displayed.

Each feature has one `register`; the other files are shared by features. No feature holds domain logic or
touches a store on the event loop.
"""

from __future__ import annotations

from sidecar.lsp.features import (
    client_changes,
    code_actions,
    code_lens,
    commands,
    completion,
    configuration,
    diagnostics,
    document_symbols,
    folders,
    folding,
    formatting,
    hover,
    initialized,
    workspace_symbols,
)
from sidecar.lsp.features.diagnostics import DiagnosticsPublisher
from sidecar.lsp.language_server import SidecarServer


def register_features(server: SidecarServer) -> None:
    """Register every feature; pygls computes the capabilities from them."""
    publisher = DiagnosticsPublisher(server)
    initialized.register(server, publisher)
    client_changes.register(server, publisher)
    shown = (hover, code_lens, code_actions, diagnostics, workspace_symbols, commands)
    page = (document_symbols, folding, completion, formatting)
    for feature in (folders, configuration, *shown, *page):
        feature.register(server)
