"""What a client declares that changes our answers, and what it is offered in return.

Nothing is sent that a client has not declared: no request, no registration, no form of an answer. Advertising differs,
because editors use features they do not declare: Kate 22.12 completion, formatting and workspace symbols, Helix 24
document symbols, lsp-mode 8 code lenses. So a client that declares any of our features counts as an editor and is
offered all of them; one that declares none, such as an agent, is offered none.
"""

from __future__ import annotations

from dataclasses import dataclass

from sidecar.lsp.client_info import SECTION, at, is_editor


@dataclass(frozen=True)
class Abilities:
    """The client's capabilities that change an answer; `edits` marks an editor."""

    edits: bool = False
    markdown: bool = False
    literal_actions: bool = False
    versioned_edits: bool = False
    nested_symbols: bool = False
    show_document: bool = False
    pulls_diagnostics: bool = False
    refreshes_lenses: bool = False
    refreshes_diagnostics: bool = False
    registers_formatting: bool = False
    announced: bool = False

    @property
    def follows(self) -> bool:
        """Return True if the client wants to hear of other processes' changes as they happen."""
        return self.refreshes_lenses or self.refreshes_diagnostics or self.announced


def abilities_of(given: object) -> Abilities:
    """Read a client's capabilities in JSON."""
    formats = at(given, "textDocument", "hover", "contentFormat") or []
    # Neovim 0.11 pulls diagnostics but cannot be told to pull again: it would show those of the last keystroke.
    refreshes = bool(at(given, "workspace", "diagnostics", "refreshSupport"))
    symbols = at(given, "textDocument", "documentSymbol", "hierarchicalDocumentSymbolSupport")
    return Abilities(
        edits=is_editor(given),
        markdown=next((one == "markdown" for one in formats if one in ("markdown", "plaintext")), False),
        literal_actions=bool(at(given, "textDocument", "codeAction", "codeActionLiteralSupport")),
        versioned_edits=bool(at(given, "workspace", "workspaceEdit", "documentChanges")),
        nested_symbols=bool(symbols),
        show_document=bool(at(given, "window", "showDocument", "support")),
        pulls_diagnostics=at(given, "textDocument", "diagnostic") is not None and refreshes,
        refreshes_lenses=bool(at(given, "workspace", "codeLens", "refreshSupport")),
        refreshes_diagnostics=refreshes,
        registers_formatting=bool(at(given, "textDocument", "formatting", "dynamicRegistration")),
        announced=at(given, "experimental", SECTION, "didChange") is True,
    )
