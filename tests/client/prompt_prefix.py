"""Whether what is sent to a model begins as the request before did: what its prompt cache lives on."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise

from tests.client.json_value import Json

BLOCK = re.compile(r"<memory-notes\b.*?</memory-notes>", re.DOTALL)


def begins_alike(requests: Sequence[Json]) -> None:
    """Fails unless each request has the system prompt and the tools of the one before, and goes on from its messages.

    Marks that tell a model what to cache move from message to message and are left out, as is what an agent says of
    its bill.
    """
    for before, after in pairwise(requests):
        assert _plain(before.get("system")) == _plain(after.get("system"))
        assert _plain(before.get("tools")) == _plain(after.get("tools"))
        old, new = (
            [_plain(message) for message in each["messages"] if not _is_billing(message)] for each in (before, after)
        )
        assert len(new) > len(old)
        for place, message in enumerate(old):
            assert new[place] == message, f"message {place} has changed"


def blocks(messages: object, system: object = None) -> list[str]:
    """The blocks of memories anywhere in what a model was sent, in their order."""
    found: list[str] = []

    def look(value: object) -> None:
        if isinstance(value, str):
            found.extend(BLOCK.findall(value))
        elif isinstance(value, dict):
            for each in value.values():
                look(each)
        elif isinstance(value, list):
            for each in value:
                look(each)

    look([system, messages])
    return found


def _plain(value: object) -> object:
    if isinstance(value, list):
        if len(value) == 1 and isinstance(value[0], dict) and value[0].get("type") == "text":
            return _plain(value[0]["text"])  # the same, however it is wrapped
        return [_plain(each) for each in value if not _is_billing(each)]
    if isinstance(value, dict):
        return {key: _plain(each) for key, each in value.items() if key != "cache_control"}
    return value


def _is_billing(value: object) -> bool:
    return isinstance(value, dict) and "x-anthropic-billing-header" in str(value.get("text", ""))
