"""`sidecar/metrics`: figures in the text format of Prometheus, made with the official client library.

The library is imported on request, because the import takes a fifth of a second and 4 MiB. Its global registry is not
used.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, TypeVar

from protocol import metrics as api
from protocol.status import StatusParams, StatusResult
from sidecar.engine.handlers.status import StatusHandler
from sidecar.engine.open_workspace import OpenWorkspace
from sidecar.engine.requests import DURATION_BOUNDS, ActiveRequests
from sidecar.engine.workspaces import Workspaces
from sidecar.runtime.cancellation import Context
from sidecar.runtime.errors import SidecarError
from sidecar.store.vocabulary import rule_of

if TYPE_CHECKING:
    from prometheus_client.metrics_core import CounterMetricFamily, GaugeMetricFamily, Metric

_PREFIX = "memory_sidecar"
_Values = Mapping[Any, float]  # by the values of the labels
_Figures = TypeVar("_Figures", "CounterMetricFamily", "GaugeMetricFamily")


class MetricsHandler:
    def __init__(self, requests: ActiveRequests, workspaces: Workspaces, status: StatusHandler) -> None:
        self._requests, self._workspaces, self._status = requests, workspaces, status

    def sidecar_metrics(self, params: api.MetricsParams, context: Context) -> api.MetricsResult:
        from prometheus_client import CONTENT_TYPE_LATEST, CollectorRegistry, generate_latest

        status_params = StatusParams(workspace_uri=params.workspace_uri)
        families = [
            *_of_status(self._status.sidecar_status(status_params, context)),
            *self._counted(params.workspace_uri),
        ]
        registry = CollectorRegistry(auto_describe=False)
        registry.register(_Collected(families))
        return api.MetricsResult(text=generate_latest(registry).decode(), content_type=CONTENT_TYPE_LATEST)

    def _counted(self, uri: str | None) -> Iterator[Metric]:
        from prometheus_client.metrics_core import CounterMetricFamily, GaugeMetricFamily, HistogramMetricFamily

        requests = self._requests
        about = "Requests answered, by method and outcome."
        yield _figures(CounterMetricFamily, "requests", about, requests.outcomes(), "method", "outcome")
        durations = HistogramMetricFamily(
            f"{_PREFIX}_request_duration_seconds", "How long requests took.", labels=("method",)
        )
        for method, histogram in requests.durations().items():
            buckets, reached = [], 0
            for bound, count in zip((*map(str, DURATION_BOUNDS), "+Inf"), histogram.counts, strict=True):
                reached += count
                buckets.append((bound, reached))
            durations.add_metric((method,), buckets, histogram.total)
        yield durations
        lookups: dict[tuple[str, str], float] = {}
        learned: dict[tuple[str, str], float] = {}
        for id, opened in self._opened(uri):
            lookups[id, "hit"], lookups[id, "miss"] = opened.files.counts.hits, opened.files.counts.misses
            learned |= {(id, rule): count for rule, count in sorted(_by_rule(opened).items())}
        about = "Contents looked up in file memory."
        yield _figures(CounterMetricFamily, "file_lookups", about, lookups, "workspace", "result")
        about = "Memories that were learned and are not archived, by rule."
        yield _figures(GaugeMetricFamily, "memories_learned", about, learned, "workspace", "rule")

    def _opened(self, uri: str | None) -> Iterator[tuple[str, OpenWorkspace]]:
        workspaces = self._workspaces
        for workspace in workspaces.all() if uri is None else [workspaces.find(uri)]:
            try:
                opened = workspace.open()
            except SidecarError:  # counted in `memory_sidecar_workspaces_failed`
                continue
            yield opened.place.identity.id, opened


class _Collected:
    def __init__(self, families: Iterable[Metric]) -> None:
        self._families = families

    def collect(self) -> Iterable[Metric]:
        return self._families


def _by_rule(opened: OpenWorkspace) -> Counter[str]:
    return Counter(
        rule
        for record in opened.memory_store.all()
        if (rule := rule_of(record.source)) is not None and record.status != "archived"
    )


def _figures(family: type[_Figures], name: str, about: str, values: _Values, *labels: str) -> _Figures:
    figures = family(f"{_PREFIX}_{name}", about, labels=labels)
    for labelled, value in values.items():
        figures.add_metric(labelled, value)
    return figures


def _of_status(status: StatusResult) -> Iterator[Metric]:
    from prometheus_client.metrics_core import GaugeMetricFamily, InfoMetricFamily

    rows = [row for row in status.workspaces if row.id]
    failed = len(status.workspaces) - len(rows)
    waiting: _Values = {(row.id,): row.model.waiting for row in rows if row.model is not None}
    memories: _Values = {(row.id, scope): count for row in rows for scope, count in sorted(row.memories.items())}
    sizes: _Values = {
        (row.id, store.path.rstrip("/").rpartition("/")[2]): store.bytes for row in rows for store in row.stores
    }
    saved = "Tokens of files that were briefed on and not read, since each workspace was first opened."
    problems = "Settings that are not used for what is wrong with them."
    used = "Tokens that models used on this day (UTC), over all workspaces."
    per_workspace = ("workspace",)
    figures: tuple[tuple[str, str, _Values | float, tuple[str, ...]], ...] = (
        ("uptime_seconds", "Since this process began to serve.", status.uptime_ms / 1_000, ()),
        ("enabled", "Whether memory is switched on.", float(status.enabled), ()),
        ("settings_problems", problems, len(status.settings_problems), ()),
        ("workspaces", "Open workspaces.", len(status.workspaces), ()),
        ("workspaces_failed", "Open workspaces whose store cannot be opened.", failed, ()),
        ("queue_length", "What waits in each queue.", _keyed(status.queues), ("queue",)),
        ("hit_ratio", "Share of look-ups that were answered from memory.", _keyed(status.hit_rates), ("kind",)),
        ("tokens_saved", saved, {(row.id,): row.tokens_saved for row in rows}, per_workspace),
        ("model_tokens_today", used, status.model_tokens_today, ()),
        ("model_questions_waiting", "Questions to the chat model that wait.", waiting, per_workspace),
        ("memories", "Memories that are not archived, by scope.", memories, ("workspace", "scope")),
        ("files", "Contents of files remembered.", {(row.id,): row.files for row in rows}, per_workspace),
        ("facets", "Facts about files.", {(row.id,): row.facets for row in rows}, per_workspace),
        ("store_bytes", "Size of each store on disk.", sizes, ("workspace", "store")),
    )
    yield InfoMetricFamily(_PREFIX, "The program.", {"version": status.version})
    for name, about, values, labels in figures:
        samples = values if isinstance(values, Mapping) else {(): values}
        yield _figures(GaugeMetricFamily, name, about, samples, *labels)


def _keyed(values: Mapping[str, float]) -> _Values:
    return {(name,): value for name, value in sorted(values.items())}
