"""Structs of `sidecar/metrics`: figures for a monitoring system."""

from protocol.wire import Params, Result


class MetricsParams(Params, frozen=True):
    """Figures of every open workspace, or with `workspaceUri` of that one alone."""


class MetricsResult(Result, frozen=True):
    """Figures of this process and its stores in the text format of Prometheus; nothing of what memories say.

    Workspaces are named by their id. `contentType` is what an HTTP endpoint that passes the text on has to answer.
    """

    text: str
    content_type: str
