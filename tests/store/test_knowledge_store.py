"""Facets, answers and questions that wait: kept, shared by processes, and asked once."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import msgspec
import pytest

from sidecar.store import keys
from sidecar.store.knowledge_store import KnowledgeStore
from sidecar.store.opening import open_database
from sidecar.store.records import AnswerRecord, FacetRecord, FacetsRecord, JobRecord
from sidecar.store.schema import KNOWLEDGE
from sidecar.store.spending import Spending

ROOT = Path(__file__).resolve().parents[2]
FACET = FacetRecord(
    text="`fetch` retries three times.", identifiers=("fetch",), at=1, source="distiller", symbols=(("fetch", "s1"),)
)


@pytest.fixture
def store(tmp_path: Path) -> KnowledgeStore:
    return KnowledgeStore.open(tmp_path)


def job(hash: str = "h", **fields: object) -> JobRecord:
    return msgspec.structs.replace(JobRecord(kind="summary", hash=hash, path="a.py", checkout="c"), **fields)


def test_facets_are_kept_and_found_by_what_they_are_grounded_in(store: KnowledgeStore, tmp_path: Path) -> None:
    store.update_facets("h", lambda before: msgspec.structs.replace(before, facets=(FACET,)))
    store.close()
    again = KnowledgeStore.open(tmp_path)
    assert again.facets(["h", "other"]) == {"h": FacetsRecord(hash="h", facets=(FACET,))}
    assert again.grounds() == [("fetch", "s1", "h")]
    assert again.count_facets() == 1
    again.update_facets("h", lambda before: msgspec.structs.replace(before, facets=()))
    assert again.grounds() == []
    assert again.count_facets() == 0


def test_the_state_grows_with_facets_and_answers_in_another_process_s_view(
    store: KnowledgeStore, tmp_path: Path
) -> None:
    other = KnowledgeStore.open(tmp_path)
    before = other.change_number()
    store.update_facets("h", lambda known: known)
    assert other.change_number() == before  # nothing was written
    store.update_facets("h", lambda known: msgspec.structs.replace(known, facets=(FACET,)))
    learned = other.change_number()
    assert learned > before
    assert other.count_facets() == 1
    store.put_answer(AnswerRecord(hash="h", kind="summary", text="t", model="m", at=1))
    assert other.change_number() > learned
    assert set(other.answers("h")) == {"summary"}


def test_compaction_keeps_what_is_named_or_new_and_drops_the_rest_whole(store: KnowledgeStore) -> None:
    for number in range(6):
        facet = msgspec.structs.replace(FACET, at=number, symbols=(("fetch", f"s{number}"),))
        record = FacetsRecord(hash=f"h{number}", facets=(facet,))
        store.update_facets(record.hash, lambda _, record=record: record)  # type: ignore[misc]
        store.put_answer(AnswerRecord(hash=f"h{number}", kind="summary", text="t", model="m", at=number))
    assert store.compact({"h0"}, before=2, max_unreferenced=100) == 1  # h1: unnamed and old
    assert store.compact({"h0"}, before=0, max_unreferenced=2) == 2  # h2 and h3: the longest known
    assert set(store.facets([f"h{number}" for number in range(6)])) == {"h0", "h4", "h5"}
    assert {ground.content for ground in store.grounds()} == {"h0", "h4", "h5"}
    assert store.answers("h3") == {}
    assert store.compact({"h0"}, before=0, max_unreferenced=2) == 0


def test_saved_tokens_add_up_and_never_fall_below_nothing(store: KnowledgeStore) -> None:
    store.add_saved_tokens(500)
    store.add_saved_tokens(-200)
    assert store.saved_tokens() == 300
    store.add_saved_tokens(-1_000)
    assert store.saved_tokens() == 0


def test_a_question_waits_once_and_not_when_it_was_answered(store: KnowledgeStore) -> None:
    assert store.queue(job())
    assert not store.queue(job())
    store.put_answer(AnswerRecord(hash="h", kind="summary", text="t", model="m", at=1))
    assert store.jobs() == []
    assert not store.queue(job())
    assert store.queue(job(basis="of other facets"))


def test_a_question_is_taken_by_one_and_free_again_after_its_time(store: KnowledgeStore) -> None:
    store.queue(job())
    taken = store.reserve_job("c", "one", 10, 20)
    assert taken is not None
    assert store.reserve_job("c", "two", 15, 25) is None
    late = store.reserve_job("c", "two", 20, 30)
    assert late is not None
    assert late.attempts == 2
    store.put_back_job(taken, 99, "slow")  # the first one is too late to say so
    assert [one.taken_by for one in store.jobs()] == ["two"]
    store.put_back_job(late, 99, "slow")
    assert store.reserve_job("c", "one", 50, 60) is None
    assert store.reserve_job("c", "one", 99, 109) is not None


def test_a_question_of_another_checkout_is_left_to_it_until_somebody_here_asks(store: KnowledgeStore) -> None:
    store.queue(job())
    assert store.reserve_job("other", "one", 10, 20) is None
    store.queue(job(checkout="other", path="b.py"))
    taken = store.reserve_job("other", "one", 10, 20)
    assert taken is not None
    assert taken.path == "b.py"


def test_questions_come_in_turn_and_damaged_ones_are_passed_over(
    store: KnowledgeStore, caplog: pytest.LogCaptureFixture
) -> None:
    asked = [job(f"h{number}", asked_at=number, attempts=attempts) for number, attempts in ((1, 2), (2, 0), (3, 0))]
    database = open_database(store.directory, KNOWLEDGE)
    for one in asked:
        store.queue(one)
    store.queue(job("later", asked_at=0, due=50))
    store.queue(job("elsewhere", checkout="cc"))
    assert store.count_jobs("c") == 4
    taken = [each.hash if (each := store.reserve_job("c", "me", 10, 20)) else None for _ in range(4)]
    assert taken == ["h2", "h3", "h1", None]
    assert (store.count_jobs("c"), store.count_jobs("cc"), store.count_jobs("none")) == (4, 1, 0)
    with database.writing() as rows:
        (tag,) = (tag for key, tag in rows.by_tag(keys.JOB, "c" + keys.SEPARATOR) if key.endswith("later"))
        rows.set(keys.join_key(keys.JOB, "summary", "later"), b"no question", tag=tag)
    again = [each.hash if (each := store.reserve_job("c", "me", 60, 70)) else None for _ in range(4)]
    assert again == ["h2", "h3", "h1", None]
    assert "damaged" in caplog.text
    assert store.count_jobs("c") == 3, "what cannot be read is dropped"
    database.close()


def test_a_content_waits_for_each_of_its_facets(store: KnowledgeStore) -> None:
    assert [store.queue(job(kind="facet", basis=basis)) for basis in ("one", "two", "one")] == [True, True, False]
    first = store.reserve_job("c", "me", 10, 20)
    assert first is not None
    store.drop_job(first)
    assert [each.basis for each in store.jobs()] == [{"one": "two", "two": "one"}[first.basis]]


def test_a_question_of_an_earlier_version_is_dropped(store: KnowledgeStore) -> None:
    old = job(kind="facet 0badc0de0badc0de", text="It retries three times.")
    store.queue(old)
    store.queue(job("new", asked_at=1))
    taken = [each.hash if (each := store.reserve_job("c", "me", 10, 20)) else None for _ in range(2)]
    assert taken == ["new", None]
    assert store.count_jobs("c") == 1


def test_a_question_put_back_by_a_clock_that_was_far_ahead_is_asked(store: KnowledgeStore) -> None:
    day = 86_400_000
    store.queue(job("near", due=2 * day))
    store.queue(job("far", due=400 * day))
    taken = [each.hash if (each := store.reserve_job("c", "me", day, 2 * day)) else None for _ in range(2)]
    assert taken == ["far", None]


def test_four_processes_take_each_question_once(store: KnowledgeStore, tmp_path: Path) -> None:
    for number in range(40):
        store.queue(job(f"h{number:02d}"))
    script = (
        "import sys; from pathlib import Path; from sidecar.store.knowledge_store import KnowledgeStore\n"
        "store = KnowledgeStore.open(Path(sys.argv[1]))\n"
        "while (job := store.reserve_job('c', sys.argv[2], 10, 10_000)): print(job.hash)\n"
    )
    running = [
        subprocess.Popen(
            [sys.executable, "-P", "-c", script, str(tmp_path), name], cwd=ROOT, stdout=subprocess.PIPE, text=True,
            env={"PYTHONPATH": str(ROOT), "PATH": "/usr/bin:/bin"},
        )
        for name in "abcd"
    ]  # fmt: skip
    taken = [line for one in running for line in one.communicate(timeout=200)[0].split()]
    assert sorted(taken) == [f"h{number:02d}" for number in range(40)]


def test_spending_stops_at_the_limit_of_a_day(tmp_path: Path) -> None:
    spending, day = Spending.open(tmp_path), 86_400_000
    assert spending.reserve(600, 1_000, day)
    assert not spending.reserve(600, 1_000, day + 5)
    spending.charge(600, 150, day)
    assert spending.spent(day + 9) == 150
    assert spending.reserve(600, 1_000, day)
    assert spending.spent(2 * day) == 0
    assert spending.reserve(1_000, 1_000, 2 * day)
