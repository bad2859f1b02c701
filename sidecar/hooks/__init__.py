"""Hooks of agents: read one JSON event from stdin, and print the text for the agent.

`process.py` reads the event, and `front.py` answers it. Most events are only written to the session's journal, which
needs no store and takes milliseconds. For an event that needs an answer, a running server is asked or the engine is
opened. Another process, which `engine.ended_sessions` starts, learns from the journal (`learning.py`).

A hook never blocks a tool and never fails an agent: after an error it prints nothing, logs the reason and exits with 0.
"""
