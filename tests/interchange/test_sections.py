"""Markdown into sections: every line arrives, names differ, no part is too long."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from sidecar.interchange.sections import section_names, sections, split_text

LINES = st.sampled_from(
    [
        "# One",
        "## Two",
        "### Three ###",
        "####### no",
        "text",
        "",
        "```",
        "~~~sh",
        "# in or out",
        "=====",
        "---",
        "- item",
        "    code",
        "a " * 30,
    ]
)


@given(st.lists(LINES, max_size=30))
def test_every_word_is_in_a_title_or_in_a_text(lines: list[str]) -> None:
    text = "\n".join(lines)
    found = sections(text)
    kept = [word for section in found for word in section.text.split()]
    titles = [word for section in found for word in (section.titles[-1].split() if section.titles else [])]
    marks = {"#", "##", "###", "=====", "---"}
    assert sorted(word for word in text.split() if word not in marks) == sorted(
        word for word in [*kept, *titles] if word not in marks
    )
    assert len(set(section_names(found, "Notes"))) == len(found)


@given(st.text(alphabet="ab \n`", max_size=400), st.integers(10, 60))
def test_parts_have_every_word_and_fit(text: str, most: int) -> None:
    parts = split_text(text, most)
    assert all(len(part) <= most for part in parts)
    assert "".join("".join(parts).split()) == "".join(text.split())


def test_a_code_block_is_kept_whole() -> None:
    code = "```\n" + "\n\n".join(f"line {number}" for number in range(10)) + "\n```"
    parts = split_text("before\n\n" + "x " * 60 + "\n\n" + code, 140)
    assert code in parts


def test_sections_of_one_heading_are_named_with_the_heading_above() -> None:
    found = sections("# Shop\n\n## API\n\n### Errors\n\na\n\n## UI\n\n### Errors\n\nb\n")
    assert section_names(found, "x") == ["Shop", "API", "API: Errors", "UI", "UI: Errors"]
