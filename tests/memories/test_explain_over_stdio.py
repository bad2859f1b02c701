"""Why a memory is shown or not, asked of a real server."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.client.json_value import fields
from tests.client.stdio_client import StdioClient
from tests.conftest import Spawn
from tests.memories.test_inject_over_stdio import QUIET, settled

TEXTS = (
    "The settlement service is deployed with make ship.",
    "Passwords are hashed with argon2id before they are stored.",
    "Cars are parked behind the building; the automobile entrance is on the left.",
    "Backups are kept in Frankfurt.",
    "The server listens on port 8080.",
)
PROMPTS = (
    "how is the settlement service deployed to the cluster?",
    "where do vehicles go?",
    "run the tests",
    "settlement",
    "x" * 5_000 + "\nwhich port does the server listen on?",
)


@pytest.fixture
def client(spawn: Spawn, tmp_path: Path) -> Iterator[StdioClient]:
    folder = tmp_path / "project"
    folder.mkdir()
    with spawn(cwd=folder, ignore=QUIET) as started:
        started.initialize(folder)
        yield started


def filled(client: StdioClient) -> list[str]:
    ids = [str(client.call("memory/record", {"content": text})["memory"]["id"]) for text in TEXTS]
    settled(client)
    return ids


def test_explain_says_what_search_and_injection_go_by(client: StdioClient) -> None:
    ids = filled(client)
    for prompt in PROMPTS[:4]:
        found = client.call("memory/search", {"query": prompt, "limit": 50})["items"]
        scores = {str(item["memory"]["id"]): item for item in found}
        told = {id: client.call("memory/explain", {"id": id, "prompt": prompt}) for id in ids}
        assert scores
        for id, item in scores.items():
            assert told[id]["probability"] == pytest.approx(item["score"], abs=1e-5)
            assert told[id]["label"] in item["reasons"]
        block = client.call("memory/inject", {"prompt": prompt, "brief": True})
        shown = {item["id"] for item in block["items"]}
        best = max(each["probability"] for each in told.values())
        for each in told.values():
            assert each["best"] == pytest.approx(best, abs=1e-9)
            assert 0 < each["threshold"] < each["opens"] < 1
        least = told[ids[0]]["threshold"]
        opens = told[ids[0]]["opens"]
        assert shown == {id for id in ids if best >= opens and told[id]["probability"] >= least}
    assert client.call("memory/get", {"id": ids[0]})["accessCount"] == 0


def test_gains_are_by_kind_of_evidence(client: StdioClient) -> None:
    ids = filled(client)
    near, far = (client.call("memory/explain", {"id": id, "prompt": PROMPTS[0]}) for id in (ids[0], ids[3]))
    for told in (near, far):
        assert sorted(gain["evidence"] for gain in told["gains"]) == ["meaning", "prompt", "words"]
    gains = [{str(gain["evidence"]): gain["gain"] for gain in told["gains"]} for told in (near, far)]
    assert gains[0]["words"] > gains[1]["words"]
    assert gains[0]["meaning"] > gains[1]["meaning"]
    assert gains[0]["prompt"] == pytest.approx(gains[1]["prompt"])
    assert near["rank"] == 1
    assert {"settlement", "service", "deployed"} <= set(near["words"])
    assert near["cosine"] > 0.3
    assert near["change"] == []
    assert far["words"] == []
    assert any("Frankfurt" in sentence for sentence in far["change"])
    synonym = client.call("memory/explain", {"id": ids[2], "prompt": PROMPTS[1]})
    assert synonym["words"] == []
    assert synonym["probability"] > client.call("memory/explain", {"id": ids[1], "prompt": PROMPTS[1]})["probability"]


def test_a_follow_up_is_explained_by_the_prompt_before(client: StdioClient) -> None:
    ids = filled(client)
    client.call("memory/inject", {"prompt": PROMPTS[0], "sessionId": "s"})
    asked = {"id": ids[0], "prompt": "yes, do it"}
    alone = client.call("memory/explain", asked)
    then = client.call("memory/explain", {**asked, "sessionId": "s"})
    assert then["probability"] > then["opens"] > alone["probability"]
    assert any("prompt before" in sentence for sentence in then["change"])


def test_unexplainable_requests_are_refused(client: StdioClient) -> None:
    filled(client)
    unknown = client.error("memory/explain", {"id": "0197ffffffff-unknown", "prompt": "anything"})
    assert unknown == client.error("memory/get", {"id": "0197ffffffff-unknown"})
    for params in ({"prompt": "x"}, {"id": "x"}, {"id": 7, "prompt": "x"}):
        assert client.error("memory/explain", params)["code"] == -32602


def test_an_empty_prompt_bears_on_nothing(client: StdioClient) -> None:
    ids = filled(client)
    for prompt in ("", "  \n"):
        told = client.call("memory/explain", {"id": ids[0], "prompt": prompt})
        assert fields(told, "probability", "best") == (0.0, 0.0)
        assert fields(told, "gains", "words") == ([], [])


def test_a_memory_that_is_put_away_says_so(client: StdioClient) -> None:
    ids = filled(client)
    client.call("memory/archive", {"id": ids[0]})
    told = client.call("memory/explain", {"id": ids[0], "prompt": PROMPTS[0]})
    assert told["probability"] == 0.0
    assert told["change"] == ["It is archived: restore it first."]
    others = [client.call("memory/explain", {"id": id, "prompt": PROMPTS[0]}) for id in ids[1:]]
    assert told["best"] == pytest.approx(max(other["probability"] for other in others))
    foreign = client.call("memory/record", {"content": "Review the settlement service twice.", "agent": "reviewer"})
    asked = {"id": foreign["memory"]["id"], "prompt": PROMPTS[0]}
    assert client.call("memory/explain", asked)["probability"] > 0
    assert client.call("memory/explain", {**asked, "agent": "writer"})["change"] == [
        "It is expired, or for another agent."
    ]


def test_a_directive_is_shown_whatever_the_prompt_is(client: StdioClient) -> None:
    filled(client)
    made = client.call("memory/record", {"content": "Never push to main.", "category": "directive"})
    told = client.call("memory/explain", {"id": made["memory"]["id"], "prompt": "where are the cars?"})
    assert told["change"][0].startswith("Shown whatever the prompt is")


def test_of_a_long_paste_the_end_is_explained(client: StdioClient) -> None:
    ids = filled(client)
    told = client.call("memory/explain", {"id": ids[4], "prompt": PROMPTS[4]})
    assert {"port", "server"} <= set(told["words"])
    assert told["probability"] >= told["opens"]
