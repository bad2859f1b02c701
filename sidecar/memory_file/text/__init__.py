"""MEMORY.md and its directory form: project memories as text that people edit."""
