"""Check a memory's fields, and redact secrets before anything is compared or written."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from sidecar.memories import limits
from sidecar.memories.results import Redaction
from sidecar.runtime.errors import InvalidField
from sidecar.store.records import ReferenceRecord
from sidecar.text.secrets import redact

CHECKS: Final[dict[str, Any]] = {
    "type": limits.check_memory_type,
    "content": limits.check_content,
    "name": lambda value: None if value is None else limits.check_name(value),
    "description": limits.check_description,
    "tags": limits.check_tags,
    "category": limits.check_category,
    "agent": limits.check_agent,
    "session_id": limits.check_session,
    "files": limits.check_files,
    "references": tuple,
    "expires_at": limits.check_expires_at,
    "pinned": bool,
    "source": str,
}
TEXTS: Final = ("content", "name", "description", "tags", "agent", "files")  # fields that may hold secrets


class Redactor:
    """Cleans the fields of one request and records what it redacted, for the answer."""

    def __init__(self) -> None:
        self._redactions: list[Redaction] = []

    @property
    def redactions(self) -> tuple[Redaction, ...]:
        return tuple(self._redactions)

    def text(self, field: str, value: str) -> str:
        clean, findings = redact(value)
        self._redactions.extend(Redaction(finding.kind, field, finding.count) for finding in findings)
        return clean

    def value(self, field: str, value: Any) -> Any:
        """Redact a field's value, or each value of a tuple, which is recorded as `field[position]`; None stays None."""
        if isinstance(value, tuple):
            return tuple(self.text(f"{field}[{position}]", item) for position, item in enumerate(value))
        return None if value is None else self.text(field, value)

    def references(self, values: tuple[ReferenceRecord, ...]) -> tuple[ReferenceRecord, ...]:
        """Return the references without a secret. No redaction is recorded, since the text holds the same secrets."""
        return tuple(value for value in values if not redact(f"{value.text}\n{value.path or ''}")[1])


def check_fields(values: Mapping[str, object], now: int) -> tuple[dict[str, Any], tuple[Redaction, ...]]:
    """Return checked and redacted values, by the field names of `MemoryRecord`, and what was redacted.

    Raises InvalidField. Sizes are checked again after redaction, which may lengthen a text.
    """
    redactor, result = Redactor(), dict[str, Any]()
    for field, value in values.items():
        check: Any = CHECKS.get(field)
        if check is None:
            raise InvalidField(f"A memory's {field} cannot be updated.", path=f"$.{field}")
        clean = check(value, now) if field == "expires_at" else check(value)
        if field in TEXTS and clean and (redacted := redactor.value(field, clean)) != clean:
            clean = check(redacted)
        result[field] = redactor.references(clean) if field == "references" else clean
    return result, redactor.redactions
