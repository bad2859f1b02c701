"""The store: records on disk, shared by any number of processes.

Other rooms open a `MemoryStore` or a `FileStore`, and read and write the structs of `records.py`; they never see
SQLite.

This room keeps acknowledged writes through `kill -9`, lets several processes write at once, and migrates stores of
older versions. A store of a newer version, or one that cannot be written, is only read. A damaged database is replaced
by what its backup and its pages still hold.

It knows no rule of the domain: it does not rank, merge, redact or decide what a memory means, drops nothing to save
space, and reads no clock for a record's times.
"""
