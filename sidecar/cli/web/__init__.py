"""A local page on which a person browses, searches, reviews and edits the memories of all projects.

It is served until the command ends, on the loopback address only, under a path that nobody can guess. It stores
nothing, and no agent or editor starts it.
"""
