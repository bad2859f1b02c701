"""The store: records on disk, shared by any number of processes.

Other rooms open a `MemoryStore` or a `FileStore`, pass it the structs of `records.py` and get them back; they never
learn what lies beneath. This room preserves what was acknowledged through `kill -9`, lets several processes write at
once, migrates what an older version wrote, only reads what a newer one wrote or what cannot be written, and sets a
damaged database aside and restores it from its backup. It deliberately knows no rule of the domain: it does not rank,
merge, redact or decide what a memory means, it drops nothing to save space, and it reads no clock for a record's times.
"""
