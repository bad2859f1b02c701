"""What past commits say: votes of similar ones, changes lately, changes together."""

from __future__ import annotations

from sidecar.files.retrieval.commit_index import CommitIndex, Companion, Past
from sidecar.files.retrieval.places import Places

DAY = 86_400_000
PLACES = Places(["src/pkg/parser.py", "src/pkg/cli.py", "src/pkg/old.py", "docs/index.md"])


def past(id: str, message: str, *files: str, at: int = 1_000 * DAY) -> Past:
    return Past(id * 40, at, message, files)


def index_of(*commits: Past) -> CommitIndex:
    index = CommitIndex()
    index.add(commits)
    return index


def test_similar_commits_vote_for_the_files_they_touched() -> None:
    index = index_of(
        past("a", "Fix parser for nested brackets", "src/pkg/parser.py"),
        past("b", "Parser: nested quotes", "src/pkg/parser.py", "src/pkg/cli.py"),
        past("c", "Update index page", "docs/index.md"),
    )
    votes = index.votes(index.similar({"parser": 1.0, "nest": 1.0}), PLACES)
    assert votes["src/pkg/parser.py"].score == 1.0
    assert 0 < votes["src/pkg/cli.py"].score < 1.0
    assert "docs/index.md" not in votes
    assert votes["src/pkg/parser.py"].commit in ("a" * 40, "b" * 40)


def test_files_that_moved_keep_their_votes_and_gone_ones_have_none() -> None:
    index = index_of(past("a", "Fix parser", "pkg/parser.py", "pkg/removed.py"))
    assert set(index.votes(index.similar({"parser": 1.0}), PLACES)) == {"src/pkg/parser.py"}


def test_only_the_commits_that_are_kept_count() -> None:
    first, second = past("a", "Fix parser", "src/pkg/parser.py"), past("b", "Fix parser", "src/pkg/cli.py")
    index = index_of(first, second)
    assert index.keep_only([second.id, "f" * 40]) == ["f" * 40]
    assert set(index.votes(index.similar({"parser": 1.0}), PLACES)) == {"src/pkg/cli.py"}


def test_commits_without_files_are_known_and_say_nothing() -> None:
    index = index_of(past("a", "Reformat the parser"))
    assert index.keep_only(["a" * 40]) == []
    assert index.votes(index.similar({"parser": 1.0}), PLACES) == {}


def test_files_usually_changed_together_go_together() -> None:
    many = tuple(f"src/{number}.py" for number in range(30))
    index = index_of(
        *(past(f"o{number}", "x", "a.py", "old.py", at=number) for number in range(30)),
        *(past(f"b{number}", "x", "a.py", "b.py", at=DAY + number) for number in range(13)),
        *(past(f"c{number}", "x", "a.py", "c.py", at=2 * DAY + number) for number in range(7)),
        *(past(f"e{number}", "everything", "a.py", *many, at=3 * DAY) for number in range(9)),
        *(past(f"f{number}", "x", "few.py", "b.py", at=number) for number in range(3)),
    )
    assert index.companions("a.py") == [Companion("b.py", 13, 20)]
    assert index.companions("c.py") == [Companion("a.py", 7, 7)]
    assert index.companions("few.py") == []
    index.add([past(f"d{number}", "x", "a.py", "c.py", at=4 * DAY + number) for number in range(5)])
    assert index.companions("a.py") == [Companion("c.py", 12, 20)]
    assert index.companions("gone.py") == []
