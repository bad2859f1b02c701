"""MCP over stdio: the front for agents that speak the Model Context Protocol.

`server.py` runs one connection; `connection.py` calls the tools, each of which makes a few engine requests. This room
implements the protocol itself, because the official SDK would add 27 packages and 45 MiB, and its import takes longer
than this front needs to answer `initialize`. By design, the front learns nothing from tool calls and keeps no state
beyond the connection's.
"""
