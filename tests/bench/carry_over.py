"""Replays real commits under facets: how many survive, and whether any is shown that holds no more.

Facets are made at the first commit and again every 25th, for symbols drawn by lot: what is learned of a symbol is its
name and the digest of its own content, and that content is noted here, apart from the program, with all comments and
layout left out by Python's own tokenizer (of other languages: by a pattern). Then the commits are walked. At each,
every changed file and a few others are asked for as an agent would, and each facet that is shown is checked: do all
its symbols stand in the file with the content they had when the fact was learned?

Beside it: the share that would survive if any change of a file dropped its facets.

    python tests/bench/carry_over.py REPOSITORY [--commits 300] [--seed 1] [--per-file 3] [--glob '*.py']
"""

from __future__ import annotations

import argparse
import fnmatch
import io
import json
import random
import re
import subprocess
import sys
import tempfile
import time
import tokenize
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

import msgspec

from sidecar.checkout.tree import Tree
from sidecar.files.facets.book import FacetBook
from sidecar.files.facets.carry_over import symbols_under
from sidecar.files.facets.content import Content
from sidecar.files.symbols.cache import SymbolCache
from sidecar.files.symbols.hashes import spans
from sidecar.files.workspace_files import WorkspaceFiles
from sidecar.store.file_store import FileStore
from sidecar.store.knowledge_store import KnowledgeStore
from sidecar.store.records import ContentRecord, FacetRecord

LEARN_EVERY = 25
# A string, which stays as it is, or a comment of a language like C; a slash inside a regular expression may fool it.
_COMMENT = re.compile(r"""("(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|`(?:\\.|[^`\\])*`)|/\*.*?\*/|//[^\n]*""", re.DOTALL)
OTHERS = 3
_LAYOUT = {tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT, tokenize.ENDMARKER}


def git(repository: Path, *arguments: str) -> str:
    command = ["git", "-C", str(repository), *arguments]
    return subprocess.run(command, check=True, capture_output=True, text=True, errors="replace").stdout


def bare(text: str, path: str) -> str:
    """A symbol's own text without comments and layout: the judge's own notion, not the program's."""
    if path.endswith(".py"):
        try:
            lines = text.expandtabs().splitlines()
            margin = min((len(line) - len(line.lstrip()) for line in lines if line.strip()), default=0)
            source = "\n".join(line[margin:] for line in lines) + "\n"
            tokens = tokenize.generate_tokens(io.StringIO(source).readline)
            return " ".join(token.string for token in tokens if token.type not in _LAYOUT)
        except (tokenize.TokenError, IndentationError, SyntaxError):
            pass
    return " ".join(_COMMENT.sub(lambda found: found[1] or " ", text).split())


def canonical(text: str) -> str:
    """What a formatter may change besides: quotes, commas before brackets, and brackets around a whole statement."""
    for old, new in (("'", '"'), (", )", " )"), (", ]", " ]"), (", }", " }"), (";", "")):
        text = text.replace(old, new)
    return "".join(text.split())


@dataclass
class Learned:
    path: str
    bodies: dict[str, str]  # symbol -> its own text when the fact was learned
    hash: str
    file_survives: bool = True  # under whole-file invalidation


@dataclass
class Walk:
    """The state of one replay, and what was counted."""

    root: Path
    files: WorkspaceFiles
    book: FacetBook
    store: KnowledgeStore
    symbols: SymbolCache
    tree: Tree
    dice: random.Random
    per_file: int
    learned: dict[str, Learned] = field(default_factory=dict)
    shown: Counter[str] = field(default_factory=Counter)
    stale: list[str] = field(default_factory=list)
    ungrounded: list[str] = field(default_factory=list)
    moved: set[str] = field(default_factory=set)
    asked: int = 0
    seconds: float = 0.0
    worst: float = 0.0

    def learn(self, path: str) -> None:
        """Facts about symbols of a file, drawn by lot."""
        seen = self.files.read(path)
        if seen is None:
            return
        found, record = seen
        text = found.data.decode("utf-8", "replace").replace("\r\n", "\n")
        content = Content(path, text, record)
        every = [name for name in spans(record) if len(name.rpartition(".")[2]) > 2]
        for name in self.dice.sample(every, min(self.per_file, len(every))):
            marks = [name, *self.dice.sample(every, 1)] if self.dice.random() < 0.25 else [name]
            id = f"fact{len(self.learned)}"
            fact = f"`{'` and `'.join(marks)}` behaves so for the reason numbered {id}."
            if not all(mark.rpartition(".")[2] in content.words for mark in marks):
                continue  # no sentence that names what is not written would be admitted (Kotlin's `Companion`)
            under = symbols_under(fact, marks, content)
            hashes = self.symbols.hashes(path, record, found.data, under)
            if not under or len(hashes) != len(under):
                continue
            facet = FacetRecord(
                text=fact,
                identifiers=tuple(marks),
                at=len(self.learned),
                source="bench",
                symbols=tuple(hashes.items()),
                path=path,
            )
            kept = self.store.update_facets(
                found.hash,
                lambda before, facet=facet: (
                    before  # type: ignore[misc]
                    if len(before.facets) >= 8
                    else msgspec.structs.replace(before, facets=(*before.facets, facet))
                ),
            )
            if facet in kept.facets:
                self.learned[fact] = Learned(path, bodies(record, text, path, under), found.hash)

    def ask(self, path: str) -> None:
        """Ask for a file as an agent would and judge each fact that is shown."""
        before = time.perf_counter()
        seen = self.files.read(path)
        if seen is None:
            return
        note = self.book.note_about(*seen)
        took = time.perf_counter() - before
        self.asked, self.seconds, self.worst = self.asked + 1, self.seconds + took, max(self.worst, took)
        found, record = seen
        text = found.data.decode("utf-8", "replace").replace("\r\n", "\n")
        for facet in note.facets:
            learned = self.learned[facet.text]
            self.shown[facet.text] += 1
            if path != learned.path:
                self.moved.add(facet.text)
            now = bodies(record, text, path, learned.bodies)
            for name, body in learned.bodies.items():
                if canonical(now.get(name, "")) != canonical(body):
                    self.stale.append(
                        f"{facet.text} in {path}: {name} was {body[:300]!r}, is {now.get(name, '')[:300]!r}"
                    )
            if not all(part.rpartition(".")[2] in text for part in facet.identifiers):
                self.ungrounded.append(f"{facet.text} in {path}")


def bodies(record: ContentRecord, text: str, path: str, names: object) -> dict[str, str]:
    lines = text.split("\n")
    every = spans(record)
    return {
        name: " ".join(bare("\n".join(lines[start - 1 : end]), path) for start, end in every[name])
        for name in names  # type: ignore[attr-defined]
        if name in every
    }


def surviving(walk: Walk, paths: list[str]) -> set[str]:
    """The facts that are shown somewhere at this moment."""
    found: set[str] = set()
    for path in paths:
        seen = walk.files.read(path)
        if seen is not None:
            found |= {facet.text for facet in walk.book.note_about(*seen).facets}
    return found


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("repository", type=Path)
    parser.add_argument("--commits", type=int, default=300)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--per-file", type=int, default=3)
    parser.add_argument("--glob", default="*.py")
    parser.add_argument("--skip", type=int, default=0, help="leave out the newest commits that touch such files")
    options = parser.parse_args()
    wanted = options.commits + options.skip + 1
    log = git(
        options.repository, "log", "--format=%H", "--first-parent", f"-{wanted}", "--", f":(glob)**/{options.glob}"
    ).split()
    if len(log) < 2:
        print("The repository has no such commits.")
        return 2
    commits = log[options.skip :][::-1]
    with tempfile.TemporaryDirectory() as scratch:
        root = Path(scratch) / "tree"
        git(
            options.repository, "clone", "-q", "--shared", "--no-checkout", str(options.repository.resolve()), str(root)
        )
        git(root, "checkout", "-q", commits[0])
        store = FileStore.open(Path(scratch) / "files")
        tree = Tree(root)
        files, symbols = WorkspaceFiles(store, tree, "bench"), SymbolCache(store)
        knowledge = KnowledgeStore.open(Path(scratch) / "knowledge")
        book = FacetBook(knowledge, files, symbols, lambda: 0)
        dice = random.Random(options.seed)
        walk = Walk(root, files, book, knowledge, symbols, tree, dice, options.per_file)
        paths = [stat.path for stat in tree.walk() if fnmatch.fnmatch(stat.path.rpartition("/")[2], options.glob)]
        for path in paths:
            walk.learn(path)
        for number, commit in enumerate(commits[1:], 1):
            git(root, "checkout", "-q", commit)
            names = git(root, "diff", "--name-status", "--no-renames", commits[number - 1], commit, "--").splitlines()
            touched = [name.split("\t")[1] for name in names if "\t" in name]
            touched = [path for path in touched if fnmatch.fnmatch(path.rpartition("/")[2], options.glob)]
            changed = set(touched)
            for learned in walk.learned.values():
                if learned.path in changed:
                    learned.file_survives = False
            book_files = [
                stat.path for stat in tree.walk() if fnmatch.fnmatch(stat.path.rpartition("/")[2], options.glob)
            ]
            for path in [*touched, *dice.sample(book_files, min(OTHERS, len(book_files)))]:
                walk.ask(path)
            if number % LEARN_EVERY == 0:
                for path in touched:
                    walk.learn(path)
        paths = [stat.path for stat in tree.walk() if fnmatch.fnmatch(stat.path.rpartition("/")[2], options.glob)]
        for path in paths:
            walk.ask(path)
        alive = surviving(walk, paths)
        ever = len(walk.learned)
        whole = sum(learned.file_survives for learned in walk.learned.values())
        report = {
            "repository": options.repository.resolve().parent.name,
            "commits": len(commits) - 1,
            "from": git(root, "log", "-1", "--format=%as", commits[0]).strip(),
            "to": git(root, "log", "-1", "--format=%as", commits[-1]).strip(),
            "facets": ever,
            "answers asked": walk.asked,
            "facets shown": sum(walk.shown.values()),
            "stale answers": len(walk.stale),
            "not grounded": len(walk.ungrounded),
            "survive, % at the end": round(100 * len(alive) / ever, 1) if ever else None,
            "survive with whole-file invalidation, %": round(100 * whole / ever, 1) if ever else None,
            "shown in another file than learned in": len(walk.moved),
            "mean ms an answer (read, parse, carry)": round(1000 * walk.seconds / max(1, walk.asked), 1),
            "worst ms": round(1000 * walk.worst, 1),
        }
        print(json.dumps(report, indent=2))
        for line in [*walk.stale, *walk.ungrounded][:20]:
            print(line)
        knowledge.close()
        store.close()
    return 1 if walk.stale or walk.ungrounded else 0


if __name__ == "__main__":
    sys.exit(main())
