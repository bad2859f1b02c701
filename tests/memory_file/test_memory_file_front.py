"""Front matter of pages: read as it is written, written back as it was, and no trap for the reader."""

from __future__ import annotations

import datetime

import pytest

from sidecar.memory_file.text.page import MemoryPage, parse, render


def page(front: str) -> MemoryPage | None:
    return parse(f"---\n{front}\n---\nThe text.\n")


def test_our_fields_are_texts_and_those_of_others_keep_their_kind() -> None:
    found = page(
        "name: 1.10\ndescription: 2020-01-01\ntags: [on, 1.0]\npinned: yes\nagent: ~\nowner: 5\nsince: 2020-01-01"
    )
    assert found is not None
    entry = found.entry
    assert (entry.name, entry.description, entry.tags) == ("1.10", "2020-01-01", ("on", "1.0"))
    assert (entry.pinned, entry.agent) == (True, None)
    assert found.others == {"owner": 5, "since": datetime.date(2020, 1, 1)}
    assert parse(render(found)) == found


MERGED = "".join(f"{'abcdefghi'[at]}: &n{at} {{<<: [{','.join([f'*n{at - 1}'] * 9)}]}}\n" for at in range(1, 9))


@pytest.mark.parametrize(
    "front",
    [
        "a: &n0 {x: 1}\n" + MERGED,  # 9 to the power of 8 merges in 370 bytes
        "a: &a [x]\nb: *a",
        "a: " + "[" * 5_000,
        "name: x\nsince: " + ":".join(["59"] * 5_000),  # a number of base 60 that Python does not print
        "name: x\nsince: " + "9" * 10_000,
        "a: !!python/object/apply:os.system ['false']",
        "? [a]\n: b",
        "- a",
        "",
        "name: x\n" * 20_000,
    ],
)
def test_malformed_or_hostile_front_matter_is_no_page(front: str) -> None:
    assert page(front) is None
