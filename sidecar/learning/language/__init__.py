"""Classify a user's sentence by its mood, using small tables of words for each language."""
