"""Read a user's sentence: its mood, by small tables of words for each language."""
