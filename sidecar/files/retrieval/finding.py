"""The files that a text is about: by their words, by similar commits, and by the names in the text.

The weights were chosen on commits of eleven repositories in nine languages (`tests/bench/file_retrieval.py`). Counting
what a file refers to helped two issues of 32 and lost on commits (`tests/bench/README.md`, Finding files).
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Collection, Mapping
from heapq import heappush, heappushpop, nsmallest
from typing import Final, NamedTuple

from sidecar.files.kinds import SourceKind, asked_for
from sidecar.files.retrieval.commit_index import CommitIndex
from sidecar.files.retrieval.places import Places
from sidecar.files.retrieval.source_index import SourceIndex
from sidecar.text.words import query_terms

VOTE_WEIGHT: Final = 0.5  # weight of the similar commits that touched a file, against 1 for the file's own words
NAMED_BONUS: Final = 0.5  # added to the score of a file that the text names
# Weights of a file's words by its kind: a change log mentions everything and is seldom wanted.
PRIOR: Final[dict[SourceKind, float]] = {"source": 1.0, "test": 1.0, "docs": 0.5, "other": 0.5}

UNASKED_FACTOR: Final = 0.1  # factor of a kind other than source if nothing in the text speaks for it
ASKED_FACTOR: Final = 2.0  # the same factor if everything in the text speaks for it
ASKED_ODDS: Final = 30.0  # multiplies the odds of a kind that the first line asks for
ODDS_POWER: Final = 1.5  # sharpens the odds of other kinds, which come from similar commits
KIND_SMOOTHING: Final = 0.05  # added to each kind's share of similar commits
SOURCE_SHARE: Final = 0.2  # assumed if no commit is similar

NAMED_REASON: Final = "named in the text"
MAX_TERMS_SHOWN: Final = 4
MIN_VOTE_SHOWN: Final = 0.2


TITLE_WEIGHT: Final = 2  # weight of a term in the first line, against 1 elsewhere
MAX_CHARS: Final = 20_000
MAX_NAMES: Final = 200
_NAME: Final = re.compile(r"[\w$][\w$.+/\\-]*[./\\][\w$.+/\\-]*[\w$]")


class Query(NamedTuple):
    """What a text asks for."""

    weights: dict[str, float]  # by term
    named: frozenset[str]  # files that the text names
    kinds: frozenset[SourceKind]  # the kinds besides source that its first line asks for


def read_query(text: str, places: Places) -> Query:
    """Read the query in the first MAX_CHARS of a text. A repeated term counts by the logarithm of its number."""
    text = text[:MAX_CHARS].strip()
    title, _, rest = text.partition("\n")
    counts: Counter[str] = Counter()
    for term in query_terms(title):
        counts[term] += TITLE_WEIGHT
    for term in query_terms(rest) if rest else ():
        counts[term] += 1
    weights = {term: 1.0 + math.log(count) for term, count in counts.items()}
    named: dict[str, None] = {}
    for name in dict.fromkeys(_NAME.findall(text)):
        path = places.file_named(name)
        if path is not None:
            named[path] = None
        if len(named) >= MAX_NAMES:
            break
    return Query(weights, frozenset(named), asked_for(title))


class FoundFile(NamedTuple):
    """A file that a text may be about."""

    path: str
    score: float  # comparable within one answer only
    coverage: float  # share of the query's terms, weighted by idf, that the file contains
    reasons: tuple[str, ...]  # for people


def find_files(
    text: str,
    sources: SourceIndex,
    commits: CommitIndex,
    places: Places,
    limit: int,
    kinds: Collection[SourceKind] | None = None,
) -> list[FoundFile]:
    """Return at most `limit` files of `kinds` (None: of any) that a text is about, likeliest first."""
    query = read_query(text, places)
    scores = sources.index.scores(query.weights)
    top = max(scores.values(), default=0.0) or 1.0
    similar = commits.similar(query.weights)
    votes = commits.votes(similar, places)
    parts = _parts(query.kinds, commits.kinds(similar))
    most = max(parts.values())
    total: dict[str, float] = {}
    top_totals: list[float] = []  # the best `limit` totals, as a heap

    def add(path: str) -> None:
        kind = sources.kind(path)
        if path in total or kind is None or (kinds is not None and kind not in kinds):
            return
        score = PRIOR[kind] * scores.get(path, 0.0) / top
        if path in votes:
            score += VOTE_WEIGHT * votes[path].score
        score *= parts[kind]
        if path in query.named:
            score += NAMED_BONUS / math.sqrt(len(query.named))  # a traceback names ten files and means one or two
        total[path] = score
        (heappush if len(top_totals) < limit else heappushpop)(top_totals, score)

    for path in {*votes, *query.named}:
        add(path)
    for path in sorted(scores, key=scores.__getitem__, reverse=True):
        if len(top_totals) == limit > 0 and scores[path] / top * most < top_totals[0]:
            break  # neither this file nor a later one can be among the best
        add(path)
    best = nsmallest(limit, total, key=lambda path: (-total[path], path))
    mass = math.fsum(sources.index.idf(term) for term in query.weights) or 1.0
    files: list[FoundFile] = []
    for path in best:
        terms = sources.index.held_terms(path, query.weights)
        coverage = math.fsum(map(sources.index.idf, terms)) / mass
        reasons = _terms(query, sources, terms)
        if path in query.named:
            reasons.insert(0, NAMED_REASON)
        if path in votes and votes[path].score >= MIN_VOTE_SHOWN:
            reasons.append(f"similar commit {votes[path].commit[:10]}")
        files.append(FoundFile(path, round(total[path], 4), round(min(coverage, 1.0), 4), tuple(reasons)))
    return files


def _parts(kinds: Collection[SourceKind], shares: Mapping[SourceKind, float]) -> dict[SourceKind, float]:
    """Return the weight of each kind: 1 for source; for others what the query and similar commits say."""
    parts: dict[SourceKind, float] = {"source": 1.0}
    source = shares.get("source", 0.0 if shares else SOURCE_SHARE) + KIND_SMOOTHING
    for kind in ("test", "docs", "other"):
        odds = (shares.get(kind, 0.0) + KIND_SMOOTHING) / source
        odds = ASKED_ODDS * odds if kind in kinds else odds**ODDS_POWER
        parts[kind] = UNASKED_FACTOR + (ASKED_FACTOR - UNASKED_FACTOR) * odds / (1.0 + odds)
    return parts


def _terms(query: Query, sources: SourceIndex, terms: list[str]) -> list[str]:
    best = sorted(terms, key=lambda term: (-query.weights[term] * sources.index.idf(term), term))[:MAX_TERMS_SHOWN]
    return [f"says {', '.join(best)}"] if best else []
