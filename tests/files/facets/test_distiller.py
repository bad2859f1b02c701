from __future__ import annotations

from collections.abc import Callable

import pytest

from sidecar.files.facets.content import Content
from sidecar.files.facets.distiller import FEWEST_CHARS, MOST_CHARS, distil
from sidecar.files.facets.framing import stripped

Make = Callable[..., Content]
FACT = "`load` keeps the file open until the process ends."
PAD = " Let me look at the other parts of this before I go on with anything else here."


def kept(reasoning: str, content: Content, known: tuple[str, ...] = ()) -> str | None:
    found = distil(reasoning, content, known).admitted
    return found.text if found else None


@pytest.mark.parametrize(
    "frame",
    [
        "I see that {}",
        "Now I can see that {}",
        "OK, so {}",
        "Interesting: {}",
        "Note that {}",
        "The key point is that {}",
        "Looking at store.py, {}",
        "It turns out that {}",
        "Key insight: {}",
        "We can see that {}",
        "Wait, actually {}",
    ],
)
def test_frames_are_taken_away(content: Make, frame: str) -> None:
    assert kept(frame.format(FACT) + PAD, content()) == FACT


@pytest.mark.parametrize(
    "tail",
    [", so I need to close it in the test", ", which is exactly what I was looking for", " — good."],
)
def test_what_follows_for_the_task_is_taken_away(content: Make, tail: str) -> None:
    assert kept(FACT.rstrip(".") + tail + "." + PAD, content()) == FACT


def test_a_frame_alone_leaves_its_sentence(content: Make) -> None:
    assert stripped("I see that `load` keeps the file open") == "`load` keeps the file open"
    assert stripped("Plain sentences stay as they are.") == "Plain sentences stay as they are."


def test_a_certain_pronoun_is_resolved(content: Make) -> None:
    text = "`SessionStore` lives in memory. It forgets every session when the process ends." + PAD
    assert kept(text, content()) in (
        "`SessionStore` lives in memory.",
        "`SessionStore` forgets every session when the process ends.",
        None,
    )
    text = "`flush` returns a number. It counts sessions, without writing any of them to the disk." + PAD
    assert kept(text, content()) == "`flush` counts sessions, without writing any of them to the disk."


@pytest.mark.parametrize(
    "text",
    [
        "`load` and `flush` share a cache. It keeps `_file` open until the process ends.",
        "Somebody wrote this long ago. It keeps `_file` open until the process ends.",
        "Is `load` called twice? It keeps `_file` open until the process ends.",
    ],
)
def test_an_uncertain_pronoun_is_not(content: Make, text: str) -> None:
    assert "_file" not in (kept(text + PAD, content()) or "")


@pytest.mark.parametrize(
    "text",
    [
        FACT + " Wait, no, that's wrong: the handle is a local variable.",
        FACT + " Hmm, I'm not sure about that one to be honest with you.",
        "There's the bug: " + FACT + " A context manager is what it takes.",
        FACT + " I'll change `load` so that it closes the handle when it is done.",
        FACT + " This is the bug that the ticket describes in so many words.",
        FACT + " I should wrap it in a context manager, like all others do.",
        "Right? " + FACT.replace(".", "?") + " Let me think about what else could be the reason.",
    ],
)
def test_what_is_taken_back_or_about_to_change_is_refused(content: Make, text: str) -> None:
    assert kept(text, content()) is None


def test_at_most_one_and_the_better_one(content: Make) -> None:
    better = (
        "`flush` only counts the sessions of `_cache`, because `load` never marks any of them as changed."
    )
    found = distil(f"{FACT} {better}", content(), ())
    assert found.admitted is not None
    assert found.admitted.text == better


def test_known_facts_leave_room_for_the_next_best(content: Make) -> None:
    better = (
        "`flush` only counts the sessions of `_cache`, because `load` never marks any of them as changed."
    )
    assert kept(f"{FACT} {better}", content(), (better,)) == FACT


def test_short_reasoning_is_not_read(content: Make) -> None:
    assert len(FACT) < FEWEST_CHARS
    found = distil(FACT, content(), ())
    assert found.admitted is None
    assert [one.reason for one in found.refused] == ["tooShort"]
    assert distil("", content(), ()).refused == ()


def test_what_is_stated_on_purpose_may_be_short_and_is_never_passed_over_in_silence(content: Make) -> None:
    found = distil(FACT, content(), (), stated=True)
    assert found.admitted is not None
    assert found.admitted.text == FACT
    for text in ("Fine.", "```\nflush()\n```", "---", "I will look into `flush` next."):
        found = distil(text, content(), (), stated=True)
        assert found.admitted is None
        assert found.refused


def test_only_the_beginning_is_read_and_no_sentence_is_cut_in_two(content: Make) -> None:
    filler = "Let me think about it a bit more. " * 100
    assert kept(filler[:MOST_CHARS] + FACT, content()) is None
    at_the_edge = (
        filler[: MOST_CHARS - 40].rpartition(". ")[0] + ". " + FACT.rstrip(".") + ", except on Windows."
    )
    assert kept(at_the_edge, content()) is None
    assert kept(FACT + " " + filler, content()) == FACT


def test_a_subject_that_is_imported_belongs_to_the_other_file(content: Make) -> None:
    text = "`load_table` keeps its rows in a module global, which `SessionStore` relies on." + PAD
    assert kept(text, content()) is None


@pytest.mark.parametrize(
    "block",
    [
        f'<memory-notes about="x">\n- (2026-11-01) {FACT}\n</memory-notes>\n',
        f'<memory-notes about="x">\n- (2026-11-01) {FACT}\n',
        f"- (2026-11-01) {FACT}\n",
        f"&lt;memory-notes&gt; {FACT} &lt;/memory-notes&gt;\n",
        f"```\n{FACT}\n```\n",
        f"> {FACT}\n\n",
    ],
)
def test_our_own_blocks_and_quotations_are_not_learned(content: Make, block: str) -> None:
    assert kept(block + PAD * 2, content()) is None
    assert kept(PAD * 2 + "\n\n" + block, content()) is None


def test_refusals_carry_the_sentence_and_the_reason(content: Make) -> None:
    found = distil(
        "I need to close the file that `load` opens. Does `flush` do that already for us?", content(), ()
    )
    assert found.admitted is None
    assert [refused.reason for refused in found.refused] == ["task", "question"]


def test_a_secret_in_the_reasoning_is_nowhere_in_the_answer(content: Make) -> None:
    key = "AKIA" + "QYLPMN5HFIQR7XYA"
    text = f"The access key is {key}, which `load` keeps. I should remove {key} from `flush` as well. {FACT}"
    found = distil(text, content(), ())
    assert key not in repr(found)
    assert found.admitted is not None
    assert found.admitted.text == FACT
