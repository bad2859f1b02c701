"""Memories in and out of other forms: our own export, other tools' files, and a project's manifests.

`jsonl` is our export, `formats` reads other tools' files, `sections` cuts Markdown into memories, `bootstrap` takes
first facts from manifests. `sources` reads the files of an import safely, `importing` and `exporting` carry items in
and out of the stores, `bootstrapping` records first facts. What may be stored is decided in `memories`.
"""
