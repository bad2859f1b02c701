"""Load the model that settings name."""

from __future__ import annotations

from sidecar.models.embedding import Embedder, ModelUnavailable
from sidecar.settings.model import EmbeddingSettings

QUERY_SECONDS = 1.0
"""How long a request waits for an endpoint to embed its query."""


def load_model(settings: EmbeddingSettings) -> Embedder:
    """Load and return the model of these settings. Raises ModelUnavailable."""
    if settings.model == "static":
        from sidecar.models.static_table import StaticTable

        try:
            return StaticTable.load()
        except (OSError, ValueError) as error:
            raise ModelUnavailable(f"The table in the package cannot be used: {error}", "Reinstall it.") from error
    if settings.model == "minilm":
        from sidecar.models.minilm import MiniLM

        return MiniLM.load()
    if settings.model == "multilingual":
        from sidecar.models.multilingual import Multilingual

        return Multilingual.load()
    return _endpoint(settings)


def _endpoint(settings: EmbeddingSettings) -> Embedder:
    from sidecar.models.endpoint import EndpointEmbedder
    from sidecar.models.transport import RequestLimits, Transport

    if settings.endpoint is None or settings.endpoint_model is None:
        raise ModelUnavailable(
            "`embeddings.endpoint` and `embeddings.endpointModel` must both be set.",
            "Set them in the user's settings, or set `embeddings.model` to static.",
        )
    url, key = settings.endpoint, settings.key
    return EndpointEmbedder.connect(
        Transport(url, key, RequestLimits(settings.timeout_seconds)),
        url,
        settings.endpoint_model,
        settings.endpoint_dimensions,
        quick=Transport(url, key, RequestLimits(min(QUERY_SECONDS, settings.timeout_seconds), attempts=1)),
    )
