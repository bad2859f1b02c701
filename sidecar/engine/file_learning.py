"""What sessions' reads of files, and their thoughts about them, lead to."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Sequence
from contextlib import suppress
from typing import Final

from sidecar.engine.learner import Learner
from sidecar.engine.workspace import Components, Workspace
from sidecar.runtime.errors import OutsideWorkspace, SidecarError

log = logging.getLogger(__name__)

LEAST_REASONING: Final = 80
"""Characters; a shorter thought is not paired with what was read, because it says nothing durable."""


class FileLearning:
    """Listens to the events of one engine. Thread-safe."""

    def __init__(self, learner: Learner) -> None:
        self._learner = learner

    def was_read(self, workspace: Workspace, session_id: str, paths: Sequence[str]) -> None:
        """Count files that a session has read, as events or the session itself reported."""
        opened = workspace.open()
        if opened.enabled is not None:
            for path in followed(opened, paths):
                opened.enabled.saved_tokens.read(session_id, path)

    def reasoned(self, workspace: Workspace, session_id: str, text: str) -> None:
        """Pass an agent's thought to the model, if one is configured, that extracts facts about files it has read."""
        if len(text.strip()) < LEAST_REASONING or not workspace.settings.memory.learns:
            return
        paths = self._learner.take_reads(workspace, session_id)
        try:
            opened = workspace.open()
            kept = opened.enabled
            if kept is not None and kept.questions.takes_facets:
                for path in followed(opened, paths):
                    hash = kept.facets.standing_hash(path)
                    if hash is not None:
                        kept.questions.reasoned(path, hash, text, session_id)
        except SidecarError as error:
            log.warning("Nothing was learned about files: %s", error.message)


def followed(opened: Components, paths: Iterable[str]) -> list[str]:
    """Return the files that the paths lead to, each once; events may name links."""
    found: dict[str, None] = {}
    for path in paths:
        with suppress(OutsideWorkspace):
            found[opened.tree.relative(path)] = None
    return list(found)
