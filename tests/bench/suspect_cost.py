"""What it costs to compare memories with their files: a store of 10,000 memories about the files of a repository.

    cd /work/main && PYTHONPATH=. python -P tests/bench/suspect_cost.py [REPOSITORY] [MEMORIES]

Answers of a book that compares beside one that does not, over the same store, when no file has changed; then the first
answer after a start, one that meets a changed file, and recording.
"""

from __future__ import annotations

import random
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial
from itertools import count
from pathlib import Path

import msgspec

from sidecar.checkout.tree import Tree
from sidecar.files.present import PresentFiles
from sidecar.files.referenced import ReferencedFiles
from sidecar.files.symbols.cache import SymbolCache
from sidecar.files.workspace_files import WorkspaceFiles
from sidecar.memories.book import MemoryBook
from sidecar.memories.drafts import Draft, Filters, InjectRequest
from sidecar.memories.recording import record_writes
from sidecar.store.file_store import FileStore
from sidecar.store.memory_store import MemoryStore

WORDS = "retry limit cache parser socket session token loader router schema index merge queue worker signal".split()


def milliseconds(one: Callable[[], object], other: Callable[[], object], times: int = 150) -> tuple[float, float]:
    """Median processor time of a call of each, taken in turns: other programs disturb both alike."""
    taken: tuple[list[float], list[float]] = ([], [])
    for _ in range(times):
        for work, into in zip((one, other), taken, strict=True):
            began = time.thread_time()
            work()
            into.append((time.thread_time() - began) * 1000)
    return statistics.median(taken[0]), statistics.median(taken[1])


def main() -> None:
    root = Path(sys.argv[1] if len(sys.argv) > 1 else "/work/real/flask")
    number = int(sys.argv[2]) if len(sys.argv) > 2 else 10_000
    chance = random.Random(7)
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder)
        workspace, user = MemoryStore.open(home / "workspace"), MemoryStore.open(home / "user")
        store = FileStore.open(home / "files")
        tree = Tree(root)
        files = WorkspaceFiles(store, tree, "bench")
        paths = [stat.path for stat in tree.walk() if stat.path.endswith((".py", ".md", ".rst", ".c", ".h", ".rb"))]
        ids = count(1)

        def clock() -> int:
            return time.time_ns() // 1_000_000

        def new_id(now: int) -> str:
            return f"{now:012x}-{next(ids):08d}"

        def book(compare: bool) -> MemoryBook:
            present = PresentFiles(tree, files, SymbolCache(store)) if compare else None
            return MemoryBook(workspace, user, clock, new_id, checkout_files=present)

        around = ReferencedFiles(tree, files, PresentFiles(tree, files, SymbolCache(store)), lambda _: ())
        taken = []
        for at in range(number):
            words = " ".join(chance.sample(WORDS, 5))
            path = chance.choice(paths)
            draft = Draft(content=f"The {words} of `{path}` number {at}", files=(path,))
            prepared = record_writes.prepare(draft, clock(), new_id)[0]
            began = time.thread_time()
            grounded = around.find_references(draft.content, draft.files, local=True)
            taken.append((time.thread_time() - began) * 1000)
            with workspace.transaction() as transaction:
                transaction.put(msgspec.structs.replace(prepared, references=grounded.references), "created", clock())
        print(
            f"{number} memories about {len(paths)} files of {root.name}; grounding: {statistics.median(taken):.2f} ms"
        )
        plain, comparing = book(False), book(True)
        began = time.thread_time()
        plain.catalogue.load()
        without = time.thread_time() - began
        began = time.thread_time()
        comparing.catalogue.load()
        print(f"load: {without * 1000:.0f} ms without, {(time.thread_time() - began) * 1000:.0f} ms comparing")
        requests: dict[str, Callable[[MemoryBook], object]] = {
            "search": lambda one: one.searcher.search("retry limit of the cache", Filters()),
            "inject, prompt": lambda one: one.injector.inject(
                InjectRequest(prompt="raise the retry limit of the cache")
            ),
            "inject, nothing": lambda one: one.injector.inject(InjectRequest()),
            "list": lambda one: one.searcher.list(Filters()),
        }
        for name, ask in requests.items():
            ask(plain)
            ask(comparing)
            one, other = milliseconds(partial(ask, plain), partial(ask, comparing))
            print(f"{name:16} {one:7.2f} ms without, {other:7.2f} ms comparing: {other - one:+.2f}")
        for each in (workspace, user, store):
            each.close()


if __name__ == "__main__":
    main()
