"""Source first, and the other kinds when words, names or similar commits ask for them."""

from __future__ import annotations

import pytest

from sidecar.files.language import language_of
from sidecar.files.retrieval.commit_index import CommitIndex, Past
from sidecar.files.retrieval.finding import find_files
from sidecar.files.retrieval.places import Places
from sidecar.files.retrieval.source_index import Indexed, SourceIndex

SAYS = {
    "app/retry.py": {"retri": 3.0, "backoff": 2.0, "wait": 2.0},
    "tests/test_retry.py": {"retri": 9.0, "backoff": 4.0, "test": 3.0},
    "docs/retry.md": {"retri": 9.0, "backoff": 4.0, "document": 1.0},
    "CHANGELOG.md": {"retri": 5.0, "backoff": 5.0, "changelog": 3.0},
    ".github/workflows/ci.yml": {"retri": 5.0, "workflow": 2.0},
    "app/cache.py": {"cache": 3.0},
}


def halves(frequencies: dict[str, float]) -> dict[str, int]:
    return {term: int(2 * times) for term, times in frequencies.items()}


def first(text: str, *commits: Past) -> str:
    sources, past = SourceIndex(), CommitIndex()
    for path, frequencies in SAYS.items():
        sources.put(path, Indexed(("", language_of(path)), halves(frequencies)))
    past.add(commits)
    return find_files(text, sources, past, Places(SAYS), 5)[0].path


@pytest.mark.parametrize(
    ("text", "path"),
    [
        ("a retry waits too long, wrong backoff", "app/retry.py"),
        ("a retry waits too long\n\nThe docs say otherwise, and so do the tests in CI.", "app/retry.py"),
        ("add tests for the backoff of a retry", "tests/test_retry.py"),
        ("which documentation is there of a retry", "docs/retry.md"),
        ("mention the retry in the changelog", "CHANGELOG.md"),
        ("let the CI workflow retry", ".github/workflows/ci.yml"),
        ("cache: see tests/test_retry.py", "tests/test_retry.py"),
    ],
)
def test_files_that_a_text_asks_for_come_first(text: str, path: str) -> None:
    assert first(text) == path


def test_commits_about_one_kind_alone_ask_for_it() -> None:
    wording = Past("a" * 40, 1, "Word the backoff of a retry better", ("docs/retry.md",))
    assert first("reword what is said of backoff and retry", wording) == "docs/retry.md"
    both = wording._replace(files=("docs/retry.md", "app/retry.py"))
    assert first("reword what is said of backoff and retry", both) == "app/retry.py"


@pytest.mark.parametrize("text", ["retry the cache", "cache: see src/part7.py", "add tests for the cache"])
def test_few_files_are_the_first_of_all_that_are_found(text: str) -> None:
    sources, past, paths = SourceIndex(), CommitIndex(), []
    for number in range(200):
        paths.append(f"{('src', 'tests', 'docs')[number % 3]}/part{number}.{'md' if number % 3 == 2 else 'py'}")
        says = {"retri": 1.0 + number * 7 % 13, "cach": 1.0 + number * 5 % 11, "word": number * 3.0}
        sources.put(paths[-1], Indexed(("", language_of(paths[-1])), halves(says)))
    past.add([Past("a" * 40, 1, "Retry the cache", (paths[3], paths[150])), Past("b" * 40, 2, "Tests", (paths[31],))])
    everything = find_files(text, sources, past, Places(paths), 1_000)
    assert len(everything) == len(paths)
    for limit in (1, 5, 40):
        assert find_files(text, sources, past, Places(paths), limit) == everything[:limit]
