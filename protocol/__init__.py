"""The wire contract of memory-sidecar.

A pair of structs for each method, one table of methods, and one list of error codes. JSON Schema, test vectors and the
protocol page are generated from them (`python -m protocol.generate`).

This package imports msgspec and the standard library only. It knows neither how a request is served nor the format on
disk: stored records are structs of `sidecar.store` and change independently.
"""
