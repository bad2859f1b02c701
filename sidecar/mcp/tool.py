"""A tool: a function that makes one or a few engine requests; its docstring is the tool's description.

The description makes an agent use the tool at the right moment. Since every agent pays for all descriptions in every
session, a test holds the list of tools to a budget of tokens. Names are stable.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal, get_type_hints

import msgspec

from protocol.methods import METHODS, Lane
from protocol.wire import Params
from sidecar.mcp.answers import ToolAnswer
from sidecar.mcp.schemas import arguments_schema
from sidecar.mcp.tool_call import ToolCall

ToolEffect = Literal["read", "write", "change", "delete"]
Run = Callable[[ToolCall, Any, int], ToolAnswer]


class Tool(msgspec.Struct, frozen=True):
    """A tool, which runs in the lane of the first of its `methods`."""

    kind: ToolEffect
    arguments: type[Params]
    run: Run
    methods: tuple[str, ...]

    @property
    def name(self) -> str:
        return self.run.__name__

    @property
    def lane(self) -> Lane:
        return METHODS[self.methods[0]].lane

    def description(self, *, annotations: bool = True, structured: bool = True) -> dict[str, Any]:
        description: dict[str, Any] = {
            "name": self.name,
            "description": " ".join((self.run.__doc__ or "").split()),
            "inputSchema": arguments_schema(self.arguments),
        }
        if structured:
            description["outputSchema"] = {"type": "object"}  # without the fields, to save tokens
        if annotations:
            description["annotations"] = self._annotations()
        return description

    def _annotations(self) -> dict[str, bool]:
        """Return the hints that differ from MCP's defaults."""
        hints = {"openWorldHint": False}
        if self.kind == "read":
            return {"readOnlyHint": True, **hints}
        if self.kind in ("write", "delete"):
            hints["idempotentHint"] = True
        return hints if self.kind == "delete" else {"destructiveHint": False, **hints}


def tool(kind: ToolEffect, *methods: str) -> Callable[[Run], Tool]:
    """Make a tool of a function whose parameter `args` takes the arguments."""

    def decorate(run: Run) -> Tool:
        return Tool(kind, get_type_hints(run)["args"], run, methods)

    return decorate
