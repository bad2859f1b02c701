"""The tools in the order in which they are listed."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from sidecar.mcp import code_tools, memory_tools, work_tools
from sidecar.mcp.tool import Tool

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
