"""The list of tools, which every agent pays for in every session."""

from __future__ import annotations

import msgspec

from sidecar.mcp.methods import TOOLS
from sidecar.mcp.tool import arguments_schema
from sidecar.text.tokens import estimate

MAX_TOOLS = 12
MAX_TOKENS = 2_000  # the promise is 2,500


def test_the_list_of_tools_keeps_its_token_budget() -> None:
    listed = [tool.description() for tool in TOOLS.values()]
    assert len(listed) <= MAX_TOOLS
    for description in listed:
        description.pop("_meta", None)  # for the agent; its model never reads it
    assert estimate(msgspec.json.encode({"tools": listed}).decode()) <= MAX_TOKENS


def test_schemas_name_the_arguments_as_they_are_taken() -> None:
    for tool in TOOLS.values():
        schema = arguments_schema(tool.arguments)
        assert set(schema["properties"]) == set(tool.arguments.__struct_encode_fields__)
        assert schema["type"] == "object"
        encoded = msgspec.json.encode(tool.description()).decode()
        assert "$ref" not in encoded
        assert "$defs" not in encoded


def test_tools_say_what_they_do_to_the_store() -> None:
    for tool in TOOLS.values():
        annotations = tool.description()["annotations"]
        assert annotations.get("readOnlyHint", False) == (tool.effect == "read")
        assert annotations.get("destructiveHint", True) == (tool.effect in ("read", "delete"))
