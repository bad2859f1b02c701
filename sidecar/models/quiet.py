"""How a program that we query ourselves is told apart from the user's own sessions."""

from typing import Final

QUIET: Final = "MEMORY_SIDECAR_QUIET"
"""Set in such a program's environment: our hooks learn nothing from it and show it nothing."""
