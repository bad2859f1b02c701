"""Finding the files that a commit touched from its message, or from the issue that it fixed, on any git repository.

    python tests/bench/commit_retrieval.py REPOSITORY [REPOSITORY...] [--cases 60] [--issues FILE] [--variants]

The cases of a repository are its newest commits that are no merge, touch one to five source files that were there
before, and say at least six words. Each is asked of the tree and the past as of its parent, through the engine's
`file/search` with tests left out. The commit itself is never among what is searched: HEAD is its parent, and the
bench ends with an error when the index holds the commit. A commit whose subject an ancestor has as well (taken over
from another branch) is left out, since the past would give it away. The repository is cloned with shared objects, and
the clone steps from parent to parent, oldest first, so that only what differs is read anew.

A message is asked in two forms: `clean`, without paths and names of files and without trailers, and `whole`. With
`--issues`, each line of FILE names a `repository` (the folder's name), an `issue` number and its `text`; the cases are
then the commits whose messages say that they fix such an issue, with the same limits on files, and the text is asked.

Acc@k: the share of cases with a touched file among the k best. recall@5: the mean share of the touched files that are
among the five best. MRR: the mean of one by the place of the first, of ten. Intervals are those of 95 % of 2,000
resamples of the cases.
"""

from __future__ import annotations

import argparse
import json
import random
import re
import statistics
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Final, NamedTuple, cast

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from protocol.files import FileKind, FileSearchParams, FileSearchResult
from sidecar.engine.engine import Engine
from sidecar.engine.open_workspace import OpenWorkspace
from sidecar.engine.options import EngineOptions
from sidecar.files.kinds import kind_of
from sidecar.files.language import language_of
from sidecar.files.retrieval import finding, past
from sidecar.settings import Settings
from sidecar.settings.model import FileSettings, StoreSettings, WatchSettings

KS: Final = (1, 5, 10)
SHOWN: Final[tuple[FileKind, ...]] = ("source", "docs", "other")
past.REFRESH_SECONDS = 3_600.0  # type: ignore[misc]
MAX_WEIGHED: Final = 6_000
MAX_FILES: Final = 20
MIN_WORDS: Final = 6
RESAMPLES: Final = 2_000
VARIANTS: Final[dict[str, dict[str, float]]] = {
    "without similar commits": {"VOTE": 0.0},
    "without names in the text": {"NAMED": 0.0},
    "words alone": {"VOTE": 0.0, "NAMED": 0.0},
}

_ROUTINE: Final = re.compile(
    r"(?:\w+\([^)]*\): *)?(?:chore\b|bump|merge|releas|revert|version|prepare|update (?:dep|ver|change)|v?\d+\.\d)",
    re.IGNORECASE,
)
_BOT: Final = re.compile(r"\[bot\]|pre-commit-ci|dependabot|renovate", re.IGNORECASE)
_TRAILER: Final = re.compile(r"^(?:[A-Z][A-Za-z]+(?:-[A-Za-z]+)+:|\(cherry picked|git-svn-id|---+$)")
_FIXES: Final = re.compile(r"\b(?:fix|close|resolve)(?:[sd]|es|ed)?:?\s+(?:issue\s+)?(?:gh-|#)(\d+)", re.IGNORECASE)
_PATH: Final = re.compile(r"`?[\w.@+-]*(?:[/\\][\w.@+-]+)+`?|\b[\w-]+(?:\.[\w-]+)*\.[A-Za-z]\w{0,9}\b")
_WORD: Final = re.compile(r"[^\W\d_]{2,}")


class Case(NamedTuple):
    """What is asked of the parent of a commit, and the source files that the commit touched there."""

    commit: str
    parent: str
    texts: dict[str, str]
    gold: frozenset[str]


class Answer(NamedTuple):
    """The places (from 0) at which gold files were found, and how many there are."""

    places: tuple[int, ...]
    gold: int


def git(repository: Path, *arguments: str) -> str:
    """What git prints."""
    done = subprocess.run(["git", "-C", repository, *arguments], check=True, capture_output=True)
    return done.stdout.decode("utf-8", "replace")


def cases_of(repository: Path, count: int, issues: dict[str, str] | None = None) -> list[Case]:
    """The newest cases, oldest first; with `issues` (text by number), those that fix one of them."""
    marked = "--format=%x01%H%x00%P%x00%an%x00%B%x00"
    told = git(repository, "log", "--no-merges", f"--max-count={MAX_WEIGHED}", "--topo-order", "--raw",
               "--no-renames", "--no-abbrev", "-z", marked)  # fmt: skip
    found: list[Case] = []
    seen: set[str] = set()  # of issues: the newest commit that fixes one is the one asked for
    for part in told.split("\x01")[1:]:
        commit, parent, author, message, rest = part.split("\0", 4)
        fields = [field.strip("\n") for field in rest.split("\0") if field.strip("\n")]
        changed = [(fields[at].split()[-1], fields[at + 1]) for at in range(0, len(fields) - 1, 2)]
        gold = {path for state, path in changed if kind_of(path, language_of(path)) == "source" and state == "M"}
        if not parent or not 1 <= len(gold) <= 5 or len(changed) > MAX_FILES or _BOT.search(author):
            continue
        message = without_trailers(message)
        if issues is not None:
            fixed = [one for one in dict.fromkeys(_FIXES.findall(message)) if one in issues and one not in seen]
            if len(fixed) != 1:
                continue
            seen.update(fixed)
            texts = {"issue": issues[fixed[0]]}
        else:
            clean = without_paths(message)
            if _ROUTINE.match(message) or len(_WORD.findall(clean)) < MIN_WORDS:
                continue
            texts = {"clean": clean, "whole": message}
        if not taken_over(repository, commit, message.partition("\n")[0]):
            found.append(Case(commit, parent, texts, frozenset(gold)))
        if len(found) == count:
            break
    return found[::-1]


def without_trailers(message: str) -> str:
    """What a person said."""
    return "\n".join(line for line in message.splitlines() if not _TRAILER.match(line)).strip()


def without_paths(text: str) -> str:
    """A text without paths and names of files."""
    return _PATH.sub(" ", text).strip()


def taken_over(repository: Path, commit: str, subject: str) -> bool:
    """Whether an ancestor has the same subject but for the number of a request."""
    plain = re.sub(r"\s*\(#\d+\)", "", subject).strip()
    same = git(repository, "log", "--format=%s", "--fixed-strings", f"--grep={plain}", "--max-count=20",
               "--since=5.years", f"{commit}^")  # fmt: skip
    return any(re.sub(r"\s*\(#\d+\)", "", line).strip() == plain for line in same.splitlines())


def walk(repository: Path, cases: Sequence[Case]) -> Iterator[tuple[Engine, OpenWorkspace, Case]]:
    """An engine at the parent of each case in turn, up to date."""
    with tempfile.TemporaryDirectory(prefix="commits-") as made:
        top = Path(made, "checkout")
        subprocess.run(["git", "clone", "-q", "--shared", "--no-checkout", repository, top], check=True)
        git(top, "checkout", "-q", "--detach", cases[0].parent)
        settings = Settings(
            store=StoreSettings(folder=Path(made, "store")), watch=WatchSettings(mode="off"), files=FileSettings()
        )
        engine = Engine(settings, EngineOptions(short_lived=True))
        try:
            workspace = engine.lifecycle.add_workspace(top)
            before = cases[0].parent
            for case in cases:
                if case.parent != before:
                    changed = git(top, "diff", "--name-only", "--no-renames", "-z", before, case.parent).split("\0")
                    git(top, "checkout", "-q", "--detach", case.parent)
                    workspace.open().files.update([str(top / path) for path in changed if path])
                    before = case.parent
                engine.warm_up()
                opened = workspace.open()
                search(engine, "x")
                ensure_honest(opened, top, case)
                yield engine, opened, case
        finally:
            engine.close()


def ensure_honest(opened: OpenWorkspace, top: Path, case: Case) -> None:
    """Raises SystemExit when the commit, or any that is no ancestor of it, could be found by a search."""
    assert opened.is_enabled
    past = opened.index.past
    if git(top, "rev-parse", "HEAD").strip() != case.parent or past.state != "ready":
        raise SystemExit(f"{case.commit}: the past is not that of its parent")
    ancestors = set(git(top, "rev-list", case.parent).split())
    known = set(past.index._commits)
    if case.commit in known or not known or not known <= ancestors:
        raise SystemExit(f"{case.commit} or a commit after its parent is in the index")
    missing = [path for path in case.gold if not (top / path).is_file()]
    if missing:
        raise SystemExit(f"{case.commit}: {missing[0]} is not there")


def search(engine: Engine, text: str) -> list[str]:
    """Paths that `file/search` answers."""
    params = FileSearchParams(query=text, limit=max(KS), kinds=list(SHOWN))
    return [item.path for item in cast(FileSearchResult, engine.call("file/search", params)).items]


def answered(found: Sequence[str], gold: Iterable[str]) -> Answer:
    """Where the gold files are in what was found."""
    wanted = frozenset(gold)
    return Answer(tuple(at for at, path in enumerate(found) if path in wanted), len(wanted))


def accuracy(k: int) -> Callable[[Answer], float]:
    """Whether a gold file is among the k best, as 0 or 1."""
    return lambda one: float(bool(one.places) and one.places[0] < k)


FIGURES: Final[dict[str, Callable[[Answer], float]]] = {
    **{f"Acc@{k}": accuracy(k) for k in KS},
    "recall@5": lambda one: sum(place < 5 for place in one.places) / one.gold,
    "MRR": lambda one: 1 / (1 + one.places[0]) if one.places else 0.0,
}


def summary(answers: Sequence[Answer]) -> str:
    """All figures with their intervals, in per cent."""
    said: list[str] = []
    for name, figure in FIGURES.items():
        values = [100 * figure(one) for one in answers]
        drawn = random.Random(1)
        means = sorted(statistics.fmean(drawn.choices(values, k=len(values))) for _ in range(RESAMPLES))
        low, high = means[RESAMPLES // 40], means[-RESAMPLES // 40]
        said.append(f"{name} {statistics.fmean(values):.1f} [{low:.1f} {high:.1f}]")
    return "  ".join(said)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser()
    parser.add_argument("repositories", type=Path, nargs="+")
    parser.add_argument("--cases", type=int, default=60)
    parser.add_argument("--issues", type=Path)
    parser.add_argument("--variants", action="store_true")
    given = parser.parse_args()
    issues: dict[str, dict[str, str]] = defaultdict(dict)
    if given.issues is not None:
        if not given.issues.is_file():
            raise SystemExit(f"{given.issues} is not there: the issues are not part of this repository")
        for line in given.issues.read_text().splitlines():
            row = json.loads(line)
            issues[row["repository"]][str(row["issue"])] = row["text"]
    every: dict[str, list[Answer]] = defaultdict(list)
    times: list[float] = []
    for repository in given.repositories:
        name = (repository.parent if repository.name == "repo" else repository).name
        found = cases_of(repository, given.cases, issues[name] if given.issues is not None else None)
        if not found:
            print(f"{name}: no cases", flush=True)
            continue
        own: dict[str, list[Answer]] = defaultdict(list)
        for engine, _, case in walk(repository, found):
            for form, text in case.texts.items():
                start = time.perf_counter()
                own[form].append(answered(search(engine, text), case.gold))
                times.append(time.perf_counter() - start)
                for title, changed in VARIANTS.items() if given.variants else ():
                    before = {key: getattr(finding, key) for key in changed}
                    for key, value in changed.items():
                        setattr(finding, key, value)
                    own[f"{form}, {title}"].append(answered(search(engine, text), case.gold))
                    for key, value in before.items():
                        setattr(finding, key, value)
        for form, answers in own.items():
            every[form] += answers
            print(f"{name} ({len(answers)}, {form}): {summary(answers)}", flush=True)
    for form, answers in every.items():
        print(f"all ({len(answers)}, {form}): {summary(answers)}")
    if times:
        print(f"one search: {1000 * statistics.median(times):.1f} ms median, {1000 * max(times):.1f} most")


if __name__ == "__main__":
    main()
