"""The mark of programs that we query ourselves, whose sessions are not the user's."""

from typing import Final

QUIET: Final = "MEMORY_SIDECAR_QUIET"
"""Set in such a program's environment: our hooks learn nothing from it and show it nothing."""
