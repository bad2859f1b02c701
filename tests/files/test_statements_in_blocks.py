"""Statements of files whose outline alone tells little: queries, translations."""

from __future__ import annotations

from sidecar.files.briefing.render import render
from sidecar.files.outline import outline


def _briefing(path: str, text: str) -> str:
    return render(outline(path, text.encode(), "0"), path=path, project_imports=[])


def test_long_queries_name_the_tables_they_read() -> None:
    columns = ",\n".join(f"    column_{number}" for number in range(12))

    shown = _briefing(
        "sql/orders.sql", f"SELECT\n{columns}\nFROM orders o\nJOIN customers c\n  ON c.id = {{{{ cid }}}};\n"
    )

    assert "reads orders, customers; given cid" in shown


def test_translated_messages_are_named_by_their_language() -> None:
    shown = _briefing("lang/ca/validation.php", "<?php\n\nreturn [\n    'accepted' => 'Acceptat.',\n];\n")

    assert "Translations into `ca` of the texts `validation`" in shown
