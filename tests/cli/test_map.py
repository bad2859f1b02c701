"""`map` and `files` on the command line, on a real repository and store."""

from __future__ import annotations

from pathlib import Path

import msgspec

from protocol.files import FileSearchResult, RepoMapResult
from tests.cli.conftest import Run, RunForJson


def test_map_reads_what_is_new_and_keeps_to_the_budget(run: Run, as_json: RunForJson, folder: Path) -> None:
    result = msgspec.convert(as_json("map", "--budget", "120"), RepoMapResult)
    assert result.files == ["src/counting.py"]
    assert "def count_0(items: list[int]) -> int" in result.text
    assert 60 < result.tokens <= 120
    shown = run("map", "--budget", "120", "--file", "counting.py", cwd=folder / "src")
    assert shown.stdout.startswith("src/counting.py:\n")
    assert "tokens, 1 files." in shown.stderr
    (folder / "src" / "other.py").write_text(
        "from counting import count_7\n\ndef total_of(x):\n    return count_7(x)\n"
    )
    named = msgspec.convert(as_json("map", "--budget", "60", "--identifier", "total_of"), RepoMapResult)
    assert "total_of" in named.text
    run("map", "--budget", "0", code=2)
    run("map", "--file", "../../elsewhere.py", code=1)


def test_files_finds_by_text_and_kind(run: Run, as_json: RunForJson, folder: Path) -> None:
    (folder / "NOTES.md").write_text("# Notes\n\nCounting is done by kind.\n")
    found = msgspec.convert(as_json("files", "counting", "kind"), FileSearchResult)
    assert {item.path for item in found.items} == {"src/counting.py", "NOTES.md"}
    only = msgspec.convert(as_json("files", "-", "--kind", "docs", stdin="counting kind"), FileSearchResult)
    assert [item.path for item in only.items] == ["NOTES.md"]
    assert "src/counting.py" in run("files", "count_12").stdout
    assert run("files", "zzz_nothing").stderr.strip() == "Nothing found."
    run("files", code=2)
