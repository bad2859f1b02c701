"""The commands as the README counts them."""

from __future__ import annotations

import re
from pathlib import Path

from sidecar.cli.main import COMMANDS


def test_readme_counts_the_commands() -> None:
    text = (Path(__file__).parents[2] / "README.md").read_text(encoding="utf-8")
    named, more = re.search(r"`memory-sidecar --help`; ((?:`\w+`, )+`\w+`) and\s+(\d+) more", text).groups()  # type: ignore[union-attr]
    assert named.count(",") + 1 + int(more) == len(COMMANDS)
