"""Records, finds, ranks and injects memories over one workspace's store and the user's. `MemoryBook` in `book.py` is
the way in. This room knows no wire, event loop or file system; briefings are handed to it.
"""
