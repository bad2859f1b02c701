"""All first facts of a project."""

from __future__ import annotations

from collections.abc import Mapping

from sidecar.exchange.bootstrap.fact import Fact


def facts(texts: Mapping[str, str]) -> list[Fact]:
    """At most `MOST` facts."""
    return []
