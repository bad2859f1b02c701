"""Find secrets in a text and replace them with a visible mark: `[redacted: KIND]`."""

from sidecar.text.secrets.detection import RemovedSecrets, redact, take_out

__all__ = ["RemovedSecrets", "redact", "take_out"]
