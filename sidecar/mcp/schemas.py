"""JSON Schema of a struct in as few tokens as it takes: no titles, no `$defs`, no defaults.

Every agent pays for the list of tools in every session, so what a model does not need is left out.
"""

from __future__ import annotations

from typing import Any

import msgspec

_LEFT_OUT = frozenset({"title", "default", "minLength", "maxLength", "additionalProperties"})
"""What no caller needs to be told before it is wrong; the answer to a wrong call tells it."""

_LARGE = 1_000  # a bound that nobody meets is not worth its tokens
_REF = "#/$defs/"


def arguments_schema(struct: type[msgspec.Struct]) -> dict[str, Any]:
    """What a tool takes, with the descriptions of its fields. The struct must not be recursive."""
    found: dict[str, Any] = _inlined(*_definition(struct))
    found.pop("description", None)  # the docstring is for readers of the code
    return found


def output_schema(struct: type[msgspec.Struct]) -> dict[str, Any]:
    """What a tool answers: its fields and their types; what is inside of lists and objects is left open."""
    found = _inlined(*_definition(struct))
    properties = {name: {"type": each["type"]} for name, each in found["properties"].items()}
    required = {"required": found["required"]} if "required" in found else {}
    return {"type": "object", "properties": properties, **required}


def _definition(struct: type[msgspec.Struct]) -> tuple[dict[str, Any], dict[str, Any]]:
    _, definitions = msgspec.json.schema_components([struct], ref_template=_REF + "{name}")
    return definitions[struct.__name__], definitions


def _inlined(node: Any, definitions: dict[str, Any]) -> Any:
    if isinstance(node, list):
        return [_inlined(each, definitions) for each in node]
    if not isinstance(node, dict):
        return node
    if "$ref" in node:
        inner = dict(_inlined(definitions[node["$ref"].removeprefix(_REF)], definitions))
        inner.pop("description", None)
        return inner
    if "anyOf" in node:  # an optional value: absent is the way to leave it out
        choices = [each for each in node["anyOf"] if each != {"type": "null"}]
        if len(choices) == 1:
            rest = {key: value for key, value in node.items() if key != "anyOf"}
            return _inlined({**choices[0], **rest}, definitions)
    out: dict[str, Any] = {}
    for key, value in node.items():
        if key == "properties":
            out[key] = {name: _inlined(each, definitions) for name, each in value.items()}
        elif key in ("minimum", "maximum") and not 0 < value < _LARGE:
            continue
        elif key not in _LEFT_OUT:
            out[key] = _inlined(value, definitions)
    if "enum" in out:
        out.pop("type", None)
    if not out.get("required", True):
        del out["required"]
    return out
