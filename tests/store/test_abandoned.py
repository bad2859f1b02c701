"""Abandoned journals of hooks and their locks; files of lines to which several processes append."""

from __future__ import annotations

import fcntl
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from sidecar.store.appended import append, replace
from sidecar.store.journals import remove_abandoned

NOW = 1_795_251_600_000
DAY = 86_400
USER = {"kind": "user", "text": "x"}


def put(path: Path, *lines: object, days: float) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    then = NOW / 1_000 - days * DAY
    os.utime(path, (then, then))
    return path


def test_journals_and_locks_long_out_of_use_are_removed(tmp_path: Path) -> None:
    hooks = tmp_path / "hooks"
    old = put(hooks / "a" / "s-1.jsonl", USER, days=91)
    put(hooks / "a" / "s-1.lock", days=91)
    alone = put(hooks / "b" / "s-2.lock", days=3)
    recent = put(hooks / "c" / "s-3.jsonl", USER, days=89)
    beside = put(hooks / "c" / "s-3.lock", days=89)
    new = put(hooks / "c" / "s-4.lock", days=1)
    other = put(hooks / "c" / "notes.txt", days=400)
    assert remove_abandoned(tmp_path, NOW) == 1
    assert not old.parent.exists()
    assert not alone.parent.exists()
    assert all(path.exists() for path in (recent, beside, new, other))
    assert remove_abandoned(tmp_path, NOW) == 0
    assert remove_abandoned(tmp_path / "nowhere", NOW) == 0


@pytest.mark.parametrize("suffix", [".lock", ".jsonl"])
def test_store_held_by_a_process_stays(tmp_path: Path, suffix: str) -> None:
    journal = put(tmp_path / "hooks" / "a" / "s-1.jsonl", USER, days=91)
    lock = put(tmp_path / "hooks" / "a" / "s-1.lock", days=91)
    with journal.with_suffix(suffix).open("rb") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        assert remove_abandoned(tmp_path, NOW) == 0
        assert journal.exists()
        assert lock.exists()
    assert remove_abandoned(tmp_path, NOW) == 1


APPENDING = """
import sys
from pathlib import Path
from sidecar.store.appended import append
for number in range(400):
    append(Path(sys.argv[1]), f"{sys.argv[2]}-{number}\\n".encode())
"""


def test_no_line_is_lost_while_a_file_is_rewritten(tmp_path: Path) -> None:
    path = tmp_path / "lines"
    append(path, b"first\n")
    writers = [
        subprocess.Popen([sys.executable, "-P", "-c", APPENDING, str(path), name], env={**os.environ}) for name in "ab"
    ]
    from sidecar.store.appended import open_locked

    rewritten = 0
    while any(writer.poll() is None for writer in writers):
        with open_locked(path, 100) as holding:
            assert holding is not None
            replace(path, path.read_bytes())
            rewritten += 1
    assert [writer.returncode for writer in writers] == [0, 0]
    assert rewritten > 1
    lines = path.read_text().split("\n")
    assert sorted(lines[1:-1]) == sorted(f"{name}-{number}" for name in "ab" for number in range(400))


def test_a_full_disk_leaves_whole_lines(tmp_path: Path) -> None:
    code = """
import resource, signal, sys
from pathlib import Path
from sidecar.store.appended import append
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (100, resource.RLIM_INFINITY))
path = Path(sys.argv[1])
append(path, b"a" * 79 + b"\\n")
try:
    append(path, b"b" * 79 + b"\\n")
except OSError:
    resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
    append(path, b"c" * 79 + b"\\n")
"""
    path = tmp_path / "lines"
    subprocess.run([sys.executable, "-P", "-c", code, str(path)], check=True, env={**os.environ})
    assert [line[:1] for line in path.read_text().splitlines()] == ["a", "c"]
    with path.open("ab") as file:
        file.write(b"torn")
    append(path, b"d\n")
    assert path.read_text().splitlines()[2:] == ["torn", "d"]
