"""Keep a derived name in step with the text from which it was derived; a name that somebody gave stays.

If another memory has the derived name, a digest is added.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import chain, count

from msgspec.structs import replace

from sidecar.memories.wording.naming import derive_name, distinct_name, is_derived
from sidecar.store.keys import key_of
from sidecar.store.lexical import LexicalIndex
from sidecar.store.memory_store import MemoryTransaction
from sidecar.store.records import MemoryRecord
from sidecar.text.words import terms

MIN_RARE_IDF = 2.3
"""The idf of a word that one of ten memories holds (of fifty or more); a commoner word says little of its memory."""


def has_derived_name(record: MemoryRecord) -> bool:
    """Return whether the name was derived from the text; if that was not recorded, whether the name looks so."""
    return not record.name_given if record.name_given is not None else record.name == derive_name(record.content)


def with_derived_name(record: MemoryRecord, transaction: MemoryTransaction) -> MemoryRecord:
    """Return the memory with a name that is derived from its text and that no other memory has."""
    further = (distinct_name(record.content, f"{record.id} {number}") for number in count())
    for name in chain((derive_name(record.content),), further):
        named = replace(record, name=name, name_given=False)
        holder = transaction.find(key_of(named))
        if holder is None or holder.id == record.id:
            break
    return named


def with_merged_text(old: MemoryRecord, content: str) -> MemoryRecord:
    """Return the memory with a merged text; if that begins differently, a derived name changes with it."""
    merged = replace(old, content=content)
    if not has_derived_name(old) or is_derived(old.name, content):
        return merged
    return replace(merged, name=distinct_name(content, old.id), name_given=False)


def with_foreseen_name(old: MemoryRecord | None, changes: Mapping[str, object]) -> dict[str, object]:
    """Return an update's changes plus the derived name that follows from them, unless another memory has that name."""
    content = changes.get("content", None if old is None else old.content)
    if old is None or not isinstance(content, str) or changes.get("name") is not None:
        return dict(changes)
    if "name" not in changes and (content == old.content or not has_derived_name(old)):
        return dict(changes)
    return {**changes, "name": derive_name(content)}


def hint(old: MemoryRecord | None, new: MemoryRecord, index: LexicalIndex) -> str | None:
    """Return a hint for the user if a given name says what the text no longer says; otherwise None."""
    from sidecar.memories.wording.contradiction import contradicts

    if old is None or new.name != old.name or new.content == old.content:
        return None
    if is_derived(new.name, new.content):
        return None
    gone = set(terms(new.name)).intersection(terms(old.content)).difference(terms(new.content))
    overlap = index.overlaps([(term,) for term in gone], [old.id]).by_id.get(old.id)
    if (overlap is None or overlap.rarest < MIN_RARE_IDF) and contradicts(new.name, new.content) is None:
        return None
    return f"The name still says “{new.name}”, which the text no longer does; send a name to change it."
