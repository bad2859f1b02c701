"""What was deleted, edited away or archived on purpose is not learned again; what is recorded on purpose is."""

from __future__ import annotations

import pytest

from sidecar.memories.drafts import Draft
from sidecar.memories.recording import forgetting
from sidecar.store.records import MemoryRecord
from tests.memories.conftest import BookRig

TEXT = "Use pnpm rather than npm in this repository, the lock file is pnpm-lock.yaml."
SOURCE = "extractor:preference"


def learned(text: str, **fields: object) -> Draft:
    return Draft(content=text, source=SOURCE, **fields)  # type: ignore[arg-type]


def test_a_deleted_memory_is_not_learned_again(rig: BookRig) -> None:
    first = rig.book.recorder.learn(learned(TEXT))
    assert first is not None
    assert first.status == "created"
    rig.book.editing.delete(first.record.id)
    assert rig.book.recorder.learn(learned(TEXT)) is None
    assert rig.workspace.all() == []
    assert rig.reopen().recorder.learn(learned(TEXT)) is None, "another process knows it too"


@pytest.mark.parametrize(
    "said_again",
    [
        "use pnpm rather than npm in this repository; the lock file is pnpm-lock.yaml",
        "- Use pnpm rather than npm in this repository,\n  the lock file is pnpm-lock.yaml.",
        "Please use pnpm rather than npm in this repository, the lock file is pnpm-lock.yaml.",
    ],
)
def test_a_deleted_memory_is_not_learned_again_in_nearly_the_same_words(rig: BookRig, said_again: str) -> None:
    rig.book.editing.delete(rig.record(TEXT).record.id)
    assert rig.book.recorder.learn(learned(said_again)) is None


@pytest.mark.parametrize(
    "other",
    [
        "Use npm rather than pnpm in this repository, the lock file is package-lock.json.",
        "Never use pnpm rather than npm in this repository, the lock file is pnpm-lock.yaml.",
        "The deployment runs on Fridays.",
        "Use pnpm 9 rather than npm in this repository, the lock file is pnpm-lock.yaml.",
    ],
)
def test_different_statement_is_learned(rig: BookRig, other: str) -> None:
    rig.book.editing.delete(rig.record(TEXT).record.id)
    assert rig.book.recorder.learn(learned(other)) is not None


def test_the_key_alone_is_enough(rig: BookRig) -> None:
    gone = rig.record("Frequently used command: pytest -q", name="Command pytest").record
    rig.book.editing.delete(gone.id)
    assert rig.book.recorder.learn(learned("It was run 17 times: pytest -q", name="Command pytest")) is None
    assert rig.book.recorder.learn(learned("It was run 17 times: pytest -q", name="Another name")) is not None


def test_recording_on_purpose_is_not_hindered_and_lifts_it(rig: BookRig) -> None:
    rig.book.editing.delete(rig.record(TEXT).record.id)
    again = rig.record(TEXT, source="user")
    assert again.status == "created"
    assert rig.workspace.tombstones() == ()
    rig.book.editing.archive(again.record.id)
    rig.book.editing.restore(again.record.id)
    assert rig.book.recorder.learn(learned(TEXT)) is not None


def test_recording_in_another_scope_lifts_it_there_too(rig: BookRig) -> None:
    rig.book.editing.delete(rig.record(TEXT).record.id)
    rig.record(TEXT, scope="global")
    assert rig.workspace.tombstones() == ()


def test_undoing_the_deletion_lifts_it(rig: BookRig) -> None:
    id = rig.record(TEXT).record.id
    rig.book.editing.delete(id)
    rig.book.undoing.undo(id)
    assert rig.workspace.tombstones() == ()
    outcome = rig.book.recorder.learn(learned(TEXT))
    assert outcome is not None
    assert outcome.status == "duplicate"


@pytest.mark.parametrize("steps", [[True], [False, True]])
def test_a_purge_leaves_no_word_and_is_remembered(rig: BookRig, steps: list[bool]) -> None:
    id = rig.record("The zanzibar cluster is retired", name="quokka").record.id
    for purge in steps:
        rig.book.editing.delete(id, purge)
    (tombstone,) = rig.workspace.tombstones()
    assert (tombstone.sketch, tombstone.marks) == (b"", 0)
    rig.close()
    for path in rig.folder.rglob("*"):
        if path.is_file():
            data = path.read_bytes().lower()
            assert not {word for word in (b"zanzibar", b"quokka") if word in data}, path
    assert rig.reopen().recorder.learn(learned("the zanzibar cluster is retired")) is None


def test_words_edited_away_are_not_appended_again(rig: BookRig) -> None:
    kept = rig.book.recorder.learn(learned("The build takes 40 seconds.", name="build"))
    assert kept is not None
    rig.book.editing.update(kept.record.id, {"content": "The build takes 90 seconds since the move."})
    assert rig.book.recorder.learn(learned("The build takes 40 seconds.", name="build")) is None
    assert rig.book.searcher.get(kept.record.id).record.content == "The build takes 90 seconds since the move."


def test_a_memory_archived_on_purpose_stays_archived(rig: BookRig) -> None:
    id = rig.record(TEXT, name="pnpm").record.id
    rig.book.editing.archive(id)
    assert rig.book.recorder.learn(learned(TEXT, name="pnpm")) is None
    assert rig.book.recorder.learn(learned("Please " + TEXT)) is None, "under another name"
    assert rig.book.searcher.get(id).record.status == "archived"


def test_a_memory_archived_on_purpose_returns_when_new_words_add_to_it(rig: BookRig) -> None:
    id = rig.record(TEXT, name="pnpm").record.id
    rig.book.editing.archive(id)
    outcome = rig.book.recorder.learn(learned("CI pins it with corepack since May.", name="pnpm"))
    assert outcome is not None
    assert outcome.status == "merged"
    assert rig.book.searcher.get(id).record.status == "active"


def test_an_import_obeys_the_same_rule(rig: BookRig) -> None:
    rig.book.editing.delete(rig.record(TEXT, scope="global").record.id)
    assert rig.book.recorder.learn(Draft(content=TEXT, source="import:jsonl", scope="project")) is None


def test_the_other_agent_s_archived_memory_hides_nothing(rig: BookRig) -> None:
    rig.book.editing.archive(rig.record(TEXT, agent="reviewer").record.id)
    assert rig.book.recorder.learn(learned(TEXT)) is not None


def test_a_tombstone_holds_no_words(rig: BookRig) -> None:
    record = rig.record("The vault password is kept by Quintus").record
    kept = forgetting.tombstone(record, 1, purged=False)
    said = repr(kept).lower()
    assert "vault" not in said
    assert "quintus" not in said


def test_a_tombstone_of_text_without_terms_matches_only_itself(rig: BookRig) -> None:
    def record(text: str) -> MemoryRecord:
        made: MemoryRecord = rig.record(text, name=f"n {text}").record
        return made

    kept = forgetting.tombstone(record("???"), 1, purged=False)
    assert forgetting.matching_ids([kept], forgetting.fingerprint_of(record("!!!"))) == []
