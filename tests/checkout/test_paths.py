"""Paths that clients give never leave the workspace."""

from __future__ import annotations

import contextlib
import os
from pathlib import Path
from urllib.parse import quote

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from sidecar.checkout.tree import Tree
from sidecar.runtime.errors import FileUnavailable, OutsideWorkspace
from tests.checkout.conftest import reason


def test_all_spellings_of_a_file_give_one_path(root: Path) -> None:
    tree = Tree(root)
    path = str(root / "src" / "a.py")
    for given_path in (
        "src/a.py",
        "./src/a.py",
        "src//a.py",
        "src/./a.py",
        "src/../src/a.py",
        "../ws/src/a.py",
        path,
        "file://" + path,
        "file:" + path,
        "FILE://localhost" + path,
        "file://" + quote(path, safe="").replace("%2F", "/"),
        "file://" + path.replace("a", "%61"),
    ):
        assert tree.relative(given_path) == "src/a.py", given_path


def test_uris_are_decoded(root: Path) -> None:
    tree = Tree(root)
    name = "with space ü#?%.py"
    assert tree.relative("file://" + quote(f"{root}/{name}")) == name
    assert tree.relative(f"file://{root}/with space ü#?%25.py") == name
    assert tree.relative(f"file://{root}/100%") == "100%"
    assert tree.relative(".") == "."
    assert tree.relative(root.as_uri()) == "."
    assert tree.relative(root.as_uri() + "/") == "."
    assert tree.relative("untitled:Untitled-1") == "untitled:Untitled-1"
    assert tree.relative("a\\b") == "a\\b"


@pytest.mark.parametrize(
    "given_path",
    [
        "",
        "..",
        "../outside.py",
        "src/../../outside.py",
        "/etc/passwd",
        "/",
        "../ws-other/x.py",
        "file:///etc/passwd",
        "file:///C:/x/y.py",
        "file:///c%3A/x/y.py",
        "file://server/share/x.py",
        "file://",
        "http://example.org/a.py",
        "vscode-notebook-cell://x/y",
        "src/a\0.py",
        "file:///a%00b",
        "x" * 256,
        "é" * 128,
        "a/" * 3000,
        "\ud800",
        "file:///%FF",
        "a\udcff",
    ],
)
def test_a_path_outside_the_workspace_is_refused(root: Path, given_path: str) -> None:
    with pytest.raises(OutsideWorkspace) as caught:
        Tree(root).relative(given_path)
    assert caught.value.message.isprintable()
    assert len(caught.value.message) < 400


def test_the_refusal_names_the_path(root: Path) -> None:
    with pytest.raises(OutsideWorkspace, match=r"\.\./outside\.py.*nothing was read"):
        Tree(root).relative("../outside.py")


def test_symlinks_are_followed_within_the_workspace_only(root: Path, tmp_path: Path) -> None:
    (root / "alias.py").symlink_to("src/a.py")
    (root / "folder").symlink_to(root / "src")
    (root / "out.py").symlink_to(tmp_path / "outside.py")
    (root / "up").symlink_to("..")
    (root / "dangling-out").symlink_to(tmp_path / "nothing")
    (root / "dangling-in").symlink_to("nothing")
    (root / "chain").symlink_to("up")
    (root / "loop").symlink_to("loop")
    (tmp_path / "entrance").symlink_to(root)
    tree = Tree(tmp_path / "entrance")
    assert tree.root == root
    assert tree.relative("alias.py") == "src/a.py"
    assert tree.relative("folder/a.py") == "src/a.py"
    assert tree.relative(str(tmp_path / "entrance" / "folder" / "a.py")) == "src/a.py"
    assert tree.relative("dangling-in") == "nothing"
    for leads_out in ("out.py", "up/outside.py", "up", "dangling-out", "chain/ws-other/x.py", "up/new.py"):
        with pytest.raises(OutsideWorkspace):
            tree.relative(leads_out)
        with pytest.raises(OutsideWorkspace):
            tree.read(leads_out)
        with pytest.raises(OutsideWorkspace):
            tree.stat(leads_out)
        assert not tree.exists(leads_out)
    assert tree.relative("folder/../src/a.py") == "src/a.py"
    assert tree.read("alias.py").path == "src/a.py"
    assert tree.stat("folder/a.py").path == "src/a.py"
    assert tree.exists("alias.py")
    assert reason(lambda: tree.read("loop")) == "unreadable"
    assert {found.path for found in tree.walk()} == {"src/a.py", "with space ü#?%.py"}


parts = st.sampled_from(
    ["..", ".", "", "src", "a.py", "in", "out", "up", "ws", "ws-other", "x.py", "%2e%2e", "%2F", "~", "a b", "\0"]
)


@settings(suppress_health_check=list(HealthCheck))
@given(
    given_path=st.one_of(
        st.text(max_size=40),
        st.builds(
            lambda head, names: head + "/".join(names),
            st.sampled_from(["", "/", "ROOT/", "file://ROOT/", "file:///", "file://"]),
            st.lists(parts, max_size=8),
        ),
    )
)
@example(given_path="file://ROOT/%2e%2e/%2e%2e/etc/passwd")
@example(given_path="up/ws/src/a.py")
def test_no_answer_ever_escapes(given_path: str, tmp_path_factory: pytest.TempPathFactory) -> None:
    base = tmp_path_factory.getbasetemp() / "escape"
    root = base / "ws"
    if not root.exists():
        (root / "src").mkdir(parents=True)
        (base / "ws-other").mkdir()
        (root / "src/a.py").write_text("1")
        (base / "x.py").write_text("1")
        (root / "in").symlink_to("src")
        (root / "out").symlink_to(base)
        (root / "up").symlink_to("..")
    tree = Tree(root)
    try:
        relative = tree.relative(given_path.replace("ROOT", str(root)))
    except OutsideWorkspace:
        return
    assert relative == "." or not set(relative.split("/")) & {"", ".", ".."}
    real = os.path.realpath(root / relative)
    assert real == str(root) or real.startswith(f"{root}/")
    assert tree.relative(relative) == relative
    relative.encode()
    with contextlib.suppress(FileUnavailable):
        tree.read(relative)
