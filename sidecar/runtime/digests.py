"""BLAKE2 without `hashlib`, which loads OpenSSL: three milliseconds of a start and three MiB, unused."""

from __future__ import annotations

try:
    from _blake2 import blake2b
except ImportError:  # another Python than CPython
    from hashlib import blake2b

__all__ = ["blake2b"]
