"""JSON Schema of the whole contract, from the structs."""

from __future__ import annotations

import tomllib
from functools import cache
from pathlib import Path
from typing import Any

import msgspec

from protocol.errors import ErrorCode, ErrorData
from protocol.methods import METHODS
from protocol.wire import PROTOCOL_VERSION

REF = "#/$defs/{name}"


def schema() -> dict[str, Any]:
    """Return the schema document: `$defs` holds every struct, and `methods` names the structs of each method."""
    types: list[Any] = []
    for method in METHODS.values():
        types += [method.params, *([method.result] if method.result else [])]
    types.append(ErrorData)
    refs, defs = msgspec.json.schema_components(types, ref_template=REF)
    by_type = dict(zip(types, refs, strict=True))
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "memory-sidecar wire contract",
        "version": PROTOCOL_VERSION,
        "methods": {
            method.name: {
                "sender": method.sender,
                "kind": "request" if method.result else "notification",
                "lane": method.lane,
                "summary": method.summary,
                "params": by_type[method.params],
                **({"result": by_type[method.result]} if method.result else {}),
            }
            for method in METHODS.values()
        },
        "errorCodes": {code.name: int(code) for code in ErrorCode},
        "errorData": by_type[ErrorData],
        "$defs": {name: _described(name, definition) for name, definition in sorted(defs.items())},
    }


@cache
def _words() -> dict[str, dict[str, str]]:
    return tomllib.loads((Path(__file__).parent / "fields.toml").read_text(encoding="utf-8"))


def meaning(struct: str, field: str) -> str:
    """Return what a field means. Raises KeyError for a field that `fields.toml` does not know."""
    words = _words()
    return words.get(struct, {}).get(field) or words["any"][field]


def _described(name: str, definition: dict[str, Any]) -> dict[str, Any]:
    """Return a definition with its fields' meanings.

    Its description is on one line, which Python 3.13 would indent.
    """
    described = dict(definition)
    if "description" in described:
        described["description"] = " ".join(described["description"].split())
    if "properties" in described:
        fields = described["properties"].items()
        described["properties"] = {field: {**kind, "description": meaning(name, field)} for field, kind in fields}
    return described
