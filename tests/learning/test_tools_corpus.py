"""The labelled corpus of tool events, played through sessions: the rules keep their precision and recall."""

from __future__ import annotations

from tests.bench import learning_tools


def test_the_corpus_is_as_large_as_it_should_be() -> None:
    cases = learning_tools.cases()
    assert len(cases) >= 110
    assert sum(not case["expect"] for case in cases) >= 40
    assert len({case["id"] for case in cases}) == len(cases)
    assert sum(map(learning_tools.held_out, cases)) >= len(cases) // 5


def test_every_rule_is_precise_on_what_was_held_out() -> None:
    held = [case for case in learning_tools.cases() if learning_tools.held_out(case)]
    counts, failures = learning_tools.measure(held)
    for kind in learning_tools.KINDS.values():
        right, wrong, missed = (counts[kind, what] for what in ("right", "wrong", "missed"))
        assert right, f"nothing of {kind} was held out"
        assert right / (right + wrong) >= 0.95, failures
        assert right / (right + missed) >= 0.85, failures


def test_every_rule_fits_the_cases_it_was_written_for() -> None:
    _, failures = learning_tools.measure([case for case in learning_tools.cases() if not learning_tools.held_out(case)])
    assert not failures
