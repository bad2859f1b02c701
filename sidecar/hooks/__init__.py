"""Hooks of agents: one JSON event on stdin, the text for the agent on stdout.

Most events are only written to the session's journal, which needs no store and takes milliseconds; an event that needs
an answer asks a running server or opens the engine. A separate process, which `engine.ended_sessions` starts, learns
from the journal (`sidecar.hooks.learning`). A hook never blocks a tool and never fails an agent: on any error it prints
nothing, exits with 0 and logs the reason.
"""
