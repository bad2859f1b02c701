"""Facets: sentences about a file that are kept as durable facts.

`admission` judges sentences, without a file system or store; `book` stores facets and carries them across edits.
"""
