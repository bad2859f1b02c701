"""Record, find, rank and inject memories over one workspace's store and the user's.

The entry point is `MemoryBook` in `book.py`. This room knows no wire, event loop or file system; callers pass in the
briefings of files.
"""
