"""When hooks make an agent ask about candidates: at a session's start, once at its end, or never."""

from __future__ import annotations

import json

import pytest

from tests.client.hostile import inside
from tests.client.json_value import Json
from tests.hooks.conftest import Hook

SAID = "Remember: never push to main on a Friday."


def settings(environ: dict[str, str], **memory: str) -> None:
    for name, value in memory.items():
        environ[f"MEMORY_SIDECAR_MEMORY_{name.upper()}"] = value


def stop(hook: Hook, session: str, *arguments: str) -> dict[str, Json]:
    answer = hook.raw("Stop", *arguments, session=session, last_assistant_message="Done.")
    found: dict[str, Json] = json.loads(answer) if answer else {}
    return found


def speak(hook: Hook, session: str) -> None:
    assert hook.raw("SessionStart", session=session, source="startup") == ""
    hook.raw("UserPromptSubmit", session=session, prompt=SAID)


def test_at_the_end_of_a_turn_an_agent_asks_once_a_session(hook: Hook, environ: dict[str, str]) -> None:
    settings(environ, learn="propose", ask="stop")
    speak(hook, "s1")
    asked = stop(hook, "s1")
    assert asked["decision"] == "block"
    question, _, block = asked["reason"].partition("\n")
    assert "ask the user" in question
    assert "update_memory" in question
    assert "memory-sidecar review" in question
    assert SAID.removeprefix("Remember: ") in inside(block)
    assert "[candidate " in inside(block)
    assert stop(hook, "s1") == {}, "once"
    assert "candidate" not in hook("SessionStart", session="s2", source="startup"), "the start is not the time"
    assert stop(hook, "s2") == {}, "it said nothing"


@pytest.mark.parametrize(
    ("agent", "key"),
    [
        ("codex", "reason"),
        ("gemini", "reason"),
        ("qwen", "reason"),
        ("copilot", "reason"),
        ("cursor", "followup_message"),
    ],
)
def test_each_agent_is_asked_as_it_understands(hook: Hook, environ: dict[str, str], agent: str, key: str) -> None:
    settings(environ, learn="propose", ask="stop")
    speak(hook, "s1")
    asked = stop(hook, "s1", "--agent", agent)
    assert "[candidate " in asked[key]
    assert set(asked) == ({"decision", "reason"} if key == "reason" else {key})


@pytest.mark.parametrize("memory", [{"ask": "start"}, {"ask": "never"}, {"ask": "stop", "learn": "off"}])
def test_a_turn_ends_undisturbed_otherwise(hook: Hook, environ: dict[str, str], memory: dict[str, str]) -> None:
    settings(environ, **{"learn": "propose", **memory})
    speak(hook, "s1")
    assert stop(hook, "s1") == {}


def test_a_later_session_begins_with_what_waits_and_its_block_stays_the_same(
    hook: Hook, environ: dict[str, str]
) -> None:
    settings(environ, learn="propose")
    speak(hook, "s1")
    stop(hook, "s1")
    hook.raw("SessionEnd", session="s1")
    first = hook("SessionStart", session="s2", source="startup")
    assert "To Be Confirmed" in first
    assert SAID.removeprefix("Remember: ") in first
    hook.raw("UserPromptSubmit", session="s2", prompt=SAID)
    stop(hook, "s2")
    assert hook("SessionStart", session="s2", source="compact") == first


def test_the_question_is_not_taken_for_the_user_s_words(hook: Hook, environ: dict[str, str]) -> None:
    settings(environ, learn="propose", ask="stop")
    speak(hook, "s1")
    reason = stop(hook, "s1")["reason"]
    hook.raw("UserPromptSubmit", session="s2", prompt=reason)
    hook.raw("SessionEnd", session="s2")
    assert stop(hook, "s2") == {}
