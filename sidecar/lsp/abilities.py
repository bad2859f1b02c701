"""What a client declares that changes our answers, and what it is offered in return.

Nothing is sent that a client has not declared: no request, no registration, no form of an answer. Advertising differs,
because editors use features they do not declare: Kate 22.12 completion, formatting and workspace symbols, Helix 24
document symbols, lsp-mode 8 code lenses. So a client that declares any of our features counts as an editor and is
offered all of them; one that declares none, such as an agent, is offered none.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

from lsprotocol import types

_PROVIDERS: Final = {
    "hover_provider": "hover",
    "code_lens_provider": "code_lens",
    "code_action_provider": "code_action",
    "document_symbol_provider": "document_symbol",
    "folding_range_provider": "folding_range",
    "completion_provider": "completion",
    "document_formatting_provider": "formatting",
}
"""Server capabilities, each with the client capability it answers (under `textDocument`)."""


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


def abilities_of(given: types.ClientCapabilities) -> Abilities:
    formats = _at(given, "text_document.hover.content_format") or []
    experimental = given.experimental if isinstance(given.experimental, dict) else {}
    ours = experimental.get("memorySidecar")
    # Neovim 0.11 pulls diagnostics but cannot be told to pull again: it would show those of the last keystroke.
    refreshes = bool(_at(given, "workspace.diagnostics.refresh_support"))
    return Abilities(
        edits=any(_at(given, f"text_document.{name}") is not None for name in _PROVIDERS.values()),
        markdown=next((one == types.MarkupKind.Markdown for one in formats if one in _KINDS), False),
        literal_actions=bool(_at(given, "text_document.code_action.code_action_literal_support")),
        versioned_edits=bool(_at(given, "workspace.workspace_edit.document_changes")),
        nested_symbols=bool(_at(given, "text_document.document_symbol.hierarchical_document_symbol_support")),
        show_document=bool(_at(given, "window.show_document.support")),
        pulls_diagnostics=_at(given, "text_document.diagnostic") is not None and refreshes,
        refreshes_lenses=bool(_at(given, "workspace.code_lens.refresh_support")),
        refreshes_diagnostics=refreshes,
        registers_formatting=bool(_at(given, "text_document.formatting.dynamic_registration")),
        announced=isinstance(ours, dict) and ours.get("didChange") is True,
    )


def offer(capabilities: types.ServerCapabilities, given: types.ClientCapabilities) -> None:
    """Remove what is for editors only, what the client registers later, and what it cannot do."""
    able = abilities_of(given)
    if not able.edits:
        for provider in (*_PROVIDERS, "workspace_symbol_provider"):
            setattr(capabilities, provider, None)
    if not able.pulls_diagnostics:
        capabilities.diagnostic_provider = None
    if able.registers_formatting:
        capabilities.document_formatting_provider = None


_KINDS: Final = (types.MarkupKind.Markdown, types.MarkupKind.PlainText)


def _at(given: Any, path: str) -> Any:
    for name in path.split("."):
        given = getattr(given, name, None)
        if given is None:
            return None
    return given
