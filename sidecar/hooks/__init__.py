"""Hooks of agents: one JSON event on stdin, what the agent is to be told on stdout.

Speaks the hook protocols of Claude Code, Codex, Gemini CLI, Qwen Code, Copilot CLI and Cursor. Most events are only
written to the session's journal, which needs no store and takes milliseconds; an event that needs an answer opens the
engine. A separate process (`sidecar.engine.ended_sessions`) learns from the journal. A hook never blocks a tool and
never fails an agent: on any error it prints nothing, exits with 0 and logs the reason.
"""
