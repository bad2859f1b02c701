"""Connect the queue of questions to file memory and sessions: give the questions' texts, and act on the answers.

A facet from a model is judged like any other sentence before it is stored. After a new summary or facet, the text that
merges both is requested again.
"""

from __future__ import annotations

import logging
from dataclasses import dataclass, field
from typing import NamedTuple

from sidecar.files import prompts
from sidecar.files.facets.admission_result import Refused
from sidecar.files.facets.book import FacetBook
from sidecar.files.workspace_files import WorkspaceFiles
from sidecar.runtime.errors import FileUnavailable, OutsideWorkspace
from sidecar.runtime.event import Event
from sidecar.store.knowledge_store import KnowledgeStore
from sidecar.store.records import JobRecord
from sidecar.summaries.session_reading import SessionReading

log = logging.getLogger(__name__)


class FacetsOfContent(NamedTuple):
    """A content at a path, and the texts of its facets."""

    path: str
    hash: str
    facets: list[str]


@dataclass(eq=False)
class FileAndSessionSubjects:
    """The files and sessions of one checkout; `model` names the configured chat model. Thread-safe."""

    _model: str | None
    store: KnowledgeStore
    _facets: FacetBook
    _files: WorkspaceFiles
    _sessions: SessionReading
    facet_learned: Event[[str, str]] = field(init=False, default_factory=Event)
    """Announced with the path and hash of a content about which the model told a fact."""

    @property
    def checkout(self) -> str:
        return self._files.checkout

    def facet_texts(self, hash: str) -> list[str]:
        return self._facets.texts(hash)

    def content_at(self, path: str) -> FacetsOfContent | None:
        hash = self._facets.current_hash(path)
        return None if hash is None else FacetsOfContent(path, hash, self._facets.texts(hash))

    def description(self, path: str, hash: str) -> str:
        """Return a description of a content made without a model; "" if the file's content has changed."""
        try:
            summary = self._files.briefing(path)
        except (FileUnavailable, OutsideWorkspace):
            return ""
        return summary.text if summary.hash == hash else ""

    def session_question(self, job: JobRecord) -> prompts.Question | None:
        return self._sessions.question(job)

    def apply_answer(self, job: JobRecord, text: str) -> FacetsOfContent | None:
        """Act on an answer; return the content whose facets or summary changed, if any."""
        if job.kind == "session":
            self._sessions.apply_answer(job, text)
            return None
        if job.kind == "facet":
            kept = self._facets.store(job.path, job.hash, text, f"model:{self._model}", job.session_id)
            if isinstance(kept, Refused):
                log.debug("A model's fact about %s was refused: %s", job.path, kept.reason)
                return None
            self.facet_learned.announce(job.path, job.hash)
        facets = self._facets.texts(job.hash)
        summary = self.store.answer(job.hash, "summary")
        if job.kind == "aggregate" and job.basis == prompts.basis(summary.text if summary is not None else "", facets):
            return None
        return FacetsOfContent(job.path, job.hash, facets)
