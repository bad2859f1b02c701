"""Choose, rank and render the memories and files that an agent should see now, within a token budget.

The handler of `memory/inject` calls `Injector.inject`. `choosing.py` returns the items that may be shown,
`packing.py` fills the budget, `render.py` writes the text, and `showing.py` records what the session was shown.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from itertools import islice

from sidecar.memories.drafts import FORMATS, Briefing, Format, InjectRequest
from sidecar.memories.index.catalogue import Catalogue
from sidecar.memories.index.memory_index import MemoryIndex
from sidecar.memories.index.row import Row
from sidecar.memories.injection.choosing import Choice, Chooser
from sidecar.memories.injection.packing import BlockItem, Packing, order
from sidecar.memories.injection.render import SECTIONS, RenderedItem, block, file_item, memory_item, tokens_of
from sidecar.memories.injection.showing import (
    append_shown,
    append_shown_again,
    file_key,
    frozen_block,
    frozen_key,
    still_shown,
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
from sidecar.store.records import MemoryRecord, SessionRecord

log = logging.getLogger(__name__)

CachedItem = tuple[RenderedItem, Row | None, int | None, Format]  # a rendered memory, and all that its text depends on
# The first block of a session waits this long for a model that is loading: all later ones are ranked as it was.
MODEL_PATIENCE_SECONDS = 0.5
_MAX_FETCHED_AHEAD = 32  # memories read from the store at once
_MAX_CACHED_ITEMS = 10_000  # cached items, of about half a KB each
_MAX_OMITTED = 200  # items that an answer names as omitted
_NOT_NOTED = "The memories shown to a session could not be stored: %s"


class Injector:
    """Makes blocks from one catalogue. What each session was shown is in the workspace's store."""

    def __init__(self, catalogue: Catalogue, weights: Weights, clock: Clock) -> None:
        self._catalogue = catalogue
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
            self._catalogue.wait_for_model(MODEL_PATIENCE_SECONDS)
        now = self._clock()
        id = request.session_id
        session = self._workspace_store.session(id) if id is not None else None
        frozen = self._frozen_injection(session, request, now) if request.frozen and session is not None else None
        if frozen is not None:
            return frozen
        by_path = {briefing.path: briefing for briefing in briefings}
        injection, ranked_by = self._make_block(request, session, by_path, now)
        if id is None:
            return injection
        try:
            return self._note_in_session(id, request, injection, by_path, now, ranked_by)
        except StoreUnavailable as error:
            if request.frozen:  # a frozen block cannot promise what the next one holds
                raise
            log.warning(_NOT_NOTED, error.message)
            return injection

    def _make_block(
        self, request: InjectRequest, session: SessionRecord | None, by_path: dict[str, Briefing], now: int
    ) -> tuple[Injection, str]:
        """Return the block, and the name of the model by which its memories were ranked."""
        queries = queries_of(request.prompt, "" if session is None else session.asked)
        self._catalogue.prepare(*queries)

        def make(index: MemoryIndex) -> tuple[Injection, str]:
            ranked_by = None if session is None else session.ranked_by
            if ranked_by is None:
                ranked_by = index.meaning.model or WORDS_ALONE
            by_meaning = ranked_by != WORDS_ALONE
            choice = Chooser(index, self._weights, request, session, queries, now, by_meaning).choose(by_path)
            renderer = _Renderer(index, self._rendered, choice.items, by_path, request.format)
            packing = Packing(request.format, request.budget_tokens, request.max_lines, renderer.render)
            packing.fill(choice.items)
            return _assemble(packing, choice, request.budget_tokens, request.format), ranked_by

        return self._catalogue.consistent_answer(
            make, lambda answer: [item.id for item in answer[0].items if item.id is not None]
        )

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
            append_shown_again(self._workspace_store, session, frozen, now)
        except StoreUnavailable as error:
            log.warning(_NOT_NOTED, error.message)
        return frozen

    def _note_in_session(
        self,
        id: str,
        request: InjectRequest,
        injection: Injection,
        briefings: dict[str, Briefing],
        now: int,
        ranked_by: str,
    ) -> Injection:
        """Record what the session was shown. Return the block, or the block that another request froze first."""
        keys: dict[str, str | None] = {item.id: item.id for item in injection.items if item.id is not None}
        keys |= {file_key(briefings[item.path]): None for item in injection.items if item.path is not None}
        # A memory that was omitted as a repetition counts as shown, but not as used.
        keys |= {item.id: None for item in injection.omitted if item.reason == "repeats"}
        to_freeze = (frozen_key(request), injection) if request.frozen else None
        prompt = request.prompt or ""
        first_ranking = ranked_by if prompt.strip() else None
        question = None if depends_on_previous(what_is_asked(prompt)) else excerpt(prompt)
        session = self._workspace_store.session(id)
        if session is not None and to_freeze is None and keys.keys() <= still_shown(session):
            ranked = first_ranking is None or session.ranked_by is not None
            if ranked and question in (None, session.asked):
                return injection  # nothing to note
        fresh, frozen_before = append_shown(self._workspace_store, id, keys, now, to_freeze, first_ranking, question)
        if frozen_before is not None:
            return frozen_before
        used = (memory for key, memory in keys.items() if key in fresh and memory is not None)
        with self._catalogue.current() as index:
            by_store = list(index.by_store(used))
        for store, group in by_store:
            store.record_access(group, now)
        return injection


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
        # Another process deleted the memory: return an item that fits no budget.
        rendered = RenderedItem("", 1 << 40) if record is None else memory_item(record, self._format, depends[1])
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
    why = choice.why.reasons_of([item.key for item, _ in placed_items])
    items = tuple(
        InjectedItem(
            kind=item.kind,
            section=item.section,
            score=item.value,
            tokens=rendered.tokens,
            reasons=why[item.key],
            id=item.key if item.kind == "memory" else None,
            path=item.key if item.kind == "file" else None,
        )
        for item, rendered in placed_items
    )
    omitted = [OmittedItem(item.key, "repeats") for item in packing.repeated]
    omitted += [*(OmittedItem(item.key, "budget") for item in dropped), *choice.omitted]
    return Injection(text, tokens, etag, items, tuple(omitted[:_MAX_OMITTED]))
