"""What past commits say about files: which files changed for similar reasons, and which changed together."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from heapq import nlargest
from typing import Final, NamedTuple

from sidecar.files.kinds import SourceKind, kind_by_name
from sidecar.files.retrieval.places import Places
from sidecar.files.retrieval.term_index import TermIndex
from sidecar.text.words import terms

MAX_VOTERS: Final = 40  # number of most similar commits whose votes count
SUBJECT_WEIGHT: Final = 4  # of a word, in halves
BODY_WEIGHT: Final = 2

LATEST_COMMITS: Final = 20
COMPANION_TIMES: Final = 4
COMPANION_SHARE: Final = 0.6
"""The least number of a file's LATEST_COMMITS newest commits, and their least share, in which a companion changed.

Measured in `tests/bench/README.md`.
"""

MAX_TIED_FILES: Final = 20  # a commit of more files does not tie its files together


class Past(NamedTuple):
    """One commit; `at` is in epoch milliseconds."""

    id: str
    at: int
    message: str
    files: tuple[str, ...]


class Vote(NamedTuple):
    """How strongly similar commits point to a file (0 to 1), and the commit that counts most."""

    score: float
    commit: str


class Companion(NamedTuple):
    """A file that changed in `times` of another file's newest `commits`."""

    path: str
    times: int
    commits: int


class CommitIndex:
    """Commits by id. Not thread-safe: guarded by the owner's lock."""

    def __init__(self) -> None:
        self._index = TermIndex()
        self._commits: dict[str, Past] = {}
        self._touching: dict[str, dict[str, None]] = defaultdict(dict)  # commit ids by file

    def __len__(self) -> int:
        return len(self._commits)

    def keep_only(self, ids: Iterable[str]) -> list[str]:
        """Forget all commits but these; return those of `ids` that are unknown, in order."""
        wanted = dict.fromkeys(ids)
        for id in [id for id in self._commits if id not in wanted]:
            for file in self._commits.pop(id).files:
                self._touching[file].pop(id, None)
            self._index.remove(id)
        return [id for id in wanted if id not in self._commits]

    def add(self, commits: Iterable[Past]) -> None:
        """Index commits. A commit without files is remembered, so that it is not read again."""
        for commit in commits:
            self._commits[commit.id] = commit
            for file in commit.files:
                self._touching[file][commit.id] = None
            if commit.files:
                self._index.put(commit.id, _frequencies(commit))

    def similar(self, query: Mapping[str, float]) -> list[tuple[str, float]]:
        scores = self._index.scores(query)
        return sorted(scores.items(), key=lambda pair: (-pair[1], pair[0]))[:MAX_VOTERS]

    def kinds(self, similar: Iterable[tuple[str, float]]) -> dict[SourceKind, float]:
        """Return the share of each kind of file in these commits. A commit that touches any source counts as source."""
        shares: dict[SourceKind, float] = defaultdict(float)
        for id, score in similar:
            touched = [kind_by_name(file) for file in self._commits[id].files]
            shares["source" if "source" in touched else max(touched, key=touched.count)] += score * score
        total = sum(shares.values())
        return {kind: share / total for kind, share in shares.items()}

    def votes(self, similar: Iterable[tuple[str, float]], places: Places) -> dict[str, Vote]:
        shares: dict[str, float] = defaultdict(float)
        most: dict[str, tuple[float, str]] = {}
        for id, score in similar:
            files = self._commits[id].files
            share = score * score / math.sqrt(len(files))
            for file in files:
                path = places.present_path(file)
                if path is not None:
                    shares[path] += share
                    most[path] = max(most.get(path, (0.0, "")), (share, id))
        top = max(shares.values(), default=0.0)
        return {path: Vote(score / top, most[path][1]) for path, score in shares.items()} if top else {}

    def companions(self, path: str) -> list[Companion]:
        """Return the files that changed in most of a file's newest commits. Very wide commits do not count."""
        commits = (self._commits[id] for id in self._touching.get(path, ()))
        narrow = (commit for commit in commits if len(commit.files) <= MAX_TIED_FILES)
        newest = nlargest(LATEST_COMMITS, narrow, key=lambda commit: (commit.at, commit.id))
        times = Counter(file for commit in newest for file in commit.files if file != path)
        least = max(COMPANION_TIMES, COMPANION_SHARE * len(newest))
        counts = sorted((-count, file) for file, count in times.items() if count >= least)
        return [Companion(file, -count, len(newest)) for count, file in counts]


def _frequencies(commit: Past) -> dict[str, int]:
    subject, _, body = commit.message.partition("\n")
    counts: dict[str, int] = defaultdict(int)
    for text, weight in ((subject, SUBJECT_WEIGHT), (body, BODY_WEIGHT)):
        for term in terms(text):
            counts[term] += weight
    return counts
