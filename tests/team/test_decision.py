"""Every decision about a memory that the database has, without a database."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec.structs import replace

from sidecar.store.records import MemoryRecord
from sidecar.store.sharing import SharedRecord
from sidecar.team.incoming import Earlier, RowAction, decide
from sidecar.team.shared_form import SharedForm, SharedRow, SharedScope, digest_of

FORM = SharedForm(type="project", name="Tests", content="Run make check.", source="agent", created_at=1, updated_at=1)
OTHER = replace(FORM, content="Run make check.\nIt takes a minute.")
THIRD = replace(FORM, content="Run make check.\nIt needs Docker.")
KIM = "kim"
EARLIER: Earlier = {1: FORM}


def row(form: SharedForm | None, version: int = 2, gone: str | None = None) -> SharedRow:
    return SharedRow("m", version, 9, "" if form is None else digest_of(form), gone, KIM, KIM, "", form)


def local(form: SharedForm, **fields: Any) -> MemoryRecord:
    shared = {name: getattr(form, name) for name in ("type", "name", "content", "source", "created_at", "updated_at")}
    return MemoryRecord(**{"id": "m", "scope": "project", **shared, "author": KIM, **fields})


def known(form: SharedForm, version: int = 1, gone: str | None = None) -> SharedRecord:
    return SharedRecord(version=version, digest="" if gone else digest_of(form), gone=gone, author=KIM)


DELETED = row(None, gone="deleted")


@pytest.mark.parametrize(
    ("theirs", "noted", "here", "earlier", "action"),
    [
        (row(None), None, None, None, RowAction.LEAVE),
        (row(FORM, 1), known(FORM), local(FORM), None, RowAction.LEAVE),
        (row(FORM), None, local(FORM, scope="global"), None, RowAction.LEAVE),
        (DELETED, known(FORM), local(FORM), None, RowAction.REMOVE),
        (DELETED, known(FORM), local(OTHER), None, RowAction.NOTE),
        (row(FORM, 1), known(FORM, 3), local(FORM), None, RowAction.NOTE),
        (row(FORM), None, None, None, RowAction.ACCEPT),
        (row(OTHER, 1), known(FORM), None, None, RowAction.NOTE),
        (row(OTHER), known(FORM), None, None, RowAction.ACCEPT),
        (row(OTHER), known(FORM), local(FORM), None, RowAction.ACCEPT),
        (row(OTHER), known(FORM), local(OTHER), None, RowAction.ACCEPT),
        (row(OTHER), known(FORM), local(THIRD), None, RowAction.READ_AGAIN),
        (row(OTHER), known(FORM), local(THIRD), {1: FORM, 2: THIRD}, RowAction.ACCEPT),
        (row(FORM), known(FORM), local(OTHER), EARLIER, RowAction.NOTE),
        (row(OTHER), known(FORM), local(THIRD), EARLIER, RowAction.MERGE),
    ],
)
def test_a_row_is_decided(
    theirs: SharedRow, noted: SharedRecord | None, here: MemoryRecord | None, earlier: Earlier | None, action: RowAction
) -> None:
    decision = decide(theirs, noted, here, earlier, SharedScope("project", "me", ()), purged=False)
    assert decision.action is action
    assert (decision.note is not None) == (action in (RowAction.NOTE, RowAction.MERGE))


def test_a_merge_keeps_the_words_of_both() -> None:
    scope = SharedScope("project", "me", ())
    both = decide(row(OTHER), known(FORM), local(THIRD), EARLIER, scope, purged=False).merged
    assert both is not None
    assert set(both.content.splitlines()) == {"Run make check.", "It takes a minute.", "It needs Docker."}


def test_a_memory_purged_here_stays_purged() -> None:
    scope = SharedScope("project", "me", ())
    assert decide(row(OTHER), known(FORM), None, None, scope, purged=True).action is RowAction.NOTE


def test_after_a_failover_the_version_here_is_sent_again() -> None:
    scope = SharedScope("project", "me", (), resync=True)
    decision = decide(DELETED, known(FORM, 2), local(FORM), None, scope, purged=False)
    assert decision.action is RowAction.NOTE
