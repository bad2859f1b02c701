"""The tour: a real server, a short real session on the current folder, and what an agent would have been given.

`survey` looks for files worth showing, `play` talks to the server and checks each claim it makes, `draw` shows the
steps as they happen. The user's files are only read: what is edited is a copy in a temporary folder, and memory goes
to a temporary store that is removed with it. Nothing here reaches into the engine; all it knows comes over the wire.
"""
