"""Pure functions on text: token estimates, words and identifiers for full text search, removal of secrets.

Nothing here keeps state between calls beyond caches of pure results, reads files or knows what a memory is.
"""
