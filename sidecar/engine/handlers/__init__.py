"""The handlers of the method table: a class for each module of `protocol`, with a method for each of its requests.

`table.py` says which of them answers a method. A handler gets the parameters, the open workspace (unless its method
says `none`) and the `Context`. It resolves paths, calls the domains, composes their answers and converts them to
the structs of `protocol`. It knows no JSON, keeps no state of memories or files, and leaves decisions to the domains.
"""
