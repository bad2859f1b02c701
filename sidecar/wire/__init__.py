"""Conversion between bytes and messages: framing, envelopes, parameters, and the reader and writer threads.

Shared by the fronts that speak over stdio. This room knows JSON-RPC 2.0, `Content-Length` framing and msgspec, but
nothing of LSP, MCP, pygls, asyncio or the engine.
"""
