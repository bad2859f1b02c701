"""A local page on which a person browses, searches, reviews and edits the memories of all projects.

The page is served on the loopback address only, under a path that nobody can guess, until the command ends. It stores
nothing, and no agent or editor starts it.
"""
