"""Memories as one checkout sees them: which are suspect there, and where their files are now."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import msgspec

from sidecar.memories.catalogue import Catalogue
from sidecar.memories.naming import is_derived
from sidecar.memories.verification import Judgement, Surroundings, judge, renewed, shown
from sidecar.store.memory_store import MemoryStore
from sidecar.store.records import MemoryRecord

_BATCH = 500

_OF_EVENTS = frozenset(
    f"extractor:{rule}" for rule in ("repeated-command", "error-fix", "edited-together", "config-file")
)
"""Sources of memories that tell what happened. They say nothing of what their files hold, so that no edit makes them
suspect.
"""


class Sight:
    """Judges the memories of one workspace's store by the files of one checkout; those of the user have no files.

    Without `around` every memory is seen as it is stored. Used inside `with catalogue.current()` where it says so.
    """

    def __init__(self, around: Surroundings | None, home: MemoryStore) -> None:
        self._around = around
        self._home = home
        self._lost: set[str] = set()  # ids of memories of which a file could not be found
        self.due: set[str] = set()  # ... and of those that were verified, or of which a file was moved

    def __call__(self, record: MemoryRecord, home: MemoryStore) -> MemoryRecord:
        """The record of a store as it is to be shown."""
        judgement = self._judged(record, home)
        return record if judgement is None else shown(record, judgement)

    def missing(self, record: MemoryRecord) -> tuple[int, int]:
        """How many of the files and symbols that a memory refers to are gone, of how many."""
        judgement = self._judged(record, self._home)
        return (0, 0) if judgement is None else (judgement.missing, judgement.checked)

    def grounded(self, record: MemoryRecord) -> MemoryRecord:
        """A record about to be written, with what its text names and what that is now."""
        if self._around is None:
            return record
        named = [] if is_derived(record.name, record.content) else [record.name]
        text = "\n\n".join([*named, *([record.description] if record.description else []), record.content])
        found = self._around.ground(text, record.files, local=record.scope != "global")
        given = {
            (one.kind, one.text, one.path): one for one in record.references if one.path is None or one.hash
        }
        for one in found.references:
            if record.source in _OF_EVENTS:
                one = msgspec.structs.replace(one, hash=None)
            given.setdefault((one.kind, one.text, one.path), one)
        return msgspec.structs.replace(
            record,
            references=tuple(given.values()),
            entities=tuple(dict.fromkeys((*record.entities, *found.entities))),
        )

    def grounds(self, kept: MemoryRecord | None, changes: Mapping[str, object]) -> dict[str, object]:
        """References and entities of a memory whose text or files change; nothing when neither does."""
        says = ("content", "name", "description", "files")
        if kept is None or all(
            changes.get(each, getattr(kept, each)) == getattr(kept, each) for each in says
        ):
            return {}
        new = msgspec.structs.replace(kept, **changes, references=(), entities=())
        grounded = self.grounded(new)
        return {} if grounded is new else {"references": grounded.references, "entities": grounded.entities}

    def noticed(self, catalogue: Catalogue, ids: Iterable[str]) -> bool:
        """Whether files of these memories have changed unannounced; then the catalogue has been set right.

        Used inside `with catalogue.current()`.
        """
        if self._around is None:
            return False
        rows = catalogue.rows
        paths = {path for id in ids if (row := rows.get(id)) and row.home is self._home for path in row.files}
        changed = self._around.outdated(sorted(paths))
        if not changed:
            return False
        self.look_again(catalogue, changed)
        return True

    def look_again(self, catalogue: Catalogue, paths: Iterable[str]) -> list[str]:
        """Judge the memories about these files anew, and those of which a file is lost: it may be found now.

        Used inside `with catalogue.current()`. Answers their ids.
        """
        if self._around is None:
            return []
        affected = self._lost | {
            id for path in _with_those_below(paths, catalogue) for id in catalogue.about[path]
        }
        ids = sorted(id for id in affected if (row := catalogue.rows.get(id)) and row.home is self._home)
        catalogue.again(ids)
        return ids

    def renew(self, now: int) -> int:
        """Note as verified the memories that still hold although a file changed; follow moved files.

        Writes, in the background; the number of memories that were. No version is made: nobody said anything.
        """
        if self._around is None:
            return 0
        records = list(self._home.get_many(sorted(self.due)).values())
        due = [record.id for record in records if self._renewed(record, now) is not None]
        written = 0
        for start in range(0, len(due), _BATCH):
            with self._home.transaction() as transaction:
                for id in due[start : start + _BATCH]:
                    kept = transaction.get(id)
                    new = None if kept is None else self._renewed(kept, now)
                    if new is not None:
                        transaction.adjust(new)
                        written += 1
        return written

    def _renewed(self, record: MemoryRecord, now: int) -> MemoryRecord | None:
        judgement = self._judged(record, self._home)
        return None if judgement is None else renewed(record, judgement, now)

    def _judged(self, record: MemoryRecord, home: MemoryStore) -> Judgement | None:
        if self._around is None or home is not self._home or not record.references:
            return None
        judgement = judge(record, self._around)
        for noted, holds in ((self._lost, judgement.lost), (self.due, judgement.anew or judgement.followed)):
            if holds:
                noted.add(record.id)
            else:
                noted.discard(record.id)
        return judgement


def _with_those_below(paths: Iterable[str], catalogue: Catalogue) -> list[str]:
    """Those of the paths that memories are about, and, for a path that is or was a folder, those below it."""
    given = set(paths)
    return [path for path in catalogue.about if path in given or not given.isdisjoint(_parents(path))]


def _parents(path: str) -> list[str]:
    parts = path.split("/")
    return ["/".join(parts[:length]) for length in range(1, len(parts))]
