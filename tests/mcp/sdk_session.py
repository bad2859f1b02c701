"""Played by `test_sdk.py` under the official SDK's interpreter: runs a session and prints the answers as JSON."""

from __future__ import annotations

import asyncio
import json
import sys

from mcp import ClientSession, StdioServerParameters  # type: ignore[import-not-found]
from mcp.client.stdio import stdio_client  # type: ignore[import-not-found]


async def main(command: str, folder: str) -> None:
    found: dict[str, object] = {}
    parameters = StdioServerParameters(command=command, args=["mcp"], cwd=folder)
    async with stdio_client(parameters) as (read, write), ClientSession(read, write) as session:
        hello = await session.initialize()
        found["version"] = hello.protocol_version
        found["tools"] = [tool.name for tool in (await session.list_tools()).tools]
        stored = await session.call_tool("remember", {"content": "The official client was here."})
        found["stored"] = stored.structured_content
        recalled = await session.call_tool("recall", {"query": "official client"})
        found["recalled"] = recalled.content[0].text
        wrong = await session.call_tool("recall", {"limit": 0})
        found["wrong"] = [wrong.is_error, wrong.content[0].text]
        found["map"] = (await session.call_tool("repo_map", {})).is_error
        listed = (await session.list_resources()).resources
        found["resources"] = [str(each.uri) for each in listed]
        found["read"] = (await session.read_resource(listed[1].uri)).contents[0].text
        found["templates"] = len((await session.list_resource_templates()).resource_templates)
        found["prompts"] = [prompt.name for prompt in (await session.list_prompts()).prompts]
        asked = await session.get_prompt("recall", {"topic": "official client"})
        found["prompt"] = asked.messages[0].content.text
        await session.send_ping()
    print(json.dumps(found))


asyncio.run(main(*sys.argv[1:]))
