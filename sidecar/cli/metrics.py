"""`metrics`: figures for a monitoring system."""

from __future__ import annotations

from pathlib import Path

from protocol.metrics import MetricsResult
from sidecar.cli.options import command
from sidecar.cli.output import print_json, print_text
from sidecar.cli.session import opened


@command(
    "metrics",
    "sidecar/metrics",
    "Counts of requests are those of this command's own engine; a running server has its own.",
)
def metrics_command(workspace: Path | None, as_json: bool) -> None:
    """Figures."""
    with opened(workspace) as session:
        result: MetricsResult = session.call("sidecar/metrics", {})
    if as_json:
        print_json(result)
    else:
        print_text(result.text)
