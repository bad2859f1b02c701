"""A corrected memory says the new thing: a derived name changes with its text, a given one stays."""

from __future__ import annotations

import msgspec
import pytest

from sidecar.memories import importing, recording, renaming
from sidecar.memories.drafts import Draft, Filters, InjectRequest
from sidecar.memories.maintenance.duplicates import united
from sidecar.memories.naming import derive_name, is_derived
from sidecar.memory_file.bridge import entry_of
from sidecar.memory_file.text.entry import render
from sidecar.runtime.errors import InvalidField
from tests.memories.conftest import BookFixture
from tests.memory_fields import DraftFields

STAGING = "Deploy to staging with make deploy"
FLY = "Deploy to production with fly deploy"


def test_a_name_made_from_the_text_changes_with_it(house: BookFixture) -> None:
    id = house.record(STAGING).record.id
    updated = house.book.update(id, {"content": FLY})
    assert (updated.record.name, updated.hint) == (FLY, None)
    assert house.reopen().get(id).record.name == FLY
    assert "staging" not in house.book.inject(InjectRequest()).text
    assert "staging" not in "\n".join(render(entry_of(updated.record), 12, ""))
    assert house.book.search("production", Filters()).items[0].record.name == FLY
    assert not house.book.search("staging", Filters()).items


def test_so_it_does_again_and_again_and_undo_takes_it_back(house: BookFixture) -> None:
    id = house.record(STAGING).record.id
    for text in (FLY, f"{FLY}. Never on Fridays.", "Ask Ann before a deploy"):
        assert house.book.update(id, {"content": text}).record.name == derive_name(text)
    for text in (f"{FLY}. Never on Fridays.", FLY, STAGING):
        record = house.book.undo(id).record
        assert (record.content, record.name) == (text, derive_name(text))


@pytest.mark.parametrize("name", ["Deploying", STAGING, "Deploy to staging"])
def test_a_given_name_stays(house: BookFixture, name: str) -> None:
    id = house.record(STAGING, name=name).record.id
    for text in (FLY, "Ask Ann before a deploy"):
        assert house.book.update(id, {"content": text}).record.name == name
    assert house.book.undo(id).record.name == name


def test_a_name_given_with_the_text_or_later_stays(house: BookFixture) -> None:
    id = house.record(STAGING).record.id
    assert house.book.update(id, {"content": FLY, "name": STAGING}).record.name == STAGING
    assert house.book.update(id, {"content": "Ask Ann before a deploy"}).record.name == STAGING
    other = house.record("Use tabs").record
    same = house.book.update(other.id, {"name": "Use tabs"})  # the name it has already, now given by somebody
    assert (same.changed, same.record.version) == (False, 1)
    assert house.book.update(other.id, {"content": "Use spaces"}).record.name == "Use tabs"


def test_other_changes_leave_the_name(house: BookFixture) -> None:
    id = house.record(f"{STAGING}. Never on Fridays.").record.id
    before = house.book.get(id).record.name
    for changes in ({"tags": ["a"]}, {"type": "feedback"}, {"description": "d"}):
        assert house.book.update(id, changes).record.name == before


@pytest.mark.parametrize("holder", ["text", "name", "archived", "updated"])
def test_a_name_that_another_memory_has_is_told_apart(house: BookFixture, holder: str) -> None:
    if holder == "updated":
        other = house.book.update(house.record("Old").record.id, {"content": FLY}).record
    else:
        given: DraftFields = {"name": FLY} if holder == "name" else {}
        other = house.record(FLY if holder != "name" else "Ask Ann first", **given).record
    if holder == "archived":
        other = house.book.archive(other.id).record
    id = house.record(STAGING).record.id
    record = house.book.update(id, {"content": FLY}).record
    assert record.name != other.name
    assert record.name.startswith("Deploy to production")
    assert is_derived(record.name, record.content)
    assert house.book.get(other.id).record == other  # nothing is lost, nobody loses a name
    recorded = house.record(FLY)
    assert recorded.record.id == other.id
    assert house.book.update(id, {"content": STAGING}).record.name == STAGING


def test_undo_onto_a_made_name_that_was_taken_meanwhile_makes_another(house: BookFixture) -> None:
    id = house.record(STAGING).record.id
    house.book.update(id, {"content": FLY})
    other = house.record("Something else", name=STAGING).record
    back = house.book.undo(id).record
    assert (back.content, back.name != STAGING) == (STAGING, True)
    assert is_derived(back.name, back.content)
    assert house.book.get(other.id).record == other


def test_undo_onto_a_given_name_that_was_taken_meanwhile_is_refused(house: BookFixture) -> None:
    id = house.record("one", name="a").record.id
    house.book.update(id, {"name": "b"})
    house.record("two", name="a")
    with pytest.raises(InvalidField):
        house.book.undo(id)


def test_addition_is_recognised_under_its_former_name(house: BookFixture) -> None:
    id = house.record("Use tabs").record.id
    house.book.update(id, {"content": "Use tabs\nSpaces in YAML"})
    again = house.record("Use tabs")
    assert (again.status, again.record.id) == ("duplicate", id)
    learned = house.book.learn(Draft(content="Use tabs"))
    assert learned is not None
    assert learned.record.id == id


def test_words_edited_away_are_not_learned_again(house: BookFixture) -> None:
    id = house.record(STAGING).record.id
    house.book.update(id, {"content": FLY})
    assert house.book.learn(Draft(content=STAGING)) is None
    taken, _ = house.book.take_in(
        [importing.Incoming(Draft(content=STAGING, source="import:x"))], step=lambda done, total: None
    )
    assert [each.outcome for each in taken] == ["forgotten"]
    house.book.delete(id)
    assert house.book.learn(Draft(content=STAGING)) is None
    assert house.book.learn(Draft(content=FLY)) is None
    assert house.book.undo(id).record.name == FLY
    assert house.book.learn(Draft(content=STAGING)) is None
    house.book.delete(id, purge=True)
    assert house.book.learn(Draft(content=STAGING)) is None
    recorded = house.record(STAGING)  # on purpose
    assert (recorded.status, recorded.record.id != id) == ("created", True)


def test_record_on_purpose_is_not_merged_into_the_corrected_memory(house: BookFixture) -> None:
    id = house.record(STAGING).record.id
    house.book.update(id, {"content": FLY})
    again = house.record(STAGING)
    assert (again.status, again.record.name) == ("created", STAGING)
    assert house.book.get(id).record.content == FLY


def test_a_purge_takes_former_names_along(house: BookFixture) -> None:
    id = house.record("Zwiebelfisch to staging").record.id
    house.book.update(id, {"content": FLY})
    house.book.delete(id, purge=True)
    house.close()
    for file in house.folder.rglob("*"):
        assert not file.is_file() or b"Zwiebelfisch" not in file.read_bytes()


def test_a_merge_keeps_what_still_fits_and_what_was_given(house: BookFixture) -> None:
    id = house.record("Use tabs").record.id
    merged = house.record("Spaces in YAML", name="Use tabs")
    assert (merged.status, merged.record.id, merged.record.name) == ("merged", id, "Use tabs")
    assert house.record("Use tabs").status == "duplicate"
    assert house.book.update(id, {"content": "Use spaces"}).record.name == "Use tabs"  # given by now


def test_a_merge_of_texts_that_begin_otherwise_changes_the_name(house: BookFixture) -> None:
    elder = house.record("use tabs", scope="personal").record
    wider = house.record("Always in Go: use tabs.", name="x").record
    assert elder.name == "use tabs"
    house.book.update(wider.id, {"name": "use tabs"})
    promoted = house.book.promote(elder.id).record
    assert (promoted.id, promoted.name) == (wider.id, "use tabs")  # a given one
    kept = house.record("Run ruff.").record
    with house.workspace.transaction() as transaction:
        merged = recording.merge(kept, msgspec.structs.replace(kept, content="Before a push: run ruff."), 5)
        transaction.put(merged, "merged", 5)
    assert is_derived(merged.name, merged.content), merged.name


def test_maintenance_changes_a_made_name_with_the_text(house: BookFixture) -> None:
    elder, younger = house.record("run ruff").record, house.record("Before a push: run ruff.").record
    merged = united(elder, younger)
    assert merged.content == younger.content
    assert is_derived(merged.name, merged.content)
    assert merged.name not in (elder.name, younger.name)
    given = msgspec.structs.replace(elder, name_given=True)
    assert united(given, younger).name == "run ruff"


def test_references_of_a_former_name_go(house: BookFixture) -> None:
    """What only the earlier text named no longer grounds the corrected memory."""
    kept = house.record("See src/old.py").record
    foreseen = renaming.foreseen(kept, {"content": "See src/new.py"})
    assert foreseen["name"] == "See src/new.py"
    given = house.record("See src/old.py", name="Place").record
    assert "name" not in renaming.foreseen(given, {"content": "See src/new.py"})


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
    house: BookFixture, name: str, before: str, after: str, told: bool
) -> None:
    id = house.record(before, name=name).record.id
    hint = house.book.update(id, {"content": after}).hint
    assert (hint is not None) == told, hint
    assert hint is None or (f"“{name}”" in hint and hint.endswith("."))
    assert house.book.update(id, {"content": before, "name": "n"}).hint is None
    assert house.book.update(id, {"tags": ["a"]}).hint is None
