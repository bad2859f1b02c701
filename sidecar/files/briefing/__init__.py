"""The briefing of a file: layout, text, cache, and what accompanies it."""
