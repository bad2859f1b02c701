"""Leave out the events that another session has, too: a resumed or forked session begins with a copy of the other."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Set

from sidecar.learning.session_event import SessionEvent
from sidecar.runtime.digests import blake2b

# The length of a message's print, a digest that is stored.
PRINT_BYTES = 8


def without_copies(
    events: Iterable[SessionEvent], known_prints: Set[bytes], prints: set[bytes]
) -> Iterator[tuple[int, SessionEvent]]:
    """Yield, with its number, each event that is no copy. Add the prints of user messages to `prints`.

    A message is a copy if another session has its id, or has the same conversation up to its answer.
    """
    chain = b""
    is_copy = False
    question: tuple[int, SessionEvent] | None = None
    for number, event in enumerate(events):
        if event.kind == "user" and not event.text:
            continue
        if question is not None:
            chain, is_copy = _is_copy(question[1], event if event.kind != "user" else None, chain, known_prints, prints)
            if not is_copy:
                yield question
            question = None
        if event.kind == "user":
            question = (number, event)
        elif not is_copy:
            yield number, event
    if question is not None and not _is_copy(question[1], None, chain, known_prints, prints)[1]:
        yield question


def _is_copy(
    question: SessionEvent, answer: SessionEvent | None, chain: bytes, known_prints: Set[bytes], prints: set[bytes]
) -> tuple[bytes, bool]:
    answer_text = "" if answer is None else f"{answer.kind}\0{answer.text}\0{answer.tool}\0{answer.input}"
    chain = _fingerprint(chain, question.text, answer_text)
    own_prints = {chain, _fingerprint(b"id", question.id)} if question.id else {chain}
    is_copy = not known_prints.isdisjoint(own_prints)
    if not is_copy:
        prints |= own_prints
    return chain, is_copy


def _fingerprint(before: bytes, *texts: str) -> bytes:
    digest = blake2b(before, digest_size=PRINT_BYTES)
    for text in texts:
        digest.update(b"\0" + text.encode("utf-8", "replace"))
    return digest.digest()


def split_prints(prints: bytes) -> set[bytes]:
    return {prints[start : start + PRINT_BYTES] for start in range(0, len(prints), PRINT_BYTES)}
