"""TypeScript types of the contract, for clients: made from the same schema that is published."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

from protocol.schema import schema

_HEAD = "// Generated from protocol/ by `python -m protocol.generate`. Do not edit.\n"
_PLAIN = {"string": "string", "integer": "number", "number": "number", "boolean": "boolean", "null": "null"}


def typescript() -> str:
    """Return the whole file: every struct as an interface, then the tables of methods, and the codes of errors."""
    contract = schema()
    parts = [_HEAD]
    parts += [_interface(name, struct) for name, struct in sorted(contract["$defs"].items())]
    parts += _methods(contract["methods"])
    parts.append(_errors(contract["errorCodes"]))
    return "\n".join(parts)


def _interface(name: str, struct: Mapping[str, Any]) -> str:
    required = struct.get("required", ())
    lines = [_comment(struct.get("description"), ""), f"export interface {name} {{\n"]
    for field, kind in struct.get("properties", {}).items():
        mark = "" if field in required else "?"
        lines.append(f"{_comment(kind.get('description'), '  ')}  {field}{mark}: {_type(kind)};\n")
    return f"{''.join(lines)}}}\n"


def _type(kind: Mapping[str, Any]) -> str:
    if "$ref" in kind:
        return str(kind["$ref"]).rpartition("/")[2]
    if "enum" in kind:
        return " | ".join(json.dumps(value) for value in kind["enum"])
    if "anyOf" in kind:
        return " | ".join(_type(arm) for arm in kind["anyOf"])
    if kind.get("type") == "array":
        item = _type(kind["items"]) if "items" in kind else "unknown"
        return f"({item})[]" if " " in item else f"{item}[]"
    if kind.get("type") == "object":
        values = kind.get("additionalProperties")
        return f"Record<string, {_type(values) if isinstance(values, Mapping) else 'unknown'}>"
    if kind.get("type") in _PLAIN:
        return _PLAIN[kind["type"]]
    return "unknown"


def _methods(table: Mapping[str, Any]) -> list[str]:
    requests: list[str] = []
    from_client: list[str] = []
    from_sidecar: list[str] = []
    for name, row in table.items():
        params = _type(row["params"])
        comment = _comment(row["summary"], "  ")
        if row["kind"] == "request":
            requests.append(f'{comment}  "{name}": {{ params: {params}; result: {_type(row["result"])} }};\n')
        else:
            (from_client if row["sender"] == "client" else from_sidecar).append(f'{comment}  "{name}": {params};\n')
    writes = [f'  "{name}",\n' for name, row in table.items() if row["sender"] == "client" and row["lane"] == "write"]
    return [
        _table("Requests to the sidecar.", "Methods", requests),
        _table("Notifications to the sidecar.", "ClientNotifications", from_client),
        _table("Notifications from the sidecar.", "SidecarNotifications", from_sidecar),
        "/** Methods that change what is kept, by the lane they run in. */\n"
        f"export const WRITES: ReadonlySet<string> = new Set([\n{''.join(writes)}]);\n",
    ]


def _table(comment: str, name: str, rows: Iterable[str]) -> str:
    return f"/** {comment} */\nexport interface {name} {{\n{''.join(rows)}}}\n"


def _errors(codes: Mapping[str, int]) -> str:
    rows = "".join(f"  {name}: {code},\n" for name, code in codes.items())
    return f"/** Codes of errors. */\nexport const ERROR_CODES = {{\n{rows}}} as const;\n"


def _comment(text: str | None, indent: str) -> str:
    return f"{indent}/** {' '.join(text.split()).replace('*/', '* /')} */\n" if text else ""
