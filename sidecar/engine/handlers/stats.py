"""`memory/stats`: counts of what two stores hold and of when it was shown."""

from __future__ import annotations

from collections import Counter

from protocol import stats as api
from sidecar.engine.mapping import to_wire
from sidecar.engine.open_workspace import OpenWorkspace
from sidecar.runtime.cancellation import Context
from sidecar.runtime.clock import Clock

WEEK_MS = 7 * 86_400_000
MAX_MOST_SHOWN = 10


class StatsHandler:
    def __init__(self, clock: Clock) -> None:
        self._clock = clock

    def memory_stats(self, params: api.StatsParams, workspace: OpenWorkspace, context: Context) -> api.StatsResult:
        stores = (workspace.memory_store, workspace.user_store)
        records = [record for store in stores for record in store.each()]
        counts = {id: use.times for store in stores for id, use in store.all_uses().items()}
        live = [record for record in records if record.status != "archived"]
        now = self._clock()
        starts = [now - WEEK_MS * ago for ago in range(params.weeks, 0, -1)]
        shown_before = [sum(sum(store.access_counts(at).values()) for store in stores) for at in (*starts, now)]
        created = Counter(
            (_kind(record.source), (record.created_at - starts[0]) // WEEK_MS)
            for record in records
            if starts[0] < record.created_at <= now
        )
        most_shown = sorted((r for r in live if counts.get(r.id)), key=lambda r: (-counts[r.id], r.id))[:MAX_MOST_SHOWN]
        return api.StatsResult(
            memories=len(live),
            archived=len(records) - len(live),
            by_source=dict(Counter(_kind(record.source) for record in live)),
            by_type=dict(Counter(record.type for record in live)),
            candidates=dict(Counter(candidate.status for candidate in workspace.memory_store.candidates.all())),
            shown=shown_before[-1],
            unseen=sum(record.id not in counts for record in live),
            useful=sum(record.useful for record in live),
            not_useful=sum(record.not_useful for record in live),
            weeks=[
                api.StatsWeek(
                    start=start,
                    recorded=created["recorded", week],
                    learned=created["learned", week],
                    imported=created["imported", week],
                    shown=shown_before[week + 1] - shown_before[week],
                )
                for week, start in enumerate(starts)
            ],
            most_shown=[to_wire(api.StatsMemory, memory, shown=counts[memory.id]) for memory in most_shown],
        )


def _kind(source: str) -> str:
    kind = source.partition(":")[0]
    return "imported" if kind == "import" else "learned" if kind == "extractor" else "recorded"
