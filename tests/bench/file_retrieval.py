"""Finding the files that a text is about: issues to the file that their fix touched, or commit subjects to files.

    python tests/bench/file_retrieval.py issues ISSUES.jsonl REPOSITORIES [--only NAME] [--variants]
    python tests/bench/file_retrieval.py commits REPOSITORY [REPOSITORY...] [--cases 60] [--span 500] [--kind KIND]

`issues`: each line names a repository (owner/name), its base commit, the text and the gold files. REPOSITORIES holds
one git directory for each, as `owner+name/repo` or `name`. The base commit is checked out in a clone that shares the
objects, so HEAD is the base and only its ancestors are the past: the fix cannot be seen. The engine then reads it and
answers `file/search`; tests are left out, as in the published figure, and then not, as when nobody says so. Acc@k:
the share of issues with a gold file among the k best. `--variants` also measures without the past, without outlines,
and with the graph of references (imports and names): in the same engine, so that only the ranking differs.

`commits`: the tree and the past as of the parent of the oldest of the newest `--span` commits; the queries are the
subjects of the first `--cases` commits after it that touched one to five source files which were there already. Weights
were chosen on these, with repositories that are not in the issues. With `--kind test`, `docs` or `other` they are those
that touched files of this kind alone. Each is also asked without naming kinds, and of files of the kind alone.
"""

from __future__ import annotations

import argparse
import json
import re
import statistics
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import cast

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from protocol.files import FileKind, FileSearchParams, FileSearchResult
from sidecar.checkout.history import History
from sidecar.engine.engine import Engine
from sidecar.engine.options import EngineOptions
from sidecar.files.kinds import kind_of
from sidecar.files.retrieval import finding, past, source_index
from sidecar.settings import Settings
from sidecar.settings.model import FileSettings, StoreSettings, WatchSettings

KS = (1, 5, 10)
past.REFRESH_SECONDS = 3_600.0  # type: ignore[misc]
SHOWN: tuple[FileKind, ...] = ("source", "docs", "other")
BORING = re.compile(r"(?:bump|merge|release|revert|update (?:dep|ver))", re.IGNORECASE)
GRAPH = 0.3


@contextmanager
def engine_at(repository: Path, commit: str) -> Iterator[tuple[Engine, Path, float]]:
    """An engine that has read a checkout of the commit, the checkout, and the seconds that reading took."""
    with tempfile.TemporaryDirectory(prefix="retrieval-") as made:
        top = Path(made, "checkout")
        quiet = ["-c", "advice.detachedHead=false"]
        subprocess.run(["git", *quiet, "clone", "-q", "--shared", "--no-checkout", repository, top], check=True)
        subprocess.run(["git", *quiet, "-C", top, "checkout", "-q", commit], check=True)
        settings = Settings(
            store=StoreSettings(folder=Path(made, "store")), watch=WatchSettings(mode="off"), files=FileSettings()
        )
        engine = Engine(settings, EngineOptions(short_lived=True))
        engine.lifecycle.add_workspace(top)
        start = time.perf_counter()
        engine.warm_up()
        yield engine, top, time.perf_counter() - start
        engine.close()


def best(engine: Engine, text: str, limit: int = max(KS), kinds: Sequence[FileKind] | None = SHOWN) -> list[str]:
    """Paths that `file/search` answers; with None for kinds as it does by default."""
    params = FileSearchParams(query=text, limit=limit, kinds=None if kinds is None else list(kinds))
    result = cast(FileSearchResult, engine.call("file/search", params))
    return [item.path for item in result.items]


def git(repository: Path, *arguments: str) -> str:
    """What git prints."""
    done = subprocess.run(["git", "-C", repository, *arguments], check=True, capture_output=True, text=True)
    return done.stdout.strip()


def journal_folder(folder: Path, name: str) -> Path:
    """The repository `owner/name` below a folder."""
    for one in (folder / name.replace("/", "+") / "repo", folder / name.split("/")[-1]):
        if one.exists():
            return one
    raise SystemExit(f"{folder} does not hold {name}")


def with_graph(engine: Engine, text: str) -> list[str]:
    """The best when the files that the ten best refer to get a share of their score."""
    params = FileSearchParams(query=text, limit=60, kinds=list(SHOWN))
    result = cast(FileSearchResult, engine.call("file/search", params))
    kept = engine.lifecycle.add_workspace(next(iter(engine.workspaces.all())).folder).open()
    kept.index.draw_map(100)
    scores = {item.path: item.score for item in result.items}
    total: dict[str, float] = defaultdict(float, scores)
    for item in result.items[:10]:
        ranked = kept.index._map.ranks()
        number = ranked.numbers.get(item.path)
        for target, share in zip(*ranked.edges[number], strict=True) if number is not None else ():
            if kind_of(path := ranked.paths[target], "python") == "source":
                total[path] += GRAPH * item.score * share
    return sorted(total, key=lambda path: (-total[path], path))[: max(KS)]


def without_outlines(engine: Engine, text: str, top: Path) -> list[str]:
    """The best when files are found by their paths and their whole text alone."""
    kept = engine.lifecycle.add_workspace(top).open()
    code = kept.index
    weights = {key: getattr(source_index, key) for key in ("SYMBOL", "SIGNATURE")}

    def index_all() -> None:
        for path in sorted(code.source_follower.held):
            record = code.files.read_record(path)
            if record is not None:
                code._sources.put(path, code._sources.make(path, record))

    for key in weights:
        setattr(source_index, key, 0.0)
    index_all()
    found = best(engine, text)
    for key, value in weights.items():
        setattr(source_index, key, value)
    index_all()
    return found


def issues(file: Path, folder: Path, only: str | None, variants: bool) -> None:
    """Acc@5 over issues."""
    if not file.is_file():
        raise SystemExit(f"{file} is not there: the issues are not part of this repository")
    rows = [json.loads(line) for line in file.read_text().splitlines()]
    rows = [row for row in rows if only is None or only in row["repo"]]
    ranks: dict[str, list[int]] = defaultdict(list)
    times: list[float] = []
    for row in rows:
        with engine_at(journal_folder(folder, row["repo"]), row["base_commit"]) as (engine, top, reading):
            text, gold = row["problem_statement"], set(row["gold_files"])

            def note(name: str, found: list[str], gold: set[str] = gold) -> None:
                places = [at for at, path in enumerate(found) if path in gold]
                ranks[name].append(places[0] if places else max(KS))

            best(engine, "x")  # builds the index
            start = time.perf_counter()
            found = best(engine, text)
            times.append(time.perf_counter() - start)
            note("all", found)
            note("tests too", best(engine, text, kinds=None))
            note("source alone", best(engine, text, kinds=["source"]))
            if variants:
                note("with the graph of imports and names", with_graph(engine, text))
                for name, changed in {
                    "without similar commits": {"VOTE": 0.0},
                    "without names in the text": {"NAMED": 0.0},
                    "words alone": {"VOTE": 0.0, "NAMED": 0.0},
                }.items():
                    before = {key: getattr(finding, key) for key in changed}
                    for key, value in changed.items():
                        setattr(finding, key, value)
                    note(name, best(engine, text))
                    for key, value in before.items():
                        setattr(finding, key, value)
                note("without outlines", without_outlines(engine, text, top))
        mark = "+" if ranks["all"][-1] < 5 else "-"
        print(f"  {mark} {row['instance_id']:28} read in {reading:.1f} s", flush=True)
    for name, each in ranks.items():
        shares = "  ".join(f"Acc@{k} {100 * sum(rank < k for rank in each) / len(each):5.1f}" for k in KS)
        print(f"{shares}  of {len(each)}  {name}")
    print(f"one search: {1000 * statistics.median(times):.1f} ms median, {1000 * max(times):.1f} most")


def commits(repositories: list[Path], cases: int, span: int, kind: FileKind) -> None:
    """Acc@5 over the subjects of commits."""
    asked: dict[str, list[float]] = defaultdict(list)
    forms: dict[str, Sequence[FileKind] | None] = {"no tests": SHOWN, "by default": None, kind: [kind]}
    for repository in repositories:
        ids = git(repository, "rev-list", "--no-merges", f"--max-count={span}", "HEAD").split()
        past = History(repository).commits(ids) or []
        base = git(repository, "rev-parse", f"{ids[-1]}^")
        hits: dict[str, list[bool]] = defaultdict(list)
        with engine_at(repository, base) as (engine, top, _):
            for one in reversed(past):
                kinds = {path: kind_of(path, _language(path)) for path in one.files}
                gold = {path for path in one.files if kinds[path] == kind and (top / path).is_file()}
                subject = one.message.split("\n")[0]
                if not 1 <= len(gold) <= 5 or len(one.files) > 10 or BORING.match(subject):
                    continue
                if kind != "source" and set(kinds.values()) != {kind}:
                    continue
                for form, shown in forms.items():
                    hits[form].append(not gold.isdisjoint(best(engine, subject, 5, shown)))
                if len(hits[kind]) == cases:
                    break
        if not hits:
            continue
        for form, each in hits.items():
            asked[form].append(100 * sum(each) / len(each))
        said = ", ".join(f"{form} {each[-1]:.1f}" for form, each in asked.items())
        print(f"  {repository.name:20} {len(hits[kind])} cases, Acc@5 {said}", flush=True)
    for form, shares in asked.items():
        print(f"Acc@5 {statistics.mean(shares):.1f}, mean of {len(shares)} repositories, {form}")


def _language(path: str) -> str:
    from sidecar.files.language import language_of

    return language_of(path)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser()
    kinds = parser.add_subparsers(dest="kind", required=True)
    asked = kinds.add_parser("issues")
    asked.add_argument("file", type=Path)
    asked.add_argument("repositories", type=Path)
    asked.add_argument("--only")
    asked.add_argument("--variants", action="store_true")
    past = kinds.add_parser("commits")
    past.add_argument("repositories", type=Path, nargs="+")
    past.add_argument("--cases", type=int, default=60)
    past.add_argument("--span", type=int, default=500)
    past.add_argument("--kind", choices=["source", "test", "docs", "other"], default="source")
    given = parser.parse_args()
    if given.kind == "issues":
        issues(given.file, given.repositories, given.only, given.variants)
    else:
        commits(given.repositories, given.cases, given.span, given.kind)


if __name__ == "__main__":
    main()
