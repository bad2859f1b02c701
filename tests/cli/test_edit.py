"""Editing a memory in an editor: the round trip, and everything that can go wrong on the way."""

from __future__ import annotations

import os
import pty
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from protocol.memories import Memory
from sidecar.cli.edit import read_draft, write_draft
from tests.cli.conftest import Remember, Run, RunForJson
from tests.cli.in_process import invoke
from tests.client.json_value import fields


@pytest.fixture
def editor(tmp_path: Path) -> Callable[[str], dict[str, str]]:
    """Return the environment for an editor that runs Python statements on `text` and saves it."""

    def make(statements: str) -> dict[str, str]:
        script = tmp_path / "an editor.py"
        script.write_text(
            "import os, subprocess, sys\nfrom pathlib import Path\npath = Path(sys.argv[-1])\n"
            f"text = path.read_text(encoding='utf-8')\n{statements}\npath.write_text(text, encoding='utf-8')\n",
            encoding="utf-8",
        )
        return {"EDITOR": f"{sys.executable} '{script}'"}

    return make


@pytest.fixture
def run(environ: dict[str, str], folder: Path) -> Run:
    """Return a function that runs the command at a terminal, or with piped text."""

    def run_once(
        *arguments: str,
        stdin: str | None = None,
        cwd: Path | None = None,
        env: Mapping[str, str] | None = None,
        code: int | None = 0,
    ) -> subprocess.CompletedProcess[str]:
        own, terminal = pty.openpty()
        with open(terminal, encoding="utf-8") as person:
            done = invoke(arguments, {**environ, **(env or {})}, cwd or folder, person if stdin is None else stdin)
        os.close(own)
        assert code is None or done.returncode == code, (done.returncode, done.stdout, done.stderr)
        return done

    return run_once


def test_without_a_terminal_no_editor_is_opened(run: Run, remember: Remember) -> None:
    id = remember("Old.", "--name", "n")
    done = run("edit", id, stdin="", env={"EDITOR": "/no/such/editor"}, code=1)
    assert "--content" in done.stderr
    assert "/no/such/editor" not in done.stderr


def test_saved_text_is_written_back(
    run: Run, as_json: RunForJson, remember: Remember, editor: Callable[[str], dict[str, str]]
) -> None:
    id = remember("Old text.\n\nwith --- inside\n---\nand é", "--name", "old", "--tag", "t")
    change = "text = text.replace('name: old', 'name: new').replace('Old', 'New').replace('tags: t', 'tags: a, b')"
    done = run("edit", id, env=editor(change))
    assert done.stdout.startswith("Changed: new")
    memory = as_json("show", id)
    assert memory["content"] == "New text.\n\nwith --- inside\n---\nand é"
    assert fields(memory, "name", "tags", "version") == ("new", ["a", "b"], 2)


def test_json_prints_the_update(
    as_json: RunForJson, remember: Remember, editor: Callable[[str], dict[str, str]]
) -> None:
    id = remember("Old.", "--name", "n")
    result = as_json("edit", id, env=editor("text = text.replace('Old', 'New')"))
    assert result["memory"]["content"] == "New."
    unchanged = as_json("edit", id, env=editor(""))
    assert unchanged["memory"]["version"] == 2


@pytest.mark.parametrize("statements", ["", "text = ''", "text = '  \\n'"])
def test_an_untouched_or_emptied_text_changes_nothing(
    run: Run, as_json: RunForJson, remember: Remember, editor: Callable[[str], dict[str, str]], statements: str
) -> None:
    id = remember("Old.", "--name", "n")
    assert "Nothing was changed." in run("edit", id, env=editor(statements)).stderr
    assert as_json("show", id)["version"] == 1


def test_a_change_by_someone_else_meanwhile_wins_and_the_text_is_kept(
    run: Run, as_json: RunForJson, remember: Remember, editor: Callable[[str], dict[str, str]], folder: Path
) -> None:
    id = remember("Old.", "--name", "n")
    other = f"subprocess.run([{sys.executable!r}, '-m', 'sidecar', 'edit', {id!r}, '--content', 'Theirs.'], check=True)"
    done = run("edit", id, env=editor(f"{other}\ntext = text.replace('Old', 'Mine')"), code=4)
    assert as_json("show", id)["content"] == "Theirs."
    kept = Path(done.stderr.partition("saved in ")[2].split()[0])
    assert "Mine." in kept.read_text(encoding="utf-8")
    kept.unlink()


@pytest.mark.parametrize(
    ("statements", "part"),
    [
        ("text = text.replace('type: project', 'type: nonsense')", "type must be one of"),
        ("text = text.replace('name: n', 'nmae: n')", "not a known field"),
        ("text = text.replace('name: n', 'name:')", "name is empty"),
        ("text = text.replace('\\n---\\n', '\\n')", "line between the fields and the text is missing"),
        ("text = text.replace('Old.', '')", "use delete"),
    ],
)
def test_a_text_that_cannot_be_stored_is_kept(
    run: Run,
    as_json: RunForJson,
    remember: Remember,
    editor: Callable[[str], dict[str, str]],
    statements: str,
    part: str,
) -> None:
    id = remember("Old.", "--name", "n")
    done = run("edit", id, env=editor(statements), code=1)
    assert part in done.stderr
    kept = Path(done.stderr.partition("saved in ")[2].split()[0])
    assert kept.is_file()
    kept.unlink()
    assert as_json("show", id)["version"] == 1


def test_an_editor_that_fails_or_is_missing_changes_nothing(run: Run, remember: Remember) -> None:
    id = remember("Old.", "--name", "n")
    assert "ended with code" in run("edit", id, env={"EDITOR": "false"}, code=1).stderr
    assert "could not be started" in run("edit", id, env={"EDITOR": "/no/such/editor"}, code=1).stderr
    assert "could not be started" in run("edit", id, env={"EDITOR": "'"}, code=1).stderr


def test_visual_goes_before_editor(
    run: Run, as_json: RunForJson, remember: Remember, editor: Callable[[str], Any]
) -> None:
    id = remember("Old.", "--name", "n")
    run("edit", id, env={"VISUAL": editor("text = text.replace('Old', 'New')")["EDITOR"], "EDITOR": "false"})
    assert as_json("show", id)["content"] == "New."


def test_options_change_without_an_editor(run: Run, as_json: RunForJson, remember: Remember) -> None:
    id = remember("Old.", "--name", "n", "--description", "d", "--category", "fact")
    options = ["--content", "-", "--description", "", "--category", "", "--pinned", "--type", "reference"]
    memory = as_json("edit", id, *options, "--expected-version", "1", stdin="From a pipe.\n")["memory"]
    assert memory["content"] == "From a pipe."
    assert "description" not in memory
    assert "category" not in memory
    assert fields(memory, "pinned", "type") == (True, "reference")
    run("edit", id, "--name", "late", "--expected-version", "1", code=4)


def test_a_name_follows_the_text_and_a_given_one_that_does_not_fit_is_pointed_out(
    run: Run, as_json: RunForJson, remember: Remember, editor: Callable[[str], dict[str, str]]
) -> None:
    id = remember("Deploy to staging with make deploy")
    change = "head, rule, body = text.rpartition('---'); text = head + rule + body.replace('staging', 'live')"
    done = run("edit", id, env=editor(change))
    assert done.stdout.startswith("Changed: Deploy to live with make deploy")
    other = remember("Deploy to staging with make deploy", "--name", "To staging")
    done = run("edit", other, "--content", "Deploy to production with fly deploy")
    assert done.stdout.startswith("Changed: To staging")
    assert "The name still says “To staging”" in done.stderr
    assert "nameHint" not in as_json("edit", other, "--name", "To production")


_TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=60)
_WORDS = _TEXT.map(lambda text: " ".join(text.split()))


@given(name=_WORDS.filter(bool), description=_WORDS, content=_TEXT, pinned=st.booleans())
def test_an_unedited_draft_is_no_change(name: str, description: str, content: str, pinned: bool) -> None:
    memory = _memory(name=name, description=description or None, content=content, pinned=pinned)
    if content.strip():
        assert read_draft(write_draft(memory), memory) == {}


@given(content=_TEXT.filter(lambda text: bool(text.strip())))
def test_any_content_comes_back_as_it_was_written(content: str) -> None:
    memory = _memory(content="before")
    draft = write_draft(memory).removesuffix("before\n") + content + "\n"
    assert read_draft(draft, memory).get("content", "before") == content


def _memory(**given: Any) -> Memory:
    fields: dict[str, Any] = {"name": "n", "content": "c", "pinned": False, **given}
    return Memory(
        id="0" * 36,
        scope="project",
        type="project",
        tags=[],
        files=[],
        entities=[],
        references=[],
        relevance=1.0,
        access_count=0,
        status="active",
        source="user",
        created_at=0,
        updated_at=0,
        version=1,
        **fields,
    )
