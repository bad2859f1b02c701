"""MCP over stdio: the front for agents that speak the Model Context Protocol.

The wire is our own (one JSON text per line, msgspec): the official SDK would add 27 packages and 45 MiB and takes
longer to import than this whole front takes to answer `initialize`. The front deliberately learns nothing from tool
calls by itself and keeps no state beyond the connection's.
"""
