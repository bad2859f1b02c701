"""What becomes of a chat model's answers about files, and what it is told: ties the queue of questions to file memory.

A model's facet is judged like any other sentence before it is kept. A new summary or a new facet makes the one text of
both out of date, so that it is asked for anew.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import TYPE_CHECKING

from sidecar.checkout.tree import Tree
from sidecar.files import prompts
from sidecar.files.facet_book import FacetBook
from sidecar.files.facets.verdict import Refused
from sidecar.files.memory import FileMemory
from sidecar.models.chat_models import Chat
from sidecar.runtime.errors import FileUnavailable, OutsideWorkspace
from sidecar.runtime.priority import Priority
from sidecar.settings.model import ModelSettings
from sidecar.store.knowledge_store import KnowledgeStore
from sidecar.store.records import JobRecord
from sidecar.store.spending import Spending
from sidecar.summaries.jobs import QuestionQueue

if TYPE_CHECKING:
    from sidecar.summaries.session_reading import SessionReading

log = logging.getLogger(__name__)


def question_queue(
    settings: ModelSettings,
    store: KnowledgeStore,
    spending: Callable[[], Spending],
    tree: Tree,
    checkout: str,
    clock: Callable[[], int],
    facets: FacetBook,
    files: FileMemory,
    priority: Priority,
    client: Callable[[], Chat | None],
    sessions: Callable[[], SessionReading],
) -> QuestionQueue:
    """The background questions of one checkout, whose answers go to its facets and memories."""

    def answered(job: JobRecord, text: str | None) -> None:
        if text is None:
            return
        kind = job.kind.partition(" ")[0]
        if kind == "session":
            sessions().answered(job, text)
            return
        if kind == "facet":
            kept = facets.keep(job.path, job.hash, text, f"model:{settings.name}", job.session_id)
            if isinstance(kept, Refused):
                log.debug("a model's fact about %s was refused: %s", job.path, kept.reason)
                return
        known = facets.texts(job.hash)
        if kind == "aggregate" and job.basis == _basis(store, job.hash, known):
            return
        queue.facets_changed(job.path, job.hash, known)

    def described(path: str, hash: str) -> str:
        try:
            summary = files.summary(path)
        except (FileUnavailable, OutsideWorkspace):
            return ""
        return summary.text if summary.hash == hash else ""

    queue = QuestionQueue(
        settings,
        store,
        spending,
        tree,
        checkout,
        clock,
        priority,
        on_answer=answered,
        known=facets.texts,
        described=described,
        session=lambda job: sessions().question(job),
        client=client,
    )
    return queue


def _basis(store: KnowledgeStore, hash: str, known: list[str]) -> str:
    summary = store.gist(hash, "summary")
    return prompts.basis(summary.text if summary is not None else "", known)
