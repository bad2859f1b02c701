"""The mark of the programs that we ask ourselves, so that their sessions are not taken for the user's."""

from typing import Final

# The variable in such a program's environment that makes our hooks learn nothing and show nothing.
QUIET_VARIABLE: Final = "MEMORY_SIDECAR_QUIET"
