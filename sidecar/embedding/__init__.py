"""Which embedding model a workspace uses, where its vectors are kept, and the background work that makes them.

A model is loaded once for all workspaces whose settings name it. Whoever asks for it before it is there does without:
neither start-up nor a request waits. The room does not know what a model computes (`models/`), which text of a memory
is embedded or what a vector is used for (`memories/`).
"""
