"""Keep memories true and few: merge duplicates, fade and archive the unused, promote the proven.

A run is planned as a pure function of records, uses and clock, then applied in short transactions, each change only
while its memories are as planned. Nothing here deletes a memory, reads a file or decides when to run.
"""
