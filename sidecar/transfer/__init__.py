"""Memories carried in and out of the stores: between the exchange room's texts and the memories' room.

`sources` reads the files of an import safely, `importing` and `restoring` have them stored, `exporting` pages through
what is stored, `bootstrapping` reads a project's manifests. Formats are the exchange room's business, and what may be
stored is the memories'.
"""
