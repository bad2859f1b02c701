"""What was deleted, edited away or archived on purpose is not learned again; what is recorded on purpose is."""

from __future__ import annotations

import pytest

from sidecar.memories import forgetting
from sidecar.memories.drafts import Draft
from sidecar.store.records import MemoryRecord
from tests.memories.conftest import BookFixture

TEXT = "Use pnpm rather than npm in this repository, the lock file is pnpm-lock.yaml."
SOURCE = "extractor:preference"


def learned(text: str, **fields: object) -> Draft:
    return Draft(content=text, source=SOURCE, **fields)  # type: ignore[arg-type]


def test_a_deleted_memory_is_not_learned_again(house: BookFixture) -> None:
    first = house.book.learn(learned(TEXT))
    assert first is not None
    assert first.status == "created"
    house.book.delete(first.record.id)
    assert house.book.learn(learned(TEXT)) is None
    assert house.workspace.all() == []
    assert house.reopen().learn(learned(TEXT)) is None, "another process knows it too"


@pytest.mark.parametrize(
    "said_again",
    [
        "use pnpm rather than npm in this repository; the lock file is pnpm-lock.yaml",
        "- Use pnpm rather than npm in this repository,\n  the lock file is pnpm-lock.yaml.",
        "Please use pnpm rather than npm in this repository, the lock file is pnpm-lock.yaml.",
    ],
)
def test_nor_in_nearly_the_same_words(house: BookFixture, said_again: str) -> None:
    house.book.delete(house.record(TEXT).record.id)
    assert house.book.learn(learned(said_again)) is None


@pytest.mark.parametrize(
    "other",
    [
        "Use npm rather than pnpm in this repository, the lock file is package-lock.json.",
        "Never use pnpm rather than npm in this repository, the lock file is pnpm-lock.yaml.",
        "The deployment runs on Fridays.",
        "Use pnpm 9 rather than npm in this repository, the lock file is pnpm-lock.yaml.",
    ],
)
def test_different_statement_is_learned(house: BookFixture, other: str) -> None:
    house.book.delete(house.record(TEXT).record.id)
    assert house.book.learn(learned(other)) is not None


def test_the_key_alone_is_enough(house: BookFixture) -> None:
    gone = house.record("Frequently used command: pytest -q", name="Command pytest").record
    house.book.delete(gone.id)
    assert house.book.learn(learned("It was run 17 times: pytest -q", name="Command pytest")) is None
    assert house.book.learn(learned("It was run 17 times: pytest -q", name="Another name")) is not None


def test_recording_on_purpose_is_not_hindered_and_lifts_it(house: BookFixture) -> None:
    house.book.delete(house.record(TEXT).record.id)
    again = house.record(TEXT, source="user")
    assert again.status == "created"
    assert house.workspace.tombstones() == ()
    house.book.archive(again.record.id)
    house.book.restore(again.record.id)
    assert house.book.learn(learned(TEXT)) is not None


def test_recording_in_another_scope_lifts_it_there_too(house: BookFixture) -> None:
    house.book.delete(house.record(TEXT).record.id)
    house.record(TEXT, scope="global")
    assert house.workspace.tombstones() == ()


def test_undoing_the_deletion_lifts_it(house: BookFixture) -> None:
    id = house.record(TEXT).record.id
    house.book.delete(id)
    house.book.undo(id)
    assert house.workspace.tombstones() == ()
    outcome = house.book.learn(learned(TEXT))
    assert outcome is not None
    assert outcome.status == "duplicate"


@pytest.mark.parametrize("steps", [[True], [False, True]])
def test_a_purge_leaves_no_word_and_is_remembered(house: BookFixture, steps: list[bool]) -> None:
    id = house.record("The zanzibar cluster is retired", name="quokka").record.id
    for purge in steps:
        house.book.delete(id, purge)
    (tombstone,) = house.workspace.tombstones()
    assert (tombstone.sketch, tombstone.marks) == (b"", 0)
    house.close()
    for path in house.folder.rglob("*"):
        if path.is_file():
            data = path.read_bytes().lower()
            assert not {word for word in (b"zanzibar", b"quokka") if word in data}, path
    assert house.reopen().learn(learned("the zanzibar cluster is retired")) is None


def test_words_edited_away_are_not_appended_again(house: BookFixture) -> None:
    kept = house.book.learn(learned("The build takes 40 seconds.", name="build"))
    assert kept is not None
    house.book.update(kept.record.id, {"content": "The build takes 90 seconds since the move."})
    assert house.book.learn(learned("The build takes 40 seconds.", name="build")) is None
    assert house.book.get(kept.record.id).record.content == "The build takes 90 seconds since the move."


def test_a_memory_archived_on_purpose_stays_archived(house: BookFixture) -> None:
    id = house.record(TEXT, name="pnpm").record.id
    house.book.archive(id)
    assert house.book.learn(learned(TEXT, name="pnpm")) is None
    assert house.book.learn(learned("Please " + TEXT)) is None, "under another name"
    assert house.book.get(id).record.status == "archived"


def test_unless_what_is_learned_adds_to_it(house: BookFixture) -> None:
    id = house.record(TEXT, name="pnpm").record.id
    house.book.archive(id)
    outcome = house.book.learn(learned("CI pins it with corepack since May.", name="pnpm"))
    assert outcome is not None
    assert outcome.status == "merged"
    assert house.book.get(id).record.status == "active"


def test_an_import_obeys_the_same_rule(house: BookFixture) -> None:
    house.book.delete(house.record(TEXT, scope="global").record.id)
    assert house.book.learn(Draft(content=TEXT, source="import:jsonl", scope="project")) is None


def test_the_other_agent_s_archived_memory_hides_nothing(house: BookFixture) -> None:
    house.book.archive(house.record(TEXT, agent="reviewer").record.id)
    assert house.book.learn(learned(TEXT)) is not None


def test_a_tombstone_holds_no_words(house: BookFixture) -> None:
    record = house.record("The vault password is kept by Quintus").record
    kept = forgetting.tombstone(record, 1, purged=False)
    said = repr(kept).lower()
    assert "vault" not in said
    assert "quintus" not in said


def test_a_tombstone_of_text_without_terms_matches_only_itself(house: BookFixture) -> None:
    def record(text: str) -> MemoryRecord:
        made: MemoryRecord = house.record(text, name=f"n {text}").record
        return made

    kept = forgetting.tombstone(record("???"), 1, purged=False)
    assert forgetting.matching([kept], forgetting.fingerprint_of(record("!!!"))) == []
