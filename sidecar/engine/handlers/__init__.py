"""The handlers of the method table: one class for each family, one of its methods for each method.

`memory/record` is `MemoriesHandler.memory_record`; `registry` finds it. A handler resolves paths, calls the domains,
composes their answers and converts them to the structs of `protocol`. It keeps no state, knows no wire format, and
decides nothing that a domain should.
"""
