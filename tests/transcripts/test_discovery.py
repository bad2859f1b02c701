"""Which workspace a session belongs to."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from sidecar.transcripts.discovery import FoundSessions
from tests.client.git import git
from tests.transcripts.conftest import Write
from tests.transcripts.test_claude import entry


def test_only_sessions_of_the_workspace_are_found(
    tmp_path: Path, project: Path, write: Write, found: Callable[..., FoundSessions]
) -> None:
    git(project, "remote", "add", "origin", "https://example.org/a/shop.git")
    clone, tree, removed = tmp_path / "clone", tmp_path / "tree", tmp_path / "removed"
    git(tmp_path, "clone", "-q", str(project), str(clone))
    git(clone, "remote", "set-url", "origin", "git@example.org:a/shop.git")
    git(project, "worktree", "add", "-q", str(tree))
    namesake, nested = tmp_path / "other" / "shop", project / "vendor" / "lib"
    for folder in (namesake, nested):
        folder.mkdir(parents=True)
        git(folder, "init", "-q")
    places = {
        "top": project,
        "inside": project / "web",
        "gone": project / "was" / "here",
        "clone": clone,
        "tree": tree / "src",
        "namesake": namesake,
        "nested": nested,
        "above": tmp_path,
        "removed": removed,
        "relative": Path("shop"),
    }
    for number, (name, folder) in enumerate(places.items()):
        write(f".claude/projects/x/{name}.jsonl", [entry("user", "Hello.", 9 - number % 9, folder)])
    looked = found()
    assert {each.session_id for each in looked.here} == {"top", "inside", "gone", "clone", "tree"}
    assert looked.elsewhere == {str(each): 1 for each in (namesake, nested, tmp_path, removed, Path("shop"))}
    times = [each.started_at for each in looked.here]
    assert times == sorted(times)


def test_sessions_are_found_without_git(tmp_path: Path, home: Path, write: Write) -> None:
    from sidecar.transcripts.discovery import Checkouts, discover

    plain = tmp_path / "plain"
    (plain / "sub").mkdir(parents=True)
    for name, folder in (("a", plain), ("b", plain / "sub"), ("c", tmp_path)):
        write(f".claude/projects/x/{name}.jsonl", [entry("user", "Hello.", 1, folder)])
    assert {each.session_id for each in discover(Checkouts(plain, home), home, {}).here} == {"a", "b"}
