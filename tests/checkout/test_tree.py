"""Paths that clients give never leave the workspace, and what is read is of one moment."""

from __future__ import annotations

import contextlib
import logging
import os
import socket
import stat
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from urllib.parse import quote

import pytest
import xxhash
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from sidecar.checkout.tree import Tree, content_hash
from sidecar.runtime.errors import FileUnavailable, OutsideWorkspace


@pytest.fixture
def root(tmp_path: Path) -> Path:
    root = tmp_path / "ws"
    (root / "src").mkdir(parents=True)
    (root / "src" / "a.py").write_text("A = 1\n")
    (root / "with space ü#?%.py").write_text("B = 1\n")
    (tmp_path / "outside.py").write_text("SECRET = 1\n")
    (tmp_path / "ws-other").mkdir()
    (tmp_path / "ws-other" / "x.py").write_text("1\n")
    return root


def reason(call: Callable[[], object]) -> str:
    with pytest.raises(FileUnavailable) as caught:
        call()
    assert caught.value.data.hint
    return caught.value.reason


# relative


def test_every_spelling_of_one_file(root: Path) -> None:
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


@settings(max_examples=400, deadline=None, suppress_health_check=list(HealthCheck))
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


# stat, read


def test_a_file_is_read_with_its_hash_and_times(root: Path) -> None:
    tree = Tree(root)
    read = tree.read("src/a.py")
    assert (read.path, read.data, read.size) == ("src/a.py", b"A = 1\n", 6)
    assert read.hash == content_hash(b"A = 1\n") == xxhash.xxh3_128(b"A = 1\n").hexdigest()
    state = tree.stat("src/a.py")
    assert (state.path, state.size, state.mtime_ns) == ("src/a.py", read.size, read.mtime_ns)
    (root / "empty.py").touch()
    assert tree.read("empty.py").data == b""


def test_a_write_that_puts_the_time_back_shows(root: Path) -> None:
    tree = Tree(root)
    path = root / "src" / "a.py"
    os.utime(path, ns=(10**18, 10**18))
    before = tree.read("src/a.py")
    path.write_text("A = 2\n")
    os.utime(path, ns=(10**18, 10**18))
    assert tree.stat("src/a.py").mtime_ns != before.mtime_ns


def test_two_writes_in_one_tick_of_the_clock_show(root: Path) -> None:
    tree = Tree(root)
    path = root / "src" / "a.py"
    for index in range(20):
        path.write_text(f"A = {index % 10}\n")
        read = tree.read("src/a.py")
        path.write_text(f"A = {(index + 1) % 10}\n")
        assert tree.stat("src/a.py").mtime_ns != read.mtime_ns


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("missing.py", "missing"),
        ("no/such/folder.py", "missing"),
        ("src/a.py/below.py", "missing"),
        ("src", "directory"),
        (".", "directory"),
        ("src/", "directory"),
        ("pipe.py", "special"),
        ("large.py", "tooLarge"),
    ],
)
def test_a_path_that_is_no_readable_file_is_refused_with_a_reason(root: Path, path: str, expected: str) -> None:
    tree = Tree(root, max_file_bytes=1000)
    (root / "large.py").write_text("x = 1\n" * 200)
    os.mkfifo(root / "pipe.py")
    assert reason(lambda: tree.stat(path)) == reason(lambda: tree.read(path)) == expected


def test_a_socket_is_refused_as_special(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(root)  # the path of a socket must be short
    with socket.socket(socket.AF_UNIX) as server:
        server.bind("socket.py")
        assert reason(lambda: Tree(root).read("socket.py")) == "special"


@pytest.mark.parametrize(
    ("name", "data", "expected"),
    [
        ("data.py", b"\0\1\2", "binary"),
        ("gen.go", b"// Code generated by stringer; DO NOT EDIT.\npackage x\n", "generated"),
        ("yarn.lock", b"x\n", "generated"),
        (".env", b"KEY=1\n", "ignored"),
        ("ig.py", b"1\n", "ignored"),
    ],
)
def test_a_file_not_worth_reading_is_refused_with_a_reason(root: Path, name: str, data: bytes, expected: str) -> None:
    (root / ".gitignore").write_text("ig.py\n")
    (root / name).write_bytes(data)
    tree = Tree(root)
    assert reason(lambda: tree.read(name)) == expected
    assert tree.stat(name).size == len(data)


def test_a_file_as_large_as_allowed_is_read(root: Path) -> None:
    (root / "edge.py").write_text("x" * 1000)
    assert Tree(root, max_file_bytes=1000).read("edge.py").size == 1000


def test_only_readable_files_exist(root: Path) -> None:
    (root / ".gitignore").write_text("ig.py\n")
    (root / "ig.py").write_text("1\n")
    os.mkfifo(root / "pipe.py")
    paths = ("src/a.py", "ig.py", "src", "pipe.py", "missing.py", "\0")
    assert [path for path in paths if Tree(root).exists(path)] == ["src/a.py"]


def test_no_descriptor_is_left_open(root: Path) -> None:
    tree = Tree(root, max_file_bytes=1000)
    (root / "large.py").write_text("x" * 2000)
    os.mkfifo(root / "pipe")
    (root / "loop").symlink_to("loop")
    for _ in range(20):
        tree.read("src/a.py")
        for path in ("large.py", "pipe", "loop", "src", "missing", "a/b/c", "src/a.py/x", "../outside.py"):
            with pytest.raises((FileUnavailable, OutsideWorkspace)):
                tree.read(path)
        list(tree.walk())
    assert held(root.parent) == []


def held(folder: Path) -> list[str]:
    """Return the files at or below a folder that this process has open; other tests' come and go."""
    found = []
    for descriptor in os.listdir("/proc/self/fd") if sys.platform == "linux" else ():
        with contextlib.suppress(OSError):
            found.append(os.readlink(f"/proc/self/fd/{descriptor}"))
    return [place for place in found if Path(place).is_relative_to(folder)]


def test_a_link_swapped_in_is_never_followed(root: Path, tmp_path: Path) -> None:
    tree = Tree(root)
    (root / "flip").mkdir()
    (root / "flip" / "outside.py").write_text("INSIDE = 1\n")
    stop = threading.Event()

    def swap() -> None:
        while not stop.is_set():
            os.rename(root / "flip", root / "kept")
            os.symlink(tmp_path, root / "flip")
            os.unlink(root / "flip")
            os.rename(root / "kept", root / "flip")

    thread = threading.Thread(target=swap)
    thread.start()
    answers = set()
    try:
        deadline = time.monotonic() + 2
        while time.monotonic() < deadline:
            try:
                answers.add(tree.read("flip/outside.py").data)
            except (FileUnavailable, OutsideWorkspace) as error:
                answers.add(type(error).__name__.encode())
    finally:
        stop.set()
        thread.join()
    assert b"SECRET = 1\n" not in answers
    assert answers - {b"INSIDE = 1\n", b"FileUnavailable", b"OutsideWorkspace"} == set()


def test_bytes_and_state_are_of_one_moment(root: Path) -> None:
    tree = Tree(root)
    path = root / "src" / "a.py"
    stop = threading.Event()

    def write() -> None:
        index = 0
        while not stop.is_set():
            index += 1
            path.write_bytes(bytes([97 + index % 26]) * (1000 + index % 500_000))
            time.sleep(0.03)

    path.write_bytes(b"a" * 1_000)  # the thread may begin late
    thread = threading.Thread(target=write)
    thread.start()
    try:
        for _ in range(30):
            try:
                read = tree.read("src/a.py")
            except FileUnavailable as error:
                assert error.reason in ("unreadable", "missing")  # noqa: PT017
                continue
            assert len(read.data) == read.size
            assert len(set(read.data)) <= 1
            assert read.hash == content_hash(read.data)
    finally:
        stop.set()
        thread.join()


def test_a_file_that_never_rests_is_refused(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = root / "src" / "a.py"
    real = os.read

    def append(descriptor: int, size: int) -> bytes:
        data = real(descriptor, size)
        with path.open("a") as file:
            file.write("more\n")
        return data

    monkeypatch.setattr(os, "read", append)
    assert reason(lambda: Tree(root).read("src/a.py")) == "unreadable"


AS_NOBODY = """
import os, sys
from pathlib import Path
from sidecar.checkout.tree import Tree
from sidecar.checkout.content import classify
from sidecar.runtime.errors import FileUnavailable
import sidecar.checkout.walk
from tests.checkout.conftest import NewRepository
os.setgid(65534); os.setuid(65534)
tree = Tree(Path(sys.argv[1]))
for path in ("closed.py", "locked/a.py"):
    try:
        tree.read(path)
    except FileUnavailable as error:
        print(path, error.reason)
print([found.path for found in tree.walk()])
"""


@pytest.mark.skipif(os.geteuid() != 0, reason="needs root to become another user")
def test_files_without_permission_are_unreadable(root: Path, tmp_path: Path) -> None:
    (root / "closed.py").write_text("1")
    (root / "closed.py").chmod(0)
    (root / "locked").mkdir()
    (root / "locked/a.py").write_text("1")
    (root / "locked").chmod(0)
    for folder in (tmp_path, *tmp_path.parents[:3]):
        folder.chmod(folder.stat().st_mode | stat.S_IXOTH | stat.S_IROTH)
    done = subprocess.run(
        [sys.executable, "-c", AS_NOBODY, str(root)],
        capture_output=True,
        text=True,
        check=True,
        cwd=Path(__file__).parents[2],
        env=os.environ | {"PYTHONIOENCODING": "utf-8"},
    )
    lines = done.stdout.splitlines()
    assert lines[:2] == ["closed.py unreadable", "locked/a.py unreadable"]
    assert lines[2] == "['closed.py', 'src/a.py', 'with space ü#?%.py']"


# walk


def test_a_walk_is_sorted_and_complete(root: Path) -> None:
    wanted = ["a-b/x.py", "a.py", "a/b.py", "a/b/c.py", "a0.py", "b.py"]
    wanted.remove("a/b.py")
    for path in wanted:
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text("1")
    found = list(Tree(root).walk())
    paths = [file.path for file in found]
    assert paths == sorted(paths)
    assert set(wanted) <= set(paths)
    tree = Tree(root)
    assert found == [tree.stat(path) for path in paths]


def test_walk_leaves_out_large_binary_and_special_files(root: Path) -> None:
    (root / "large.py").write_text("x" * 2000)
    (root / "image.PNG").write_text("x")
    os.mkfifo(root / "pipe.py")
    (root / "loop").symlink_to(root)
    os.mkdir(os.fsencode(root) + b"/bad\xff")
    with open(os.fsencode(root) + b"/bad\xff/x.py", "w") as file:
        file.write("1")
    assert {file.path for file in Tree(root, max_file_bytes=1000).walk()} == {"src/a.py", "with space ü#?%.py"}


def test_a_walk_can_be_stopped(root: Path) -> None:
    class Stop(Exception):
        pass

    def check() -> None:
        raise Stop

    with pytest.raises(Stop):
        list(Tree(root).walk(check=check))


def test_a_walk_of_nothing(tmp_path: Path) -> None:
    assert list(Tree(tmp_path / "missing").walk()) == []


def test_a_deep_tree_is_walked(tmp_path: Path) -> None:
    folder = tmp_path / ("d/" * 500)
    folder.mkdir(parents=True)
    (folder / "x.py").write_text("1")
    assert [file.path for file in Tree(tmp_path).walk()] == ["d/" * 500 + "x.py"]


def test_a_folder_that_cannot_be_listed_is_logged(
    root: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    real = os.scandir

    def refuse(path: str | int) -> object:
        if str(path).endswith("/src"):
            raise PermissionError(13, "Permission denied")
        return real(path)

    monkeypatch.setattr(os, "scandir", refuse)
    with caplog.at_level(logging.INFO):
        assert {file.path for file in Tree(root).walk()} == {"with space ü#?%.py"}
    assert "src" in caplog.text


@pytest.mark.parametrize("replaced", [True, False])
def test_a_file_that_is_written_all_the_time_is_answered(root: Path, replaced: bool) -> None:
    tree, path = Tree(root), root / "src" / "a.py"
    versions = [b"A = %d\n" % index for index in range(10)]
    path.write_bytes(versions[0])
    done = threading.Event()

    def write() -> None:
        while not done.is_set():
            for version in versions:
                if replaced:
                    (root / "new.tmp").write_bytes(version)
                    os.replace(root / "new.tmp", path)
                else:
                    with path.open("r+b") as file:
                        file.write(version)
                time.sleep(0.003)

    writer = threading.Thread(target=write)
    writer.start()
    try:
        for _ in range(10):
            assert tree.read("src/a.py").data in versions
    finally:
        done.set()
        writer.join()
    time.sleep(0.05)
    assert tree.read("src/a.py").mtime_ns == tree.stat("src/a.py").mtime_ns
