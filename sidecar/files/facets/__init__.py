"""Facets: what of a sentence about a file may be kept as a durable fact.

`admission` judges one sentence, whoever wrote it, somebody on purpose or a model; `statements` says which sentences
of a text are judged. Both are pure: they read no file and no store, know no session and no window, and never write a
word of their own. When to call them, storing and carrying facets across edits is the work of others.
"""
