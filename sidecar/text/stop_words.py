"""English words that say nothing about what a text is about."""

from __future__ import annotations

from sidecar.text.word_lists import word_lines

_LISTS = word_lines("stop_words.txt")
STOP_WORDS = _LISTS["index"]  # left out of the index: articles, pronouns, auxiliaries, prepositions, conjunctions
QUERY_STOP_WORDS = STOP_WORDS | _LISTS["query"]
"""Also left out of a query: words that phrase a question rather than say what it is about."""
