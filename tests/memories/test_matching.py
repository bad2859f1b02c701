"""What search and injection find beyond words - neighbours, months, names - and what they leave out."""

from __future__ import annotations

import pytest

from sidecar.memories.drafts import Filters, InjectRequest
from sidecar.memories.retrieval.confidence import MIN_BLOCK_PROBABILITY
from sidecar.memories.retrieval.reasons import LIKELY, UNLIKELY
from tests.memories.conftest import BookRig


def test_memory_recorded_beside_a_match_is_found_behind_it(rig: BookRig) -> None:
    asked = rig.record("Where do we keep the wedding pictures?", session_id="s").record.id
    rig.clock.forward(ms=1)
    answer = rig.record("On the blue disk in the cupboard.", session_id="s").record.id
    rig.record("On the red disk in the drawer.", session_id="other")
    items = rig.book.searcher.search("wedding pictures", Filters()).items
    assert [item.record.id for item in items] == [asked, answer]
    assert f"recorded beside {asked}" in items[1].reasons
    # To inject, being recorded beside a match is not enough.
    assert [item.id for item in rig.book.injector.inject(InjectRequest(prompt="wedding pictures")).items] == [asked]


def test_a_neighbour_that_filters_hide_is_not_found(rig: BookRig) -> None:
    rig.record("Where do we keep the wedding pictures?", session_id="s")
    rig.record("On the blue disk in the cupboard.", session_id="s", agent="other")
    assert len(rig.book.searcher.search("wedding pictures", Filters()).items) == 1


def test_the_month_of_a_memory_is_a_word_of_it(rig: BookRig) -> None:
    rig.clock.forward(days=125)  # May 2026
    may = rig.record("We settled on half-even rounding.").record.id
    rig.clock.forward(days=60)
    rig.record("We settled on the new logo.")
    for query in ("what was settled in May", "settled in may 2026", "settled since May"):
        assert rig.book.searcher.search(query, Filters()).items[0].record.id == may, query


def test_a_score_is_put_into_words(rig: BookRig) -> None:
    rig.record("The deployment needs 700 MiB since the model is loaded into each worker of the cluster at its start.")
    rig.record("The invoice renderer draws fonts.")
    sure = rig.book.searcher.search("invoice renderer", Filters()).items[0]
    animals = "zebra giraffe quagga okapi antelope elephant rhino hippo tapir gnu kudu eland oryx lion puma"
    query = f"which {animals} sleeps beside the deployment"
    unsure = rig.book.searcher.search(query, Filters()).items[0]
    assert sure.score >= MIN_BLOCK_PROBABILITY
    assert LIKELY in sure.reasons
    assert unsure.score < MIN_BLOCK_PROBABILITY
    assert UNLIKELY in unsure.reasons


def test_pages_together_are_the_ranking(rig: BookRig) -> None:
    for number in range(40):
        rig.record(f"Topic zebra {number} " + "zebra " * (number % 5), session_id=f"s{number % 7}")
        rig.clock.forward(days=3)
    whole = [
        (item.record.id, item.score) for item in rig.book.searcher.search("zebra topic", Filters(), limit=100).items
    ]
    pages, cursor = [], None
    while True:
        page = rig.book.searcher.search("zebra topic", Filters(), limit=7, cursor=cursor)
        pages += [(item.record.id, item.score) for item in page.items]
        cursor = page.cursor
        if cursor is None:
            break
    assert pages == whole
    assert len(whole) == 40


def test_a_name_of_the_prompt_held_whole_counts_more(rig: BookRig) -> None:
    other = rig.record("parse and header and parse and header: the grammar parses each header.").record.id
    named = rig.record("The limit of parse_header is 8 KB for the whole set of lines of one request.").record.id
    items = rig.book.injector.inject(InjectRequest(prompt="change parse_header")).items
    assert items[0].id == named
    assert "names parse_header" in items[0].reasons
    assert all("names" not in reason for item in items if item.id == other for reason in item.reasons)


def test_chatter_injects_nothing_in_a_tiny_store(rig: BookRig) -> None:
    rig.record("Blueprint registration happens in create_app.")
    rig.record("Run `make fix` after touching the grammar.")
    for prompt in ("please continue", "thanks, that looks good", "yes", "why?"):
        assert rig.book.injector.inject(InjectRequest(prompt=prompt)).text == "", prompt
    block = rig.book.injector.inject(InjectRequest(prompt="fix blueprint registration bug"))
    assert "create_app" in block.text


@pytest.mark.parametrize("query", ["run the tests", "how do I run the tests?", "fix the failing tests"])
def test_a_prompt_of_common_words_gets_the_memory_about_exactly_that(rig: BookRig, query: str) -> None:
    rig.record("Code is reviewed by two people.")
    wanted = rig.record("Run the tests with make check.").record.id
    rig.record("Images are stored in S3.")
    assert [item.id for item in rig.book.injector.inject(InjectRequest(prompt=query)).items] == [wanted]


def test_a_rare_word_is_enough_for_a_short_memory(rig: BookRig) -> None:
    wanted = rig.record("Use pnpm, never npm.", type="feedback").record.id
    rig.record("Run the tests with make check.")
    block = rig.book.injector.inject(InjectRequest(prompt="install packages with npm"))
    assert [item.id for item in block.items] == [wanted]
    long = "Deployments go to the cluster in Frankfurt by way of the internal registry; npm is not there."
    other = rig.record(long).record.id
    found = rig.book.searcher.search("publish colours, letters and sounds with a registry", Filters()).items
    likely = {item.record.id: item.score for item in found}
    assert likely[other] < rig.book.searcher.search("install packages with npm", Filters()).items[0].score
