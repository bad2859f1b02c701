"""Write the protocol's types as LuaCATS classes, from protocol/schema.json: `python scripts/generate_types.py`."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parents[1]
SCHEMA = HERE.parents[1] / "protocol" / "schema.json"
TARGET = HERE / "lua" / "memory_sidecar" / "protocol.lua"
PREFIX = "memory_sidecar."
SCALARS = {
    "string": "string",
    "integer": "integer",
    "number": "number",
    "boolean": "boolean",
    "null": "vim.NIL",
}


def lua_type(schema: dict[str, Any]) -> str:
    """The LuaCATS type of one JSON Schema."""
    if "$ref" in schema:
        return PREFIX + str(schema["$ref"]).rsplit("/", 1)[-1]
    if "anyOf" in schema:
        return "|".join(dict.fromkeys(lua_type(each) for each in schema["anyOf"]))
    if "enum" in schema:
        return "|".join(f"'{each}'" for each in schema["enum"])
    kind = schema.get("type")
    if kind == "array":
        inner = lua_type(schema.get("items", {}))
        return f"({inner})[]" if "|" in inner else f"{inner}[]"
    if kind == "object":
        values = schema.get("additionalProperties")
        return f"table<string, {lua_type(values)}>" if isinstance(values, dict) else "table<string, any>"
    return SCALARS.get(str(kind), "any")


def classes(schema: dict[str, Any]) -> str:
    """The whole file."""
    lines = [
        "---@meta",
        "-- Generated from protocol/schema.json by scripts/generate_types.py: change that, not this.",
        "",
    ]
    for name, definition in sorted(schema["$defs"].items()):
        if "properties" not in definition:
            continue
        said = str(definition.get("description", "")).split("\n", 1)[0]
        if said:
            lines.append(f"--- {said}")
        lines.append(f"---@class {PREFIX}{name}")
        required = set(definition.get("required", ()))
        for field, its in definition["properties"].items():
            mark = "" if field in required else "?"
            shown = f"['{field}']" if field in {"end", "from", "not"} else field
            lines.append(f"---@field {shown}{mark} {lua_type(its)}")
        lines.append("")
    return "\n".join(lines)


def main() -> int:
    """Write the file; with `--check` say whether it is current."""
    text = classes(json.loads(SCHEMA.read_text()))
    if "--check" in sys.argv[1:]:
        return 0 if TARGET.exists() and TARGET.read_text() == text else 1
    TARGET.write_text(text)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
