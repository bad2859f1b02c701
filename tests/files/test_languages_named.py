"""The share of definitions that outlines name in public files, as last measured by tests/bench/languages_named.py."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from sidecar.files.language import CODE
from sidecar.files.outline import RECIPE

TABLE: dict[str, dict[str, Any]] = json.loads(
    (Path(__file__).parents[1] / "bench" / "data" / "languages_named.json").read_text(encoding="utf-8")
)


@pytest.mark.parametrize("language", sorted(TABLE))
def test_a_language_names_what_is_defined(language: str) -> None:
    row = TABLE[language]
    assert row["recipe"] == RECIPE, "outlines may have changed: measure again (tests/bench/languages_named.py)"
    assert row["files"] >= 25
    assert len(row["repositories"]) >= 2
    assert row["named"] >= 0.95 * row["expected"]


def test_every_language_with_a_grammar_is_measured() -> None:
    assert set(TABLE) >= CODE - {"jsx", "ruby"}
