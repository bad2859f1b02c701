"""Export and import memories: our own format, other tools' files, and first facts from a project's manifests.

`sources` reads the files of an import safely; the room `memories` decides which memories may be stored.
"""
