"""Keep a name that was derived from the text in step with it; one that somebody gave stays. Earlier versions did not
record which: then a name counts as derived if any text of the memory gave that name. A name taken by another memory
gets a digest.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import chain, count

from msgspec.structs import replace

from sidecar.memories.naming import derive_name, distinct_name, is_derived, is_exactly_derived
from sidecar.store.lexical import LexicalIndex
from sidecar.store.memory_store import MemoryStore, MemoryTransaction
from sidecar.store.mending import key_of
from sidecar.store.records import MemoryRecord, VersionRecord
from sidecar.text.words import terms

History = Callable[[str], Sequence[VersionRecord]]  # the versions of a memory, newest first
# The idf of a word that one memory in ten holds, of at least fifty: a more common one says little about its memory.
RARE = 2.3
_MENDED = "names"


def has_derived_name(record: MemoryRecord, history: History) -> bool:
    """Tell whether the name was derived from the text, of this version or of an earlier one."""
    if record.name_given is not None:
        return not record.name_given
    if is_exactly_derived(record.name, record.content):
        return True
    earlier = (version.memory for version in history(record.id))
    return any(
        one is not None and one.name == record.name and is_exactly_derived(one.name, one.content) for one in earlier
    )


def with_derived_name(record: MemoryRecord, transaction: MemoryTransaction) -> MemoryRecord:
    """Return the memory with a name derived from its text that no other memory has."""
    further = (distinct_name(record.content, f"{record.id} {number}") for number in count())
    for name in chain((derive_name(record.content),), further):
        named = replace(record, name=name, name_given=False)
        holder = transaction.find(key_of(named))
        if holder is None or holder.id == record.id:
            break
    return named


def after_merge(kept: MemoryRecord, content: str) -> MemoryRecord:
    """Return the memory with a merged text; a derived name with which the whole no longer begins is derived again."""
    merged = replace(kept, content=content)
    made_here = is_exactly_derived(kept.name, kept.content) if kept.name_given is None else not kept.name_given
    if not made_here or is_derived(kept.name, content):
        return merged
    return replace(merged, name=distinct_name(content, kept.id), name_given=False)


def foreseen(kept: MemoryRecord | None, changes: Mapping[str, object], history: History) -> dict[str, object]:
    """Return an update's changes with the name that follows from them if no other memory has it."""
    content = changes.get("content", None if kept is None else kept.content)
    if kept is None or not isinstance(content, str) or changes.get("name") is not None:
        return dict(changes)
    if "name" not in changes and (content == kept.content or not has_derived_name(kept, history)):
        return dict(changes)
    return {**changes, "name": derive_name(content)}


def with_mended_name(record: MemoryRecord, transaction: MemoryTransaction) -> MemoryRecord:
    """Return the memory with its name derived again if an earlier version left it one from a former text."""
    if _is_suspicious(record) and has_derived_name(record, transaction.history):
        return with_derived_name(record, transaction)
    return record


def mend_names(stores: Iterable[MemoryStore]) -> int:
    """Apply `with_mended_name` once to each store's memories, without a version; return how many changed."""
    done = 0
    for home in stores:
        if home.has_derived(_MENDED):
            continue
        seq, seen = home.seq(), False
        stale = []
        for record in home.each():
            seen = True
            if _is_suspicious(record) and has_derived_name(record, home.history):
                stale.append(record.id)
        if stale:
            with home.transaction() as transaction:
                for record in filter(None, map(transaction.get, stale)):
                    transaction.adjust(with_mended_name(record, transaction))
            done += len(stale)
        elif seen:
            home.put_derived(_MENDED, b"", seq)
    return done


def hint(kept: MemoryRecord | None, new: MemoryRecord, index: LexicalIndex) -> str | None:
    """Return a sentence saying that a kept name tells what the text no longer does, or None."""
    from sidecar.memories.contradiction import contradicts

    if kept is None or new.name != kept.name or new.content == kept.content:
        return None
    if is_derived(new.name, new.content):
        return None
    gone = set(terms(new.name)).intersection(terms(kept.content)).difference(terms(new.content))
    found = index.overlaps([(term,) for term in gone], [kept.id]).of.get(kept.id)
    if (found is None or found.rarest < RARE) and contradicts(new.name, new.content) is None:
        return None
    return f"The name still says “{new.name}”, which the text no longer does; send a name to change it."


def _is_suspicious(record: MemoryRecord) -> bool:
    """Tell whether the name may be derived from a former text by a version that did not record it."""
    return record.name_given is None and record.version > 1 and not is_derived(record.name, record.content)
