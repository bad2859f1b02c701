"""Paraphrases, on labelled pairs, and what a sentence adds to the outline."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

from sidecar.files.facets.content import Content
from sidecar.files.facets.sameness import is_outline, is_paraphrase

HERE = Path(__file__).parent
STORE = """
def load(path):
    rows = parse_rows(path)
    return keep_newest(rows)
"""


def test_how_two_functions_have_to_do_with_each_other_is_not_in_the_outline(content: Callable[..., Content]) -> None:
    store = content(STORE, "disk/store.py")
    assert is_outline("`load` passes `rows` to `keep_newest`.", ("load", "keep_newest"), store, rule=False) is None
    assert is_outline("`load` takes a `path`.", ("load", "path"), store, rule=False) == "alreadyInOutline"


def test_paraphrases_are_known_and_other_facts_are_not() -> None:
    pairs = [json.loads(line) for line in (HERE / "pairs.jsonl").read_text(encoding="utf-8").splitlines()]
    wrong = [pair["id"] for pair in pairs if is_paraphrase(pair["text"], [pair["known"]]) != pair["same"]]
    assert len(pairs) >= 40
    assert len(wrong) <= 1, wrong
