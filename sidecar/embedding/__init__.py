"""Choose a workspace's embedding model, store the model's vectors, and make missing vectors in the background.

All workspaces that name a model share it; neither start-up nor a request waits until a model is loaded.
"""
