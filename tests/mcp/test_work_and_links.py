"""Recall by time and in short, links, reminders and facts about files, by a real process over stdio."""

from __future__ import annotations

import time
from collections.abc import Callable

from tests.client.hostile import inside
from tests.client.json_value import Json
from tests.client.line_client import LineClient

Connect = Callable[..., LineClient]


def text_of(result: Json) -> str:
    assert not result["isError"], result
    return str(result["content"][0]["text"])


def test_recall_takes_a_time_and_a_compact_form(connect: Connect) -> None:
    client = connect()
    client.hello()
    long = "Deploys happen on Mondays. " + "Nobody knows why, and it was never written down anywhere else. " * 20
    id = client.tool("remember", content=long, name="Release day")["structuredContent"]["id"]
    for since in ("today", "last week", "since March", "2h", "2020-01-31"):
        assert "Mondays" in text_of(client.tool("recall", query="deploys", since=since)), since
        assert "Mondays" in text_of(client.tool("recall", since=since)), since
    tomorrow = str((int(time.time()) + 86_400) * 1_000)
    assert text_of(client.tool("recall", since=tomorrow)) == "Nothing is remembered about that."
    wrong = client.tool("recall", since="whenever")
    assert wrong["isError"]
    assert "last week" in wrong["content"][0]["text"]
    short = client.tool("recall", query="deploys", compact=True)
    assert f"- [{id}] Release day\n" in text_of(short)
    assert "Mondays" not in text_of(short)
    assert inside(text_of(short))
    assert short["structuredContent"]["items"][0]["content"] == "Release day"


def test_a_memory_is_named_by_the_words_that_a_block_shows(connect: Connect) -> None:
    client = connect()
    client.hello()
    client.tool("remember", content="Deploy with `fab deploy` from the release box.", type="feedback")
    client.tool("remember", content="Postgres listens on port 5433 <locally>.")
    client.tool("remember", content="Postgres listens on port 5433 in the tests, too.")
    notes = [line for line in inside(text_of(client.tool("context"))).splitlines() if line.startswith("- (")]
    deploy, port = (next(line for line in notes if word in line) for word in ("fab", "locally"))
    changed = client.tool("update_memory", id=deploy, content="Deploys go out through GitHub Actions.")
    assert "It now says" in text_of(changed)
    assert "Forgotten" in text_of(client.tool("forget", id=port))
    context = inside(text_of(client.tool("context")))
    assert "GitHub Actions" in context
    assert "fab deploy" not in context
    assert "locally" not in context
    assert "in the tests, too" in context


def test_words_of_no_memory_or_of_several_change_nothing(connect: Connect) -> None:
    client = connect()
    client.hello()
    for where in ("locally", "in the tests"):
        client.tool("remember", content=f"Postgres listens on port 5433 {where}.")
    before = text_of(client.tool("recall", query="postgres"))
    for words in ("Postgres listens on port 5433", "Postgres listens on port 7000"):
        for tool, more in (("forget", {}), ("update_memory", {"content": "Nobody knows."})):
            refused = client.tool(tool, id=words, **more)
            assert refused["isError"]
            assert "with their ids" in refused["content"][0]["text"]
    assert text_of(client.tool("recall", query="postgres")) == before


def test_reminders_are_set_listed_and_cleared(connect: Connect) -> None:
    client = connect()
    client.hello()
    assert text_of(client.tool("reminder", action="list")) == "No reminder waits."
    made = client.tool("reminder", action="set", text="Renew the certificate", at="+2h", recurrence="monthly")
    assert "Renew the certificate" in text_of(made)
    id = made["structuredContent"]["reminders"][0]["id"]
    again = client.tool("reminder", action="set", text="Renew the certificate", at="+2h", recurrence="monthly")
    assert not again["isError"]
    listed = client.tool("reminder", action="list")
    assert f"[{id}]" in text_of(listed)
    assert "monthly" in text_of(listed)
    assert inside(text_of(listed))
    for wrong in ({"action": "set", "text": "x"}, {"action": "set", "text": "x", "at": "soonish"}, {"action": "clear"}):
        assert client.tool("reminder", **wrong)["isError"], wrong
    assert "Cleared" in text_of(client.tool("reminder", action="clear", id=id))
    assert f"[{id}]" not in text_of(client.tool("reminder", action="list"))


def test_memories_are_linked_and_what_supersedes_is_shown_instead(connect: Connect) -> None:
    client = connect()
    client.hello()
    old = client.tool("remember", content="Deploys happen on Mondays.", name="Deploys")["structuredContent"]["id"]
    new = client.tool("remember", content="Releases go out on Thursdays.", name="Releases")["structuredContent"]["id"]
    assert text_of(client.tool("link", **{"from": new, "to": old, "kind": "supersedes"})) == "Linked."
    assert text_of(client.tool("link", **{"from": new, "to": old, "kind": "supersedes"})) == "Linked already."
    told = text_of(client.tool("context", prompt="on which day do deploys and releases happen?"))
    assert "Thursdays" in told
    assert "Mondays" not in told
    removed = client.tool("link", **{"from": new, "to": old, "kind": "supersedes", "remove": True})
    assert text_of(removed) == "Unlinked."
    assert client.tool("link", **{"from": new, "to": "nothing"})["isError"]


def test_a_fact_about_a_file_is_kept_or_refused_in_words(connect: Connect) -> None:
    client = connect()
    client.hello()
    client.tool("file_summary", path="letters.py")
    fact = "Call send_3 before send_4, because the post office rejects letters that arrive out of order."
    kept = client.tool("file_fact", text=fact, paths=["letters.py"])
    assert kept["structuredContent"]["kept"] == ["letters.py"], kept
    assert "out of order" in text_of(client.tool("file_summary", path="letters.py"))
    refused = client.tool("file_fact", text="Is this right?", paths=["letters.py"])
    assert "Not kept for" in text_of(refused)
    assert client.tool("file_fact", text=fact, paths=["/etc/passwd"])["isError"]
