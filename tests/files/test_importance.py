"""The order in which files are read, and its first ones at little cost."""

from __future__ import annotations

import pytest

from sidecar.files.importance import importance, most_important

PATHS = [
    f"{folder}{name}"
    for folder in ("", "src/", "src/deep/er/", "tests/", "vendor/lib/", "docs/")
    for name in ("a.py", "b.go", "read.md", "data.json", "c_test.go")
]


@pytest.mark.parametrize("count", [1, 5, 6, 7, 20, 100])
def test_the_most_important_are_the_first_of_all_in_order(count: int) -> None:
    assert most_important(reversed(PATHS), count) == sorted(PATHS, key=importance)[:count]
