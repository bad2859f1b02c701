"""How likely a memory bears on a prompt."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sidecar.memories.index.meaning import OTHER_KIND, SHARE_BY_KIND, QueryCosines
from sidecar.memories.retrieval.calibration import COEFFICIENTS, MEANS
from sidecar.memories.retrieval.confidence import (
    MIN_BLOCK_PROBABILITY,
    MIN_LINE_PROBABILITY,
    SIGNALS,
    SURE_PROBABILITY,
    Confidence,
)
from sidecar.store.lexical import LexicalIndex
from sidecar.store.scores import Scores
from sidecar.text.words import query_terms, query_words

BASICS = (
    "Use pnpm, never npm.",
    "Deploy with make deploy.",
    "The API returns snake_case keys.",
    "Bug fixes need a regression test.",
    "Logs are in /var/log/app.",
    "Images are stored in S3.",
)


def index_of(*texts: str) -> LexicalIndex:
    index = LexicalIndex()
    for number, text in enumerate(texts):
        index.add(str(number), [(text, 1.0)])
    return index


def likely(prompt: str, *texts: str, asked: QueryCosines | None = None) -> float:
    """Return the probability of the first of these memories."""
    index = index_of(*texts)
    found = index.search(prompt)
    order = sorted(found, key=lambda id: -found[id])
    return Confidence(prompt, index, asked, order).evidence(["0"])["0"].probability


def test_costs_order_the_thresholds() -> None:
    assert 0 < MIN_LINE_PROBABILITY < MIN_BLOCK_PROBABILITY < SURE_PROBABILITY < 1


def test_every_kind_of_model_has_a_coefficient_for_each_signal() -> None:
    assert COEFFICIENTS.keys() == MEANS.keys() == {"words", OTHER_KIND, *SHARE_BY_KIND}
    assert {len(each) for each in COEFFICIENTS.values()} == {len(SIGNALS) + 1}
    assert {len(each) for each in MEANS.values()} == {len(SIGNALS)}


@pytest.mark.parametrize("prompt", ["run the tests", "how do I run the tests?", "fix the failing tests"])
def test_a_prompt_of_common_words_gets_the_memory_about_exactly_that(prompt: str) -> None:
    memory = "Run the tests with uv run pytest; tox is only for CI."
    assert likely(prompt, memory, *BASICS) >= MIN_BLOCK_PROBABILITY


def test_the_same_words_say_less_where_every_memory_holds_them() -> None:
    memory = "Run the tests with uv run pytest."
    others = [f"Run the tests of part {number} with its own script." for number in range(20)]
    assert likely("run the tests", memory, *others) < likely("run the tests", memory, *BASICS)


def test_an_accidental_common_word_is_no_reason() -> None:
    memory = "The deployment needs 700 MiB because the model is loaded into each worker of the cluster."
    assert likely("which Kubernetes ingress controller serves the deployment", memory, *BASICS) < SURE_PROBABILITY


def test_chatter_bears_on_nothing() -> None:
    for prompt in ("thanks, that looks great", "continue", "yes", "ok, go on", ""):
        assert likely(prompt, "Run the tests with uv run pytest.", *BASICS) < MIN_BLOCK_PROBABILITY, prompt


def test_meaning_alone_can_be_enough() -> None:
    near = QueryCosines(Scores({"0": 0.62}), 0.05, 0.1, "static", 0.35)
    far = QueryCosines(Scores({"0": 0.06}), 0.05, 0.1, "static", 0.35)
    memory = "Passwords are hashed with argon2."
    prompt = "which algorithm protects user credentials?"
    assert likely(prompt, memory, *BASICS, asked=near) >= MIN_BLOCK_PROBABILITY
    assert likely(prompt, memory, *BASICS, asked=far) < MIN_LINE_PROBABILITY


def test_gains_add_up_to_the_odds() -> None:
    asked = QueryCosines(Scores({"0": 0.4, "1": 0.1}), 0.05, 0.1, "static", 0.35)
    index = index_of("Run the tests with pytest.", *BASICS)
    found = Confidence("run the tests", index, asked, ["0", "1"]).evidence(["0", "1"])
    for one in found.values():
        constant, *weights = COEFFICIENTS["static"]
        usual = constant + sum(weight * mean for weight, mean in zip(weights, MEANS["static"], strict=True))
        assert usual + sum(one.gains().values()) == pytest.approx(one.odds)
    assert found["0"].gains()["words"] > found["1"].gains()["words"]


def test_a_model_that_nobody_measured_has_coefficients_too() -> None:
    asked = QueryCosines(Scores({"0": 0.9}), 0.1, 0.1, OTHER_KIND, 0.4)
    assert (
        likely("who is told of crashes", "Errors are reported to Sentry.", *BASICS, asked=asked) > MIN_LINE_PROBABILITY
    )


@given(st.text(max_size=60), st.lists(st.text(max_size=40), min_size=1, max_size=4))
def test_confidence_is_a_probability(prompt: str, texts: list[str]) -> None:
    assert 0.0 <= likely(prompt, *texts) <= 1.0


@given(st.text(max_size=80))
def test_the_words_of_a_query_are_its_terms(text: str) -> None:
    assert [term for word in query_words(text) for term in word] == query_terms(text)
