"""Twenty prompts as people type them, and the block that each is given, line by line.

The blocks stand in `everyday_prompts.md`, where they are read by people; `MEMORY_SIDECAR_REWRITE=1` writes them anew,
to be read again. Memories and prompts are those of `tests/bench/data/everyday.json`; each store is a real server's.
"""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from tests.bench.methods import Peer, start_server
from tests.client.json_value import Json

HERE = Path(__file__).parent
GOLDEN = HERE / "everyday_prompts.md"
DATA = HERE.parent / "bench" / "data" / "everyday.json"

ASKED = {0: (7, 3, 9, 12, 21), 1: (1, 2, 18), 2: (0, 11, 20), 3: (6, 10, 15), 4: (9, 23), 5: (7, 13)}
"""Numbers of prompts by the number of their store; one prompt of chatter a store is asked besides."""
CHATTER = (0, 3)
DATE = "2026-01-01"


def blocks(folder: Path) -> list[tuple[str, str, list[str], str]]:
    """Store, prompt, texts of the right memories and block of each prompt."""
    found = []
    for number, store in enumerate(json.loads(DATA.read_text("utf-8"))["stores"]):
        prompts = [store["prompts"][at] for at in ASKED.get(number, ())]
        prompts += [{"text": store["none"][0], "right": []}] if number in CHATTER else []
        if not prompts:
            continue
        place = folder / str(number)
        (place / "work").mkdir(parents=True)
        server, _ = start_server(place / "store", place / "work")
        try:
            for text in store["memories"]:
                server.call("memory/record", {"content": text})
            for at, prompt in enumerate(prompts):
                block = asked(server, f"s{at}", prompt)
                right = [store["memories"][index] for index in prompt["right"]]
                said = "\n> ".join([*(f"({one})" for one in prompt.get("before", ())), prompt["text"]])
                found.append((store["name"], said, right, block))
        finally:
            server.stop()
    return found


def asked(server: Peer, session: str, prompt: Json) -> str:
    """What a prompt is given in a session of its own; every memory was recorded on one day here."""
    for earlier in prompt.get("before", ()):
        server.call("memory/inject", {"prompt": earlier, "sessionId": session})
    given = server.call("memory/inject", {"prompt": prompt["text"], "sessionId": session, "brief": True})
    today = server.call("memory/list", {"limit": 1})["items"][0]["updatedAt"]
    from sidecar.text.times import utc_day

    text: str = given["text"].replace(f"({utc_day(today)})", f"({DATE})")
    assert text == "" or all(len(line) < 2_000 for line in text.splitlines())
    return text


def page(given: list[tuple[str, str, list[str], str]]) -> str:
    """The page that people read."""
    parts = [
        "# Twenty prompts of every day, and what each is given\n\n"
        "Written by `MEMORY_SIDECAR_REWRITE=1 pytest tests/end_to_end/test_everyday_prompts.py`. Under each block "
        "stands what a colleague would have mentioned; `(...)` is what the user had said before.\n"
    ]
    for store, prompt, right, block in given:
        wanted = "".join(f"- {text}\n" for text in right) or "- nothing\n"
        parts.append(f"## {store}\n\n> {prompt}\n\n```\n{block.rstrip() or '(nothing)'}\n```\n\nWanted:\n\n{wanted}")
    return "\n".join(parts)


@pytest.fixture(scope="module")
def given(tmp_path_factory: pytest.TempPathFactory) -> list[tuple[str, str, list[str], str]]:
    return blocks(tmp_path_factory.mktemp("everyday"))


def test_twenty_prompts_are_given_what_was_approved(given: list[tuple[str, str, list[str], str]]) -> None:
    assert len(given) == 20
    written = page(given)
    if os.environ.get("MEMORY_SIDECAR_REWRITE"):
        GOLDEN.write_text(written, "utf-8")
    assert written == GOLDEN.read_text("utf-8")


def test_most_prompts_get_what_matters(given: list[tuple[str, str, list[str], str]]) -> None:
    wanted = [(right, block) for _, _, right, block in given if right]
    hit = [any(one.split("`")[0][:30] in block for one in right) for right, block in wanted]
    assert sum(hit) >= 0.7 * len(hit)
    assert all(len(block) < 2_500 for _, _, _, block in given)
