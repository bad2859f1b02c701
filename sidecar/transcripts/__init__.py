"""Read, as events, the sessions that agents keep on disk.

`session/import` learns from them. Sub-agents' sessions, damaged lines and text that programs add to messages are left
out.
"""
