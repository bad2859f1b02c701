"""What a briefing says often changes with its file, against the commits that came after.

    python -P tests/bench/changed_together.py REPOSITORY [REPOSITORY...] [--commits 5000]

The newest fifth of the commits of a repository are asked one by one, oldest first: for each file of a commit, the files
that the commits before it name (three at most, as in a briefing), and whether the commit touched them. Commits of more
than 30 files are left out. `named`: the share of files for which anything is named, of commits of two files or more.
`one right`: the share of those with at least one of the named files in the commit. `right`: the share of named files
that are; both also over all commits, those of one file included, where whatever is named is wrong. Files that are gone
are named here and would not be in a briefing.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import time
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from sidecar.checkout.history import History
from sidecar.engine.open_workspace import MAX_COMPANIONS
from sidecar.files.retrieval.commit_index import CommitIndex, Past


def measure(repository: Path, limit: int) -> tuple[Counter[str], float]:
    """Counts over one repository, and the most processor time that one file took (seconds)."""
    history, index = History(repository), CommitIndex()
    every = [Past(*one) for one in history.commits(history.ancestors(limit) or []) or []][::-1]
    every = [one._replace(message="") for one in every if one.files]
    start = len(every) * 4 // 5
    index.add(every[:start])
    counts: Counter[str] = Counter()
    longest = 0.0
    for commit in every[start:]:
        multi = len(commit.files) > 1
        for path in commit.files:
            begun = time.thread_time()
            named = index.companions(path)[:MAX_COMPANIONS]
            longest = max(longest, time.thread_time() - begun)
            right = sum(one.path in commit.files for one in named)
            counts.update({"multi": multi, "right": right, "paths": len(named), "paths multi": multi * len(named)})
            if named:
                counts.update({"any": 1, "named": multi, "hit": right > 0})
        index.add([commit])
    return counts, longest


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser()
    parser.add_argument("repositories", type=Path, nargs="+")
    parser.add_argument("--commits", type=int, default=5_000)
    given = parser.parse_args()
    means: dict[str, list[float]] = {}
    for repository in given.repositories:
        counts, longest = measure(repository, given.commits)
        said: list[str] = []
        for label, part, whole in (
            ("named", "named", "multi"),
            ("one right", "hit", "named"),
            ("one right, all commits", "hit", "any"),
            ("right", "right", "paths multi"),
            ("right, all commits", "right", "paths"),
        ):
            if counts[whole]:
                share = 100 * counts[part] / counts[whole]
                means.setdefault(label, []).append(share)
                said.append(f"{label} {share:.1f}")
        name = (repository.parent if repository.name == "repo" else repository).name
        print(f"{name}: {counts['multi']} files; {'; '.join(said)}; most {1000 * longest:.1f} ms", flush=True)
    print("mean: " + "; ".join(f"{label} {statistics.fmean(each):.1f}" for label, each in means.items()))


if __name__ == "__main__":
    main()
