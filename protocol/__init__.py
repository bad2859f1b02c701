"""The wire contract of memory-sidecar.

One struct pair per method, one table of methods, one list of error codes; JSON Schema, test vectors and the
protocol page are generated from these (`python -m protocol.generate`). This package imports msgspec and the
standard library only, knows nothing of how a request is served, and never touches the disk format: stored
records are structs of `sidecar.store` and change independently of these.
"""
