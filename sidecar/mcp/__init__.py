"""MCP over stdio: the front for agents that speak the Model Context Protocol.

Decodes a tool call, a resource or a prompt, makes one engine call, and renders the answer for a model to read. It
runs the same engine as every front, on a wire of our own (one JSON text a line, msgspec): the official SDK would add
27 packages and 45 MiB and takes longer to import than this whole front takes to answer `initialize`. It deliberately
learns nothing from tool calls by itself, and keeps no state but the connection's. Where the user has chosen so, the
client's own model is asked about sessions (`sampling`).
"""
