"""Record, find, rank and inject memories over one workspace's store and the user's.

The room `engine` calls the parts of `MemoryBook` (`book.py`), and passes in the briefings of files. Nothing here knows
the wire, an event loop or the file system. Begin in `recording` (new memories), `editing` (changes of one), `retrieval`
(search), `injection` (the block that an agent sees) or `candidates` (what may become a memory); `index` is what they
read, `maintenance` what changes memories by itself, and `wording` what texts say.
"""
