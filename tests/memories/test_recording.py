"""What `record` does with a new text, a known key, a secret, and too much."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from sidecar.memories.recording.merging import contains
from sidecar.runtime.errors import InvalidField
from sidecar.store.records import ReferenceRecord
from tests.memories.conftest import BookRig
from tests.memory_fields import DraftFields

KEY = "AKIA" + "IOSFODNN7" + "EXAMPLQ"


def test_a_new_memory_is_stored_with_defaults(rig: BookRig) -> None:
    recorded = rig.record("Use pnpm.")
    assert recorded.status == "created"
    kept = rig.reopen().searcher.get(recorded.record.id).record
    assert kept == recorded.record
    assert (kept.type, kept.scope, kept.name, kept.version) == ("project", "project", "Use pnpm", 1)
    assert kept.created_at == kept.updated_at == rig.clock.now


@pytest.mark.parametrize(
    ("fields", "scope"),
    [
        ({"type": "user"}, "personal"),
        ({"type": "feedback"}, "project"),
        ({"type": "user", "scope": "global"}, "global"),
    ],
)
def test_scope_follows_the_type_unless_given(rig: BookRig, fields: DraftFields, scope: str) -> None:
    assert rig.record("Prefers short answers.", **fields).record.scope == scope


def test_global_memories_live_in_the_user_store(rig: BookRig) -> None:
    recorded = rig.record("Prefers short answers.", type="user", scope="global").record
    assert rig.user.get(recorded.id) == recorded
    assert rig.workspace.get(recorded.id) is None


def test_the_same_again_writes_nothing(rig: BookRig) -> None:
    first = rig.record("Use pnpm.", name="pm", tags=("a",), files=("x.py",), description="d", category="fact")
    rig.clock.forward(days=1)
    before = rig.workspace.seq()
    again = rig.record("use  PNPM", name="pm", tags=("a",), session_id="other", description="d")
    assert again.status == "duplicate"
    assert again.record == first.record
    assert rig.workspace.seq() == before
    assert len(rig.book.searcher.history(first.record.id)) == 1


def test_the_same_key_merges(rig: BookRig) -> None:
    first = rig.record("Use pnpm.", name="pm", tags=("a", "b"), files=("x.py",)).record
    rig.clock.forward(days=1)
    merged = rig.record("Run it with --silent.", name=" pm ", tags=("b", "c"), files=("y.py",), pinned=True)
    assert merged.status == "merged"
    record = merged.record
    assert record.id == first.id
    assert record.content == "Use pnpm.\nRun it with --silent."
    assert record.tags == ("a", "b", "c")
    assert record.files == ("x.py", "y.py")
    assert record.pinned
    assert record.version == 2
    assert record.updated_at == rig.clock.now
    assert [version.memory for version in rig.book.searcher.history(first.id)] == [record, first]


@pytest.mark.parametrize(
    "changed",
    [{"type": "reference"}, {"agent": "reviewer"}, {"scope": "personal"}, {"scope": "global"}, {"name": "PM"}],
)
def test_another_key_is_another_memory(rig: BookRig, changed: DraftFields) -> None:
    first = rig.record("Use pnpm.", name="pm").record
    other = rig.record("Use pnpm.", **DraftFields({"name": "pm", **changed}))
    assert other.status == "created"
    assert other.record.id != first.id


def test_without_a_name_the_same_text_is_a_duplicate(rig: BookRig) -> None:
    text = "The build needs Node 20. With 18 the bundler fails."
    assert rig.record(text).status == "created"
    assert rig.record(text).status == "duplicate"


@pytest.mark.parametrize("hide", ["archive", "expire"])
def test_recording_again_brings_back_what_was_hidden(rig: BookRig, hide: str) -> None:
    ends = rig.clock.now + 1000 if hide == "expire" else None
    first = rig.record("Use pnpm.", name="pm", expires_at=ends).record
    if hide == "archive":
        rig.book.editing.archive(first.id)
    rig.clock.forward(days=1)
    assert rig.book.searcher.list(_all()).items == ()
    again = rig.record("Use pnpm.", name="pm")
    assert (again.status, again.record.id) == ("merged", first.id)
    assert [found.record.id for found in rig.book.searcher.list(_all()).items] == [first.id]


def test_a_new_hash_of_a_reference_is_news(rig: BookRig) -> None:
    old = ReferenceRecord(kind="path", text="a.py", path="a.py", hash="1")
    new = ReferenceRecord(kind="path", text="a.py", path="a.py", hash="2")
    rig.record("f is slow", name="f", references=(old,))
    assert rig.record("f is slow", name="f", references=(old,)).status == "duplicate"
    assert rig.record("f is slow", name="f", references=(new,)).record.references == (new,)


def test_secrets_are_redacted_everywhere_before_anything_is_written(rig: BookRig, tmp_path: Path) -> None:
    recorded = rig.record(f"The key is {KEY}.", name=f"key {KEY}", description=f"d {KEY}", tags=("ok", f"t {KEY}"))
    assert [redaction.field for redaction in recorded.redactions] == ["content", "name", "description", "tags[1]"]
    assert all(redaction.count == 1 for redaction in recorded.redactions)
    assert KEY not in str(recorded.record)
    assert "[redacted" in recorded.record.content
    updated = rig.book.editing.update(recorded.record.id, {"content": f"again {KEY}"})
    assert [redaction.field for redaction in updated.redactions] == ["content"]
    rig.close()
    written = b"".join(path.read_bytes() for path in tmp_path.rglob("*") if path.is_file())
    assert KEY.encode() not in written


def test_a_derived_name_holds_no_secret(rig: BookRig) -> None:
    assert KEY not in rig.record(f"Key {KEY} opens the bucket").record.name


@pytest.mark.parametrize(
    ("fields", "path"),
    [
        ({"content": "x" * 16_001}, "$.content"),
        ({"content": " \n "}, "$.content"),
        ({"content": "half \ud800"}, "$.content"),
        ({"name": "x" * 201}, "$.name"),
        ({"name": "  "}, "$.name"),
        ({"description": "x" * 1_001}, "$.description"),
        ({"tags": ("ok", " ")}, "$.tags[1]"),
        ({"tags": tuple(map(str, range(51)))}, "$.tags"),
        ({"files": ("x" * 4_097,)}, "$.files[0]"),
        ({"expires_at": 1}, "$.expiresAt"),
        ({"scope": "team"}, "$.scope"),
        ({"type": "note"}, "$.type"),
        ({"category": "misc"}, "$.category"),
        ({"agent": " "}, "$.agent"),
        ({"session_id": "a\nb"}, "$.sessionId"),
    ],
)
def test_values_out_of_bounds_are_refused_with_their_path(rig: BookRig, fields: dict[str, Any], path: str) -> None:
    with pytest.raises(InvalidField) as caught:
        rig.record(**{"content": "text", **fields})
    assert caught.value.data.path == path
    assert rig.workspace.all() == []


def test_too_long_says_both_sizes(rig: BookRig) -> None:
    with pytest.raises(InvalidField, match=r"16,001 .* 16,000") as caught:
        rig.record("x" * 16_001)
    assert caught.value.data.hint


def test_the_longest_text_is_kept_whole(rig: BookRig) -> None:
    assert len(rig.record("ab " * 5_333 + "a").record.content) == 16_000


def test_a_merge_above_the_limit_is_refused_and_loses_nothing(rig: BookRig) -> None:
    first = rig.record("a b " * 3_999, name="long").record
    with pytest.raises(InvalidField, match="at most 16,000 are kept") as caught:
        rig.record("c d " * 100, name="long")
    assert first.id in str(caught.value.data.hint)
    assert rig.book.searcher.get(first.id).record == first


def test_near_duplicates_of_another_name_are_reported(rig: BookRig) -> None:
    text = "The integration tests need a running Postgres on port 5433"
    first = rig.record(text, name="postgres port").record
    rig.record("Use pnpm rather than npm for installs")
    similar = rig.record(f"{text} locally", name="database for tests").similar
    assert [(one.id, one.name) for one in similar] == [(first.id, "postgres port")]
    assert 0.6 <= similar[0].score <= 1.0


def test_similar_looks_only_at_what_the_same_readers_see(rig: BookRig) -> None:
    text = "The integration tests need a running Postgres on port 5433"
    rig.record(text, name="a", scope="personal")
    rig.record(text, name="b", agent="reviewer")
    rig.book.editing.archive(rig.record(text, name="c").record.id)
    assert rig.record(text, name="d").similar == ()


def _all() -> Any:
    from sidecar.memories.drafts import Filters

    return Filters()


WORDS = st.sampled_from(["use pnpm", "not npm", "run -q.", "- a list", "x,", "Zürich", "…", "a\nb"])
CONTENTS = st.lists(WORDS, min_size=1, max_size=4).map(" ".join)


@settings(max_examples=12, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.lists(CONTENTS, min_size=1, max_size=6))
def test_however_often_a_key_is_recorded_everything_said_is_there(
    new_rig: Callable[[], BookRig], contents: list[str]
) -> None:
    rig = new_rig()
    for content in contents:
        rig.record(content, name="one")
    kept = rig.workspace.all()
    assert len(kept) == 1
    assert all(contains(kept[0].content, content) for content in contents)
    for content in contents:
        assert rig.record(content, name="one").status == "duplicate"
    assert len(rig.book.searcher.history(kept[0].id)) == kept[0].version


@pytest.mark.parametrize("others", [0, 3, 60])
def test_the_same_text_under_another_name_is_similar_however_few_memories_there_are(rig: BookRig, others: int) -> None:
    for number in range(others):
        rig.record(f"The {number}th service listens on port {9_000 + number}.", name=f"port {number}")
    text = "Deployments go through the staging cluster first, then to production after an hour."
    first = rig.record(text, name="how deployments are done", description="What ops asked for in spring.").record
    found = rig.record(text, name="release procedure", type="feedback").similar
    assert [(one.id, one.score) for one in found] == [(first.id, 1.0)]
    near = rig.record(text.replace("an hour", "two hours"), name="releases").similar
    assert len(near) == 2
    assert all(one.score > 0.7 for one in near)


def test_another_statement_is_not_similar_in_a_small_store(rig: BookRig) -> None:
    rig.record("Deployments go through the staging cluster first.", name="a")
    assert rig.record("The tests need Redis on port 6380.", name="b").similar == ()
