"""Keep MEMORY.md, or its directory form, in step with the store."""
