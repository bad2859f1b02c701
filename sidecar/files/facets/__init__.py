"""Facets: which sentences about a file may be kept as durable facts.

`admission` judges sentences, whoever wrote them. The room is pure: it reads no file and no store, knows no session, and
never writes a word of its own. Storing facets and carrying them across edits is the work of others.
"""
