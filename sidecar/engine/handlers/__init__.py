"""The handlers of the method table: a class for each module of `protocol`, with a method for each of its requests.

`MemoriesHandler.memory_record` answers `memory/record`; `Engine` finds it by these names, and a test compares its types
with the method's. A handler gets the parameters, the open workspace (unless its method says `none`) and the request's `Call`.
It resolves paths, calls the domains, composes their answers and converts them to the structs of `protocol`. It knows no
JSON, keeps no state of memories or files, and leaves decisions to the domains.
"""
