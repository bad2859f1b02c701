"""Requests about single files: their briefings, what was read and thought about them, and handing them on."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Final

from protocol import files as wire
from sidecar.engine import wire_mapping
from sidecar.engine.services import Services
from sidecar.memories import limits
from sidecar.runtime.errors import FileUnavailable, MemoryDisabled, OutsideWorkspace, SidecarError
from sidecar.text.redaction import redact
from sidecar.text.tokens import estimate

if TYPE_CHECKING:
    from sidecar.engine.enabled_components import EnabledComponents
    from sidecar.engine.workspace import Components, Workspace
    from sidecar.files.facets.book import Observed

log = logging.getLogger(__name__)

LEAST_REASONING: Final = 80
"""Characters below which a thought is not paired with what was read: it says nothing durable."""


class FileRequests:
    """Answers `file/*`."""

    def __init__(self, services: Services) -> None:
        self._services = services
        self._learner = services.learner

    def file_summary(self, params: wire.SummaryParams) -> wire.SummaryResult:
        """The briefing of a file."""
        workspace, opened = self._services.find(params.workspace_uri, [params.path])
        try:
            summary = opened.summary(params.path, params.intent)
        except OutsideWorkspace as error:
            raise OutsideWorkspace(error.message, path="$.path", hint=error.data.hint) from error
        session_id = limits.session(params.session_id)
        if session_id and summary.advice is None and opened.enabled is not None and workspace.settings.memory.learns:
            opened.enabled.saved_tokens.briefed(
                session_id, summary.path, summary.hash, summary.content.file_tokens, summary.tokens
            )
        return wire_mapping.summary(summary)

    def file_record_read(self, params: wire.RecordReadParams) -> wire.RecordReadResult:
        """An agent has read a file. Where memory is switched off nothing is kept of it."""
        workspace, opened = self._services.find(params.workspace_uri, [params.path])
        try:
            path = opened.tree.relative(params.path)
        except OutsideWorkspace as error:
            raise OutsideWorkspace(error.message, path="$.path", hint=error.data.hint) from error
        hash = opened.tree.read(path).hash
        if opened.enabled is None:
            return wire.RecordReadResult(path=path, hash=hash, known=False)
        known = opened.enabled.facets.knows(hash)
        if params.content_hash in (None, hash):
            self._learner.read(workspace, limits.session(params.session_id) or "", path)
            self._ask_for_summary(opened.enabled, path, hash)
        elif session_id := limits.session(params.session_id):
            opened.enabled.saved_tokens.read(session_id, path)  # of an earlier state, but it has paid for the file
        return wire.RecordReadResult(path=path, hash=hash, known=known)

    def file_observe(self, params: wire.ObserveParams) -> wire.ObserveResult:
        """Keep what somebody says of files on purpose, judged at once, so that the answer says what was kept."""
        workspace, opened = self._services.find(params.workspace_uri, params.paths or ())
        self._services.require_enabled(workspace)
        if workspace.settings.memory.learn == "off" or opened.enabled is None:
            raise MemoryDisabled("Learning is switched off.", hint="Set memory.learn to confirm to learn about files.")
        session_id = limits.session(params.session_id) or ""
        if params.paths is None:
            paths: Sequence[str] = _followed(opened, self._learner.reads(workspace, session_id, take=True))
        else:
            paths = wire_mapping.relative(opened.tree, params.paths, "paths")
        return _observed(self._observe(opened.enabled, params.text, paths, session_id))

    def file_handoff(self, params: wire.HandoffParams) -> wire.HandoffResult:
        """The last files of a session in a line each. Files that are gone by now are left out."""
        from sidecar.files.briefing.handoff import MOST_FILES, as_text, hand_on

        workspace, opened = self._services.find(params.workspace_uri)
        files = self._learner.files(workspace, limits.session(params.session_id) or "")
        items = []
        for path in _followed(opened, (*reversed(params.files), *reversed(files))):
            try:
                items.append(hand_on(opened.summary(path)))
            except (FileUnavailable, OutsideWorkspace) as error:
                log.debug("not handed on: %s", error.message)
            if len(items) == MOST_FILES:
                break
        text = as_text(items)
        return wire.HandoffResult(
            text=text,
            tokens=estimate(text),
            items=[wire.HandoffItem(path=item.path, hash=item.hash, text=item.text) for item in items],
        )

    def reasoned(self, workspace: Workspace, session_id: str, text: str) -> None:
        """An agent thought something: a model, where there is one, takes facts about what it has read from it."""
        if len(text.strip()) < LEAST_REASONING or not workspace.settings.memory.learns:
            return
        paths = self._learner.reads(workspace, session_id, take=True)
        try:
            opened = workspace.open()
            kept = opened.enabled
            if kept is not None and kept.questions.takes_facets:
                for path in _followed(opened, paths):
                    hash = kept.facets.standing_hash(path)
                    if hash is not None:
                        kept.questions.reasoned(path, hash, text, session_id)
        except SidecarError as error:
            log.warning("Nothing was learned about files: %s", error.message)

    def end_session(self, opened: Components, session_id: str) -> None:
        """A session is over."""
        if opened.enabled is not None:
            opened.enabled.session_ended(session_id)

    # -- inside ----------------------------------------------------------------------------------------------

    def _observe(self, kept: EnabledComponents, text: str, paths: Iterable[str], session_id: str) -> Observed:
        clean, _ = redact(text[: 2 * _LONGEST])
        observed = kept.facets.observe(clean, paths, session_id)
        for path, facet in observed.kept:
            log.debug("learned of %s: %d characters", path, len(facet.text))
            kept.ask_for_aggregate(path)
        return observed

    def was_read(self, workspace: Workspace, session_id: str, paths: Sequence[str]) -> None:
        """A session has read files, as events or it itself told."""
        opened = workspace.open()
        if opened.enabled is not None:
            for path in _followed(opened, paths):
                opened.enabled.saved_tokens.read(session_id, path)

    def _ask_for_summary(self, kept: EnabledComponents, path: str, hash: str) -> None:
        try:
            kept.questions.content_read(path, hash)
            kept.ask_for_aggregate(path)
        except SidecarError as error:
            log.info("no summary was asked for: %s", error.message)


_LONGEST: Final = 2_500


def _followed(opened: Components, paths: Iterable[str]) -> list[str]:
    """The files that paths lead to, each once: what an event tells of may be a link."""
    found: dict[str, None] = {}
    for path in paths:
        with suppress(OutsideWorkspace):
            found[opened.tree.relative(path)] = None
    return list(found)


def _observed(found: Observed) -> wire.ObserveResult:
    return wire.ObserveResult(
        facets=[
            wire.ObservedFacet(
                path=path,
                text=facet.text,
                identifiers=list(facet.identifiers),
                symbols=[name for name, _ in facet.symbols],
            )
            for path, facet in found.kept
        ],
        refused=[
            wire.RefusedFacet(text=one.text, reason=one.reason, path=path)
            if path is not None
            else wire.RefusedFacet(text=one.text, reason=one.reason)
            for path, one in found.refused
        ],
    )
