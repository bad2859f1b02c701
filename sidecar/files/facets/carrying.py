"""Facets of earlier contents and of copied symbols that hold for a content."""

from __future__ import annotations

import logging
from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple

import msgspec

from sidecar.checkout.content import decode
from sidecar.checkout.tree import FileBytes
from sidecar.files.facets.admission import admit
from sidecar.files.facets.admission_result import FACETS_PER_CONTENT, Admitted
from sidecar.files.facets.carry_over import merge_facets, normalised, still_holds
from sidecar.files.facets.content import Content
from sidecar.files.symbols.cache import SymbolCache
from sidecar.files.symbols.hashes import dotted_symbols
from sidecar.files.workspace_files import WorkspaceFiles
from sidecar.runtime.errors import StoreUnavailable
from sidecar.store.knowledge_store import KnowledgeStore
from sidecar.store.records import ContentRecord, FacetRecord

log = logging.getLogger(__name__)

_FORMER_SHOWN: Final = 8


class _Grounds(NamedTuple):
    """The hashes of each symbol, by name, with the contents that have a facet about it, at one state of the store."""

    state: int
    by_name: Mapping[str, Sequence[tuple[str, str]]]


class ContentFacets(NamedTuple):
    """The facets of a content."""

    facets: tuple[FacetRecord, ...]
    # Files whose facets are not carried over, because these files still have the symbols.
    copied: tuple[str, ...] = ()


class CarriedFacets:
    """Carries facets over to contents whose symbols are unchanged. Thread-safe, beside any number of processes."""

    def __init__(self, store: KnowledgeStore, files: WorkspaceFiles, symbols: SymbolCache) -> None:
        self._store = store
        self._files = files
        self._symbols = symbols
        self._grounds: _Grounds | None = None

    def facets_of(self, file: FileBytes, content: ContentRecord, state: int) -> ContentFacets:
        """Return the facets of a content; first carry over those that hold for its symbols."""
        record = self._store.facets([file.hash]).get(file.hash)
        facets = record.facets if record is not None else ()
        if len(facets) >= FACETS_PER_CONTENT:
            return ContentFacets(facets)
        carried, copied = self._from_other_contents(file, content, facets, state)
        if not carried:
            return ContentFacets(facets, tuple(copied))
        try:
            record = self._store.update_facets(
                file.hash,
                lambda before: msgspec.structs.replace(
                    before, facets=merge_facets(before.facets, carried, FACETS_PER_CONTENT)
                ),
            )
        except StoreUnavailable as error:  # they hold even if they cannot be stored
            log.info("Carried-over facets were not stored: %s", error.message)
            return ContentFacets(merge_facets(facets, carried, FACETS_PER_CONTENT), tuple(copied))
        return ContentFacets(record.facets, tuple(copied))

    def _from_other_contents(
        self, file: FileBytes, content: ContentRecord, facets: Sequence[FacetRecord], state: int
    ) -> tuple[list[FacetRecord], set[str]]:
        """Return other contents' facets that hold for this content, and the files that still have those symbols."""
        by_name = self._contents_by_symbol(state)
        wanted = {name for name, _ in dotted_symbols(content.symbols)} & by_name.keys()
        if not wanted:
            return [], set()
        hashes = self._symbols.hashes(file.path, content, file.data, wanted)
        sources = {
            source
            for name, hash in hashes.items()
            for symbol_hash, source in by_name[name]
            if symbol_hash == hash and source != file.hash
        }
        texts = {normalised(facet.text) for facet in facets}
        carried: list[FacetRecord] = []
        copied: set[str] = set()
        for source, record in self._store.facets(sources).items():
            for facet in record.facets:
                if not still_holds(facet, hashes) or normalised(facet.text) in texts:
                    continue
                if facet.path is not None and self._is_copy(facet, facet.path, file):
                    copied.add(facet.path)
                elif facet.path == file.path or _is_admitted(facet, file, content):
                    origin = facet.carried_from or source
                    carried.append(msgspec.structs.replace(facet, path=file.path, carried_from=origin))
        return carried, copied

    def _is_copy(self, facet: FacetRecord, path: str, file: FileBytes) -> bool:
        """Return whether another file has every symbol that a facet rests on."""
        seen = self._files.read(path) if path != file.path else None
        if seen is None:
            return False
        other, record = seen
        names = [name for name, _ in facet.symbols]
        return still_holds(facet, self._symbols.hashes(other.path, record, other.data, names))

    def former(self, file: FileBytes, holding: Sequence[FacetRecord]) -> tuple[FacetRecord, ...]:
        """Return facets of the path's earlier contents that may no longer hold."""
        earlier = [hash for hash in self._files.pointers.history(file.path) if hash != file.hash]
        records = self._store.facets(earlier) if earlier else {}
        texts = {normalised(facet.text) for facet in holding}
        former: dict[str, FacetRecord] = {}
        for hash in earlier:
            for facet in records[hash].facets if hash in records else ():
                if normalised(facet.text) not in texts:
                    former.setdefault(normalised(facet.text), facet)
        return tuple(former.values())[:_FORMER_SHOWN]

    def _contents_by_symbol(self, state: int) -> Mapping[str, Sequence[tuple[str, str]]]:
        grounds = self._grounds
        if grounds is None or grounds.state != state:
            by_name: defaultdict[str, list[tuple[str, str]]] = defaultdict(list)
            for name, symbol_hash, content in self._store.grounds():
                by_name[name].append((symbol_hash, content))
            grounds = self._grounds = _Grounds(state, by_name)
        return grounds.by_name


def _is_admitted(facet: FacetRecord, file: FileBytes, content: ContentRecord) -> bool:
    return facet.path is not None and isinstance(admit(facet.text, content_of(file, content), ()), Admitted)


def content_of(file: FileBytes, record: ContentRecord) -> Content:
    text = decode(file.data).replace("\r\n", "\n").replace("\r", "\n")
    return Content(file.path, text, record)
