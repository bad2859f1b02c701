"""The mark of programs that we query ourselves, whose sessions are not the user's."""

from typing import Final

QUIET: Final = "MEMORY_SIDECAR_QUIET"
"""The variable in such a program's environment that makes our hooks learn nothing and show nothing."""
