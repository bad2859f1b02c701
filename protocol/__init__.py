"""The wire contract of memory-sidecar.

One pair of structs for each method, one table of methods, one list of error codes; JSON Schema, test vectors and the
protocol page are generated from them (`python -m protocol.generate`).

This package imports msgspec and the standard library only. It knows nothing of how a request is served or of the format
on disk: stored records are structs of `sidecar.store` and change independently.
"""
