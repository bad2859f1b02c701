"""Read the sessions that agents keep on disk as events.

Sub-agents' sessions, damaged lines and text that programs add to messages are left out.
"""
