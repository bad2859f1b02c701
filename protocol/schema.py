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
    """One schema document: `$defs` holds every struct, `methods` says which of them a method takes and gives."""
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
        "$defs": {name: _described(name, found) for name, found in sorted(defs.items())},
    }


@cache
def _words() -> dict[str, dict[str, str]]:
    return tomllib.loads((Path(__file__).parent / "fields.toml").read_text(encoding="utf-8"))


def meaning(struct: str, field: str) -> str:
    """What a field means. Raises KeyError for one that `fields.toml` does not know."""
    words = _words()
    return words.get(struct, {}).get(field) or words["any"][field]


def _described(name: str, definition: dict[str, Any]) -> dict[str, Any]:
    """A definition with its fields' meanings, and whose description is one line: Python 3.13 indents otherwise."""
    found = dict(definition)
    if "description" in found:
        found["description"] = " ".join(found["description"].split())
    if "properties" in found:
        given = found["properties"].items()
        found["properties"] = {field: {**kind, "description": meaning(name, field)} for field, kind in given}
    return found
