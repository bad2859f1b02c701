"""Facets: what of a sentence about a file may be kept as a durable fact, and the distiller that needs no model.

`admission` judges one sentence, whoever wrote it, an agent or a model; `distiller` picks the best sentence of an
agent's reasoning. Both are pure: they read no file and no store, know no session and no window, and never write a
word of their own. When to call them, storing and carrying facets across edits is the work of others.
"""
