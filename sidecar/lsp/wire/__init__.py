"""Bytes to messages and back: framing, envelopes, the reader and the writer thread.

Knows JSON-RPC 2.0 and `Content-Length` framing, and nothing of LSP, pygls, asyncio or the engine.
"""
