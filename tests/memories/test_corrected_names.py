"""A corrected memory says the new thing: a derived name changes with its text, a given one stays."""

from __future__ import annotations

import msgspec
import pytest

from sidecar.memories.drafts import Draft, Filters, InjectRequest
from sidecar.memories.maintenance.duplicates import unite
from sidecar.memories.recording import importer, record_writes
from sidecar.memories.wording import renaming
from sidecar.memories.wording.naming import derive_name, is_derived
from sidecar.memory_file.shown_entries import entry_of
from sidecar.memory_file.text.entry import render
from sidecar.runtime.errors import InvalidField
from tests.memories.conftest import BookRig
from tests.memory_fields import DraftFields

STAGING = "Deploy to staging with make deploy"
FLY = "Deploy to production with fly deploy"


def test_a_name_made_from_the_text_changes_with_it(rig: BookRig) -> None:
    id = rig.record(STAGING).record.id
    updated = rig.book.editing.update(id, {"content": FLY})
    assert (updated.record.name, updated.hint) == (FLY, None)
    assert rig.reopen().searcher.get(id).record.name == FLY
    assert "staging" not in rig.book.injector.inject(InjectRequest()).text
    assert "staging" not in "\n".join(render(entry_of(updated.record), 12, ""))
    assert rig.book.searcher.search("production", Filters()).items[0].record.name == FLY
    assert not rig.book.searcher.search("staging", Filters()).items


def test_a_name_made_from_the_text_changes_each_time_and_back_with_undo(rig: BookRig) -> None:
    id = rig.record(STAGING).record.id
    for text in (FLY, f"{FLY}. Never on Fridays.", "Ask Ann before a deploy"):
        assert rig.book.editing.update(id, {"content": text}).record.name == derive_name(text)
    for text in (f"{FLY}. Never on Fridays.", FLY, STAGING):
        record = rig.book.undoing.undo(id).record
        assert (record.content, record.name) == (text, derive_name(text))


@pytest.mark.parametrize("name", ["Deploying", STAGING, "Deploy to staging"])
def test_a_given_name_stays(rig: BookRig, name: str) -> None:
    id = rig.record(STAGING, name=name).record.id
    for text in (FLY, "Ask Ann before a deploy"):
        assert rig.book.editing.update(id, {"content": text}).record.name == name
    assert rig.book.undoing.undo(id).record.name == name


def test_a_name_given_with_the_text_or_later_stays(rig: BookRig) -> None:
    id = rig.record(STAGING).record.id
    assert rig.book.editing.update(id, {"content": FLY, "name": STAGING}).record.name == STAGING
    assert rig.book.editing.update(id, {"content": "Ask Ann before a deploy"}).record.name == STAGING
    other = rig.record("Use tabs").record
    same = rig.book.editing.update(other.id, {"name": "Use tabs"})  # the name it has already, now given by somebody
    assert (same.changed, same.record.version) == (False, 1)
    assert rig.book.editing.update(other.id, {"content": "Use spaces"}).record.name == "Use tabs"


def test_a_change_of_other_fields_leaves_the_name(rig: BookRig) -> None:
    id = rig.record(f"{STAGING}. Never on Fridays.").record.id
    before = rig.book.searcher.get(id).record.name
    for changes in ({"tags": ["a"]}, {"type": "feedback"}, {"description": "d"}):
        assert rig.book.editing.update(id, changes).record.name == before


@pytest.mark.parametrize("holder", ["text", "name", "archived", "updated"])
def test_a_name_that_another_memory_has_is_told_apart(rig: BookRig, holder: str) -> None:
    if holder == "updated":
        other = rig.book.editing.update(rig.record("Old").record.id, {"content": FLY}).record
    else:
        given: DraftFields = {"name": FLY} if holder == "name" else {}
        other = rig.record(FLY if holder != "name" else "Ask Ann first", **given).record
    if holder == "archived":
        other = rig.book.editing.archive(other.id).record
    id = rig.record(STAGING).record.id
    record = rig.book.editing.update(id, {"content": FLY}).record
    assert record.name != other.name
    assert record.name.startswith("Deploy to production")
    assert is_derived(record.name, record.content)
    assert rig.book.searcher.get(other.id).record == other  # nothing is lost, nobody loses a name
    recorded = rig.record(FLY)
    assert recorded.record.id == other.id
    assert rig.book.editing.update(id, {"content": STAGING}).record.name == STAGING


def test_undo_onto_a_made_name_that_was_taken_meanwhile_makes_another(rig: BookRig) -> None:
    id = rig.record(STAGING).record.id
    rig.book.editing.update(id, {"content": FLY})
    other = rig.record("Something else", name=STAGING).record
    back = rig.book.undoing.undo(id).record
    assert (back.content, back.name != STAGING) == (STAGING, True)
    assert is_derived(back.name, back.content)
    assert rig.book.searcher.get(other.id).record == other


def test_undo_onto_a_given_name_that_was_taken_meanwhile_is_refused(rig: BookRig) -> None:
    id = rig.record("one", name="a").record.id
    rig.book.editing.update(id, {"name": "b"})
    rig.record("two", name="a")
    with pytest.raises(InvalidField):
        rig.book.undoing.undo(id)


def test_addition_is_recognised_under_its_former_name(rig: BookRig) -> None:
    id = rig.record("Use tabs").record.id
    rig.book.editing.update(id, {"content": "Use tabs\nSpaces in YAML"})
    again = rig.record("Use tabs")
    assert (again.status, again.record.id) == ("duplicate", id)
    learned = rig.book.recorder.learn(Draft(content="Use tabs"))
    assert learned is not None
    assert learned.record.id == id


def test_words_edited_away_are_not_learned_again(rig: BookRig) -> None:
    id = rig.record(STAGING).record.id
    rig.book.editing.update(id, {"content": FLY})
    assert rig.book.recorder.learn(Draft(content=STAGING)) is None
    taken, _ = rig.book.importer.import_memories(
        [importer.Incoming(Draft(content=STAGING, source="import:x"))], step=lambda done, total: None
    )
    assert [each.outcome for each in taken] == ["forgotten"]
    rig.book.editing.delete(id)
    assert rig.book.recorder.learn(Draft(content=STAGING)) is None
    assert rig.book.recorder.learn(Draft(content=FLY)) is None
    assert rig.book.undoing.undo(id).record.name == FLY
    assert rig.book.recorder.learn(Draft(content=STAGING)) is None
    rig.book.editing.delete(id, purge=True)
    assert rig.book.recorder.learn(Draft(content=STAGING)) is None
    recorded = rig.record(STAGING)  # on purpose
    assert (recorded.status, recorded.record.id != id) == ("created", True)


def test_record_on_purpose_is_not_merged_into_the_corrected_memory(rig: BookRig) -> None:
    id = rig.record(STAGING).record.id
    rig.book.editing.update(id, {"content": FLY})
    again = rig.record(STAGING)
    assert (again.status, again.record.name) == ("created", STAGING)
    assert rig.book.searcher.get(id).record.content == FLY


def test_a_purge_takes_former_names_along(rig: BookRig) -> None:
    id = rig.record("Zwiebelfisch to staging").record.id
    rig.book.editing.update(id, {"content": FLY})
    rig.book.editing.delete(id, purge=True)
    rig.close()
    for file in rig.folder.rglob("*"):
        assert not file.is_file() or b"Zwiebelfisch" not in file.read_bytes()


def test_a_merge_keeps_what_still_fits_and_what_was_given(rig: BookRig) -> None:
    id = rig.record("Use tabs").record.id
    merged = rig.record("Spaces in YAML", name="Use tabs")
    assert (merged.status, merged.record.id, merged.record.name) == ("merged", id, "Use tabs")
    assert rig.record("Use tabs").status == "duplicate"
    assert rig.book.editing.update(id, {"content": "Use spaces"}).record.name == "Use tabs"  # given by now


def test_a_merge_of_texts_that_begin_otherwise_changes_the_name(rig: BookRig) -> None:
    elder = rig.record("use tabs", scope="personal").record
    wider = rig.record("Always in Go: use tabs.", name="x").record
    assert elder.name == "use tabs"
    rig.book.editing.update(wider.id, {"name": "use tabs"})
    promoted = rig.book.promoter.promote(elder.id).record
    assert (promoted.id, promoted.name) == (wider.id, "use tabs")  # a given one
    kept = rig.record("Run ruff.").record
    with rig.workspace.transaction() as transaction:
        merged = record_writes.merge(kept, msgspec.structs.replace(kept, content="Before a push: run ruff."), 5)
        transaction.put(merged, "merged", 5)
    assert is_derived(merged.name, merged.content), merged.name


def test_maintenance_changes_a_made_name_with_the_text(rig: BookRig) -> None:
    elder, younger = rig.record("run ruff").record, rig.record("Before a push: run ruff.").record
    merged = unite(elder, younger)
    assert merged.content == younger.content
    assert is_derived(merged.name, merged.content)
    assert merged.name not in (elder.name, younger.name)
    given = msgspec.structs.replace(elder, name_given=True)
    assert unite(given, younger).name == "run ruff"


def test_references_of_a_former_name_go(rig: BookRig) -> None:
    """What only the earlier text named no longer grounds the corrected memory."""
    kept = rig.record("See src/old.py").record
    foreseen = renaming.with_foreseen_name(kept, {"content": "See src/new.py"})
    assert foreseen["name"] == "See src/new.py"
    given = rig.record("See src/old.py", name="Place").record
    assert "name" not in renaming.with_foreseen_name(given, {"content": "See src/new.py"})


@pytest.mark.parametrize(
    ("name", "before", "after", "told"),
    [
        ("Deploy to staging", STAGING, FLY, True),
        ("Package manager: npm", "Use npm for everything", "Use pnpm for everything", True),
        ("Use npm", "We use npm", "We use pnpm", True),
        ("Port is 8080", "The server listens on 8080", "The server listens on 9090", True),
        ("Deploying", "Deploy to staging", "Deploy to production", False),
        ("Package manager", "Use npm for everything", "Use pnpm for everything", False),
        ("Server port", "The server listens on port 8080", "The server listens on port 9090", False),
        ("Deploy to staging", STAGING, f"{STAGING}. Never on Fridays.", False),
    ],
)
def test_a_given_name_that_the_text_contradicts_is_pointed_out(
    rig: BookRig, name: str, before: str, after: str, told: bool
) -> None:
    id = rig.record(before, name=name).record.id
    hint = rig.book.editing.update(id, {"content": after}).hint
    assert (hint is not None) == told, hint
    assert hint is None or (f"“{name}”" in hint and hint.endswith("."))
    assert rig.book.editing.update(id, {"content": before, "name": "n"}).hint is None
    assert rig.book.editing.update(id, {"tags": ["a"]}).hint is None
