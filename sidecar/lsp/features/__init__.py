"""LSP features of editors, one file each: what they tell us about folders, files and settings, and what we show.

Each file has one `register(server)`. No feature holds domain logic or touches a store on the event loop.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sidecar.lsp.host import SidecarServer


def register_features(server: SidecarServer) -> None:
    """Register every feature; capabilities are computed from what is registered."""
    from sidecar.lsp.features import (
        configuration,
        documents,
        file_operations,
        folders,
        warm_up,
        watched_files,
    )

    for feature in (folders, documents, watched_files, file_operations, configuration, warm_up):
        feature.register(server)
