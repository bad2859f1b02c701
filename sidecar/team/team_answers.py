"""Share facts and models' answers about files by content hash, so that machines do not ask a model twice."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from typing import Final

from sidecar.runtime.errors import StoreUnavailable
from sidecar.team.shared_database import SharedDatabase

log = logging.getLogger(__name__)

# Nothing is asked for this long after a failure.
REFUSED_SECONDS: Final = 60.0
FACT_KIND: Final = "fact"


class TeamAnswers:
    """The answers of one workspace. `key` returns its name in the database. Thread-safe, never raises."""

    def __init__(self, database: SharedDatabase, key: Callable[[], str | None]) -> None:
        self._database = database
        self._key = key
        self._retry_at = 0.0

    def get(self, hash: str, recipe: str) -> str | None:
        """Return the stored answer about a content to the question with this recipe."""
        rows = self._query(
            "SELECT text FROM memory_sidecar.answers WHERE workspace_id = %s AND content_hash = %s AND recipe = %s",
            (hash, recipe),
        )
        return str(rows[0][0]) if rows else None

    def facts(self, hash: str) -> list[tuple[str, str, str]]:
        """Return the facts about a content, oldest first: recipe, text ("" if it was purged), role of the author."""
        rows = self._query(
            "SELECT recipe, text, author FROM memory_sidecar.answers"
            " WHERE workspace_id = %s AND content_hash = %s AND kind = %s ORDER BY at, recipe LIMIT 100",
            (hash, FACT_KIND),
        )
        return [(str(recipe), str(text), str(author)) for recipe, text, author in rows]

    def put(self, hash: str, recipe: str, kind: str, text: str) -> None:
        self._query("SELECT memory_sidecar.keep_answer(%s, %s, %s, %s, %s)", (hash, recipe, kind, text))

    def _query(self, statement: str, values: tuple[str, ...]) -> list[tuple[object, ...]]:
        key = self._key()
        if key is None or time.monotonic() < self._retry_at:
            return []
        try:
            with self._database.workspace(key) as (database, workspace):
                return [] if workspace is None else database.query(statement, workspace.id, *values)
        except StoreUnavailable as error:
            if error.data.reason != "rights":  # a role that may only read can still ask
                log.info("Answers are not shared for a while: %s", error.message)
                self._retry_at = time.monotonic() + REFUSED_SECONDS
            return []
