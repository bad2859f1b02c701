"""JSON Schema of the whole contract, from the structs."""

from __future__ import annotations

from typing import Any

import msgspec

from protocol.errors import ErrorCode, ErrorData
from protocol.methods import METHODS

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
        "$defs": {name: _flat(found) for name, found in sorted(defs.items())},
    }


def _flat(definition: dict[str, Any]) -> dict[str, Any]:
    """A definition whose description is one line: Python 3.13 indents docstrings otherwise than 3.12 does."""
    if "description" not in definition:
        return definition
    return {**definition, "description": " ".join(definition["description"].split())}
