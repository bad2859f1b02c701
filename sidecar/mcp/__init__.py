"""MCP over stdio: the front for agents that speak the Model Context Protocol.

Decodes a tool call, a resource or a prompt, makes one engine call, and renders the answer for a model to read. The wire
is our own (one JSON text a line, msgspec): the official SDK would add 27 packages and 45 MiB and takes longer to import
than this whole front takes to answer `initialize`. It deliberately learns nothing from tool calls by itself and keeps
no state beyond the connection's. If the user has chosen so, the client's own model is asked about sessions
(`sampling`).
"""
