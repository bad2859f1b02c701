"""Make the JSON Schema of a struct with few tokens: without titles, `$defs` and defaults.

Every agent pays for the list of tools in every session, so the schema leaves out what a model does not need.
"""

from __future__ import annotations

from typing import Any

import msgspec

_LEFT_OUT = frozenset({"title", "default", "minLength", "maxLength", "additionalProperties"})
"""Keys that a model does not need; the error for a wrong call states the limits."""

_MAX_BOUND = 1_000  # above which nobody reaches a bound, so it is not worth its tokens
_REF = "#/$defs/"


def arguments_schema(struct: type[msgspec.Struct]) -> dict[str, Any]:
    """Return the schema of a tool's arguments, which must not be recursive, with their descriptions."""
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
        elif key not in _LEFT_OUT:
            out[key] = _inline_references(value, definitions)
    if "enum" in out:
        out.pop("type", None)
    if not out.get("required", True):
        del out["required"]
    return out
