"""The tour: a real server, a short real session on the current folder, and what an agent would have been given.

The user's files are only read: edits go to a copy in a temporary folder, memory to a temporary store that is removed
with it. Nothing here reaches into the engine; everything comes over the wire.
"""
