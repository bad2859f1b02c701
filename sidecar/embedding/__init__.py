"""Which embedding model a workspace uses, where its vectors are stored, and the background work that makes them.

A model is loaded once for all workspaces that name it; neither start-up nor a request waits for it.
"""
