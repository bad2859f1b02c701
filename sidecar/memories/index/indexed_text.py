"""The fields of a memory that full text search reads, each with a weight."""

from __future__ import annotations

from datetime import UTC, datetime

from sidecar.memories.wording.naming import is_derived
from sidecar.store.records import MemoryRecord

NAME_WEIGHT = 2.0  # of a given name; a derived name only repeats the content
DESCRIPTION_WEIGHT = CONTENT_WEIGHT = TAGS_WEIGHT = FILES_WEIGHT = 1.0
DATE_WEIGHT = 0.5  # of the month: so low that "May 2026" only decides between equal matches

MONTHS = "January February March April May June July August September October November December".split()


def weights() -> tuple[float, ...]:
    return NAME_WEIGHT, DESCRIPTION_WEIGHT, CONTENT_WEIGHT, TAGS_WEIGHT, FILES_WEIGHT, DATE_WEIGHT


def indexed_fields(record: MemoryRecord) -> list[tuple[str, float]]:
    weighted = [(record.content, CONTENT_WEIGHT)]
    if not is_derived(record.name, record.content):
        weighted.append((record.name, NAME_WEIGHT))
    if record.description:
        weighted.append((record.description, DESCRIPTION_WEIGHT))
    if record.tags:
        weighted.append((" ".join(record.tags), TAGS_WEIGHT))
    if record.files:
        weighted.append((" ".join(record.files), FILES_WEIGHT))
    weighted.append((month(record.created_at), DATE_WEIGHT))
    return weighted


def month(moment: int) -> str:
    """Return a time's month (UTC) as searchable words such as `May 2026`; "" for an impossible time."""
    try:
        day = datetime.fromtimestamp(moment / 1000, UTC)
    except (ValueError, OverflowError, OSError):
        return ""
    return f"{MONTHS[day.month - 1]} {day.year}"
