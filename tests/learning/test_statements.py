"""Statements in messages: what they are made of, what is never read, and the measured figures."""

from __future__ import annotations

import importlib.util
import json
from collections import Counter
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from sidecar.learning.statements import LONGEST_STATEMENT, findings, preferences, statements
from sidecar.memories.render import block, memory_item
from sidecar.store.records import MemoryRecord

BENCH = Path(__file__).resolve().parents[1] / "bench" / "learning_precision.py"


@pytest.fixture(scope="module")
def bench() -> ModuleType:
    spec = importlib.util.spec_from_file_location("learning_precision", BENCH)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_what_was_set_aside_is_recognised(bench: ModuleType) -> None:
    chosen = [case for case in bench.cases("language.jsonl") if bench.part_of(case) == "heldout"]
    counts, _ = bench.measure(chosen)
    *_, precision, recall = bench.rates(counts, bench.KINDS)
    assert len(chosen) >= 110
    assert precision >= 0.95
    assert recall >= 0.85


def test_a_batch_written_after_the_rules_is_recognised(bench: ModuleType) -> None:
    chosen = bench.cases("fresh.jsonl")
    counts, _ = bench.measure(chosen)
    *_, precision, recall = bench.rates(counts, bench.KINDS)
    assert len(chosen) >= 60
    assert precision >= 0.95
    assert recall >= 0.85


def test_the_corpus_is_what_its_page_says(bench: ModuleType) -> None:
    every = [case for file in sorted(bench.CORPUS.glob("*.jsonl")) for case in _lines(file)]
    ids = Counter(case["id"] for case in every)
    assert not [case for case, times in ids.items() if times > 1]
    messages = [case for case in every if "text" in case]
    assert len(every) >= 330
    assert sum(not case["expect"] for case in messages) >= 110
    for case in messages:
        for want in case["expect"]:
            assert want["contains"]


def _lines(file: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]


@pytest.mark.parametrize(
    ("text", "kind", "said"),
    [
        ("use pnpm rather than npm", "preference", "use pnpm rather than npm"),
        ("always run the tests with -q", "preference", "always run the tests with -q"),
        ("ok so, from now on tag releases", "preference", "from now on tag releases"),
        ("no, that's wrong: the config lives in conf/", "correction", "the config lives in conf/"),
        ("Wrong. The worker reads `jobs_v2`.", "correction", "Wrong. The worker reads `jobs_v2`."),
        ("stop adding comments to everything", "correction", "stop adding comments to everything"),
    ],
)
def test_a_statement_is_the_sentence_without_its_opening(text: str, kind: str, said: str) -> None:
    (found,) = preferences(text)
    assert (found.kind, found.text) == (kind, said)


@pytest.mark.parametrize(
    "text",
    [
        "don't worry about it",
        "I don't see why that is not that bad",
        "thanks, you always help me",
        "if we always used UTC this would not happen",
        "should we always use UTC?",
        "use the second file for now",
        "fix the test",
        "```\nalways use tabs\n```\nwhat does this mean?",
        "```\nnever use tabs",
        "> never use tabs\n",
        "    never use tabs\n",
    ],
)
def test_what_only_looks_like_a_preference(text: str) -> None:
    assert statements(text, "user") == []


def test_one_preference_inside_a_long_message_is_found_alone() -> None:
    chatter = "I had a look at the importer and it reads the file twice.\n\n" * 20
    found = preferences(f"{chatter}Also, never log the customer's name in this service.\n\n{chatter}")
    assert [statement.text for statement in found] == ["never log the customer's name in this service."]


def test_findings_and_preferences_never_share_a_sentence() -> None:
    text = (
        "Lesson learned: always run the migration with lock_timeout set, or it queues. Use tabs, not spaces."
    )
    assert [found.kind for found in findings(text, "user")] == ["fact"]
    assert [found.text for found in preferences(text)] == ["Use tabs, not spaces."]


def test_an_assistant_has_no_preferences() -> None:
    assert statements("Always use pnpm rather than npm. Never commit `.env`.", "assistant") == []


def test_a_brief_gives_only_what_is_said_in_person() -> None:
    rules = "\n".join(f"- Never use library number {number} in the handlers" for number in range(12))
    text = f"# Task\n\n{rules}\n\nI prefer small commits, by the way."
    assert [found.text for found in preferences(text)] == ["I prefer small commits, by the way."]


def test_a_long_sentence_is_cut_to_its_clause_or_left_out() -> None:
    tail = ", and then the importer reads the file again" * 8
    found = preferences(f"Always run the linter before a commit; the importer is slow{tail}.")
    assert [statement.text for statement in found] == ["Always run the linter before a commit"]
    assert preferences(f"Always run the linter before a commit{tail}.") == []


def test_what_was_injected_is_never_learned_again() -> None:
    record = MemoryRecord(
        id="1",
        scope="project",
        source="user",
        type="project",
        name="Queue",
        content="We decided to use Kafka instead of RabbitMQ because of replay.\nNever squash.",
        created_at=1_767_312_000_000,
        updated_at=1_767_312_000_000,
    )
    for format in ("markdown", "xml"):
        text, _ = block([("Project Knowledge", [memory_item(record, format)])], format)
        assert "Kafka" in text
        quoted = "\n".join(f"> {line}" for line in text.splitlines())
        lines = text.splitlines()
        pasted = "\n".join(line for line in lines if "memory-notes" not in line)
        for form in (text, text[: len(text) - 30], quoted, pasted, f"I was given this:\n{pasted}\nGo on."):
            assert statements(form, "assistant") == []
            assert statements(form, "user") == []


def test_no_statement_is_longer_than_it_may_be(bench: ModuleType) -> None:
    for name in ("language.jsonl", "development.jsonl", "fresh.jsonl"):
        for case in bench.cases(name):
            assert all(len(found.text) <= LONGEST_STATEMENT for found in bench.learned(case))
