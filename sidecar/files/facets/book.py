"""The facets that hold for the bytes on disk, and a model's text about those bytes.

A facet is stored under the content from which it was learned. If its symbols occur unchanged in another content, it is
copied there (`carry_over`). The store is read each time, because another process, branch or worktree may have learned a
facet.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Iterable, Mapping, Sequence
from typing import Final, NamedTuple

import msgspec

from sidecar.checkout.tree import FileBytes
from sidecar.files import prompts
from sidecar.files.briefing.notes import NOTHING, Note
from sidecar.files.clean_text import clean
from sidecar.files.facets.admission import admit, statements
from sidecar.files.facets.admission_result import (
    FACETS_PER_CONTENT,
    MAX_SENTENCE,
    Admitted,
    Partner,
    Refused,
    ResolvePath,
)
from sidecar.files.facets.carry_over import normalised, symbols_under
from sidecar.files.facets.carrying import CarriedFacets, content_of
from sidecar.files.facets.content import Content
from sidecar.files.symbols.cache import SymbolCache
from sidecar.files.workspace_files import WorkspaceFiles
from sidecar.runtime.clock import Clock
from sidecar.runtime.errors import StoreUnavailable
from sidecar.runtime.recently_used import RecentlyUsed
from sidecar.store.knowledge_store import KnowledgeStore
from sidecar.store.records import AnswerRecord, ContentRecord, FacetRecord, FacetsRecord

log = logging.getLogger(__name__)

_MAX_CACHED_NOTES: Final = 2_048


class Observed(msgspec.Struct, frozen=True):
    """What came of a text: the facets kept, and the sentences refused. A path of None stands for all files."""

    kept: tuple[tuple[str, FacetRecord], ...]
    refused: tuple[tuple[str | None, Refused], ...]


class _Target(NamedTuple):
    file: FileBytes
    content: Content


class _CachedNote(NamedTuple):
    state: int
    version: int
    copied: tuple[str, ...]
    note: Note


class FacetBook:
    """The facets of one checkout. Thread-safe, beside any number of processes.

    Without a readable store nothing is known; without a writable store `keep` and `observe` raise
    `StoreUnavailable`.
    """

    def __init__(self, store: KnowledgeStore, files: WorkspaceFiles, symbols: SymbolCache, clock: Clock) -> None:
        self._store = store
        self._files = files
        self._symbols = symbols
        self._clock = clock
        self._carried = CarriedFacets(store, files, symbols)
        self._lock = threading.Lock()
        self._cached_notes: RecentlyUsed[tuple[str, str], _CachedNote] = RecentlyUsed(_MAX_CACHED_NOTES)

    # -- shown -----------------------------------------------------------------------------------------------

    def note_about(self, file: FileBytes, content: ContentRecord) -> Note:
        """Return the note about a file that was just read; never raises for the store."""
        key = (file.path, file.hash)
        try:
            state, version = self._store.change_number(), self._files.version
            with self._lock:
                cached: _CachedNote | None = self._cached_notes.get(key)
            if (
                cached is not None
                and (cached.state, cached.version) == (state, version)
                and not self._files.changed_since_read(cached.copied)
            ):
                return cached.note
            holding, copied = self._carried.facets_of(file, content, state)
            facets = tuple(facet for facet in holding if all(map(self._files.exists, facet.partners)))
            alone = tuple(facet for facet in holding if facet not in facets)
            copied += tuple(path for facet in holding for path in facet.partners)
            note = _note(facets, (*alone, *self._carried.former(file, holding)), self._store.answers(file.hash))
        except StoreUnavailable as error:
            log.warning("Facets cannot be read: %s", error.message)
            return NOTHING
        with self._lock:
            self._cached_notes[key] = _CachedNote(state, version, copied, note)
        return note

    def texts(self, hash: str) -> list[str]:
        record = self._store.facets([hash]).get(hash)
        return [facet.text for facet in record.facets] if record is not None else []

    def knows(self, hash: str) -> bool:
        """Return whether a facet or a summary of a content is stored; False if the store cannot be read."""
        try:
            return bool(self._store.facets([hash])) or bool(self._store.answers(hash))
        except StoreUnavailable:
            return False

    def current_hash(self, path: str) -> str | None:
        file_and_record = self._files.read(path)
        return None if file_and_record is None else file_and_record[0].hash

    # -- learned ---------------------------------------------------------------------------------------------

    def observe(self, text: str, paths: Iterable[str], session_id: str | None) -> Observed:
        """Keep at most one new facet per file from an explicit statement. Raises `StoreUnavailable`.

        Of several files, only those get the facet that define an identifier of the sentence.
        """
        stored: list[tuple[str, FacetRecord]] = []
        refused: dict[Refused, list[str]] = {}
        files = list(dict.fromkeys(paths))
        groups = list(statements(text))
        for path in files:
            target = self._read_target(path)
            if target is None:
                refused[Refused(f"There is no text file at {clean(path, 200)}.", "noSuchFile")] = [path]
                continue
            facet, against = self._keep_first_admissible(target, groups, session_id, at_home=len(files) > 1)
            for refusal in against or ([Refused(clean(text, MAX_SENTENCE), "noise")] if facet is None else []):
                refused.setdefault(refusal, []).append(path)
            if facet is not None:
                stored.append((path, facet))
        texts = {facet.text for _, facet in stored}
        refusals: list[tuple[str | None, Refused]] = []
        for refusal, where in refused.items():
            if refusal.text not in texts:
                refusals += [(None, refusal)] if len(where) == len(files) > 1 else [(path, refusal) for path in where]
        return Observed(tuple(stored), tuple(refusals))

    def _keep_first_admissible(
        self, target: _Target, groups: Sequence[Sequence[str]], session_id: str | None, *, at_home: bool
    ) -> tuple[FacetRecord | None, list[Refused]]:
        """Keep the first admissible statement; return the facet, and the refused statements of its group."""
        known_texts = self._known(target)
        refused: list[Refused] = []
        for group in groups:
            refused = []
            for statement in group:
                judged = self._judge(target, statement, known_texts, at_home=at_home)
                outcome = self._put(target, judged, "stated", session_id) if isinstance(judged, Admitted) else judged
                if isinstance(outcome, FacetRecord):
                    return outcome, refused
                refused.append(outcome)
        return None, refused

    def judge(self, path: str, sentence: str) -> Admitted | Refused:
        target = self._read_target(path)
        if target is None:
            return Refused(sentence, "noSuchFile")
        return self._judge(target, sentence, self._known(target))

    def _judge(
        self, target: _Target, sentence: str, known_texts: Sequence[str], *, at_home: bool = False
    ) -> Admitted | Refused:
        return admit(sentence, target.content, known_texts, self._path_resolver(target), at_home=at_home)

    def store(
        self, path: str, hash: str, sentence: str, source: str, session_id: str | None, *, at: int | None = None
    ) -> FacetRecord | Refused:
        """Keep a sentence if it is admissible and the file still has this content. Raises `StoreUnavailable`.

        `at` is when the sentence was learned, by default now.
        """
        target = self._read_target(path)
        if target is None or target.file.hash != hash:
            return Refused(sentence, "notInFile")
        judged = self._judge(target, sentence, self._known(target))
        return judged if isinstance(judged, Refused) else self._put(target, judged, source, session_id, at)

    def _put(
        self, target: _Target, admitted: Admitted, source: str, session_id: str | None, at: int | None = None
    ) -> FacetRecord | Refused:
        file, content = target
        names = symbols_under(admitted.text, admitted.identifiers, content)
        hashes = self._symbols.hashes(file.path, content.record, file.data, names) if names else {}
        incomplete = any(name not in hashes for name in names)
        facet = FacetRecord(
            text=admitted.text,
            identifiers=admitted.identifiers,
            at=self._clock() if at is None else at,
            source=source,
            symbols=() if incomplete else tuple((name, hashes[name]) for name in names),
            path=file.path,
            session_id=session_id,
            partners=admitted.partners,
        )
        refused: list[Refused] = []

        def add(before: FacetsRecord) -> FacetsRecord:
            refused.clear()
            if any(normalised(known.text) == normalised(facet.text) for known in before.facets):
                refused.append(Refused(facet.text, "paraphrase"))  # another process was faster
            elif len(before.facets) >= FACETS_PER_CONTENT:
                refused.append(Refused(facet.text, "full"))
            else:
                return msgspec.structs.replace(before, facets=(*before.facets, facet))
            return before

        self._store.update_facets(file.hash, add)
        return refused[0] if refused else facet

    def _read_target(self, path: str) -> _Target | None:
        file_and_record = self._files.read(path)
        return None if file_and_record is None else _Target(file_and_record[0], content_of(*file_and_record))

    def _path_resolver(self, target: _Target) -> ResolvePath:
        """Return a function that finds a path named in a sentence.

        It looks beside and above this file, then for known paths with that end.
        """
        folders = target.file.path.split("/")[:-1]

        def partner(named: str) -> Partner | None:
            near = ["/".join((*folders[:depth], named)) for depth in range(len(folders), -1, -1)]
            ending = self._files.pointers.paths_ending([named])[named][:1]
            path = next((path for path in (*near, *ending) if self._files.exists(path)), None)
            if path is None:
                return None
            file_and_record = self._files.read(path)
            return Partner(path, None if file_and_record is None else content_of(*file_and_record))

        return partner

    def _known(self, target: _Target) -> list[str]:
        holding = self._carried.facets_of(target.file, target.content.record, self._store.change_number())
        return [facet.text for facet in holding.facets]


def _note(
    facets: tuple[FacetRecord, ...], former: tuple[FacetRecord, ...], answers: Mapping[str, AnswerRecord]
) -> Note:
    summary, aggregate, long = answers.get("summary"), answers.get("aggregate"), answers.get("long")
    basis = prompts.basis(summary.text if summary is not None else "", [facet.text for facet in facets])
    if aggregate is not None and facets and aggregate.basis == basis:
        return Note("aggregated", aggregate.text, facets, former, replaces_facets=True)
    if long is not None:
        return Note("model", long.text, facets, former, replaces_facets=True)
    if summary is not None:
        return Note("model", summary.text, facets, former)
    return Note("structural", None, facets, former)
