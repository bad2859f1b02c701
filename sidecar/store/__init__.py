"""The store: records on disk, shared by any number of processes.

Other rooms open a `MemoryStore` or a `FileStore`, and write and read the structs of `records.py`; they never learn what
lies beneath. This room preserves acknowledged writes through `kill -9`, lets several processes write at once, migrates
stores of older versions, only reads stores of newer versions and stores that cannot be written, and replaces a damaged
database by what its backup and its pages still hold. This room knows no rule of the domain: it does not rank, merge,
redact or decide what a memory means, drops nothing to save space, and reads no clock for a record's times.
"""
