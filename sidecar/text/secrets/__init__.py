"""Find secrets in a text and replace them with a visible mark: `[redacted: KIND]`."""

from sidecar.text.secrets.detection import RemovedSecrets, redact, remove_secrets_of

__all__ = ["RemovedSecrets", "redact", "remove_secrets_of"]
