"""The directory form of MEMORY.md in real repositories: a page for each memory."""

from __future__ import annotations

import os
import time
from pathlib import Path

import msgspec
import pytest

from protocol import memories as wire
from sidecar.settings import Settings
from sidecar.settings.model import MemoryFileSettings
from tests.client.calling import EngineCalls
from tests.client.git import git
from tests.engine.conftest import MakeEngine
from tests.engine.memory_file_steps import contents, edit, entries, git_is_quiet, pages, place, record, status, stepped


@pytest.fixture
def directory(plain: Settings) -> Settings:
    return msgspec.structs.replace(plain, memory_file=MemoryFileSettings(mode="directory"))


def test_pages_are_made_edited_and_removed(make_engine: MakeEngine, repository: Path, directory: Settings) -> None:
    engine = make_engine(repository, settings=directory)
    record(engine, "The API listens on port 8080.", name="Ports", tags=["net"], category="fact")
    gone = record(engine, "The old cluster is in Frankfurt.", name="Cluster")
    stepped(engine, repository)
    first, second = pages(repository)
    assert first.name.startswith("cluster-")
    assert second.name.startswith("ports-")
    assert second.read_text() == (
        "---\nname: Ports\ntype: project\nscope: project\ncategory: fact\ntags:\n- net\n---\n\n"
        "The API listens on port 8080.\n"
    )
    assert git(repository, "status", "--porcelain") == ""
    edit(second, "8080", "9090")
    first.unlink()
    (first.parent / "mine.md").write_text("---\nname: Mine\nowner: ann\n---\nWritten by hand.\n")
    stepped(engine, repository)
    assert contents(engine) == ["The API listens on port 9090.", "Written by hand."]
    found = EngineCalls(engine).memory_get(wire.IdParams(id=gone.id))
    assert found.status == "archived"
    engine.call(
        "memory/update",
        msgspec.convert(
            {"id": record(engine, "Written by hand.", name="Mine").id, "content": "New."}, wire.UpdateParams
        ),
    )
    stepped(engine, repository)
    assert "owner: ann" in (first.parent / "mine.md").read_text()
    assert "New." in (first.parent / "mine.md").read_text()


def test_two_branches_that_recorded_merge_without_a_conflict(
    make_engine: MakeEngine, repository: Path, directory: Settings, tmp_path: Path
) -> None:
    clone = tmp_path / "clone"
    git(tmp_path, "clone", "-q", str(repository), str(clone))
    stores = {repository: tmp_path / "ann", clone: tmp_path / "bob"}
    engines = {}
    for folder, store in stores.items():
        own = msgspec.structs.replace(directory, store=msgspec.structs.replace(directory.store, folder=store))
        engines[folder] = make_engine(folder, settings=own)
        record(engines[folder], "Ask Ann before a release.", name="Releases")
        record(engines[folder], f"{folder.name} learned this.", name=f"Of {folder.name}")
        stepped(engines[folder], folder)
        git(folder, "checkout", "-qb", f"of-{folder.name}")
        git(folder, "add", "-f", ".agents")
        git(folder, "commit", "-qm", "memories")
    git(repository, "pull", "-q", "--no-rebase", "--no-edit", str(clone), "of-clone")
    assert len(pages(repository)) == 4
    stepped(engines[repository], repository)
    assert contents(engines[repository]) == ["Ask Ann before a release.", "clone learned this.", "repo learned this."]
    assert len(pages(repository)) == 3  # of the two on releases, the first by name stays
    git(repository, "add", "-fA", ".agents")
    git(repository, "commit", "-qm", "one page each")
    git(clone, "pull", "-q", "--no-rebase", "--no-edit", str(repository), "of-repo")
    stepped(engines[clone], clone)
    assert contents(engines[clone]) == contents(engines[repository])
    assert [page.name for page in pages(clone)] == [page.name for page in pages(repository)]
    assert git(clone, "status", "--porcelain") == ""


def test_a_branch_without_pages_archives_nothing_and_a_page_removed_by_hand_is_archived(
    make_engine: MakeEngine, repository: Path, directory: Settings
) -> None:
    git(repository, "commit", "-q", "--allow-empty", "-m", "before any memory")
    engine = make_engine(repository, settings=directory)
    first = record(engine, "The API listens on port 8080.", name="Ports")
    stepped(engine, repository)
    git(repository, "add", "-f", ".agents")
    git(repository, "commit", "-qm", "one")
    record(engine, "Ask Ann before a release.", name="Releases")
    stepped(engine, repository)
    git(repository, "add", "-f", ".agents")
    git(repository, "commit", "-qm", "two")
    record(engine, "Not committed.", name="New")
    stepped(engine, repository)
    everything = ["Ask Ann before a release.", "Not committed.", "The API listens on port 8080."]
    git(repository, "checkout", "-q", "HEAD~1")  # takes a page away while another one is not as committed
    stepped(engine, repository)
    assert contents(engine) == everything
    git(repository, "checkout", "-qf", "main~2")  # takes them all away
    stepped(engine, repository)
    assert contents(engine) == everything
    git(repository, "checkout", "-qf", "main")
    stepped(engine, repository)
    assert contents(engine) == everything
    next(page for page in pages(repository) if page.name.startswith("ports-")).unlink()
    next(page for page in pages(repository) if page.name.startswith("new-")).unlink()
    git_is_quiet(repository)
    stepped(engine, repository)
    assert contents(engine) == ["Ask Ann before a release."]
    git(repository, "commit", "-qam", "Ports are gone")
    found = EngineCalls(engine).memory_get(wire.IdParams(id=first.id))
    assert found.status == "archived"


def test_pages_that_a_checkout_takes_away_before_it_moves_head_archive_nothing(
    make_engine: MakeEngine, repository: Path, directory: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sidecar.checkout.hand_edits.BUSY_SECONDS", 600.0)  # a busy machine is slow
    engine = make_engine(repository, settings=directory)
    record(engine, "The API listens on port 8080.", name="Ports")
    stepped(engine, repository)
    git(repository, "add", "-f", ".agents")
    git(repository, "commit", "-qm", "one")
    (page,) = pages(repository)
    page.unlink()
    now = time.time()
    os.utime(repository / ".git" / "index", (now, now))
    stepped(engine, repository)
    assert contents(engine) == ["The API listens on port 8080."]
    assert "git may be writing" in (status(engine) or "")
    git_is_quiet(repository)
    stepped(engine, repository)
    assert contents(engine) == []


def test_a_page_in_conflict_is_left_alone_and_the_others_go_on(
    make_engine: MakeEngine, repository: Path, directory: Settings
) -> None:
    engine = make_engine(repository, settings=directory)
    record(engine, "The API listens on port 8080.", name="Ports")
    record(engine, "Ask Ann before a release.", name="Releases")
    stepped(engine, repository)
    ports, releases = pages(repository)
    text = ports.read_text() + "<<<<<<< HEAD\na\n=======\nb\n>>>>>>> x\n"
    ports.write_text(text)
    edit(releases, "Ann", "Bob")
    stepped(engine, repository)
    assert ports.read_text() == text
    assert contents(engine) == ["Ask Bob before a release.", "The API listens on port 8080."]
    assert "conflict markers" in str(status(engine))


def test_the_other_form_goes_when_it_is_as_it_was_written(
    make_engine: MakeEngine, repository: Path, plain: Settings, directory: Settings
) -> None:
    engine = make_engine(repository)
    record(engine, "The API listens on port 8080.")
    engine.close()
    second = make_engine(repository, settings=directory)
    stepped(second, repository)
    assert len(pages(repository)) == 1
    assert not place(repository).exists()
    second.close()
    third = make_engine(repository, settings=plain)
    stepped(third, repository)
    assert pages(repository) == []
    assert entries(repository) == ["- The API listens on port 8080."]
