"""Placeholder docstring: the owner of this room replaces it."""
