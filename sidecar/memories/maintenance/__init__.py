"""Keep memories true and few: merge duplicates, fade and archive the unused, promote the proven.

`upkeep.py` is the entry point, `running.py` runs one store. A run is first planned as a pure function of records, uses
and clock, and then carried out in short transactions; a change whose memories are no longer as planned is skipped.
Nothing here deletes a memory, reads a file or decides when to run.
"""
