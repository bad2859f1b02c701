"""Hooks of agents: one JSON event on stdin, and on stdout what the agent is to be told.

Speaks the hook protocols of Claude Code, Codex, Gemini CLI, Qwen Code, Copilot CLI and Cursor. An event is only written
to the session's journal, which needs no store and takes milliseconds; one that is to be answered opens the engine. A
process of its own (`sidecar.engine.ended_sessions`) learns from the journal. A hook never blocks a tool and never fails
an agent: whatever goes wrong, it prints nothing, exits with 0 and logs the reason.
"""
