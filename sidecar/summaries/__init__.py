"""Ask a configured chat model about files and sessions, in the background, and check its answers."""
