"""Formatting MEMORY.md changes how it looks and nothing that it says."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sidecar.memory_file.text.document import read_document
from sidecar.memory_file.text.formatting import format_text

UNEVEN = (
    "# Memory\n## Project Knowledge\n* **Name** *( decision,pinned )*:   text   \n  more\n\n\n\n"
    "- two\n<!-- a\n\n\n b -->\n"
)
LINES = [*UNEVEN.split("\n"), "```", "    code", "  … *(3 more lines: x)*", "+ x"]


def said(text: str) -> list[object]:
    return [block.entry for block in read_document(text).blocks if block.entry is not None]


def test_formatting_makes_a_layout_even() -> None:
    assert format_text(UNEVEN) == (
        "# Memory\n\n## Project Knowledge\n\n- **Name** *(decision, pinned)*: text\n  more\n\n"
        "- two\n<!-- a\n\n\n b -->\n"
    )


@given(
    st.lists(st.sampled_from([*UNEVEN.split("\n"), "```", "    code", "  … *(3 more lines: x)*", "+ x"]), max_size=12)
)
def test_formatting_changes_no_word_and_a_second_time_nothing(lines: list[str]) -> None:
    text = "\n".join(lines)
    once = format_text(text)
    assert said(once) == said(text)
    assert format_text(once) == once


@pytest.mark.parametrize("text", ["<<<<<<< ours\n- a\n=======\n-   b  \n>>>>>>> theirs\n", ""])
def test_formatting_leaves_conflicts_and_empty_files_alone(text: str) -> None:
    assert format_text(text) == text
