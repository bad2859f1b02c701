"""Keeping memories true and few: duplicates merged, the unused faded and archived, the proven promoted.

A run is planned first, as a pure function of the records, of how they were used and of the clock (`planning`, with one
file for each step), and then applied in short transactions that take a change only while the memories are as they were
when it was planned (`applying`). `running` holds the one lock that keeps two processes from doing it at once, and
remembers when it was done. Nothing here deletes a memory, reads a file, or decides when to run: who calls it does.
"""
