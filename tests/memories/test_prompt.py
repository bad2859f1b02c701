"""What a prompt asks, and what a session keeps of it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sidecar.memories.retrieval.prompt import depends_on_previous, excerpt, queries_of, what_is_asked

KEY = "ghp_" + "a1B2c3D4e5F6" * 3
LOG = "\n".join(f"2026-01-01 10:00:{at % 60:02} INFO worker {at} polled the queue" for at in range(400))
CODE = "\n".join(f"def helper_{at}(value):\n    return value + {at}\n" for at in range(60))


def pieces(text: str, length: int = 6) -> set[str]:
    return {text[at : at + length] for at in range(len(text) - length + 1)}


@pytest.mark.parametrize("prompt", ["", "   \n\t "])
def test_an_empty_prompt_asks_nothing(prompt: str) -> None:
    assert what_is_asked(prompt) == ""
    assert queries_of(prompt, "How are invoices numbered in this project?") == ()
    assert depends_on_previous(prompt)
    assert excerpt(prompt) == ""
    assert queries_of(None, "something") == ()


def test_a_short_prompt_is_read_whole() -> None:
    prompt = "  Why does `pnpm test` fail?\n\n    ERROR no such file\n"
    assert what_is_asked(prompt) == prompt.strip()


@pytest.mark.parametrize("pasted", [LOG, f"```\n{LOG}\n```", CODE, f"```python\n{CODE}\n```"])
def test_of_a_pasted_log_or_code_the_sentences_and_the_end_are_read(pasted: str) -> None:
    asked = what_is_asked(f"The settlement job hangs at night, why?\n\n{pasted}\nLockTimeout: advisory lock 42 is held")
    assert asked.startswith("The settlement job hangs at night, why?")
    assert asked.endswith("LockTimeout: advisory lock 42 is held")
    assert len(asked) <= 2_001
    middle = ("worker 200 polled", "helper_30")
    assert not any(text in asked for text in middle)


def test_a_question_behind_the_paste_is_read_too() -> None:
    asked = what_is_asked(f"{LOG}\n\nWhich lock does the settlement job wait for here?")
    assert "Which lock does the settlement job wait for here?" in asked
    assert "worker 100 polled" not in asked


def test_of_a_paste_without_a_sentence_the_beginning_and_the_end_are_read() -> None:
    asked = what_is_asked(LOG)
    assert asked.startswith(LOG[:600])
    assert asked.endswith(LOG[-500:])


def test_huge_line_is_read_at_both_ends() -> None:
    line = "begin " + "x1y2 " * 39_000 + "end"
    asked = what_is_asked(line)
    assert asked.startswith("begin")
    assert asked.endswith("end")
    assert len(asked) <= 2_001
    assert len(excerpt(line)) <= 300


@pytest.mark.parametrize(
    "prompt", ["yes", "yes, do it", "2", "continue", "fix it", "and for staging too", "ok!", "はい"]
)
def test_a_short_prompt_leans_on_the_one_before(prompt: str) -> None:
    assert depends_on_previous(prompt)
    assert queries_of(prompt, "How do we deploy?") == (prompt, f"How do we deploy?\n{prompt}")
    assert queries_of(prompt, "") == (prompt,)


@pytest.mark.parametrize(
    "prompt", ["Which lock does the nightly settlement job take?", "rename parse_header to read_header in src/wire.py"]
)
def test_a_prompt_that_says_something_stands_by_itself(prompt: str) -> None:
    assert not depends_on_previous(prompt)
    assert queries_of(prompt, "How do we deploy?") == (prompt,)


def test_a_prompt_leans_for_what_it_asks_and_not_for_how_often() -> None:
    assert depends_on_previous("deploy deploy deploy deploy deploy it")


@pytest.mark.parametrize(
    "prompt",
    [
        f"Why is the token {KEY} refused by the server?",
        f"{'why is it refused? ' * 40}"[:285] + f" {KEY} and so on",
        f"{'x' * 296} {KEY}",
        f"What is that?\n{'# x' * 40}\n{LOG}\n{KEY}\n{'z' * 480}",
        f"{KEY}\n{LOG * 8}\nWhat is that?\n{KEY}\n{'2026-01-01 ERROR x' * 26}",
        f"What now?\n{LOG * 8}\n{KEY}\n{'z' * 490}",
    ],
)
def test_neither_a_secret_nor_a_part_of_one_is_kept(prompt: str) -> None:
    assert KEY in prompt
    found = excerpt(prompt)
    assert len(found) <= 300
    assert not pieces(KEY) & pieces(found)
    assert excerpt("What is that?\n" + KEY) == "What is that?\n[redacted: GitHub token]"


@given(st.text(max_size=2_000), st.text(max_size=50))
def test_any_text_is_a_prompt(prompt: str, before: str) -> None:
    asked = what_is_asked(prompt)
    assert len(asked) <= 2_001
    assert asked == what_is_asked(prompt)
    found = queries_of(prompt, before)
    assert found[:1] == ((asked,) if asked else ())
    assert all(found)
    assert len(excerpt(prompt)) <= 300
