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
from sidecar.mcp.tool_call import ToolCall

ToolEffect = Literal["read", "write", "change", "delete"]
Run = Callable[[ToolCall, Any, int], ToolAnswer]
# Keys of a schema that a model does not need. The error for a wrong call states the limits.
_UNNEEDED_KEYS = frozenset({"title", "default", "minLength", "maxLength", "additionalProperties"})
# Nobody reaches a higher bound, so it is not worth its tokens.
_MAX_BOUND = 1_000
_REF = "#/$defs/"


class Tool(msgspec.Struct, frozen=True):
    """A tool. It runs in the lane of the first of its `methods`."""

    effect: ToolEffect
    arguments: type[Params]
    run: Run
    methods: tuple[str, ...]
    always_loaded: bool = False  # also in an agent that shows its model only names of tools, until one is searched for

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
        if self.always_loaded:
            description["_meta"] = {"anthropic/alwaysLoad": True}
        return description

    def _annotations(self) -> dict[str, bool]:
        """Return the hints that differ from MCP's defaults."""
        hints = {"openWorldHint": False}
        if self.effect == "read":
            return {"readOnlyHint": True, **hints}
        if self.effect in ("write", "delete"):
            hints["idempotentHint"] = True
        return hints if self.effect == "delete" else {"destructiveHint": False, **hints}


def tool(effect: ToolEffect, *methods: str, always_loaded: bool = False) -> Callable[[Run], Tool]:
    """Make a tool of a function whose parameter `args` takes the arguments."""

    def decorate(run: Run) -> Tool:
        return Tool(effect, get_type_hints(run)["args"], run, methods, always_loaded)

    return decorate


def arguments_schema(struct: type[msgspec.Struct]) -> dict[str, Any]:
    """Return the schema of a tool's arguments, with their descriptions. The struct must not be recursive."""
    _, definitions = msgspec.json.schema_components([struct], ref_template=_REF + "{name}")
    schema: dict[str, Any] = _inline_references(definitions[struct.__name__], definitions)
    schema.pop("description", None)  # the docstring is for readers of the code
    return schema


def _inline_references(node: Any, definitions: dict[str, Any]) -> Any:
    if isinstance(node, list):
        return [_inline_references(item, definitions) for item in node]
    if not isinstance(node, dict):
        return node
    if "$ref" in node:
        inner = dict(_inline_references(definitions[node["$ref"].removeprefix(_REF)], definitions))
        inner.pop("description", None)
        return inner
    if "anyOf" in node:  # an optional argument: a caller leaves it out instead of giving null
        choices = [choice for choice in node["anyOf"] if choice != {"type": "null"}]
        if len(choices) == 1:
            rest = {key: value for key, value in node.items() if key != "anyOf"}
            return _inline_references({**choices[0], **rest}, definitions)
    out: dict[str, Any] = {}
    for key, value in node.items():
        if key == "properties":
            out[key] = {name: _inline_references(inner, definitions) for name, inner in value.items()}
        elif key in ("minimum", "maximum") and not 0 < value < _MAX_BOUND:
            continue
        elif key not in _UNNEEDED_KEYS:
            out[key] = _inline_references(value, definitions)
    if "enum" in out:
        out.pop("type", None)
    if not out.get("required", True):
        del out["required"]
    return out
