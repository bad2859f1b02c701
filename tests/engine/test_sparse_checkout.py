"""A sparse checkout of a partial clone: missing files stay in memory, and nothing is fetched."""

from __future__ import annotations

from pathlib import Path

from protocol.files import FileSearchParams, FileSearchResult, RepoMapParams, RepoMapResult
from tests.client.calling import EngineCalls
from tests.client.git import git
from tests.engine.conftest import MakeEngine


def objects(clone: Path) -> list[str]:
    return sorted(str(path) for path in (clone / ".git" / "objects").rglob("*"))


def test_reading_ahead_fetches_nothing(tmp_path: Path, make_engine: MakeEngine) -> None:
    origin, clone = tmp_path / "origin", tmp_path / "clone"
    for part in ("near", "far"):
        (origin / part).mkdir(parents=True)
        for number in range(3):
            text = f"def {part}_parser_{number}(text): ...\n"
            (origin / part / f"{part}{number}.py").write_text(text)
    git(origin, "init", "-q")
    git(origin, "config", "uploadpack.allowFilter", "true")
    git(origin, "config", "uploadpack.allowAnySHA1InWant", "true")
    git(origin, "add", "-A")
    git(origin, "commit", "-qm", "Parse what is near and far")
    git(tmp_path, "clone", "-q", "--filter=blob:none", "--no-checkout", origin.as_uri(), str(clone))
    git(clone, "sparse-checkout", "set", "near")
    git(clone, "checkout", "-q")
    before = objects(clone)
    assert not (clone / "far").exists()

    engine = make_engine(clone)
    engine.warm_up()
    found = EngineCalls(engine).file_search(FileSearchParams(query="far parser"))
    drawn = EngineCalls(engine).workspace_repo_map(RepoMapParams())
    assert isinstance(found, FileSearchResult)
    assert isinstance(drawn, RepoMapResult)
    assert (found.pending, drawn.pending) == (0, 0)
    assert {item.path for item in found.items} <= {f"near/near{number}.py" for number in range(3)}
    assert "near_parser_1" in drawn.text
    assert "far" not in drawn.text
    assert objects(clone) == before
