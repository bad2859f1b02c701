"""A session's blocks: what short prompts lean on, what a hook's small block holds, what comes unasked."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from sidecar.memories.book import MemoryBook
from sidecar.memories.drafts import Filters, InjectRequest
from sidecar.memories.index.meaning import FixedEmbedding
from sidecar.memories.injection.choosing import MAX_BRIEF_CHARS, MAX_BRIEF_ITEMS, MAX_PREFERENCES
from sidecar.memories.results import Injection
from sidecar.memories.retrieval import reasons
from sidecar.memories.retrieval.confidence import MIN_BLOCK_PROBABILITY, MIN_LINE_PROBABILITY, SURE_PROBABILITY
from sidecar.memories.retrieval.prompt import PREVIOUS_SHARE
from sidecar.models.static_table import StaticTable
from tests.memories.conftest import BookRig, ids_of

DEPLOY = "The settlement service is deployed with make ship, after the migrations."
ASKED = "How is the settlement service deployed to the cluster?"
OTHERS = (
    "Passwords are hashed with argon2id.",
    "Invoices are rendered with the fonts of the assets folder.",
    "Cars are parked behind the building.",
    "Colours of buttons come from theme.css.",
    "Tickets are named by their number.",
    "Backups are kept in Frankfurt.",
)


@pytest.fixture(scope="module")
def table() -> StaticTable:
    return StaticTable.load()


@pytest.fixture(params=["words", "static"])
def book(rig: BookRig, request: pytest.FixtureRequest, table: StaticTable) -> MemoryBook:
    """A book that compares by words alone, and one that compares by meaning too."""
    if request.param == "words":
        return rig.book
    return reopened(rig, table)


def last_prompt(rig: BookRig) -> str:
    """Return the prompt that the session leans on."""
    session = rig.workspace.session("s")
    assert session is not None
    return session.asked


def reopened(rig: BookRig, table: StaticTable | None = None) -> MemoryBook:
    return MemoryBook(rig.workspace, rig.user, rig.clock, rig.ids, embedding=FixedEmbedding(table))


def filled(rig: BookRig) -> str:
    """The id of the memory about the deploy, beside others."""
    for text in OTHERS:
        rig.record(text)
    return str(rig.record(DEPLOY).record.id)


def inject(book: MemoryBook, prompt: str | None, session: str | None = "s", **more: object) -> Injection:
    return book.injector.inject(replace(InjectRequest(prompt=prompt, session_id=session), **more))


def why(injection: Injection, id: str) -> tuple[str, ...]:
    return next((item.reasons for item in injection.items if item.id == id), ())


# -- what a short prompt leans on ----------------------------------------------------------------------------------


def test_nothing_leans_on_a_prompt_that_is_off_the_record(rig: BookRig) -> None:
    inject(rig.book, ASKED)
    inject(rig.book, "Between us: how are we to pay the settlement?")
    assert last_prompt(rig) == ASKED


@pytest.mark.parametrize("follow_up", ["yes, do it", "and for staging too", "2", "continue"])
def test_a_follow_up_takes_its_meaning_from_the_prompt_before(rig: BookRig, book: MemoryBook, follow_up: str) -> None:
    id = filled(rig)
    first = inject(book, ASKED)
    assert ids_of(first)[0] == id
    assert reasons.FITS_PREVIOUS_PROMPT not in why(first, id)
    then = inject(book, follow_up)
    assert id in ids_of(then)
    assert reasons.FITS_PREVIOUS_PROMPT in why(then, id)
    assert id not in ids_of(inject(book, follow_up, "other"))
    assert id not in ids_of(inject(book, follow_up, None))


def test_a_follow_up_shows_nothing_twice_on_request(rig: BookRig, book: MemoryBook) -> None:
    id = filled(rig)
    inject(book, ASKED)
    then = inject(book, "yes, do it", exclude_shown=True)
    assert id not in ids_of(then)
    assert (id, "alreadyShown") in [(one.id, one.reason) for one in then.omitted]


def test_a_session_keeps_its_last_prompt_that_says_something(rig: BookRig, book: MemoryBook) -> None:
    id = filled(rig)
    backups = next(item for item in book.searcher.search("backups Frankfurt", Filters()).items).record.id
    inject(book, ASKED)
    for prompt in ("yes", "and for staging too", "   ", None, "2"):
        inject(book, prompt)
        assert last_prompt(rig) == ASKED
    assert reasons.FITS_PREVIOUS_PROMPT in why(inject(book, "continue"), id)
    inject(book, "In which city are the nightly backups kept?")
    assert last_prompt(rig) == "In which city are the nightly backups kept?"
    last = inject(book, "yes")
    assert reasons.FITS_PREVIOUS_PROMPT in why(last, backups)
    assert id not in ids_of(last)


def test_a_session_that_began_with_a_short_prompt_leans_on_nothing(rig: BookRig, book: MemoryBook) -> None:
    filled(rig)
    assert ids_of(inject(book, "yes, do it")) == []
    assert last_prompt(rig) == ""


def test_the_same_prompt_twice_gives_the_same_bytes(rig: BookRig, book: MemoryBook) -> None:
    filled(rig)
    for prompt in (ASKED, "yes, do it"):
        first = inject(book, prompt)
        assert inject(book, prompt) == first
        rig.clock.forward(days=1)
        assert inject(book, prompt) == first
    first = inject(book, "and for staging too")
    rig.reopen().injector.inject(InjectRequest(prompt="yes", session_id="s"))
    assert inject(book, "and for staging too") == first


def test_no_secret_of_a_prompt_is_kept_in_the_session(rig: BookRig) -> None:
    key = "ghp_" + "a1B2c3D4e5F6" * 3
    inject(rig.book, f"{'Why is the token of the settlement service refused? ' * 6}"[:280] + key)
    inject(rig.book, f"Why is the token {key} of the settlement service refused?")
    kept = last_prompt(rig)
    assert "settlement service" in kept
    assert not any(key[at : at + 6] in kept for at in range(len(key) - 5))


def test_explain_knows_the_prompt_before(rig: BookRig, book: MemoryBook) -> None:
    id = filled(rig)
    inject(book, ASKED)
    alone = book.searcher.explain(id, "yes, do it", None, None)
    then = book.searcher.explain(id, "yes, do it", None, "s")
    assert alone.probability < MIN_LINE_PROBABILITY
    assert then.probability == pytest.approx(PREVIOUS_SHARE * _behind(book, id), abs=1e-6)
    assert then.probability >= MIN_BLOCK_PROBABILITY
    assert then.best == then.probability
    assert "settlement" in then.words
    assert any("the prompt before" in sentence for sentence in then.change)
    assert not any("the prompt before" in sentence for sentence in alone.change)


def _behind(book: MemoryBook, id: str) -> float:
    """Return a memory's probability for the follow-up together with the prompt on which it depends."""
    return book.searcher.explain(id, f"{ASKED}\nyes, do it", None, None).probability


# -- a hook's small block ------------------------------------------------------------------------------------------


KINDS = ("billing", "refund", "payout", "ledger", "audit", "quota", "export", "import")
UNSURE = "Is the zebra gateway closed during sunny holidays?"
CERTAIN = "Does the zebra gateway retry failed calls twice?"


def _gateways(rig: BookRig, text: str = "The zebra gateway retries failed {kind} calls twice.") -> list[str]:
    for other in OTHERS:
        rig.record(other)
    return [rig.record(text.format(kind=kind)).record.id for kind in KINDS]


def test_brief_shows_the_likeliest_five_of_those_that_are_unsure(rig: BookRig, book: MemoryBook) -> None:
    _gateways(rig, "The zebra gateway retries {kind} calls.")
    full, brief = inject(book, UNSURE, None), inject(book, UNSURE, None, brief=True)
    probable = {id: book.searcher.explain(id, UNSURE, None, None).probability for id in ids_of(full)}
    assert len(probable) > MAX_BRIEF_ITEMS
    assert all(MIN_LINE_PROBABILITY <= each < SURE_PROBABILITY for each in probable.values())
    assert len(brief.items) == MAX_BRIEF_ITEMS
    left = probable.keys() - set(ids_of(brief))
    assert min(probable[id] for id in ids_of(brief)) >= max(probable[id] for id in left)
    assert left <= {one.id for one in brief.omitted if one.reason == "budget"}
    assert brief.tokens < full.tokens
    assert inject(book, UNSURE, None, brief=True) == brief


def test_brief_shows_some_four_hundred_tokens_of_what_is_unsure(rig: BookRig) -> None:
    filler = "{kind} " * 60
    _gateways(rig, f"The zebra gateway retries {{kind}} calls of {filler}")
    brief = inject(rig.book, UNSURE, None, brief=True)
    lengths = [len(rig.book.searcher.get(id).record.content) for id in ids_of(brief)]
    assert 1 < len(lengths) < MAX_BRIEF_ITEMS
    assert sum(lengths) <= MAX_BRIEF_CHARS
    assert any(one.reason == "budget" for one in brief.omitted)


def test_brief_shows_all_that_are_sure(rig: BookRig, book: MemoryBook) -> None:
    gateways = _gateways(rig)
    brief = inject(book, CERTAIN, None, brief=True)
    assert min(book.searcher.explain(id, CERTAIN, None, None).probability for id in gateways) >= SURE_PROBABILITY
    assert set(gateways) <= set(ids_of(brief))


def test_directives_and_what_is_pinned_stay_in_a_brief_block(rig: BookRig, book: MemoryBook) -> None:
    for text in OTHERS:
        rig.record(text)
    kept = [
        rig.record(f"Never touch area {number} at night.", name=f"d{number}", category="directive").record.id
        for number in range(7)
    ]
    kept.append(rig.record("The on-call phone is in the drawer.", pinned=True).record.id)
    assert set(ids_of(inject(book, "where are the cars?", None, brief=True))) >= set(kept)


# -- preferences that nobody asked for -----------------------------------------------------------------------------

WISHES = (
    "Prefers answers in German",
    "Likes small commits",
    "Wants type hints everywhere",
    "Dislikes emoji",
    "Signs mails with Kim",
    "Works in the Berlin time zone",
    "Reads diffs in the terminal",
    "Drinks tea",
)


def test_at_most_five_preferences_are_shown_unasked_the_weightiest(rig: BookRig, book: MemoryBook) -> None:
    id = filled(rig)
    wishes = [rig.record(text, type="user").record.id for text in WISHES]
    for at, wish in enumerate(wishes[2:7]):
        for use in range(3):
            rig.workspace.record_access([wish], rig.clock.now + at + use)
    rig.clock.forward(ms=1_000)
    block = inject(book, ASKED, None)
    assert id in ids_of(block)
    assert set(ids_of(block)) & set(wishes) == set(wishes[2:7])
    assert len(set(ids_of(block)) & set(wishes)) == MAX_PREFERENCES


def test_a_preference_that_bears_on_the_prompt_is_shown_beside_them(rig: BookRig, book: MemoryBook) -> None:
    filled(rig)
    wishes = [rig.record(text, type="user").record.id for text in WISHES]
    for wish in wishes[:5]:
        rig.workspace.record_access([wish], rig.clock.now)
    rig.clock.forward(ms=1_000)
    block = inject(book, "in which time zone does Kim work, Berlin?", None)
    assert wishes[5] in ids_of(block)
    assert any(reason.startswith("matches: ") for reason in why(block, wishes[5]))
    others = [id for id in ids_of(block) if id in wishes and not _matched(block, id)]
    assert 3 <= len(others) <= MAX_PREFERENCES


def _matched(block: Injection, id: str) -> bool:
    return any(reason.startswith("matches: ") or reason == reasons.CLOSE_IN_MEANING for reason in why(block, id))


def test_without_a_prompt_the_weightiest_preferences_are_shown(rig: BookRig) -> None:
    ids = []
    for what in ("tea", "tabs", "vim", "dark themes", "short names", "long walks", "trains"):
        ids.append(rig.record(f"The user likes {what} best of all.", type="user").record.id)
        rig.clock.forward(days=1)
    pinned = rig.record("The user is called Ann.", type="user", pinned=True).record.id
    block = rig.book.injector.inject(InjectRequest())
    shown = [item.id for item in block.items]
    assert set(shown) == {pinned, *ids[-5:]}
    assert [one.id for one in block.omitted if one.reason == "budget"] == sorted(ids[:2])
