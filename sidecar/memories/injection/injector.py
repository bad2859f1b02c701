"""Choose, rank and render the memories and files that an agent should see now, within a token budget.

The handler of `memory/inject` calls `Injector.inject`. `choosing.py` returns the items that may be shown,
`packing.py` fills the budget, `render.py` writes the text, and `showing.py` stores what the session was shown.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from itertools import islice
from typing import NamedTuple

from sidecar.memories.drafts import FORMATS, Briefing, Format, InjectRequest
from sidecar.memories.index.catalogue import Catalogue
from sidecar.memories.index.meaning import Embedding
from sidecar.memories.index.memory_index import MemoryIndex
from sidecar.memories.index.row import Row
from sidecar.memories.injection.choosing import Choice, Chooser
from sidecar.memories.injection.packing import BlockItem, Packing, order
from sidecar.memories.injection.render import (
    DELETED_ITEM,
    SECTIONS,
    RenderedItem,
    block,
    file_item,
    memory_item,
    tokens_of,
)
from sidecar.memories.injection.showing import (
    Shown,
    append_shown,
    file_key,
    frozen_block,
    frozen_key,
    store_shown_again,
    thaw,
)
from sidecar.memories.recording import checks
from sidecar.memories.results import InjectedItem, Injection, OmittedItem
from sidecar.memories.retrieval.matching import WORDS_ALONE
from sidecar.memories.retrieval.prompt import depends_on_previous, excerpt, queries_of, what_is_asked
from sidecar.memories.retrieval.weights import Weights
from sidecar.runtime.clock import Clock
from sidecar.runtime.errors import InvalidField, StoreUnavailable
from sidecar.runtime.recently_used import RecentlyUsed
from sidecar.store.memory_store import MemoryStore
from sidecar.store.records import MemoryRecord, SessionRecord

log = logging.getLogger(__name__)

CachedItem = tuple[RenderedItem, Row | None, int | None, Format]  # a rendered memory, and all that its text depends on
# The first block of a session waits this long for a model that is loading: all later ones are ranked as it was.
MODEL_PATIENCE_SECONDS = 0.5
_MAX_FETCHED_AHEAD = 32  # memories read from the store at once
_MAX_CACHED_ITEMS = 10_000  # cached items, of about half a KB each
_MAX_OMITTED = 200  # items that an answer names as omitted
_NOT_STORED = "The memories shown to a session could not be stored: %s"


class _MadeBlock(NamedTuple):
    injection: Injection
    ranked_by: str  # the model by which its memories were ranked
    by_store: list[tuple[MemoryStore, list[str]]]  # its memories


class Injector:
    """Makes blocks from one catalogue. What each session was shown is in the workspace's store."""

    def __init__(self, catalogue: Catalogue, embedding: Embedding, weights: Weights, clock: Clock) -> None:
        self._catalogue = catalogue
        self._embedding = embedding
        self._weights = weights
        self._workspace_store = catalogue.workspace_store
        self._clock = clock
        self._rendered: RecentlyUsed[str, CachedItem] = RecentlyUsed(_MAX_CACHED_ITEMS)

    def check(self, request: InjectRequest) -> None:
        """Check a request, before anything is read for it. Raises InvalidField."""
        if request.format not in FORMATS:
            raise InvalidField(f"{request.format!r} is not one of {', '.join(FORMATS)}.", path="$.format")
        if request.budget_tokens < 1:
            raise InvalidField("A budget must be at least one token.", path="$.budgetTokens")
        if checks.check_session(request.session_id) is None:
            for wanted, path in ((request.frozen, "$.frozen"), (request.exclude_shown, "$.excludeShown")):
                if wanted:
                    hint = "Send a sessionId along with it."
                    raise InvalidField(f"`{path[2:]}` needs a session.", path=path, hint=hint)

    def inject(self, request: InjectRequest, briefings: Sequence[Briefing] = ()) -> Injection:
        """Return the block for a checked request, and count as used each memory that is new to the session.

        All blocks of a session are ranked with the time, access counts and model of its first request, so that showing
        a memory does not change later rankings. `omitted` names at most 200 memories and files.
        """
        if request.prompt:
            self._embedding.wait(MODEL_PATIENCE_SECONDS)
        now = self._clock()
        id = request.session_id
        session = self._workspace_store.session(id) if id is not None else None
        frozen = self._frozen_injection(session, request, now) if request.frozen and session is not None else None
        if frozen is not None:
            return frozen
        by_path = {briefing.path: briefing for briefing in briefings}
        block = self._make_block(request, session, by_path, now)
        if id is None:
            return block.injection
        try:
            return self._store_shown(id, request, block, by_path, now)
        except StoreUnavailable as error:
            if request.frozen:  # a frozen block cannot promise what the next one holds
                raise
            log.warning(_NOT_STORED, error.message)
            return block.injection

    def _make_block(
        self, request: InjectRequest, session: SessionRecord | None, by_path: dict[str, Briefing], now: int
    ) -> _MadeBlock:
        queries = queries_of(request.prompt, "" if session is None else session.asked)
        self._catalogue.prepare(*queries)

        def make(index: MemoryIndex) -> _MadeBlock:
            ranked_by = None if session is None else session.ranked_by
            if ranked_by is None:
                ranked_by = index.meaning.model or WORDS_ALONE
            by_meaning = ranked_by != WORDS_ALONE
            choice = Chooser(index, self._weights, request, session, queries, now, by_meaning).choose(by_path)
            renderer = _Renderer(index, self._rendered, choice.items, by_path, request.format)
            packing = Packing(request.format, request.budget_tokens, request.max_lines, renderer.render)
            packing.fill(choice.items)
            injection = _assemble(packing, choice, request.budget_tokens, request.format)
            return _MadeBlock(
                injection, ranked_by, list(index.by_store(filter(None, (item.id for item in injection.items))))
            )

        return self._catalogue.consistent_answer(make, lambda block: [id for _, ids in block.by_store for id in ids])

    def _frozen_injection(self, session: SessionRecord, request: InjectRequest, now: int) -> Injection | None:
        """Return the session's frozen block; None if it has none, or a memory in it was purged."""
        key = frozen_key(request)
        frozen = frozen_block(session, key)
        if frozen is None:
            return None
        with self._catalogue.current() as index:
            missing_ids = [item.id for item in frozen.items if item.id is not None and item.id not in index.rows]
        purged = [id for id in missing_ids if not any(store.history(id) for store in self._catalogue.stores)]
        if purged:
            thaw(self._workspace_store, session.id, key, now)
            return None
        try:
            store_shown_again(self._workspace_store, session, frozen, now)
        except StoreUnavailable as error:
            log.warning(_NOT_STORED, error.message)
        return frozen

    def _store_shown(
        self, id: str, request: InjectRequest, block: _MadeBlock, briefings: dict[str, Briefing], now: int
    ) -> Injection:
        """Store what the session was shown. Return the block, or the block that another request froze first."""
        shown = _shown_by(block, request, briefings)
        if shown.is_stored_in(self._workspace_store.session(id)):
            return block.injection
        new_keys, frozen_before = append_shown(self._workspace_store, id, shown, now)
        if frozen_before is not None:
            return frozen_before
        for store, ids in block.by_store:
            store.record_access(new_keys.intersection(ids), now)
        return block.injection


def _shown_by(block: _MadeBlock, request: InjectRequest, briefings: dict[str, Briefing]) -> Shown:
    injection, prompt = block.injection, request.prompt or ""
    keys = [item.id for item in injection.items if item.id is not None]
    keys += [file_key(briefings[item.path]) for item in injection.items if item.path is not None]
    # A memory that was omitted as a repetition counts as shown, but not as used.
    keys += [item.id for item in injection.omitted if item.reason == "repeats"]
    return Shown(
        keys,
        (frozen_key(request), injection) if request.frozen else None,
        block.ranked_by if prompt.strip() else None,
        None if depends_on_previous(what_is_asked(prompt)) else excerpt(prompt),
    )


class _Renderer:
    """Renders the items of one block; a memory is rendered again only if something on which it depends has changed."""

    def __init__(
        self,
        index: MemoryIndex,
        cache: RecentlyUsed[str, CachedItem],
        items: Sequence[BlockItem],
        by_path: dict[str, Briefing],
        format: Format,
    ) -> None:
        self._index = index
        self._cache = cache
        self._items = items
        self._by_path = by_path
        self._format: Format = format
        self._records: dict[str, MemoryRecord] = {}

    def render(self, item: BlockItem) -> RenderedItem:
        """Return an item's rendering. A memory is read from the store together with those that follow it."""
        if item.kind == "file":
            return file_item(self._by_path[item.key], self._format)
        id = item.key
        depends = self._dependencies(id)
        if (cached := self._cached(id, depends)) is not None:
            return cached
        if id not in self._records:
            following = (other.key for other in self._items[self._items.index(item) :] if other.kind == "memory")
            stale = (key for key in following if self._cached(key, self._dependencies(key)) is None)
            self._records |= self._index.fetch(islice(stale, _MAX_FETCHED_AHEAD))
        record = self._records.get(id)
        rendered = DELETED_ITEM if record is None else memory_item(record, self._format, depends[1])
        self._cache[id] = rendered, *depends
        return rendered

    def _cached(self, id: str, depends: tuple[Row | None, int | None, Format]) -> RenderedItem | None:
        cached: CachedItem | None = self._cache.get(id)
        return cached[0] if cached is not None and cached[1:] == depends else None

    def _dependencies(self, id: str) -> tuple[Row | None, int | None, Format]:
        """Return everything on which a memory's text depends. A changed memory has another row."""
        doubts = self._index.superseding.doubts(id)
        doubted_at = self._index.rows[doubts[0]].updated_at if doubts else None
        return self._index.rows.get(id), doubted_at, self._format


def _assemble(packing: Packing, choice: Choice, budget: int, format: Format) -> Injection:
    chosen, dropped = packing.chosen, packing.dropped
    while True:
        placed_items = sorted(chosen, key=lambda pair: (SECTIONS.index(pair[0].section), order(pair[0])))
        sections = [(name, [rendered for item, rendered in placed_items if item.section == name]) for name in SECTIONS]
        text, etag = block(sections, format)
        tokens = tokens_of(text, sections, format)
        if tokens <= budget:
            break
        dropped.insert(0, chosen.pop()[0])  # only if an item took more tokens than its estimate
    reasons = choice.reasons.reasons_of([item.key for item, _ in placed_items])
    items = tuple(
        InjectedItem(
            kind=item.kind,
            section=item.section,
            score=item.value,
            tokens=rendered.tokens,
            reasons=reasons[item.key],
            id=item.key if item.kind == "memory" else None,
            path=item.key if item.kind == "file" else None,
        )
        for item, rendered in placed_items
    )
    omitted = [OmittedItem(item.key, "repeats") for item in packing.repeated]
    omitted += [*(OmittedItem(item.key, "budget") for item in dropped), *choice.omitted]
    return Injection(text, tokens, etag, items, tuple(omitted[:_MAX_OMITTED]))
