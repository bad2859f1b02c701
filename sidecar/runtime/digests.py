"""BLAKE2 and SHA without `hashlib`.

`hashlib` loads OpenSSL, which costs three milliseconds of a start and three MiB, and is not used.
"""

from __future__ import annotations

try:
    from _blake2 import blake2b
    from _sha1 import sha1  # type: ignore[import-not-found]

    try:
        from _sha2 import sha256  # type: ignore[import-not-found]
    except ImportError:  # Python 3.11
        from _sha256 import sha256  # type: ignore[import-not-found]
except ImportError:  # another Python than CPython
    from hashlib import blake2b, sha1, sha256

__all__ = ["blake2b", "sha1", "sha256"]
