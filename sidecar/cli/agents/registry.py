"""The list of agents, in the order in which they are shown."""

from __future__ import annotations

from collections.abc import Mapping

from sidecar.cli.agents.agent import Agent
from sidecar.cli.agents.claude import CLAUDE
from sidecar.cli.agents.codex import CODEX
from sidecar.cli.agents.continue_dev import CONTINUE
from sidecar.cli.agents.copilot import COPILOT
from sidecar.cli.agents.crush import CRUSH
from sidecar.cli.agents.cursor import CURSOR
from sidecar.cli.agents.gemini import GEMINI
from sidecar.cli.agents.goose import GOOSE
from sidecar.cli.agents.opencode import OPENCODE
from sidecar.cli.agents.qwen import QWEN
from sidecar.cli.agents.vscode import VSCODE
from sidecar.cli.agents.windsurf import WINDSURF
from sidecar.cli.agents.zed import ZED

_ALL = (CLAUDE, CODEX, GEMINI, QWEN, COPILOT, OPENCODE, CURSOR, VSCODE, WINDSURF, ZED, CONTINUE, CRUSH, GOOSE)

AGENTS: Mapping[str, Agent] = {agent.name: agent for agent in _ALL}
