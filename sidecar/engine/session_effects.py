"""Learn about files from what a session reads and thinks, and let a model read its conversation."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Final

from sidecar.engine.open_workspace import OpenWorkspace
from sidecar.engine.workspace_handle import WorkspaceHandle
from sidecar.runtime.errors import OutsideWorkspace, SidecarError

if TYPE_CHECKING:
    from sidecar.learning.operations import UserTurn

log = logging.getLogger(__name__)

MIN_REASONING: Final = 80
"""Length in characters below which a thought says nothing durable about the files read."""


def count_reads(handle: WorkspaceHandle, session_id: str, paths: Sequence[str]) -> None:
    """Count files that a session has read, as events or the session itself reported."""
    opened = handle.open()
    if opened.is_enabled:
        for path in paths_in_workspace(opened, paths):
            opened.saved_tokens.read(session_id, path)


def extract_facets(handle: WorkspaceHandle, session_id: str, thought: str, read: Sequence[str]) -> None:
    """Let the model, if one is configured, extract facts from an agent's thought about the files it has read."""
    try:
        opened = handle.open()
        if opened.is_enabled and opened.questions.takes_facets:
            for path in paths_in_workspace(opened, read):
                hash = opened.facets.current_hash(path)
                if hash is not None:
                    opened.questions.enqueue_reasoning(path, hash, thought, session_id)
    except SidecarError as error:
        log.warning("The session's thoughts about files were not used: %s", error.message)


def read_conversation(handle: WorkspaceHandle, session_id: str, turns: list[UserTurn]) -> None:
    """Let the model, if the settings allow it, read what was said in a session that has ended or was compacted."""
    opened = handle.open()
    if opened.is_enabled and handle.settings.models.sessions != "off" and opened.questions.reads_sessions:
        from sidecar.summaries.session_reading import encode_turns

        opened.questions.enqueue_session(session_id, encode_turns(turns))


def paths_in_workspace(workspace: OpenWorkspace, paths: Iterable[str]) -> list[str]:
    """Return the files that the paths lead to, each once; events may name links."""
    inside: dict[str, None] = {}
    for path in paths:
        with suppress(OutsideWorkspace):
            inside[workspace.tree.relative(path)] = None
    return list(inside)
