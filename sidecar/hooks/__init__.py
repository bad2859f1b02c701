"""Hooks of agents: one JSON event on stdin, and on stdout what the agent is to be told.

Speaks the hook protocols of Claude Code, Codex, Gemini CLI, Qwen Code, Copilot CLI and Cursor. Events are only written
to the session's journal, which needs no store and takes a few milliseconds of work; those that are answered open the
engine for that. A process of its own (`sidecar.settling`) learns from the journal. It deliberately never blocks a tool,
never fails an agent - whatever goes wrong, nothing is printed, the exit code is 0 and the reason is in the log - and
knows nothing of LSP, MCP or models.
"""
