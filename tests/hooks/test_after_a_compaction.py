"""Hooks of a session whose context is compacted, and its follow-ups: what is told again, and what is not."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from tests.client.json_value import Json, document
from tests.hooks.conftest import command

Hook = Callable[..., str]
ASKED = "How is the settlement service deployed to the cluster?"
DEPLOY = "The settlement service is deployed with make ship."
PARKED = "Cars are parked behind the building."


def sidecar(folder: Path, environ: dict[str, str], *arguments: str) -> Json:
    return document(command(folder, environ, *arguments, "--json"))


def test_block_of_a_prompt_is_repeated_once_after_a_compaction(
    hook: Hook, folder: Path, environ: dict[str, str]
) -> None:
    sidecar(folder, environ, "record", PARKED)
    start = hook("SessionStart", source="startup")
    assert PARKED in start
    made = str(sidecar(folder, environ, "record", DEPLOY)["memory"]["id"])
    assert DEPLOY in hook("UserPromptSubmit", prompt=ASKED)
    assert hook("UserPromptSubmit", prompt=ASKED) == ""
    for _ in range(2):
        assert hook("SessionStart", source="compact") == start, "frozen for the session"
        assert DEPLOY in hook("UserPromptSubmit", prompt=ASKED)
        assert hook("UserPromptSubmit", prompt=ASKED) == ""
        assert hook("UserPromptSubmit", prompt="Where are the cars parked then?") == "", "told at the start"
    assert sidecar(folder, environ, "get", made)["accessCount"] == 1


def test_going_on_without_a_compaction_tells_nothing_again(hook: Hook, folder: Path, environ: dict[str, str]) -> None:
    hook("SessionStart", source="startup")
    sidecar(folder, environ, "record", DEPLOY)
    assert DEPLOY in hook("UserPromptSubmit", prompt=ASKED)
    hook("SessionStart", source="resume")
    assert hook("UserPromptSubmit", prompt=ASKED) == ""


def test_a_compaction_of_a_session_that_was_told_nothing(hook: Hook, folder: Path, environ: dict[str, str]) -> None:
    assert hook("SessionStart", source="compact") == ""
    sidecar(folder, environ, "record", DEPLOY)
    assert DEPLOY in hook("UserPromptSubmit", prompt=ASKED)
    assert hook("UserPromptSubmit", prompt=ASKED) == ""


def test_a_follow_up_in_another_process_leans_on_the_prompt_before(
    hook: Hook, folder: Path, environ: dict[str, str]
) -> None:
    hook("UserPromptSubmit", prompt=ASKED)
    hook("UserPromptSubmit", session="s2", prompt="Which colours do the buttons of the page have?")
    sidecar(folder, environ, "record", DEPLOY)
    for text in (PARKED, "Backups are kept in Frankfurt.", "Passwords are hashed with argon2id."):
        sidecar(folder, environ, "record", text)
    assert DEPLOY not in hook("UserPromptSubmit", session="s2", prompt="yes, do it")
    assert DEPLOY not in hook("UserPromptSubmit", session="s3", prompt="yes, do it")
    told = hook("UserPromptSubmit", prompt="yes, do it")
    assert DEPLOY in told
    assert "Frankfurt" not in told
    assert hook("UserPromptSubmit", prompt="and for staging too") == ""


def test_a_session_is_not_told_its_own_words_before_a_compaction(
    hook: Hook, folder: Path, environ: dict[str, str]
) -> None:
    said = "From now on the settlement service is deployed with make ship."
    hook("SessionStart", source="startup")
    hook("UserPromptSubmit", prompt=said)
    hook("Stop")
    assert hook("UserPromptSubmit", prompt="Tell me a joke.") == ""
    assert [item["content"] for item in sidecar(folder, environ, "list")["items"]] == [said]
    assert hook("UserPromptSubmit", prompt=ASKED) == ""
    hook("SessionStart", source="compact")
    assert "make ship" in hook("UserPromptSubmit", prompt=ASKED)
