"""Export and import memories: our own format, other tools' files, and first facts from a project's manifests.

The engine's handlers of `memory/export`, `memory/import` and `memory/bootstrap` call this room. `sources` reads the
files of an import safely; the room `memories` decides which memories may be stored.
"""
