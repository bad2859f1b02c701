"""Pure functions on text: token estimates, words and identifiers for full text search, removal of secrets.

Nothing here reads files, knows what a memory is or keeps state between calls, except caches of pure results.
"""
