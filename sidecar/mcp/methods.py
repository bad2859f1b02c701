"""The methods of MCP that this front answers, and its tools.

`ANSWERS` need no engine. Each entry of `CALLS` checks its parameters and returns a lane and the work to do there. A
result that depends on the protocol version is a function of the version.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import msgspec

from protocol.errors import ErrorCode
from sidecar.mcp import attachments, code_tools, memory_tools, versions, work_tools
from sidecar.mcp.answers import refusal, tool_failure, tool_result
from sidecar.mcp.tool import Tool
from sidecar.mcp.tool_call import ToolCall
from sidecar.mcp.versions import SERVER_INSTRUCTIONS, ProtocolError, server_info
from sidecar.runtime.clock import epoch_ms
from sidecar.runtime.errors import Cancelled, InvalidField, SidecarError
from sidecar.runtime.lanes import LaneName
from sidecar.wire.params import invalid_params

Work = Callable[[ToolCall], Any]
# The tools in the order in which they are listed.
_ALL = (
    memory_tools.recall,
    memory_tools.remember,
    memory_tools.context,
    memory_tools.update_memory,
    memory_tools.forget,
    memory_tools.link,
    code_tools.file_summary,
    code_tools.repo_map,
    code_tools.find_files,
    code_tools.file_fact,
    work_tools.session,
    work_tools.reminder,
)

TOOLS: Mapping[str, Tool] = {tool.name: tool for tool in _ALL}

for _tool in _ALL:  # before there are threads, see `sidecar.engine.decoder_warmup`
    msgspec.json.Decoder(_tool.arguments)


def _discover(version: str, params: dict[str, Any]) -> dict[str, Any]:
    return {
        "supportedVersions": list(versions.SUPPORTED),
        "capabilities": {"tools": {}, "resources": {}, "prompts": {}},
        "instructions": SERVER_INSTRUCTIONS,
        "_meta": {"io.modelcontextprotocol/serverInfo": server_info()},
    }


def _tools_list(version: str, params: dict[str, Any]) -> dict[str, Any]:
    annotations, structured = versions.has_annotations(version), versions.has_structured_output(version)
    tools = (tool.description(annotations=annotations, structured=structured) for tool in TOOLS.values())
    return {"tools": list(tools)}


def _tools_call(params: dict[str, Any]) -> tuple[LaneName, Work]:
    name, arguments = params.get("name"), params.get("arguments")
    tool = TOOLS.get(name) if isinstance(name, str) else None
    if tool is None:
        raise ProtocolError(ErrorCode.INVALID_PARAMS, f"There is no tool {name!r}.", {"tools": list(TOOLS)})
    return tool.lane, lambda call: _call(tool, arguments, call)


def _call(tool: Tool, raw: Any, call: ToolCall) -> Callable[[str], dict[str, Any]]:
    try:
        call.wait_for_engine()
        try:
            arguments = msgspec.convert({} if raw is None else raw, tool.arguments)
        except (msgspec.MsgspecError, RecursionError) as error:
            raise invalid_params(error, tool.arguments) from None
        answer = tool.run(call, arguments, epoch_ms())
    except Cancelled:
        raise
    except SidecarError as error:
        text = refusal(error)
        return lambda version: tool_failure(text)
    return lambda version: tool_result(answer, structured=versions.has_structured_output(version))


def _resources_list(params: dict[str, Any]) -> tuple[LaneName, Work]:
    cursor = params.get("cursor")
    if cursor is not None and not isinstance(cursor, str):
        raise InvalidField("The cursor must be a string.", path="$.cursor")
    return "read", lambda call: attachments.list_resources(call, cursor)


def _resources_read(params: dict[str, Any]) -> tuple[LaneName, Work]:
    uri = params.get("uri")
    if not isinstance(uri, str):
        raise InvalidField("The URI is missing.", path="$.uri")
    return "read", lambda call: attachments.read_resource(call, uri)


def _prompts_get(params: dict[str, Any]) -> tuple[LaneName, Work]:
    name, arguments = params.get("name"), params.get("arguments") or {}
    if not isinstance(name, str):
        raise InvalidField("The name is missing.", path="$.name")
    if not isinstance(arguments, dict) or not all(isinstance(value, str) for value in arguments.values()):
        raise InvalidField("Arguments of a prompt are strings.", path="$.arguments")
    return "read", lambda call: attachments.prompt(call, name, arguments)


ANSWERS: dict[str, Callable[[str, dict[str, Any]], dict[str, Any]]] = {
    "ping": lambda version, params: {},
    "server/discover": _discover,
    "tools/list": _tools_list,
    "resources/templates/list": lambda version, params: {"resourceTemplates": list(attachments.TEMPLATES)},
    "prompts/list": lambda version, params: {"prompts": list(attachments.PROMPTS)},
}

CALLS: dict[str, Callable[[dict[str, Any]], tuple[LaneName, Work]]] = {
    "tools/call": _tools_call,
    "resources/list": _resources_list,
    "resources/read": _resources_read,
    "prompts/get": _prompts_get,
}
