"""The relevance floor: how sure it is that a memory is about what a query asks."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from sidecar.memories.confidence import FLOOR, Confidence
from sidecar.store.lexical import LexicalIndex
from sidecar.text.words import query_terms, query_words


def index_of(*texts: str) -> LexicalIndex:
    index = LexicalIndex()
    for number, text in enumerate(texts):
        index.add(str(number), [(text, 1.0)])
    return index


def sure(query: str, text: str, *others: str) -> float:
    index = index_of(text, *others)
    return Confidence(query, index).of(index.matches(query, ["0"]).held["0"][1])


def test_a_memory_that_holds_every_word_is_sure() -> None:
    assert sure("blueprint registration", "Blueprint registration happens in create_app.") == 1.0


def test_the_topic_of_a_task_is_enough_in_a_tiny_store() -> None:
    assert sure("fix blueprint registration bug", "Blueprint registration happens in create_app.") >= FLOOR


def test_words_that_only_say_what_to_do_find_nothing_alone() -> None:
    for query in ("fix", "run it", "fix the parser", "run the tests again", "please update the code"):
        assert sure(query, "Run `make fix` before you update the lock file; tests run in CI.") < FLOOR


def test_a_common_word_beside_an_unknown_topic_stays_below_the_floor() -> None:
    memory = "The deployment needs 700 MiB because the model is loaded into each worker."
    assert sure("which Kubernetes ingress controller serves the deployment", memory) < FLOOR


def test_rare_words_count_more_than_common_ones() -> None:
    others = [f"the server answers request {number}" for number in range(30)]
    rare = sure("zebra server", "a zebra", *others)
    common = sure("zebra server", "a server", *others)
    assert rare > common > 0


def test_a_long_prompt_need_not_be_held_whole() -> None:
    prompt = "The checkout page crashes. " + " ".join(f"word{chr(97 + n)}x" for n in range(26))
    memory = "The checkout page crashes when the basket is empty and wordax wordbx wordcx meet wordfx."
    assert sure(prompt, memory) >= FLOOR


def test_a_hyphenated_word_counts_once() -> None:
    index = index_of("It works in real time.")
    measure = Confidence("real-time video encoder", index)
    held = index.matches("real-time video encoder", ["0"]).held["0"][1]
    assert 0 < measure.of(held) < 1 / 3 + 0.01


def test_nothing_held_and_nothing_asked_is_no_confidence() -> None:
    assert Confidence("", index_of("a text")).of([]) == 0.0
    assert Confidence("zebra", index_of("a text")).of(["another"]) == 0.0


@given(st.text(max_size=60), st.lists(st.text(max_size=40), max_size=4))
def test_it_is_a_share_and_grows_with_what_is_held(query: str, texts: list[str]) -> None:
    measure = Confidence(query, index_of(*texts))
    terms = list(dict.fromkeys(query_terms(query)))
    values = [measure.of(terms[:count]) for count in range(len(terms) + 1)]
    assert all(0.0 <= value <= 1.0 for value in values)
    assert values == sorted(values)


@given(st.text(max_size=80))
def test_the_words_of_a_query_are_its_terms(text: str) -> None:
    assert [term for word in query_words(text) for term in word] == query_terms(text)
