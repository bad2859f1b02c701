"""`sidecar/metrics`: figures in the text format of Prometheus, made with the official client library.

The library is imported on request, which takes a fifth of a second. Its global registry is not used.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from protocol import metrics as wire
from protocol.status import StatusParams, StatusResult
from sidecar.engine.handlers.family import Family
from sidecar.engine.handlers.status import StatusHandler
from sidecar.engine.request_counts import BOUNDS
from sidecar.engine.workspace import Components
from sidecar.runtime.errors import SidecarError

if TYPE_CHECKING:
    from prometheus_client import Metric

_PREFIX = "memory_sidecar"


class MetricsHandler(Family):
    def sidecar_metrics(self, params: wire.MetricsParams) -> wire.MetricsResult:
        from prometheus_client import CONTENT_TYPE_LATEST, CollectorRegistry, generate_latest

        asked = StatusParams(workspace_uri=params.workspace_uri)
        families = [
            *_of_status(StatusHandler(self._services).sidecar_status(asked)),
            *self._counted(params.workspace_uri),
        ]
        registry = CollectorRegistry(auto_describe=False)
        registry.register(_Collected(families))
        return wire.MetricsResult(text=generate_latest(registry).decode(), content_type=CONTENT_TYPE_LATEST)

    def _counted(self, uri: str | None) -> Iterator[Metric]:
        from prometheus_client.metrics_core import CounterMetricFamily, HistogramMetricFamily

        requests = CounterMetricFamily(
            f"{_PREFIX}_requests", "Requests answered, by method and outcome.", labels=("method", "outcome")
        )
        for (method, outcome), count in self._services.counts.outcomes().items():
            requests.add_metric((method, outcome), count)
        yield requests
        durations = HistogramMetricFamily(
            f"{_PREFIX}_request_duration_seconds", "How long requests took.", labels=("method",)
        )
        for method, kept in self._services.counts.durations().items():
            buckets, reached = [], 0
            for bound, count in zip((*map(str, BOUNDS), "+Inf"), kept.counts, strict=True):
                reached += count
                buckets.append((bound, reached))
            durations.add_metric((method,), buckets, kept.total)
        yield durations
        opened = list(self._opened(uri))
        yield self._looked_up(opened)
        yield self._learned(opened)

    def _looked_up(self, workspaces: Sequence[tuple[str, Components]]) -> Metric:
        from prometheus_client.metrics_core import CounterMetricFamily

        looks = CounterMetricFamily(
            f"{_PREFIX}_file_lookups", "Contents looked up in file memory.", labels=("workspace", "result")
        )
        for id, opened in workspaces:
            counts = opened.files.counts
            looks.add_metric((id, "hit"), counts.hits)
            looks.add_metric((id, "miss"), counts.misses)
        return looks

    def _learned(self, workspaces: Sequence[tuple[str, Components]]) -> Metric:
        from prometheus_client.metrics_core import GaugeMetricFamily

        learned = GaugeMetricFamily(
            f"{_PREFIX}_memories_learned",
            "Memories that were learned and are not archived, by rule.",
            labels=("workspace", "rule"),
        )
        for id, opened in workspaces:
            rules = Counter(
                record.source.removeprefix("extractor:")
                for record in opened.memories.all()
                if record.source.startswith("extractor:") and record.status != "archived"
            )
            for rule, count in sorted(rules.items()):
                learned.add_metric((id, rule), count)
        return learned

    def _opened(self, uri: str | None) -> Iterator[tuple[str, Components]]:
        workspaces = self._services.workspaces
        for workspace in workspaces.all() if uri is None else [workspaces.find(uri)]:
            try:
                opened = workspace.open()
            except SidecarError:  # counted in `memory_sidecar_workspaces_failed`
                continue
            yield opened.identity.id, opened


class _Collected:
    """What a registry asks for its metrics."""

    def __init__(self, families: Iterable[Metric]) -> None:
        self._families = list(families)

    def collect(self) -> Iterable[Metric]:
        return self._families


def _of_status(status: StatusResult) -> Iterator[Metric]:
    from prometheus_client.metrics_core import GaugeMetricFamily, InfoMetricFamily

    def gauge(name: str, text: str, values: Iterable[tuple[tuple[str, ...], float]], *labels: str) -> Metric:
        family = GaugeMetricFamily(f"{_PREFIX}_{name}", text, labels=labels)
        for given, value in values:
            family.add_metric(given, value)
        return family

    rows = [row for row in status.workspaces if row.id]
    yield InfoMetricFamily(_PREFIX, "The program.", {"version": status.version})
    yield gauge("uptime_seconds", "Since this process began to serve.", [((), status.uptime_ms / 1_000)])
    yield gauge("enabled", "Whether memory is switched on.", [((), float(status.enabled))])
    yield gauge(
        "settings_problems",
        "Settings that are not used for what is wrong with them.",
        [((), len(status.settings_problems))],
    )
    yield gauge("workspaces", "Open workspaces.", [((), len(status.workspaces))])
    yield gauge(
        "workspaces_failed", "Open workspaces whose store cannot be opened.", [((), len(status.workspaces) - len(rows))]
    )
    yield gauge(
        "queue_length",
        "What waits in each queue.",
        [((name,), count) for name, count in sorted(status.queues.items())],
        "queue",
    )
    yield gauge(
        "hit_ratio",
        "Share of look-ups that were answered from memory.",
        [((name,), rate) for name, rate in sorted(status.hit_rates.items())],
        "kind",
    )
    yield gauge(
        "tokens_saved",
        "Tokens of files that were briefed on and not read, since each workspace was first opened.",
        [((row.id,), row.tokens_saved) for row in rows],
        "workspace",
    )
    yield gauge(
        "model_tokens_today",
        "Tokens that models used on this day (UTC), over all workspaces.",
        [((), status.model_tokens_today)],
    )
    yield gauge(
        "model_questions_waiting",
        "Questions to the chat model that wait.",
        [((row.id,), row.model.waiting) for row in rows if row.model is not None],
        "workspace",
    )
    yield gauge(
        "memories",
        "Memories that are not archived, by scope.",
        [((row.id, scope), count) for row in rows for scope, count in sorted(row.memories.items())],
        "workspace",
        "scope",
    )
    yield gauge("files", "Contents of files remembered.", [((row.id,), row.files) for row in rows], "workspace")
    yield gauge("facets", "Facts about files.", [((row.id,), row.facets) for row in rows], "workspace")
    yield gauge(
        "store_bytes",
        "Size of each store on disk.",
        [((row.id, one.path.rstrip("/").rpartition("/")[2]), one.bytes) for row in rows for one in row.stores],
        "workspace",
        "store",
    )
