"""What an agent that ends its turn is to ask the user first, once a session: whether what was said is to be kept."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, cast

from sidecar.text.own_blocks import ON_THE_USERS_WORD

if TYPE_CHECKING:
    from sidecar.hooks.front import Visit

MOST: Final = 3
_TOLD: Final = "candidates"
_ASK: Final = "Before you end, ask the user in one short question whether these hold beyond this task. "


def question(visit: Visit) -> str:
    """The text; empty when nothing of this session waits, it was asked, or the settings say otherwise."""
    if visit.settings.memory.ask != "stop" or not visit.learns:
        return ""
    from protocol.candidates import CandidatesParams, CandidatesResult
    from sidecar.engine.handlers.boot_text import candidate_item
    from sidecar.text import fence

    if visit.journal.was_told(_TOLD):
        return ""
    visit.wait_until_learned()
    asked = CandidatesParams(session_id=visit.event.session_id, limit=MOST)
    with visit.engine() as engine:
        found = cast(CandidatesResult, engine.call("memory/candidates", asked)).items
    if not found or not visit.journal.tell_once(_TOLD):
        return ""
    return f"{_ASK}{ON_THE_USERS_WORD}\n" + fence.frame(
        "".join(f"{candidate_item(one).text}\n" for one in found)
    )
