"""Which embedding model a workspace uses, where its vectors are stored, and the background work that makes them.

A model is loaded once for all workspaces whose settings name it. Callers that need it before it is loaded do without
it: neither start-up nor a request waits. This room does not know what a model computes (`models/`), which text of a
memory is embedded or what a vector is used for (`memories/`).
"""
