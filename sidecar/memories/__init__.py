"""Record, find, rank and inject memories over one workspace's store and the user's.

The room `engine` calls this room through `MemoryBook` in `book.py`, and passes in the briefings of files. Nothing here
knows the wire, an event loop or the file system.
"""
