"""What a second process does in the store's tests: `worker_process.py COMMAND ARGUMENTS...`."""

from __future__ import annotations

import os
import resource
import signal
import sys
import time
from collections.abc import Callable
from pathlib import Path

import msgspec

from sidecar.memories.index.meaning import text_fingerprint
from sidecar.runtime.errors import StoreUnavailable
from sidecar.store import schema
from sidecar.store.file_store import FileStore
from sidecar.store.memory_store import GroupCommit, MemoryKey, MemoryStore
from sidecar.store.opening import open_database
from sidecar.store.records import ContentRecord, MemoryRecord, PointerRecord, SessionRecord
from sidecar.store.rows import Rows
from sidecar.store.vector_store import StoredVector, VectorStore


def say(*words: object) -> None:
    print(*words, flush=True)


def memory(id: str, name: str, content: str = "", version: int = 1) -> MemoryRecord:
    return MemoryRecord(
        id=id,
        scope="project",
        type="project",
        name=name,
        content=content,
        source="agent",
        created_at=1,
        updated_at=1,
        version=version,
    )


def write(directory: str, who: str) -> None:
    """For ever: makes a memory, and in one transaction renames an earlier one and deletes another."""
    store = MemoryStore.open(Path(directory))
    number = 0
    while True:
        id = f"{who}-{number:06d}"
        with store.transaction() as change:
            change.put(memory(id, f"first {id}", "x" * (number * 37 % 9000)), "created", number)
        say("put", id, 1)
        if number >= 2:
            renamed, deleted = f"{who}-{number - 1:06d}", f"{who}-{number - 2:06d}"
            with store.transaction() as change:
                change.put(memory(renamed, f"second {renamed}", version=2), "updated", number)
                change.delete(deleted, number, purge=number % 2 == 0)
            say("put", renamed, 2)
            say("gone", deleted, number % 2)
        number += 1


def merge(directory: str, who: str, times: str) -> None:
    """Adds a line to one shared memory `times` times, found by its key, and makes a memory of its own."""
    store = MemoryStore.open(Path(directory))
    say("ready")
    sys.stdin.readline()
    for number in range(int(times)):
        with store.transaction() as change:
            known = change.find(MemoryKey("project", "project", None, "shared"))
            if known is None:
                change.put(memory(f"shared-{who}", "shared", f"{who}:{number}\n"), "created", number)
            else:
                text = known.content + f"{who}:{number}\n"
                more = msgspec.structs.replace(known, content=text, version=known.version + 1)
                change.put(more, "merged", number)
            change.put(memory(f"{who}-{number}", f"own {who} {number}"), "created", number)
        store.record_access(["shared"], number)
        store.update_session("shared", lambda old: _shown(old, f"{who}:{number}"))  # noqa: B023
    say("done", store.seq())
    store.close()


def _shown(old: SessionRecord | None, what: str) -> SessionRecord:
    return SessionRecord(id="shared", started_at=1, seen_at=1, shown=(*(old.shown if old else ()), what))


def files(directory: str, who: str, times: str) -> None:
    """Stores contents and pointers, some of them the same as other processes store."""
    store = FileStore.open(Path(directory))
    say("ready")
    sys.stdin.readline()
    for number in range(int(times)):
        hashes = [f"{who}-{number}", f"shared-{number}"]
        store.put_contents(
            ContentRecord(hash=hash_, recipe=1, language="python", lines=1, file_tokens=1) for hash_ in hashes
        )
        store.put_pointers(
            "checkout",
            [PointerRecord(path=f"{hash_}.py", hash=hash_, language="python", size=1, mtime_ns=1) for hash_ in hashes],
        )
    say("done", store.count())
    store.close()


def vectors(directory: str, who: str) -> None:
    """Stores 200 vectors of its own, and again and again one that other processes store, too."""
    own = VectorStore.open(Path(directory))
    one = StoredVector(text_fingerprint(who), b"\1\2\3")
    for start in range(0, 200, 20):
        own.put("one", {f"{who}{number}": one for number in range(start, start + 20)})
        own.put("one", {"shared": one})
    own.close()


def open_at(directory: str, moment: str) -> None:
    """Opens both stores at a moment (seconds of the wall clock), writes one memory and says the notices."""
    time.sleep(max(0.0, float(moment) - time.time()))
    store = MemoryStore.open(Path(directory))
    derived = FileStore.open(Path(directory))
    with store.transaction() as change:
        change.put(memory(f"by-{os.getpid()}", f"by {os.getpid()}"), "created", 1)
    say("opened", store.repair_message, derived.repair_message)
    store.close()
    derived.close()


def migrate(directory: str, moment: str) -> None:
    """Opens the memories at a moment with a migration that counts how often it ran."""

    def step(rows: Rows) -> None:
        ran = rows.get("x:ran")
        rows.set("x:ran", (ran if isinstance(ran, int) else 0) + 1)
        time.sleep(0.3)

    time.sleep(max(0.0, float(moment) - time.time()))
    database = open_database(Path(directory), msgspec.structs.replace(schema.MEMORIES, migrations=(step,)))
    with database.reading() as rows:
        say("ran", rows.get("x:ran"), database.repair_message is not None)
    database.close()


def refused(directory: str) -> None:
    """Opens the store and writes to it, not as root, to whom no permission applies, and says how it was refused."""
    if os.geteuid() == 0:
        os.setgroups([])
        os.setgid(65534)
        os.setuid(65534)
    try:
        store = MemoryStore.open(Path(directory))
        say("opened", [record.id for record in store.all()])
        with store.transaction() as change:
            change.put(memory("n", "n"), "created", 1)
    except StoreUnavailable as error:
        say(type(error).__name__, error.data.reason, "|", error.message, "|", error.data.hint)
    else:
        say("written")


def full_disk(directory: str) -> None:
    """Writes until no file may grow further, then lifts the limit and writes again."""
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    store = MemoryStore.open(Path(directory))
    resource.setrlimit(resource.RLIMIT_FSIZE, (200_000, resource.RLIM_INFINITY))
    kept = 0
    try:
        for number in range(1000):
            with store.transaction() as change:
                change.put(memory(f"m{number}", f"m{number}", "y" * 5000), "created", 1)
            kept += 1
    except StoreUnavailable as error:
        say("refused", type(error).__name__, error.data.reason, "|", error.message, "|", error.data.hint)
    say("kept", kept, len(store.all()), store.seq())
    resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
    with store.transaction() as change:
        change.put(memory("later", "later"), "created", 1)
    store.close()
    again = MemoryStore.open(Path(directory))
    say("after", len(again.all()), again.seq(), again.repair_message)
    again.close()


def hold(directory: str) -> None:
    """Keep everybody else from writing, until killed."""
    store = MemoryStore.open(Path(directory))
    with store.transaction():
        say("holding")
        signal.pause()


def write_together(directory: str, who: str, times: str = "1000000") -> None:
    """Make memories, up to eleven with each commit, and say so after it."""
    store = MemoryStore.open(Path(directory))
    number, most = 0, int(times)
    while number < most:
        group, members = GroupCommit(), {}
        for _ in range(min(1 + number % 11, most - number)):
            id = f"{who}-{number:06d}"
            with store.transaction(group) as members[id]:
                members[id].put(memory(id, f"name {id}", "x" * (number * 37 % 900)), "created", number)
            number += 1
        group.commit()
        for id, member in members.items():
            if member.failure is None:
                say("put", id, 1)
    store.close()


COMMANDS: dict[str, Callable[..., None]] = {
    each.__name__: each
    for each in (write, merge, files, vectors, open_at, migrate, refused, full_disk, hold, write_together)
}

if __name__ == "__main__":
    COMMANDS[sys.argv[1]](*sys.argv[2:])
