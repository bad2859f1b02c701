"""The watcher reports every change of a real folder once, or finds it by comparing."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from sidecar.checkout import watch as watch_module
from sidecar.checkout.notifier import Notifier, explain_failure
from sidecar.checkout.tree import Tree
from sidecar.checkout.watch import BURST, REFILL_SECONDS, Watcher
from tests.checkout.conftest import Git, NewRepository

pytestmark = pytest.mark.long

PATIENCE = 90.0


class Seen:
    """Collects a watcher's reports."""

    def __init__(self) -> None:
        self.paths: set[str] = set()
        self.threads: set[int] = set()
        self._condition = threading.Condition()

    def __call__(self, changed: frozenset[str]) -> None:
        assert changed
        with self._condition:
            self.paths |= changed
            self.threads.add(threading.get_ident())
            self._condition.notify_all()

    def clear(self) -> None:
        with self._condition:
            self.paths.clear()

    def wait_for(self, *paths: str) -> None:
        wanted = set(paths)
        with self._condition:
            self._condition.wait_for(lambda: wanted <= self.paths, PATIENCE)
            missing = wanted - self.paths
        assert not missing, f"{len(missing)} of {len(wanted)} never reported, such as {sorted(missing)[:5]}"


Watch = Callable[..., tuple[Watcher, Seen]]


def becomes(watcher: Watcher, state: str) -> None:
    """Wait until the watcher has this state, and the matching detail."""
    deadline = time.monotonic() + PATIENCE
    while (watcher.state, watcher.detail is None) != (state, state == "own"):
        assert time.monotonic() < deadline, (watcher.state, watcher.detail)
        time.sleep(0.02)


@pytest.fixture(params=["folders", "recursive"])
def recursive(request: pytest.FixtureRequest) -> bool:
    return bool(request.param == "recursive")


@pytest.fixture
def watch(recursive: bool, monkeypatch: pytest.MonkeyPatch) -> Iterator[Watch]:
    """Return a function that starts a watcher and waits until it is ready; for both kinds of notifications."""
    monkeypatch.setattr(watch_module, "RECURSIVE", recursive)
    watchers: list[Watcher] = []

    def start(root: Path, **options: float) -> tuple[Watcher, Seen]:
        seen = Seen()
        watcher = Watcher(Tree(root), seen, **options)
        watchers.append(watcher)
        watcher.start()
        assert watcher.ready.wait(PATIENCE)
        return watcher, seen

    yield start
    for watcher in watchers:
        watcher.stop()
        assert watcher.state == "off"
    for thread in threading.enumerate():
        if thread.name == "watch":  # `stop` waits only a moment, which may be too short on a busy machine
            thread.join(PATIENCE)
            assert not thread.is_alive()


def test_writes_creations_renames_and_deletions(tmp_path: Path, watch: Watch) -> None:
    (tmp_path / "src").mkdir()
    for name in ("a.py", "b.py", "c.py"):
        (tmp_path / "src" / name).write_text("1")
    watcher, seen = watch(tmp_path)
    assert (watcher.state, watcher.detail) == ("own", None)
    (tmp_path / "src/a.py").write_text("2")
    seen.wait_for("src/a.py")
    (tmp_path / "src/new.py").write_text("1")
    (tmp_path / "top.py").write_text("1")
    seen.wait_for("src/new.py", "top.py")
    (tmp_path / "src/b.py").unlink()
    seen.wait_for("src/b.py")
    (tmp_path / "src/c.py").rename(tmp_path / "src/d.py")
    seen.wait_for("src/c.py", "src/d.py")
    temporary = tmp_path / "src/.a.py.tmp"
    seen.clear()
    temporary.write_text("3")
    temporary.replace(tmp_path / "src/a.py")
    seen.wait_for("src/a.py")
    assert threading.get_ident() not in seen.threads


def test_folders_made_at_once_with_their_files(tmp_path: Path, watch: Watch) -> None:
    _, seen = watch(tmp_path)
    wanted = []
    for index in range(200):
        path = f"deep/{index % 10}/{index % 7}/x/f{index}.py"
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text("1")
        wanted.append(path)
    seen.wait_for(*wanted)
    seen.clear()
    (tmp_path / "deep/3/3/x/later.py").parent.mkdir(exist_ok=True, parents=True)
    (tmp_path / "deep/3/3/x/later.py").write_text("1")
    (tmp_path / wanted[3]).write_text("changed")
    seen.wait_for("deep/3/3/x/later.py", wanted[3])


def test_folders_renamed_deleted_and_made_again(tmp_path: Path, watch: Watch) -> None:
    for index in range(5):
        (tmp_path / "one" / "in").mkdir(parents=True, exist_ok=True)
        (tmp_path / "one" / "in" / f"{index}.py").write_text("1")
    _, seen = watch(tmp_path)
    (tmp_path / "one").rename(tmp_path / "two")
    seen.wait_for(*(f"{top}/in/{index}.py" for index in range(5) for top in ("one", "two")))
    seen.clear()
    (tmp_path / "two/in/0.py").write_text("22")
    seen.wait_for("two/in/0.py")
    assert not any(path.startswith("one/") for path in seen.paths)
    shutil.rmtree(tmp_path / "two")
    seen.wait_for(*(f"two/in/{index}.py" for index in range(5)))
    (tmp_path / "two/in").mkdir(parents=True)
    time.sleep(0.3)
    seen.clear()
    (tmp_path / "two/in/0.py").write_text("back")
    seen.wait_for("two/in/0.py")


def test_a_file_becomes_a_folder_and_back(tmp_path: Path, watch: Watch) -> None:
    (tmp_path / "x").write_text("1")
    _, seen = watch(tmp_path)
    (tmp_path / "x").unlink()
    (tmp_path / "x").mkdir()
    (tmp_path / "x/y.py").write_text("1")
    seen.wait_for("x", "x/y.py")
    seen.clear()
    shutil.rmtree(tmp_path / "x")
    (tmp_path / "x").write_text("2")
    seen.wait_for("x", "x/y.py")


def test_a_branch_switch_is_reported_completely(
    tmp_path: Path, watch: Watch, git: Git, new_repository: NewRepository
) -> None:
    root = new_repository(tmp_path / "r")
    for index in range(2000):
        path = root / f"d{index % 40}" / f"e{index % 3}" / f"f{index}.py"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"x = {index}\n")
    git(root, "add", ".")
    git(root, "commit", "-qm", "many")
    git(root, "checkout", "-qb", "other")
    for index in range(0, 2000, 2):
        (root / f"d{index % 40}" / f"e{index % 3}" / f"f{index}.py").write_text(f"y = {index}\n")
    for index in range(1, 2000, 4):
        (root / f"d{index % 40}" / f"e{index % 3}" / f"f{index}.py").unlink()
    for index in range(500):
        path = root / f"new{index % 20}" / "deep" / f"g{index}.py"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"z = {index}\n")
    git(root, "add", "-A")
    git(root, "commit", "-qm", "other")
    differing = git(root, "diff", "--name-only", "--no-renames", "main", "other").split()
    assert len(differing) == 2000
    _, seen = watch(root)
    git(root, "checkout", "-q", "main")
    seen.wait_for(*differing)
    assert seen.paths == set(differing)
    seen.clear()
    git(root, "checkout", "-q", "other")
    seen.wait_for(*differing)
    assert seen.paths == set(differing)


def test_ignored_files_are_not_reported(tmp_path: Path, watch: Watch, new_repository: NewRepository) -> None:
    root = new_repository(tmp_path / "r")
    (root / ".gitignore").write_text("build/\n*.log\n")
    for folder in ("node_modules/p", "build", "src/node_modules/q"):
        (root / folder).mkdir(parents=True)
    _, seen = watch(root)
    for path in ("node_modules/p/i.js", "build/o.c", "src/node_modules/q/i.js", "x.log", ".a.py.swp", "i.png"):
        (root / path).write_text("1")
    (root / ".git" / "x.py").write_text("1")
    (root / "node_modules/new").mkdir()
    (root / "last.py").write_text("1")
    seen.wait_for("last.py")
    (root / "after.py").write_text("1")  # reported only after everything before it was looked at
    seen.wait_for("after.py")
    assert seen.paths == {"last.py", "after.py"}


def test_a_change_of_gitignore_takes_effect(tmp_path: Path, watch: Watch, new_repository: NewRepository) -> None:
    root = new_repository(tmp_path / "r")
    (root / "out").mkdir()
    (root / "out/o.py").write_text("1")
    (root / "sub").mkdir()
    (root / "sub/gen.c").write_text("1")
    _, seen = watch(root)
    (root / ".gitignore").write_text("out/\n")
    seen.wait_for(".gitignore", "out/o.py")
    (root / "sub/.gitignore").write_text("gen.c\n")
    seen.wait_for("sub/.gitignore", "sub/gen.c")
    seen.clear()
    (root / "out/o.py").write_text("2")
    (root / "sub/gen.c").write_text("2")
    (root / "mark.py").write_text("2")
    seen.wait_for("mark.py")
    assert not {"out/o.py", "sub/gen.c"} & seen.paths
    (root / ".gitignore").unlink()
    seen.wait_for(".gitignore", "out/o.py")
    seen.clear()
    (root / "out/o.py").write_text("3")
    seen.wait_for("out/o.py")


def test_symlinks_are_not_followed(tmp_path: Path, watch: Watch) -> None:
    outside, root = tmp_path / "outside", tmp_path / "root"
    outside.mkdir()
    root.mkdir()
    (root / "link").symlink_to(outside)
    (root / "loop").symlink_to(root)
    _, seen = watch(root)
    (outside / "secret.py").write_text("1")
    (root / "file.py").symlink_to(outside / "secret.py")
    (root / "mark.py").write_text("1")
    seen.wait_for("mark.py")
    assert seen.paths == {"mark.py"}


def test_a_nested_repository_is_left_to_its_own_workspace(
    tmp_path: Path, watch: Watch, git: Git, new_repository: NewRepository
) -> None:
    root = new_repository(tmp_path / "r")
    new_repository(root / "nested")
    (root / "plain").mkdir()
    (root / "plain/p.py").write_text("1")
    _, seen = watch(root)
    (root / "nested/a.py").write_text("2")
    (root / "mark.py").write_text("1")
    seen.wait_for("mark.py")
    assert seen.paths == {"mark.py"}
    git(root / "plain", "init", "-q")
    seen.wait_for("plain/p.py")


def test_events_that_never_came_are_found_by_comparing(
    tmp_path: Path, watch: Watch, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Notifier, "_paths", lambda self, raw: set())
    (tmp_path / "a.py").write_text("1")
    _, seen = watch(tmp_path, reconcile_seconds=0.2)
    (tmp_path / "a.py").write_text("2")
    (tmp_path / "b").mkdir()
    (tmp_path / "b/c.py").write_text("2")
    seen.wait_for("a.py", "b/c.py")


@pytest.mark.parametrize(
    ("error", "advice"),
    [
        (OSError("OS file watch limit reached. about [...]"), "max_user_watches"),
        (OSError("Error creating recommended watcher: Too many open files (os error 24)"), "max_user_instances"),
        (OSError("something else"), "something else"),
    ],
)
def test_without_notifications_it_polls_and_says_what_to_do(
    tmp_path: Path, watch: Watch, monkeypatch: pytest.MonkeyPatch, error: OSError, advice: str
) -> None:
    def refuse(*_: object, **__: object) -> Notifier:
        raise error

    monkeypatch.setattr(watch_module, "Notifier", refuse)
    (tmp_path / "a.py").write_text("1")
    watcher, seen = watch(tmp_path, poll_seconds=0.05)
    assert watcher.state == "polling"
    assert watcher.detail is not None
    assert advice in watcher.detail
    (tmp_path / "a.py").write_text("22")
    (tmp_path / "new").mkdir()
    (tmp_path / "new/b.py").write_text("1")
    seen.wait_for("a.py", "new/b.py")


def test_watcher_returns_to_notifications(tmp_path: Path, watch: Watch, monkeypatch: pytest.MonkeyPatch) -> None:
    refused: list[int] = []

    def refuse_twice(*arguments: object, **options: object) -> Notifier:
        if len(refused) < 2:
            refused.append(1)
            raise OSError("OS file watch limit reached.")
        return Notifier(*arguments, **options)  # type: ignore[arg-type]

    monkeypatch.setattr(watch_module, "Notifier", refuse_twice)
    watcher, seen = watch(tmp_path, poll_seconds=0.05, reconcile_seconds=0.1)
    becomes(watcher, "own")
    (tmp_path / "a.py").write_text("1")
    seen.wait_for("a.py")


LIMITED = """
import sys, tempfile, pathlib
for path in ("watches", "instances"):
    if path == sys.argv[1]:
        pathlib.Path(f"/proc/sys/user/max_inotify_{path}").write_text(sys.argv[2])
from sidecar.checkout.tree import Tree
from sidecar.checkout.watch import Watcher
root = pathlib.Path(tempfile.mkdtemp())
for index in range(20):
    (root / str(index)).mkdir()
watcher = Watcher(Tree(root), lambda changed: print(sorted(changed), flush=True), poll_seconds=0.05)
watcher.start()
watcher.ready.wait(90)
print(watcher.state, watcher.detail, flush=True)
watcher.stop()
"""


@pytest.mark.skipif(sys.platform != "linux", reason="inotify is Linux's")
@pytest.mark.parametrize(("kind", "limit"), [("watches", "10"), ("instances", "0")])
def test_a_real_limit_of_the_system(kind: str, limit: str) -> None:
    allowed = subprocess.run(["unshare", "-Ur", "true"], capture_output=True, check=False)
    if allowed.returncode != 0:
        pytest.skip("no user namespaces here")
    done = subprocess.run(
        ["unshare", "-Ur", sys.executable, "-c", LIMITED, kind, limit],
        capture_output=True,
        text=True,
        check=False,
        cwd=Path(__file__).parents[2],
        timeout=180,
    )
    assert done.stdout.startswith("polling"), done.stdout + done.stderr
    assert f"max_user_{kind}" in done.stdout


def test_a_deleted_workspace_comes_back(tmp_path: Path, watch: Watch) -> None:
    root = tmp_path / "root"
    root.mkdir()
    (root / "a.py").write_text("1")
    watcher, seen = watch(root, poll_seconds=0.05)
    shutil.rmtree(root)
    seen.wait_for("a.py")
    thread = next((thread for thread in threading.enumerate() if thread.name == "watch"), None)
    assert thread is not None
    assert thread.ident is not None
    becomes(watcher, "polling")
    assert "does not exist" in str(watcher.detail)
    own_time = time.pthread_getcpuclockid(thread.ident)
    before, began = time.clock_gettime(own_time), time.monotonic()
    time.sleep(0.5)
    spent, passed = time.clock_gettime(own_time) - before, time.monotonic() - began
    assert spent < 0.4 * passed, "it spins"
    seen.clear()
    root.mkdir()
    (root / "b.py").write_text("1")
    seen.wait_for("b.py")
    seen.clear()
    (root / "b.py").write_text("2")
    seen.wait_for("b.py")


def test_a_replaced_workspace_folder_is_watched_again(tmp_path: Path, watch: Watch) -> None:
    root = tmp_path / "root"
    root.mkdir()
    (root / "a.py").write_text("1")
    _, seen = watch(root)
    root.rename(tmp_path / "away")
    root.mkdir()
    (root / "b.py").write_text("1")
    seen.wait_for("a.py", "b.py")
    (root / "c.py").write_text("1")
    seen.wait_for("c.py")


def test_an_exception_of_the_callback_is_survived(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    seen = Seen()
    failing = [True]

    def on_change(changed: frozenset[str]) -> None:
        seen(changed)
        if failing:
            failing.clear()
            raise RuntimeError("broken")

    watcher = Watcher(Tree(tmp_path), on_change)
    watcher.start()
    try:
        assert watcher.ready.wait(PATIENCE)
        (tmp_path / "a.py").write_text("1")
        seen.wait_for("a.py")
        (tmp_path / "b.py").write_text("1")
        seen.wait_for("b.py")
    finally:
        watcher.stop()
    assert "could not be processed" in caplog.text


def test_a_failure_of_its_own_is_survived(tmp_path: Path, watch: Watch, monkeypatch: pytest.MonkeyPatch) -> None:
    _, seen = watch(tmp_path, poll_seconds=0.05)
    real = Notifier.wait
    failed = threading.Event()

    def fail_once(self: Notifier, *arguments: object, **options: object) -> set[str]:
        if not failed.is_set():
            failed.set()
            raise RuntimeError("broken")
        return real(self, *arguments, **options)  # type: ignore[arg-type]

    monkeypatch.setattr(Notifier, "wait", fail_once)
    assert failed.wait(PATIENCE)
    (tmp_path / "a.py").write_text("1")
    seen.wait_for("a.py")


def test_starting_and_stopping_are_idempotent(tmp_path: Path) -> None:
    watcher = Watcher(Tree(tmp_path), lambda _: None)
    watcher.stop()
    assert watcher.state == "off"
    watcher = Watcher(Tree(tmp_path), lambda _: None)
    watcher.start()
    watcher.start()
    assert watcher.ready.wait(PATIENCE)
    watcher.stop()
    watcher.stop()
    with pytest.raises(RuntimeError, match="make a new one"):
        watcher.start()


def test_watcher_may_be_stopped_from_its_own_callback(tmp_path: Path) -> None:
    done = threading.Event()

    def on_change(changed: frozenset[str]) -> None:
        watcher.stop()
        done.set()

    watcher = Watcher(Tree(tmp_path), on_change)
    watcher.start()
    assert watcher.ready.wait(PATIENCE)
    thread = next((thread for thread in threading.enumerate() if thread.name == "watch"), None)
    (tmp_path / "a.py").write_text("1")
    assert done.wait(PATIENCE)
    assert thread is not None
    thread.join(PATIENCE)
    assert not thread.is_alive()


def test_a_missing_workspace_does_not_raise(tmp_path: Path, watch: Watch) -> None:
    watcher, _ = watch(tmp_path / "missing", poll_seconds=0.05)
    assert watcher.state == "polling"


def test_every_reason_is_one_sentence_with_advice() -> None:
    assert "sysctl" in explain_failure(OSError(28, "No space left on device"))
    assert "sysctl" in explain_failure(OSError(24, "Too many open files"))
    assert os.strerror(5) in explain_failure(OSError(5, os.strerror(5)))


def test_a_log_in_the_workspace_is_told_of_now_and_then(
    tmp_path: Path, watch: Watch, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "a.py").write_text("A = 1\n")
    (tmp_path / "server.log").write_text("begin\n")
    times: list[float] = []
    told_of_the_end = threading.Event()
    taken = Seen.__call__

    def counted(self: Seen, changed: frozenset[str]) -> None:
        if "server.log" in changed:
            times.append(time.monotonic())
            if (tmp_path / "server.log").read_text().endswith("end\n"):
                told_of_the_end.set()
        taken(self, changed)

    monkeypatch.setattr(Seen, "__call__", counted)
    _, seen = watch(tmp_path)
    began = time.monotonic()
    lines = 0
    while len(times) < BURST and time.monotonic() - began < PATIENCE:
        lines += 1
        with (tmp_path / "server.log").open("a") as log:
            log.write(f"line {lines}\n")
        time.sleep(0.01)
    seen.clear()
    with (tmp_path / "server.log").open("a") as log:
        log.write("end\n")
    (tmp_path / "a.py").write_text("A = 2\n")
    seen.wait_for("a.py", "server.log")
    assert told_of_the_end.wait(PATIENCE)  # the last change is reported, however late
    assert len(times) <= BURST + 1 + (time.monotonic() - began) / REFILL_SECONDS
