"""Choose and value the memories and files that may be injected.

`injector.py` calls `Chooser.choose`, and `packing.py` then fills the block from the returned items.

With a prompt, a memory's probability (`confidence.py`) decides whether it is chosen, and its match score
(`matching.py`) orders it. Files in play and names in the prompt raise the score, and standing weight changes it a
little. Without a prompt, memories about the files in play come first, and standing weight orders the rest.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from heapq import nlargest
from typing import NamedTuple

from sidecar.memories.drafts import Briefing, Filters, InjectRequest
from sidecar.memories.index import ranking
from sidecar.memories.index.memory_index import MemoryIndex
from sidecar.memories.injection.block_reasons import BlockReasons
from sidecar.memories.injection.packing import OTHER_RANK, PINNED_RANK, REPOSITORY_ONLY_RANK, SCOPES, BlockItem, order
from sidecar.memories.injection.render import FILES, section_of
from sidecar.memories.injection.showing import file_key, still_shown
from sidecar.memories.results import OmittedItem, OmittedReason
from sidecar.memories.retrieval import reasons
from sidecar.memories.retrieval.confidence import MIN_BLOCK_PROBABILITY, SURE_PROBABILITY, min_probability_beside
from sidecar.memories.retrieval.matching import match, strongest
from sidecar.memories.retrieval.prompt import PREVIOUS_SHARE
from sidecar.memories.retrieval.weights import Weights
from sidecar.store.records import SessionRecord
from sidecar.store.scores import Scores
from sidecar.text.lazy_patterns import lazy
from sidecar.text.stems import fold_case
from sidecar.text.words import query_terms

# Values of items, on a scale where the best match has 1, and limits of a block; chosen by hand, not fitted to data.
BRIEFING_VALUE = 0.8  # a file in play ranks among the memories that match well
LIKELY_FILE_VALUE = 0.3  # a file that is only likely in play ranks below those in play
PREFERENCE_VALUE = 0.3  # the value of a preference that does not match the prompt
HEAVIEST_OTHER_VALUE = 0.4  # the value, without a prompt, of the heaviest memory that is not about the files in play
MIN_FILLING_PROBABILITY = 0.7  # the block is filled up only if the likeliest memory has at least this probability
FILLING_SHARE = 0.35  # it is filled up with memories whose match is at least this share of the likeliest one's
_MIN_BEST_MATCH = 0.5  # for `FILLING_SHARE`, the likeliest match counts as at least this
MAX_PREFERENCES = 5  # preferences that are shown although the prompt is about something else
_MAX_LATE_CHANGES = 3  # memories of what the user changed lately, shown whatever the prompt is about
MAX_BRIEF_ITEMS = 5  # items of a brief block that are not sure to matter
MAX_BRIEF_CHARS = 1_600  # characters of those items together, about 400 tokens
_MAX_FILES_IN_PLAY = 20  # files in play for which memories are sought
_MAX_MENTIONS = 50  # best matches of a path's words that are checked for the whole path
_TOKENS_PER_ITEM = 20  # few memories are shorter, so budget / 20 memories and a few to spare fill any block
_SPARE_ITEMS = 50
_MAX_BELOW_FLOOR = 20  # memories below the least probability that the answer names as omitted
_MAX_NAMES = 50  # code identifiers of a prompt that are looked up
_IDENTIFIER = lazy(r"\b(?=\w*(?:[^\W_]_[^\W_]|[a-z0-9][A-Z]))[^\W\d]\w+")
"""Matches `parse_header`, `ParseHeader`, `parseHeader`, but no word of prose."""


class Choice(NamedTuple):
    """What `Chooser` found for a request."""

    items: list[BlockItem]  # that the session has not been shown yet, best first
    omitted: list[OmittedItem]
    reasons: BlockReasons  # the reasons for `items`


class Chooser:
    """Finds the items for one request; the caller holds the index."""

    def __init__(
        self,
        index: MemoryIndex,
        weights: Weights,
        request: InjectRequest,
        session: SessionRecord | None,
        queries: Sequence[str],
        now: int,
        by_meaning: bool,
    ) -> None:
        self._index = index
        self._weights = weights
        self._request = request
        self._prompt, self._joined_prompt = (*queries, "", "")[:2]
        self._by_meaning = by_meaning
        self._ranked_at = now if session is None else session.started_at
        self._counted_at = None if request.session_id is None else self._ranked_at
        self._shown = still_shown(session) if request.exclude_shown else frozenset[str]()
        self._selection = index.select(Filters(agent=request.agent), now)
        self._visible = self._selection.ids
        self._max_items = request.budget_tokens // _TOKENS_PER_ITEM + _SPARE_ITEMS
        self._omitted: list[OmittedItem] = []
        self._reasons = BlockReasons(index, self._prompt)

    def choose(self, briefings: Mapping[str, Briefing]) -> Choice:
        values = self._values()
        self._replace_superseded(values)
        items = [self._memory_item(id, value) for id, value in values.items()]
        for briefing in briefings.values():
            if briefing.unavailable is not None:
                self._omitted.append(OmittedItem(briefing.path, "fileUnavailable"))
            elif briefing.text.strip():
                path, likely = briefing.path, briefing.likely
                value = BRIEFING_VALUE if likely is None else LIKELY_FILE_VALUE
                items.append(BlockItem("file", path, FILES, value, chars=len(briefing.text)))
                self._reasons.add(path, "in play" if likely is None else f"likely in play: {likely}")
        new_items = []
        for item in sorted(items, key=order):
            if (file_key(briefings[item.key]) if item.key in briefings else item.key) in self._shown:
                self._omitted.append(OmittedItem(item.key, "alreadyShown"))
            else:
                new_items.append(item)
        return Choice(self._shorten(new_items) if self._request.brief else new_items, self._omitted, self._reasons)

    def _shorten(self, items: list[BlockItem]) -> list[BlockItem]:
        likely = self._reasons.likelihood
        chosen, count, chars = {item.key for item in items if item.ahead}, 0, 0
        for item in sorted(items, key=lambda item: -likely.get(item.key, 0.0)):
            fits = count < MAX_BRIEF_ITEMS and chars + item.chars <= MAX_BRIEF_CHARS
            if not item.ahead and (fits or likely.get(item.key, 0.0) >= SURE_PROBABILITY):
                chosen.add(item.key)
                count += 1
                chars += item.chars
        self._omit([item.key for item in items if item.key not in chosen], "budget")
        return [item for item in items if item.key in chosen]

    def _memory_item(self, id: str, value: float) -> BlockItem:
        row = self._index.rows[id]
        section = section_of(row.type, row.category, row.agent, foreign=row.foreign)
        value = ranking.round_score(value)
        if row.foreign:
            return BlockItem("memory", id, section, value, chars=row.chars, rank=REPOSITORY_ONLY_RANK)
        ahead = row.pinned or row.category == "directive"
        rank = SCOPES.index(row.scope) if row.category == "directive" else PINNED_RANK if row.pinned else OTHER_RANK
        return BlockItem("memory", id, section, value, ahead, row.pinned, row.chars, rank)

    def _values(self) -> dict[str, float]:
        about = self._about_files()
        if self._prompt:
            return self._by_match(about)
        heaviest = self._weights.heaviest(
            self._index, self._selection, self._max_items, self._ranked_at, self._counted_at
        )
        values = {id: weight for weight, id in heaviest}
        exempt = self._heaviest_of(self._ahead(self._visible & self._index.exempt))
        values.update({id: weight for id, weight in exempt.items() if id not in values})
        preferences = {id for id in values if self._index.rows[id].type == "user"} - about.keys()
        surplus = sorted(preferences - self._shown_unasked(preferences))
        self._omit(surplus, "budget")
        for id in surplus:
            del values[id]
        heaviest_about = self._heaviest_of(about)
        for id in values.keys() - heaviest_about.keys():
            self._reasons.add(id, "standing weight")
        if self._request.files:
            values = {id: HEAVIEST_OTHER_VALUE * weight / (1.0 + weight) for id, weight in values.items()}
            for id, weight in heaviest_about.items():
                values[id] = 1.0 + ranking.nudge(weight, self._index.rows[id].status)
                self._reasons.add(id, *about[id])
        return values

    def _by_match(self, about: dict[str, list[str]]) -> dict[str, float]:
        """Return the value of memories that likely bear on the prompt, are about a file in play or need no match."""
        result = match(self._index, self._prompt, self._selection, by_meaning=self._by_meaning)
        shares = result.shares
        likely = result.likely({*result.best, *(id for id in about if id in shares)})
        for id, (probability, share) in self._from_previous_prompt().items():
            if probability > likely.get(id, 0.0):
                likely[id], shares.few[id] = probability, max(share, shares.get(id, 0.0))
                self._reasons.add(id, reasons.FITS_PREVIOUS_PROMPT)
        matching = self._likely_enough(likely, shares)
        exempt = self._shown_unasked(self._visible & self._index.exempt - matching - about.keys())
        below = likely.keys() - matching - about.keys() - exempt
        self._omit(strongest({id: likely[id] for id in below}, _MAX_BELOW_FLOOR), "belowFloor")
        matched = {id: shares.get(id, 0.0) for id in matching | about.keys()}
        self._reasons.set_match(result, likely, [id for id, share in matched.items() if share])
        return self._weigh(dict.fromkeys(exempt, 0.0) | matched, about, self._named_in_prompt(matching))

    def _weigh(
        self, shares: dict[str, float], about: dict[str, list[str]], reasons_by_name: dict[str, list[str]]
    ) -> dict[str, float]:
        """Return each memory's value, and keep the reasons.

        `shares` gives each memory's share of the best match, 0 if it needs no match.
        """
        weights = self._weights.weights_of(self._index, shares, self._ranked_at, self._counted_at)
        values = {}
        for id, share in shares.items():
            value = share + (ranking.OVERLAP_BONUS if id in about or id in reasons_by_name else 0.0)
            values[id] = (value or PREFERENCE_VALUE) * ranking.nudge(weights[id], self._index.rows[id].status)
        for id in about.keys() | reasons_by_name.keys():
            self._reasons.add(id, *about.get(id, ()), *reasons_by_name.get(id, ()))
        return values

    def _from_previous_prompt(self) -> dict[str, tuple[float, float]]:
        """Return (probability, share) of the memories that bear on the previous prompt.

        Empty unless this prompt depends on the previous one, as "the other one as well" does.
        """
        if not self._joined_prompt:
            return {}
        earlier = match(self._index, self._joined_prompt, self._selection, by_meaning=self._by_meaning)
        return {
            id: (PREVIOUS_SHARE * probability, PREVIOUS_SHARE * earlier.shares[id])
            for id, probability in earlier.likely(earlier.best).items()
        }

    def _likely_enough(self, likely: dict[str, float], shares: Scores) -> set[str]:
        highest_probability = max(likely.values(), default=0.0)
        if highest_probability < MIN_BLOCK_PROBABILITY:
            return set()
        min_probability = min_probability_beside(highest_probability)
        matching = {id for id, probability in likely.items() if probability >= min_probability}
        if highest_probability >= MIN_FILLING_PROBABILITY and not self._request.brief:
            likeliest = max(likely, key=lambda id: (likely[id], id))
            min_share = FILLING_SHARE * max(shares.get(likeliest, 0.0), _MIN_BEST_MATCH)
            near = shares.at_least(min_share)
            matching.update(near if len(near) <= self._max_items else strongest(near, self._max_items))
        return matching

    def _shown_unasked(self, exempt: set[str]) -> set[str]:
        """Return the memories to show among those that need no match.

        These are directives, pinned memories, the weightiest preferences, and the newest of the memories that expire,
        such as what the user changed lately.
        """
        ahead = self._ahead(exempt)
        if len(ahead) > self._max_items:
            ahead = set(self._heaviest_of(ahead))
        weights = self._weights.weights_of(self._index, exempt - ahead, self._ranked_at, self._counted_at)
        rows = self._index.rows
        expiring = [id for id in weights if rows[id].expires_at is not None]
        lasting = {id: weight for id, weight in weights.items() if rows[id].expires_at is None}
        # Ids begin with a time, so the largest are the newest.
        return ahead.union(strongest(lasting, MAX_PREFERENCES), nlargest(_MAX_LATE_CHANGES, expiring))

    def _about_files(self) -> dict[str, list[str]]:
        """Return, with reasons, the visible memories that are about a file in play or mention its whole path."""
        found: dict[str, list[str]] = {}
        for path in self._request.files[:_MAX_FILES_IN_PLAY]:
            about = self._index.by_file.get(path, set()) & self._visible
            for id in about:
                found.setdefault(id, []).append(f"about {path}")
            scores = dict(zip(*self._index.search(path, self._selection, _MAX_MENTIONS), strict=True))
            path_terms = set(query_terms(path))
            for id, shared in self._index.words.holding(path_terms, strongest(scores, _MAX_MENTIONS)).items():
                if id not in about and len(shared) == len(path_terms):
                    found.setdefault(id, []).append(f"mentions {path}")
        return found

    def _named_in_prompt(self, ids: Collection[str]) -> dict[str, list[str]]:
        """Return, with reasons, the memories among `ids` that share a whole code identifier with the prompt."""
        names = dict.fromkeys(_IDENTIFIER.findall(self._prompt))
        by_term = {fold_case(name): name for name in list(names)[:_MAX_NAMES]}
        holders = self._index.words.holding(by_term, ids)
        return {id: [f"names {by_term[term]}" for term in terms] for id, terms in holders.items()}

    def _ahead(self, ids: set[str]) -> set[str]:
        rows = self._index.rows
        return {id for id in ids if rows[id].pinned or rows[id].category == "directive"}

    def _heaviest_of(self, ids: Iterable[str]) -> dict[str, float]:
        weights = self._weights.weights_of(self._index, set(ids), self._ranked_at, self._counted_at)
        heaviest = sorted(weights, key=lambda id: (-weights[id], id))[: self._max_items]
        return {id: weights[id] for id in heaviest}

    def _replace_superseded(self, values: dict[str, float]) -> None:
        """Replace each superseded memory by its visible successors, which get the higher of the two values."""
        superseding = self._index.superseding
        for id in sorted(id for id in values if id in superseding):
            ends = superseding.successors(id, self._visible)
            if not ends:
                continue
            value = values.pop(id)
            ground = superseding.ground(id, min(newer for newer in superseding[id] if newer in self._visible))
            self._omit([id], ground)
            for newer in ends:
                values[newer] = max(value, values.get(newer, 0.0))
                self._reasons.add_replaced(newer, id, ground)

    def _omit(self, ids: Iterable[str], reason: OmittedReason) -> None:
        self._omitted.extend(OmittedItem(id, reason) for id in ids)
