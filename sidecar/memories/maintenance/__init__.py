"""Keep memories true and few: merge duplicates, fade and archive the unused, promote the proven.

A run is planned as a pure function of records, uses and clock, and then executed in short transactions; a change is
skipped if its memories are no longer as planned. Nothing here deletes a memory, reads a file or decides when to run.
"""
