"""The metrics of all running servers of this user, as one text in which each sample names its process."""

from __future__ import annotations

from prometheus_client import CONTENT_TYPE_LATEST, CollectorRegistry, Metric, generate_latest
from prometheus_client.metrics_core import GaugeMetricFamily
from prometheus_client.parser import text_string_to_metric_families
from prometheus_client.registry import Collector

from protocol.metrics import MetricsParams, MetricsResult
from sidecar.peers.asking import servers


class _MergedMetrics(Collector):
    def __init__(self) -> None:
        self.families: dict[str, Metric] = {}

    def add(self, family: Metric, pid: int) -> None:
        merged = self.families.setdefault(family.name, Metric(family.name, family.documentation, family.type))
        for sample in family.samples:
            merged.add_sample(sample.name, {**sample.labels, "pid": str(pid)}, sample.value)

    def collect(self) -> list[Metric]:
        return list(self.families.values())


def metrics_of_servers() -> MetricsResult:
    """Request the metrics of each server; one that fails, such as an older version, counts as not answering."""
    merged = _MergedMetrics()
    answered = GaugeMetricFamily(
        "memory_sidecar_server_up", "Whether a running server answered for its metrics.", labels=("pid",)
    )
    for pid, peer in servers():
        try:
            result = peer.ask("sidecar/metrics", MetricsParams())
        except (OSError, ValueError):
            result = None
        answered.add_metric((str(pid),), float(result is not None))
        if isinstance(result, MetricsResult):
            for family in text_string_to_metric_families(result.text):
                merged.add(family, pid)
    merged.families[answered.name] = answered
    registry = CollectorRegistry(auto_describe=False)
    registry.register(merged)
    return MetricsResult(text=generate_latest(registry).decode(), content_type=CONTENT_TYPE_LATEST)
