"""A warm-up that is killed goes on where it stopped, and a large checkout is read without outlining every file."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from sidecar.checkout.tree import Tree
from sidecar.files.graph import repo_map
from sidecar.files.index import map_files
from sidecar.files.index.code_index import CodeIndex, IndexOptions
from sidecar.files.retrieval import stored_index
from sidecar.files.workers import warm, worker
from sidecar.files.workers.ranker import rank_in_process
from sidecar.files.workers.worker import Batch, Parsed
from sidecar.files.workspace_files import WorkspaceFiles
from sidecar.store.file_store import FileStore

COUNT = 40
SMALL = (
    (map_files, "SCANS_TOGETHER", 4),
    (stored_index, "IN_MEMORY", 4),
    (warm, "OUTLINED_AHEAD", 0),
    (warm, "FILES_PER_MESSAGE", 4),
)
KILLED = """
import os, signal, sys
from tests.files.index import test_cut_short as test
test.warmed(test.Path(sys.argv[1]), die_after=int(sys.argv[2]))
"""


class Steps:
    def __init__(self, die_after: int | None) -> None:
        self._die_after = die_after

    def step(self, done: int, total: int) -> None:
        if self._die_after is not None and done >= self._die_after:
            os.kill(os.getpid(), signal.SIGKILL)


SCANS = f"scans-{'0' * 16}"
"""The name under which the scans of the checkout are stored."""


def opened(root: Path) -> tuple[Tree, WorkspaceFiles, CodeIndex]:
    tree, store = Tree(root), FileStore.open(root.parent / "store")
    files = WorkspaceFiles(store, tree, "0" * 16)
    return tree, files, CodeIndex(files, tree, store, IndexOptions(workers=1))


def unranked(root: Path, die_after: int | None = None) -> tuple[WorkspaceFiles, CodeIndex]:
    """Read a checkout as a server does in the background; kill the process after `die_after` files, if given."""
    for module, name, value in SMALL:
        setattr(module, name, value)
    tree, files, code = opened(root)
    paths = files.survey.find(lambda: None)
    warm.warm(files, tree, paths, Steps(die_after).step, on_parsed=code.put_parsed)
    return files, code


def warmed(root: Path, die_after: int | None = None) -> tuple[WorkspaceFiles, CodeIndex]:
    """Read a checkout and rank its files."""
    files, code = unranked(root, die_after)
    code.prepare(lambda: None)
    return files, code


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for module, name, _ in SMALL:
        monkeypatch.setattr(module, name, getattr(module, name))  # put back what `warmed` sets
    root = tmp_path / "work"
    root.mkdir()
    for number in range(COUNT):
        (root / f"part{number}.py").write_text(f"def thing_number_{number}() -> None: ...\n")
    return root


@pytest.fixture
def read(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Names the files that are read from here on."""
    paths: list[str] = []
    parse = worker.parse

    def noted(batch: Batch) -> list[Parsed]:
        paths.extend(batch.paths)
        return parse(batch)

    monkeypatch.setattr(warm, "parse", noted)
    monkeypatch.setattr(map_files, "parse", noted)
    return paths


def killed(root: Path, after: int) -> None:
    process = subprocess.run([sys.executable, "-c", KILLED, str(root), str(after)], cwd=Path(__file__).parents[3])
    assert process.returncode == -9


def answers_of(code: CodeIndex) -> tuple[str, list[str]]:
    assert code.pending() == code.unscanned() == 0
    return code.draw_map(4_000).text, [file.path for file in code.find("thing number", COUNT + 9, None)]


def test_a_killed_warm_up_goes_on_where_it_stopped(root: Path, read: list[str]) -> None:
    killed(root, 24)
    stale = root / "part3.py"
    stale.write_text("def quite_another_thing() -> None: ...\n")
    (root / "part5.py").unlink()
    files, code = warmed(root)
    assert len(read) <= COUNT - 24 + 4  # those that were not yet stored, and the changed one
    assert "part3.py" in read
    drawn, found = answers_of(code)
    assert sorted(found) == sorted(f"part{number}.py" for number in range(COUNT) if number not in {3, 5})
    assert "quite_another_thing" in drawn
    assert "thing_number_3(" not in drawn
    assert "thing_number_5(" not in drawn
    assert drawn.count("def ") == COUNT - 1
    assert files.survey.paths() == set()


def test_scans_are_dropped_once_the_map_is_saved(root: Path, read: list[str]) -> None:
    killed(root, 24)
    _, code = warmed(root)
    store = FileStore.open(root.parent / "store")
    assert stored_index.names_of(store, SCANS) == []
    read.clear()
    _, again = warmed(root)
    assert read == []
    assert answers_of(again) == answers_of(code)


@pytest.mark.parametrize("damage", [lambda data: b"", lambda data: data[: len(data) // 2], lambda data: b"x" + data])
def test_scans_that_cannot_be_read_are_made_again(root: Path, read: list[str], damage: object) -> None:
    killed(root, 24)
    store = FileStore.open(root.parent / "store")
    names = stored_index.names_of(store, SCANS)
    assert names
    assert callable(damage)
    store.put_blobs({name: damage(store.get_blob(name)) for name in names})
    drawn, found = answers_of(warmed(root)[1])
    assert drawn.count("def ") == len(found) == COUNT


def test_files_read_without_outlines_are_outlined_when_asked(root: Path, read: list[str]) -> None:
    (root / "copy.py").write_bytes((root / "part1.py").read_bytes())
    files, code = warmed(root)
    assert files.count() == 0
    assert len(code.find("thing number", COUNT + 9, None)) == COUNT + 1
    assert "thing_number_7" in files.briefing("part7.py").text
    assert files.count() == 1
    place = root / "part7.py"
    place.write_text("def renamed_since() -> None: ...\n")
    assert files.update(["part7.py", "part8.py"]) == ["part7.py"]
    assert [file.path for file in code.find("renamed since", 3, None)] == ["part7.py"]
    read.clear()
    _, again = warmed(root)
    assert len(read) < 4  # too few for a segment, and without a stored outline
    assert "renamed_since" in answers_of(again)[0]


@pytest.fixture
def large(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make every checkout count as one that another process ranks."""
    for name in ("MAX_RANKED_AT_ONCE", "MAX_RANKED_HERE"):
        monkeypatch.setattr(repo_map, name, 4)


@pytest.mark.usefixtures("large")
def test_a_large_checkout_is_ranked_by_another_process_to_the_same_map(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (root / "part7.py").write_text("from part3 import thing_number_3\n\ndef caller() -> None:\n    thing_number_3()\n")
    _, code = unranked(root)
    assert code.unscanned() == COUNT - 4
    assert code.draw_map(4_000).text.count("def ") == 4
    assert code.unscanned() == COUNT - 4
    code.prepare(lambda: None)
    drawn, _ = answers_of(code)
    monkeypatch.setattr(repo_map, "MAX_RANKED_AT_ONCE", COUNT)
    shutil.rmtree(root.parent / "store")
    assert answers_of(warmed(root)[1])[0] == drawn


@pytest.mark.usefixtures("large")
def test_a_file_that_changes_while_another_process_ranks_is_shown_as_it_is(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def meanwhile(*given: object) -> bytes:
        graph = rank_in_process(*given)  # type: ignore[arg-type]
        (root / "part3.py").write_text("def quite_another_thing() -> None: ...\n")
        (root / "part5.py").unlink()
        (root / "new.py").write_text("def thing_made_meanwhile() -> None: ...\n")
        files.update(["part3.py", "part5.py", "new.py"])
        return graph

    monkeypatch.setattr(map_files, "rank_in_process", meanwhile)
    files, code = unranked(root)
    code.prepare(lambda: None)
    assert code.unscanned() == 0
    drawn = code.draw_map(4_000).text
    assert "quite_another_thing" in drawn
    assert "thing_made_meanwhile" in drawn
    assert "thing_number_3(" not in drawn
    assert "thing_number_5(" not in drawn
    assert drawn.count("def ") == COUNT


@pytest.mark.usefixtures("large")
def test_a_map_whose_ranking_failed_says_what_it_lacks(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONHOME", "/nowhere")
    _, code = warmed(root)
    assert code.unscanned() == COUNT - 4
    monkeypatch.delenv("PYTHONHOME")
    code.prepare(lambda: None)
    assert answers_of(code)[0].count("def ") == COUNT


def test_a_ranked_map_is_drawn_without_reading_a_file(
    root: Path, read: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(warm, "OUTLINED_AHEAD_OF_MANY", 0)
    monkeypatch.setattr(worker, "UNSKETCHED", 1)
    for name in ("MAX_RANKED_AT_ONCE", "MAX_RANKED_HERE"):
        monkeypatch.setattr(repo_map, name, 1)
    monkeypatch.setattr(map_files, "MAX_OUTLINED_HERE", COUNT)
    _, code = warmed(root)
    read.clear()
    assert "def thing_number_7" in code.draw_map(4_000).text
    assert read == []
