"""Choose a workspace's embedding model, store its vectors, and make missing vectors in the background.

`engine` makes one `WorkspaceEmbedding` for each workspace; all workspaces that name the same model share it. Neither
start-up nor a request waits until a model is loaded.
"""
