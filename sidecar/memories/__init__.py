"""The domain of memories: record, find, rank and inject what was learned, over one workspace's store and the
user's store.

`MemoryBook` in `book.py` is the way in; it takes plain values (`drafts.py`), an explicit clock and two stores,
and gives frozen dataclasses (`results.py`). This room does not know the wire, event loops, file systems or what
the stores are made of; it learns nothing by itself from events, reads no files (briefings are handed to it), and
runs no maintenance.
"""
