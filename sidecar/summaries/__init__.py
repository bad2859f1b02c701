"""Questions to a configured chat model about files and sessions, sent in the background, with checked answers."""
