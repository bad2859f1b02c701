"""Keep MEMORY.md, or its directory form, in sync with the store."""
