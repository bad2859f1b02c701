"""Structs of `sidecar/metrics`: figures for a monitoring system."""

from protocol.wire import Result, WorkspaceParams


class MetricsParams(WorkspaceParams, frozen=True):
    """Figures of every open workspace, or of the workspace that `workspaceUri` names."""


class MetricsResult(Result, frozen=True):
    """Figures of this process and its stores in the text format of Prometheus, without anything that memories say.

    Workspaces are named by their id. An HTTP endpoint that passes the text on has to answer with `contentType`.
    """

    text: str
    content_type: str
