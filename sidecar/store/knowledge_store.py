"""Knowledge about contents: facets, texts by models, and questions that wait for a model.

Outlines can be made again for free; facets come from an agent's work, and answers of models cost money. So they have a
database of their own, whose commits wait for the disk.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Collection, Iterable
from typing import NamedTuple

import msgspec

from sidecar.store import keys
from sidecar.store.codec import encode
from sidecar.store.database_store import DatabaseStore
from sidecar.store.records import AnswerRecord, FacetsRecord, JobRecord
from sidecar.store.rows import Rows, prefix_end
from sidecar.store.schema import KNOWLEDGE
from sidecar.store.tables import ANSWERS, FACETS, JOBS

log = logging.getLogger(__name__)

MAX_JOBS = 10_000  # questions that may wait; further ones are refused
MAX_WAIT_MS = 14 * 86_400_000
"""The longest wait in milliseconds. A question that waits longer was put back under a wrong clock, and is free."""


class Ground(NamedTuple):
    """A symbol in which a facet is grounded."""

    name: str  # dotted
    symbol_hash: str  # of the symbol's own text
    content: str  # hash of the file's content


class KnowledgeStore(DatabaseStore):
    kind = KNOWLEDGE
    _counted: tuple[int, int] | None = None

    def facets(self, hashes: Iterable[str]) -> dict[str, FacetsRecord]:
        """Return the facets of those of the contents `hashes` that have any, by hash."""
        return self._database.read(lambda rows: FACETS.many(rows, hashes))

    def list_facets(self, after: str = "", limit: int = -1) -> list[FacetsRecord]:
        """Return up to `limit` facet records, ordered by the hash of their content, starting after hash `after`."""
        start = FACETS.key(after) + "\0" if after else keys.FACETS
        with self._database.reading() as rows:
            entries = rows.range(start, prefix_end(keys.FACETS), limit=limit)
        return [record for _, record in FACETS.readable(entries)]

    def update_facets(self, hash: str, change: Callable[[FacetsRecord], FacetsRecord]) -> FacetsRecord:
        """Replace a content's facets by what `change` returns; without facets, `change` gets an empty record.

        Atomic across processes. Writes nothing if `change` returns its argument.
        """
        key = FACETS.key(hash)
        with self._database.writing() as rows:
            before = FACETS.decode_row(key, rows.get(key)) or FacetsRecord(hash=hash)
            after = change(before)
            if after != before:
                rows.set(key, encode(after))
                old, new = _ground_rows(before), _ground_rows(after)
                rows.delete_many(old.keys() - new.keys())
                rows.set_many({ground: new[ground] for ground in new.keys() - old.keys()})
                _count_change(rows)
        return after

    def change_number(self) -> int:
        """Return a number that grows whenever any process changes facets or texts by models; reading it is cheap."""
        return self._database.read(lambda rows: rows.number(keys.KNOWLEDGE_STATE))

    def grounds(self) -> list[Ground]:
        """Return every symbol in which a facet is grounded, in no particular order."""
        with self._database.reading() as rows:
            entries = rows.prefixed(keys.GROUND)
        split = [(key.removeprefix(keys.GROUND).split(keys.SEPARATOR), name) for key, name in entries]
        return [Ground(str(name), parts[0], parts[1]) for parts, name in split if len(parts) == 2]

    def count_facets(self) -> int:
        """Count the facets of all contents; the count is cached until `change_number` changes."""
        state = self.change_number()
        if self._counted is None or self._counted[0] != state:
            with self._database.reading() as rows:
                records = FACETS.unordered(rows).values()
            self._counted = (state, sum(len(record.facets) for record in records))
        return self._counted[1]

    def compact(self, referenced_hashes: Collection[str], before: int, max_unreferenced: int) -> int:
        """Drop what was learned of contents that are not in `referenced_hashes`; return the number of contents dropped.

        Keep those of which something was learned since `before` (epoch ms), at most the latest `max_unreferenced`.
        """
        with self._database.writing() as rows:
            latest: dict[str, int] = {}
            for facets in FACETS.unordered(rows).values():
                latest[facets.hash] = max((facet.at for facet in facets.facets), default=0)
            for answer in ANSWERS.unordered(rows).values():
                latest[answer.hash] = max(answer.at, latest.get(answer.hash, 0))
            unreferenced = sorted((at, hash) for hash, at in latest.items() if hash not in referenced_hashes)
            surplus = len(unreferenced) - max_unreferenced
            dropped = {hash for number, (at, hash) in enumerate(unreferenced) if at < before or number < surplus}
            if not dropped:
                return 0
            FACETS.drop(rows, dropped)
            for prefix, part in ((keys.ANSWER, 0), (keys.GROUND, 1)):
                split = ((key, key.removeprefix(prefix).split(keys.SEPARATOR)) for key in rows.keys(prefix))
                rows.delete_many([key for key, parts in split if parts[part : part + 1] and parts[part] in dropped])
            _count_change(rows)
        return len(dropped)

    def saved_tokens(self) -> int:
        return self._database.read(lambda rows: rows.number(keys.SAVED))

    def add_saved_tokens(self, tokens: int) -> None:
        """Add to the number of spared tokens; a negative number takes tokens back."""
        with self._database.writing() as rows:
            rows.set(keys.SAVED, max(0, rows.number(keys.SAVED) + tokens))

    def answers(self, hash: str) -> dict[str, AnswerRecord]:
        """Return everything that models wrote about a content, by kind."""
        return self._database.read(lambda rows: {answer.kind: answer for answer in ANSWERS.all(rows, hash)})

    def answer(self, hash: str, kind: str) -> AnswerRecord | None:
        return self._database.read(lambda rows: ANSWERS.get(rows, hash, kind))

    def put_answer(self, answer: AnswerRecord) -> None:
        """Store a model's text in place of its earlier one, and drop the question."""
        with self._database.writing() as rows:
            ANSWERS.set(rows, answer, answer.hash, answer.kind)
            _count_change(rows)
            rows.delete(JOBS.key(answer.kind, answer.hash))

    def queue(self, job: JobRecord) -> bool:
        """Queue a question, unless it waits already or was answered on the same basis; return whether it was queued."""
        with self._database.writing() as rows:
            answer = ANSWERS.get(rows, job.hash, job.kind)
            if answer is not None and answer.basis == job.basis:
                return False
            waiting = JOBS.get(rows, *_key_parts(job))
            if waiting is not None:
                if waiting.taken_by is None:  # the process that asked last wants the answer
                    latest = msgspec.structs.replace(waiting, basis=job.basis, path=job.path, checkout=job.checkout)
                    _put_job(rows, latest)
                return False
            if rows.count(keys.JOB) >= MAX_JOBS:
                log.warning("A question about %s was not queued: %d questions wait already.", job.path, MAX_JOBS)
                return False
            _put_job(rows, job)
        return True

    def reserve_job(
        self, checkout: str, by: str, now: int, until: int, *, excluded_kind: str | None = None
    ) -> JobRecord | None:
        """Reserve a checkout's oldest due question for process `by` until `until`; None if there is none.

        Questions of `excluded_kind` are skipped. If the process dies, the question is free again after `until`. Atomic
        across processes, so that no answer is paid for twice.
        """
        with self._database.writing() as rows:
            job = _next_job(rows, checkout, now, excluded_kind)
            if job is None:
                return None
            claimed = msgspec.structs.replace(job, taken_by=by, until=until, attempts=job.attempts + 1)
            _put_job(rows, claimed)
        return claimed

    def put_back_job(self, job: JobRecord, due: int, error: str | None) -> None:
        """Queue a question again, to be asked at `due`, unless another process has taken it meanwhile."""
        with self._database.writing() as rows:
            stored = JOBS.get(rows, *_key_parts(job))
            if stored is not None and stored.taken_by == job.taken_by:
                _put_job(rows, msgspec.structs.replace(stored, taken_by=None, until=0, due=due, error=error))

    def drop_job(self, job: JobRecord) -> None:
        with self._database.writing() as rows:
            rows.delete(JOBS.key(*_key_parts(job)))

    def count_jobs(self, checkout: str) -> int:
        """Count the questions of a checkout that wait or are being asked."""
        return self._database.read(lambda rows: rows.count(keys.JOB, _tag_of(checkout)))

    def jobs_of(self, checkout: str, kind: str) -> list[JobRecord]:
        """Return the questions of one kind and checkout that wait or are being asked, in their order."""
        prefix = JOBS.key(kind, "")
        with self._database.reading() as rows:
            names = [key for key, _ in rows.by_tag(keys.JOB, _tag_of(checkout)) if key.startswith(prefix)]
            return [job for _, job in JOBS.readable(rows.many(names).items())]

    def jobs(self) -> list[JobRecord]:
        """Return every question that waits or is being asked; slow with thousands."""
        return self._database.read(lambda rows: list(JOBS.unordered(rows).values()))


def _count_change(rows: Rows) -> None:
    rows.set(keys.KNOWLEDGE_STATE, rows.number(keys.KNOWLEDGE_STATE) + 1)


def _put_job(rows: Rows, job: JobRecord) -> None:
    """Store a question with a tag: its checkout, its turn there, and when it may be taken."""
    turn = f"{job.attempts:06}", f"{job.asked_at:016}", job.hash
    free = job.due if job.taken_by is None else job.until
    tag = _tag_of(job.checkout) + keys.SEPARATOR.join((*turn, str(free)))
    JOBS.set(rows, job, *_key_parts(job), tag=tag)


def _key_parts(job: JobRecord) -> tuple[str, ...]:
    return (job.kind, job.hash, job.basis) if job.kind == "facet" else (job.kind, job.hash)


def _tag_of(checkout: str) -> str:
    return f"{checkout}{keys.SEPARATOR}"


def _next_job(rows: Rows, checkout: str, now: int, excluded_kind: str | None) -> JobRecord | None:
    """Return the checkout's next question, and drop questions that cannot be read.

    It is found by tags, since reading thousands of questions took 40 ms.
    """
    unwanted = JOBS.key(excluded_kind, "") if excluded_kind is not None else None
    for key, tag in rows.by_tag(keys.JOB, _tag_of(checkout)):
        if unwanted is not None and key.startswith(unwanted):
            continue
        if not now < int(tag.rpartition(keys.SEPARATOR)[2]) <= now + MAX_WAIT_MS:
            job = JOBS.decode_row(key, rows.get(key))
            if job is not None:
                return job
            rows.delete(key)
    return None


def _ground_rows(record: FacetsRecord) -> dict[str, str]:
    return {
        keys.join_key(keys.GROUND, symbol_hash, record.hash): name
        for facet in record.facets
        for name, symbol_hash in facet.symbols
    }
