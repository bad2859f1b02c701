"""Memories in and out of other forms: our own export, other tools' files, and a project's manifests.

`sources` reads the files of an import safely; what may be stored is decided in `memories`.
"""
