"""Requests about all files of a workspace together: the map, and which files a text is about."""

from __future__ import annotations

from protocol import files as wire
from sidecar.engine import wire_mapping
from sidecar.engine.services import Services
from sidecar.engine.workspace import Workspace
from sidecar.files.index.code_index import CodeIndex


class CodeRequests:
    """Answers `workspace/repoMap` and `file/search`."""

    def __init__(self, services: Services) -> None:
        self._services = services

    def workspace_repo_map(self, params: wire.RepoMapParams) -> wire.RepoMapResult:
        """The repository's map."""
        workspace, opened = self._services.find(params.workspace_uri, params.files)
        code = self._code(workspace)
        files = wire_mapping.relative(opened.tree, params.files)
        drawn = code.draw_map(params.budget_tokens, files, params.identifiers)
        return wire.RepoMapResult(
            text=drawn.text, tokens=drawn.tokens, files=list(drawn.files), pending=code.unscanned()
        )

    def file_search(self, params: wire.FileSearchParams) -> wire.FileSearchResult:
        """The files that a text is about."""
        workspace, _ = self._services.find(params.workspace_uri)
        code = self._code(workspace)
        found = code.find(params.query, params.limit, params.kinds)
        if (history := code.history()) == "waiting":
            workspace.index_later("a search was without the past")
        return wire.FileSearchResult(
            items=[
                wire.FoundFile(path=f.path, score=f.score, coverage=f.coverage, reasons=list(f.reasons)) for f in found
            ],
            pending=code.pending(),
            history=history,
        )

    def _code(self, workspace: Workspace) -> CodeIndex:
        self._services.require_enabled(workspace)
        kept = workspace.open().enabled
        if kept is None:
            raise RuntimeError("memory is switched on and nothing is kept")
        return kept.code
