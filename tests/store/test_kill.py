"""What was acknowledged survives `kill -9` at any moment, whole or not at all."""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from pathlib import Path
from subprocess import Popen

from sidecar.store import keys
from sidecar.store.memory_store import MemoryKey, MemoryStore
from sidecar.store.opening import open_database
from sidecar.store.schema import MEMORIES

ROUNDS = 12


def acknowledged(output: str) -> dict[str, tuple[str, int]]:
    last: dict[str, tuple[str, int]] = {}
    for line in output.splitlines(keepends=True):
        if line.endswith("\n"):
            what, id, number = line.split()
            last[id] = (what, int(number))
    return last


def check_whole(store: MemoryStore) -> None:
    """Every row belongs to a transaction that is there as a whole."""
    records = {record.id: record for record in store.all()}
    database = open_database(store.directory, MEMORIES)
    with database.reading() as rows:
        names = dict(rows.prefixed(keys.NAME))
        touched = [str(id) for _, id in rows.range(keys.change_key(1), "c;")]
        with_versions = {key[2:].partition(keys.SEPARATOR)[0] for key in rows.keys(keys.HISTORY)}
    database.close()
    assert store.seq() == len(touched)
    assert names.keys() >= {keys.name_key(MemoryKey("project", "project", None, r.name)) for r in records.values()}
    assert set(names.values()) <= records.keys() | with_versions  # a former name leads to its memory while it is known
    for id, record in records.items():
        assert names[keys.name_key(MemoryKey("project", "project", None, record.name))] == id
        assert store.history(id)[0].memory == record
        assert len(store.history(id)) == record.version == touched.count(id)
    for id in with_versions - records.keys():
        assert store.history(id)[0].memory is None


def test_kill_at_random_moments(tmp_path: Path, spawn: Callable[..., Popen[str]]) -> None:
    expected: dict[str, tuple[str, int]] = {}
    dice = random.Random(4)
    for number in range(ROUNDS):
        writer = spawn("write", tmp_path, f"r{number:02d}")
        assert writer.stdout is not None
        lines = [writer.stdout.readline() for _ in range(dice.randrange(8, 60))]
        time.sleep(dice.random() * 0.01)
        writer.kill()
        rest = writer.stdout.read()  # `communicate` loses what the lines before brought with them
        writer.wait()
        expected.update(acknowledged("".join(lines) + rest))

        store = MemoryStore.open(tmp_path)
        assert store.repair_message is None
        for id, (what, version) in expected.items():
            found = store.get(id)
            if what == "gone":
                assert found is None
                # The number says whether the versions stay (1) or were purged (0).
                assert bool(store.history(id)) == bool(version)
            elif found is not None:
                assert found.version >= version
                assert store.find(MemoryKey("project", "project", None, found.name)) == found
            else:
                # Only the transaction under way when the writer died may have removed it meanwhile.
                assert id.startswith(f"r{number:02d}") or expected[id][0] == "gone"
                assert max(each for each in expected if each.startswith(id[:3])) <= f"{id[:4]}{int(id[4:]) + 2:06d}"
                expected[id] = ("gone", 1 if store.history(id) else 0)
        check_whole(store)
        store.close()
    assert len(expected) > 3 * ROUNDS
