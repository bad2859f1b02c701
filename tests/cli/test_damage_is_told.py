"""A damaged store is mended by whoever opens it first; the user is told then, and later where the damaged file lies."""

from __future__ import annotations

import json
from pathlib import Path

from tests.cli.conftest import Run


def test_damage_is_told_by_the_command_that_meets_it_and_later_by_status(
    run: Run, environ: dict[str, str], folder: Path
) -> None:
    run("record", "The gateway listens on 8080.")
    home = Path(environ["XDG_DATA_HOME"]) / "memory-sidecar" / "workspaces"
    (database,) = home.glob("*/memory/memories/cache.db")
    database.write_bytes(b"\0" * 200 + database.read_bytes()[200:])

    met = run("list", "--json")
    assert met.stderr.count("was damaged") == 1
    assert "are kept in" in met.stderr
    assert [item["content"] for item in json.loads(met.stdout)["items"]] == ["The gateway listens on 8080."]

    assert run("list").stderr == ""
    later = run("status", "--json")
    notice = json.loads(later.stdout)["workspaces"][0]["stores"][0]["notice"]
    assert "memories.damaged-" in notice
    assert "memories.damaged-" in run("status").stderr
    (aside,) = home.glob("*/memory/memories.damaged-*")
    for left in sorted(aside.rglob("*"), reverse=True):
        left.rmdir() if left.is_dir() else left.unlink()
    aside.rmdir()
    assert run("status").stderr == ""
