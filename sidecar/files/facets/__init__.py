"""Facets: which sentences about a file are kept as durable facts, and which of them hold for a content.

`admission` judges sentences, whoever wrote them: it reads no file or store, knows no session, and never writes a word
of its own. `book` stores facets and carries them across edits (`carry_over`).
"""
