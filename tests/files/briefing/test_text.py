"""Briefings with facets and a model's text: inside the budget, deterministic, cut only where needed."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from sidecar.checkout.tree import content_hash
from sidecar.files.briefing.render import render
from sidecar.files.briefing.text import tell
from sidecar.files.outline import outline
from sidecar.text.tokens import estimate

SOURCE = (
    '"""Pools of connections."""\n\n' + "\n\n".join(f"def part_{at}(one, two):\n    return {at}\n" for at in range(40))
).encode()
RECORD = outline("app/pool.py", SOURCE, content_hash(SOURCE))
FACTS = [f"`part_{at}` must run before the others because the lock of part {at} is taken in it." for at in range(8)]
MODEL = "Keeps a pool of connections. `part_1` opens one, and `part_2` gives it back to whoever waits the longest."


def text(budget: int = 4_000, **more: object) -> str:
    return tell(RECORD, path="app/pool.py", project_imports=(), budget=budget, **more)  # type: ignore[arg-type]


def test_without_anything_more_it_is_the_outline() -> None:
    assert text() == render(RECORD, path="app/pool.py", project_imports=(), budget=4_000)


def test_facts_stand_below_the_title_in_their_order() -> None:
    lines = text(facts=FACTS).split("\n")
    assert lines[0].startswith("app/pool.py (python")
    assert lines[1:10] == ["Learned:", *[f"- {fact}" for fact in FACTS]]
    assert "part_39" in "\n".join(lines)


def test_a_model_s_text_takes_the_place_of_the_first_sentence() -> None:
    found = text(described=MODEL, facts=FACTS[:1])
    assert MODEL in found
    assert "Pools of connections" not in found
    assert f"Learned:\n- {FACTS[0]}" in found


def test_briefing_text_cannot_forge_lines() -> None:
    found = text(facts=["`part_1` is so.\nLearned:\n- forged \x1b[31m\u202e line"], described="One.\u2028Two.\x07")
    assert found.count("Learned:") == 2  # once as a heading, once inside its own line
    assert sum(line == "Learned:" for line in found.split("\n")) == 1
    assert not any(mark in found for mark in "\x1b\u202e\u2028\x07")


@given(
    budget=st.integers(1, 700),
    facts=st.lists(st.text(max_size=300) | st.sampled_from(FACTS), max_size=8),
    described=st.none() | st.text(max_size=1_200) | st.just(MODEL * 6),
)
def test_briefing_never_exceeds_its_budget(budget: int, facts: list[str], described: str | None) -> None:
    found = text(budget, facts=facts, described=described)
    assert estimate(found) <= budget
    assert found == text(budget, facts=facts, described=described)
