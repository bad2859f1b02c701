"""A local page on which a person browses, searches, reviews and edits the memories of all projects.

It is served on the loopback address alone, under a path that nobody can guess, and ends with the command. It opens no
connection, keeps nothing, and is never started by an agent or an editor.
"""
