"""The briefing of a file: layout, text, cache, and its companions."""
