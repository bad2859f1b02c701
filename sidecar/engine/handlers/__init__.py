"""The engine's methods, one class ("desk") for each family of requests.

A method of the table is one method of one desk: `memory/record` is `MemoryRequests.memory_record`. A desk resolves
paths, calls the domains, composes their answers and converts them to the structs of `protocol`. It holds no state
but what the shared `Services` and the workspaces hold, knows no wire format, and decides nothing that a domain should.
"""
