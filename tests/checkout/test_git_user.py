"""Who commits here, read from git's own files; compared with git's answer."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from sidecar.checkout.repository import GitUser, read_user


@pytest.fixture
def home(tmp_path: Path) -> Path:
    home = tmp_path / "home"
    (home / ".config" / "git").mkdir(parents=True)
    return home


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    subprocess.run(["git", "init", "-q", str(tmp_path / "repo")], check=True)
    return tmp_path / "repo"


def git(folder: Path, environ: dict[str, str], key: str) -> str | None:
    kept = {"PATH": os.environ["PATH"], **environ}
    done = subprocess.run(
        ["git", "config", "--get", key], cwd=folder, env=kept, capture_output=True, text=True, check=False
    )
    return done.stdout.rstrip("\n") or None


def same_as_git(folder: Path, environ: dict[str, str]) -> GitUser:
    found = read_user(folder, environ)
    assert found == (git(folder, environ, "user.name"), git(folder, environ, "user.email"))
    return found


def test_later_files_win(home: Path, folder: Path) -> None:
    environ = {"HOME": str(home)}
    assert same_as_git(folder, environ) == (None, None)
    (home / ".config" / "git" / "config").write_text("[user]\nname = First\nemail = first@example.org\n")
    assert same_as_git(folder, environ) == ("First", "first@example.org")
    (home / ".gitconfig").write_text('[include]\npath = more\n[user]\n\tname = "Ada # L" ; she\n')
    (home / "more").write_text("[user]\nemail = more@example.org\n")
    assert same_as_git(folder, environ) == ("Ada # L", "more@example.org")
    subprocess.run(["git", "config", "user.email", "here@example.org"], cwd=folder, check=True)
    (folder / "inner").mkdir()
    assert same_as_git(folder / "inner", environ) == ("Ada # L", "here@example.org")


def test_a_global_file_that_is_named_is_the_only_one(home: Path, folder: Path) -> None:
    (home / ".gitconfig").write_text("[user]\nname = Not me\n")
    (home / "other").write_text("[user]\nname = Me\n")
    environ = {"HOME": str(home), "GIT_CONFIG_GLOBAL": str(home / "other")}
    assert same_as_git(folder, environ) == ("Me", None)


def test_broken_and_missing_files_are_no_user(home: Path, tmp_path: Path) -> None:
    (home / ".gitconfig").write_bytes(b"[user\nname = \xff\n\0[[[")
    assert read_user(tmp_path, {"HOME": str(home)}) == (None, None)
    assert read_user(tmp_path, {}) == (None, None)
    (home / ".gitconfig").unlink()
    (home / ".gitconfig").mkdir()
    assert read_user(tmp_path, {"HOME": str(home)}) == (None, None)
