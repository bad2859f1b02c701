"""Secrets leave a memory's text before it is compared with anything or written anywhere."""

from __future__ import annotations

from sidecar.memories.results import Redaction
from sidecar.store.records import ReferenceRecord
from sidecar.text.redaction import redact


class Redactor:
    """Cleans the fields of one request and remembers what it took out, for the answer."""

    def __init__(self) -> None:
        self._found: list[Redaction] = []

    @property
    def found(self) -> tuple[Redaction, ...]:
        """What was taken out so far, in the order of the fields."""
        return tuple(self._found)

    def text(self, field: str, value: str) -> str:
        """The value with every secret replaced by a visible mark."""
        clean, findings = redact(value)
        self._found.extend(Redaction(finding.kind, field, finding.count) for finding in findings)
        return clean

    def optional(self, field: str, value: str | None) -> str | None:
        """`text`, or None for None."""
        return None if value is None else self.text(field, value)

    def each(self, field: str, values: tuple[str, ...]) -> tuple[str, ...]:
        """`text` of every value, under `field[position]`."""
        return tuple(self.text(f"{field}[{position}]", value) for position, value in enumerate(values))

    def references(self, values: tuple[ReferenceRecord, ...]) -> tuple[ReferenceRecord, ...]:
        """Those without a secret. They repeat what the text says, so none is counted twice."""
        return tuple(value for value in values if not redact(f"{value.text}\n{value.path or ''}")[1])
