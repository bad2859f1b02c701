"""Bytes to messages and back: framing, envelopes, parameters, the reader's and the writer's thread.

Shared by the fronts that speak over stdio. Knows JSON-RPC 2.0, `Content-Length` framing and msgspec, and nothing of
LSP, MCP, pygls, asyncio or the engine.
"""
