"""The handlers of the method table: a class for each family, with a method for each method of the table.

`memory/record` is `MemoriesHandler.memory_record`; `table.py` finds it. A handler gets the parameters, the open
workspace and the request's `Call`. It resolves paths, calls the domains, composes their answers and converts them to
the structs of `protocol`. It knows no JSON, keeps no state of memories or files, and leaves decisions to the
domains.
"""
