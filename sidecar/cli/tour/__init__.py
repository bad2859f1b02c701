"""The tour: run a real server through a short session on the current folder, and show what an agent would receive.

The user's files are only read. A copy in a temporary folder is edited, and a temporary store holds the memory. The tour
uses only the wire, never the engine.
"""
