"""Check a memory's fields and redact secrets; every write does this before it compares or stores anything."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from sidecar.memories.recording import checks
from sidecar.memories.results import Redaction
from sidecar.runtime.errors import InvalidField
from sidecar.store.records import ReferenceRecord
from sidecar.text.secrets import redact

CHECK_BY_FIELD: Final[dict[str, Any]] = {
    "type": checks.check_memory_type,
    "content": checks.check_content,
    "name": lambda value: None if value is None else checks.check_name(value),
    "description": checks.check_description,
    "tags": checks.check_tags,
    "category": checks.check_category,
    "agent": checks.check_agent,
    "session_id": checks.check_session,
    "files": checks.check_files,
    "references": tuple,
    "expires_at": checks.check_expires_at,
    "pinned": bool,
    "source": str,
}
REDACTED_FIELDS: Final = ("content", "name", "description", "tags", "agent", "files")  # fields that may hold secrets


class Redactor:
    """Redacts the fields of one request, and records for the answer what it redacted."""

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
        """Redact a field's value; None stays None.

        Each value of a tuple is redacted by itself and recorded as `field[position]`, such as `tags[2]`.
        """
        if isinstance(value, tuple):
            return tuple(self.text(f"{field}[{position}]", item) for position, item in enumerate(value))
        return None if value is None else self.text(field, value)

    def references(self, values: tuple[ReferenceRecord, ...]) -> tuple[ReferenceRecord, ...]:
        """Return the references without a secret; none is recorded, since the text contains the same secrets."""
        return tuple(value for value in values if not redact(f"{value.text}\n{value.path or ''}")[1])


def check_fields(values: Mapping[str, object], now: int) -> tuple[dict[str, Any], tuple[Redaction, ...]]:
    """Return checked and redacted values, by the field names of `MemoryRecord`, and what was redacted.

    Sizes are checked again after redaction, which may lengthen a text. Raises InvalidField.
    """
    redactor, result = Redactor(), dict[str, Any]()
    for field, value in values.items():
        check: Any = CHECK_BY_FIELD.get(field)
        if check is None:
            raise InvalidField(f"A memory's {field} cannot be updated.", path=f"$.{field}")
        clean = check(value, now) if field == "expires_at" else check(value)
        if field in REDACTED_FIELDS and clean and (redacted := redactor.value(field, clean)) != clean:
            clean = check(redacted)
        result[field] = redactor.references(clean) if field == "references" else clean
    return result, redactor.redactions
