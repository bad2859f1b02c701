"""A folder that says it is a clone of the user's project gets none of its memories, and is told why and what to do."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.cli.conftest import Run
from tests.client.git import git

ORIGIN = "https://example.org/team/app.git"
SECRET = "The staging database is called heron."


@pytest.fixture
def project(folder: Path, run: Run) -> Path:
    git(folder, "add", ".")
    git(folder, "commit", "-qm", "first")
    git(folder, "remote", "add", "origin", ORIGIN)
    run("record", SECRET, "--scope", "project")
    return folder


@pytest.mark.parametrize("how", ["origin", "git file", "symlink"])
def test_unpacked_project_neither_reads_nor_writes_shared_stores(
    how: str, project: Path, run: Run, tmp_path: Path
) -> None:
    evil = tmp_path / "unpacked"
    evil.mkdir()
    if how == "origin":
        git(evil, "init", "-q")
        git(evil, "commit", "-q", "--allow-empty", "-m", "another beginning")
        git(evil, "remote", "add", "origin", ORIGIN)
    elif how == "git file":
        (evil / ".git").write_text(f"gitdir: {project}/.git\n")
    else:
        (evil / ".git").symlink_to(project / ".git")
    assert SECRET not in run("list", cwd=evil).stdout
    assert SECRET not in run("inject", "staging database", cwd=evil).stdout
    run("record", "Always deploy on Fridays.", "--scope", "project", cwd=evil)
    assert "Fridays" not in run("list", cwd=project).stdout
    assert "memory of its own" in run("status", cwd=evil).stderr
    assert "memory of its own" in run("doctor", cwd=evil, code=None).stdout
    assert "memory of its own" not in run("status", cwd=project).stderr
    assert str(evil) not in "".join(path.read_text() for path in (project / ".git/info").iterdir())


def test_the_line_that_status_names_joins_it(project: Path, run: Run, tmp_path: Path, environ: dict[str, str]) -> None:
    git(project, "commit", "-q", "--allow-empty", "-m", "second")
    shallow = tmp_path / "shallow"
    git(tmp_path, "clone", "-q", "--depth=1", f"file://{project}", str(shallow))
    git(shallow, "remote", "set-url", "origin", ORIGIN)
    assert SECRET not in run("list", cwd=shallow).stdout
    said = run("status", cwd=shallow).stderr
    found = re.search(r'(\[workspaces\."[^"]+"\]) (id = "[0-9a-f]{32}")', said)
    assert found is not None, said
    settings = Path(environ["XDG_CONFIG_HOME"]) / "memory-sidecar" / "settings.toml"
    settings.parent.mkdir(parents=True)
    settings.write_text(f"{found[1]}\n{found[2]}\n")
    assert SECRET in run("list", cwd=shallow).stdout
    assert "memory of its own" not in run("status", cwd=shallow).stderr


def test_a_full_clone_shares_without_a_word(project: Path, run: Run, tmp_path: Path) -> None:
    git(tmp_path, "clone", "-q", str(project), "clone")
    git(tmp_path / "clone", "remote", "set-url", "origin", "git@example.org:team/app.git")
    assert SECRET in run("list", cwd=tmp_path / "clone").stdout
