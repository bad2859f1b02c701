"""The handlers of the method table: one class for each family, with a method of its own for each method of the table.

`memory/record` is `MemoriesHandler.memory_record`; `Engine` finds it. A handler gets the parameters, the parts of the
workspace and the request's `Call`. It resolves paths, calls the domains, composes their answers and converts them to
the structs of `protocol`. It knows no JSON, keeps no state of memories or files, and leaves decisions to the
domains.
"""
