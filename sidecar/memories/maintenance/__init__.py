"""Keeps memories true and few: merges duplicates, fades and archives the unused, promotes the proven. A run is planned
as a pure function of records, uses and clock, then applied in short transactions, each change only while its memories
are as planned. Nothing here deletes a memory, reads a file or decides when to run.
"""
