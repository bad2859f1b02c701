"""What the next process is spared, and what one edit of a large checkout no longer costs."""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path

import pytest

from sidecar.checkout import walk
from sidecar.checkout.tree import Tree
from sidecar.files import pointers
from sidecar.files.graph import repo_map
from sidecar.files.graph.node import FileLinks, Node
from sidecar.files.graph.ranking import Ranked, rank
from sidecar.files.index.code_index import CodeIndex, IndexOptions
from sidecar.files.workspace_files import WorkspaceFiles
from sidecar.store.file_store import FileStore

FILES = {
    "app/core.py": "class RequestEngine:\n    def run_request(self, url: str) -> str:\n        return url\n",
    "app/web.py": "from app.core import RequestEngine\n\ndef serve() -> None:\n    RequestEngine().run_request('x')\n",
}


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(walk, "SETTLED_NS", 0)
    for name, text in FILES.items():
        place = tmp_path / "work" / name
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text)
    time.sleep(0.02)  # a tick of the clock that stamps folders
    return tmp_path / "work"


def opened(root: Path) -> tuple[WorkspaceFiles, CodeIndex]:
    tree, store = Tree(root), FileStore.open(root.parent / "store")
    files = WorkspaceFiles(store, tree, "0" * 16)
    return files, CodeIndex(files, tree, store, IndexOptions(workers=1, save_at_once=True))


def test_folders_are_listed_by_the_first_process_only(root: Path) -> None:
    assert set(opened(root)[0].survey.find(lambda: None)) == set(FILES)
    files, _ = opened(root)
    files.snapshot.all_files(lambda: None)  # as the watcher may do first
    assert set(files.survey.find(lambda: None)) == set(FILES)
    assert files.snapshot.listings.renewed == 0
    (root / "app/new.py").write_text("NEW = 1\n")
    files, _ = opened(root)
    assert set(files.survey.find(lambda: None)) == {*FILES, "app/new.py"}


def test_the_next_process_reads_all_pointers_in_one_piece(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    files, code = opened(root)
    files.survey.find(lambda: None)
    code.draw_map(1_000)
    found = files.pointers.current()
    store = FileStore.open(root.parent / "store")
    assert store.pointers("0" * 16)[1] == len(FILES)
    assert opened(root)[0].pointers.current() == found  # as an earlier version left them, a row for each
    monkeypatch.setattr(pointers, "MANY_UNFOLDED", 1)
    code.prepare(lambda: None)
    assert store.pointers("0" * 16)[1] == 0
    (root / "app/core.py").write_text("def other() -> None: ...\n")
    (root / "app/web.py").unlink()
    later, _ = opened(root)
    assert later.pointers.current() == found
    assert later.survey.find(lambda: None) == ["app/core.py"]
    assert later.pointers.current().keys() == {"app/core.py"}
    assert later.pointers.history("app/web.py") == (found["app/web.py"][0],)


def test_a_large_map_is_ranked_again_after_many_edits_only(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("MAX_RANKED_AT_ONCE", "MAX_RANKED_HERE"):
        monkeypatch.setattr(repo_map, name, 1)
    files, code = opened(root)
    code.prepare(lambda: None)
    ranks: list[int] = []

    def counted(nodes: Sequence[Node], outs: Sequence[FileLinks]) -> Ranked:
        ranks.append(len(nodes))
        return rank(nodes, outs)

    monkeypatch.setattr("sidecar.files.graph.repo_map.rank", counted)

    def edit(number: int) -> None:
        (root / f"app/new{number}.py").write_text(f"def brand_new_{number}() -> None: ...\n")
        files.update([f"app/new{number}.py"])
        code.prepare(lambda: None)

    edit(0)
    assert ranks == []
    assert "brand_new_0" in code.draw_map(1_000).text
    for number in range(1, repo_map.MIN_CHANGED_TO_RANK):
        edit(number)
    assert ranks == [len(FILES) + repo_map.MIN_CHANGED_TO_RANK]
    monkeypatch.setattr(repo_map, "RANKING_INTERVAL_SECONDS", 0.0)
    edit(repo_map.MIN_CHANGED_TO_RANK)
    assert len(ranks) == 2


def test_content_is_found_first_where_it_came_last(root: Path) -> None:
    files, code = opened(root)
    code.prepare(lambda: None)
    (root / "zoo.py").write_text(FILES["app/core.py"])
    files.update(["zoo.py"])
    hash = files.pointers.current()["zoo.py"][0]
    assert files.pointers.paths_of(hash) == ["zoo.py", "app/core.py"]
