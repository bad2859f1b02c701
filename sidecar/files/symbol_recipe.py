"""The version of `symbol_hashes`, apart from it so that known hashes are read without loading what makes them."""

from __future__ import annotations

from typing import Final

RECIPE: Final = 1
"""Version of what is hashed: raise it whenever the same symbol may give another hash."""
