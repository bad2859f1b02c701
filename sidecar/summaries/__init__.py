"""Questions to a configured chat model about files and sessions, asked in the background, with checked answers."""
