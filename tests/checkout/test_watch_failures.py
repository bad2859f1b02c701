"""The watcher finds changes without notifications, and goes on after failures."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from sidecar.checkout import watch as watch_module
from sidecar.checkout.folder_events import FolderEvents, explain_failure
from sidecar.checkout.tree import Tree
from sidecar.checkout.watch import MAX_BURST, REFILL_SECONDS, Watcher
from tests.checkout.watching import PATIENCE, Seen, Watch, becomes

pytestmark = pytest.mark.long


def test_changes_without_events_are_found_by_comparing(
    tmp_path: Path, watch: Watch, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(FolderEvents, "_paths", lambda self, raw: set())
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
def test_a_watcher_without_notifications_polls_and_gives_advice(
    tmp_path: Path, watch: Watch, monkeypatch: pytest.MonkeyPatch, error: OSError, advice: str
) -> None:
    def refuse(*_: object, **__: object) -> FolderEvents:
        raise error

    monkeypatch.setattr(watch_module, "FolderEvents", refuse)
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

    def refuse_twice(*arguments: object, **options: object) -> FolderEvents:
        if len(refused) < 2:
            refused.append(1)
            raise OSError("OS file watch limit reached.")
        return FolderEvents(*arguments, **options)  # type: ignore[arg-type]

    monkeypatch.setattr(watch_module, "FolderEvents", refuse_twice)
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
def test_a_real_limit_of_inotify_makes_the_watcher_poll(kind: str, limit: str) -> None:
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


def test_a_watcher_goes_on_after_an_exception_of_its_callback(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
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


def test_a_watcher_goes_on_after_its_own_failure(tmp_path: Path, watch: Watch, monkeypatch: pytest.MonkeyPatch) -> None:
    _, seen = watch(tmp_path, poll_seconds=0.05)
    real = FolderEvents.wait
    failed = threading.Event()

    def fail_once(self: FolderEvents, *arguments: object, **options: object) -> set[str]:
        if not failed.is_set():
            failed.set()
            raise RuntimeError("broken")
        return real(self, *arguments, **options)  # type: ignore[arg-type]

    monkeypatch.setattr(FolderEvents, "wait", fail_once)
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


def test_a_missing_workspace_is_polled(tmp_path: Path, watch: Watch) -> None:
    watcher, _ = watch(tmp_path / "missing", poll_seconds=0.05)
    assert watcher.state == "polling"


def test_a_failure_to_watch_is_explained_with_advice() -> None:
    assert "sysctl" in explain_failure(OSError(28, "No space left on device"))
    assert "sysctl" in explain_failure(OSError(24, "Too many open files"))
    assert os.strerror(5) in explain_failure(OSError(5, os.strerror(5)))


def test_a_constantly_written_log_is_reported_seldom_and_at_its_end(tmp_path: Path, watch: Watch) -> None:
    (tmp_path / "a.py").write_text("A = 1\n")
    (tmp_path / "server.log").write_text("begin\n")
    times: list[float] = []
    reported_end = threading.Event()

    class CountingSeen(Seen):
        def __call__(self, changed: frozenset[str]) -> None:
            if "server.log" in changed:
                times.append(time.monotonic())
                if (tmp_path / "server.log").read_text().endswith("end\n"):
                    reported_end.set()
            super().__call__(changed)

    _, seen = watch(tmp_path, CountingSeen())
    began = time.monotonic()
    lines = 0
    while len(times) < MAX_BURST and time.monotonic() - began < PATIENCE:
        lines += 1
        with (tmp_path / "server.log").open("a") as log:
            log.write(f"line {lines}\n")
        time.sleep(0.01)
    seen.clear()
    with (tmp_path / "server.log").open("a") as log:
        log.write("end\n")
    (tmp_path / "a.py").write_text("A = 2\n")
    seen.wait_for("a.py", "server.log")
    assert reported_end.wait(PATIENCE)  # the last change is reported, however late
    assert len(times) <= MAX_BURST + 1 + (time.monotonic() - began) / REFILL_SECONDS
