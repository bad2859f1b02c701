"""Pair the units of a file (entries or pages) with memories: by key, otherwise by text, name or similarity.

`plan.py` calls it. A person may rename a unit, move it to another section or reword it, so units without a pair get the
most similar remaining memory.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Iterable, Mapping
from difflib import SequenceMatcher
from typing import TypeVar

from sidecar.memory_file.text.entry import Entry

# From this ratio of difflib on, a reworded entry is the same memory; difflib's documentation calls it a close match.
MIN_MATCH_RATIO = 0.6
# The comparison takes time quadratic in a text's length.
_MAX_COMPARED_CHARS = 2_000
_MAX_COMPARISONS = 10_000

Ref = TypeVar("Ref", bound=Hashable)


def match_entries(units: Mapping[Ref, Entry], memories: Mapping[str, Entry], lost: Collection[str]) -> dict[Ref, str]:
    """Return the id of each unit's memory; a unit without one is left out.

    `memories` are all that the file may show. Only those in `lost`, which it showed when last written, are matched by
    similarity.
    """
    id_of: dict[Ref, str] = {}
    # Of two equal memories, take the one that the file showed before.
    unmatched = {id: memories[id] for id in lost if id in memories} | dict(memories)

    def pair(key: Callable[[Entry], Hashable]) -> None:
        by_key: dict[Hashable, list[str]] = {}
        for id, entry in unmatched.items():
            by_key.setdefault(key(entry), []).append(id)
        for ref, entry in units.items():
            ids = by_key.get(key(entry))
            if ref not in id_of and ids and (entry.name is not None or key is not _by_name):
                id_of[ref] = ids.pop(0)
                del unmatched[id_of[ref]]

    for key in (lambda entry: entry, _by_key, _by_text, _by_name):
        pair(key)
    lost = [id for id in lost if id in unmatched]
    loose = [ref for ref in units if ref not in id_of]
    if len(loose) * len(lost) <= _MAX_COMPARISONS:
        _pair_similar(loose, lost, units, unmatched, id_of)
    return id_of


def matching_keys(entry: Entry) -> tuple[Hashable, ...]:
    """Return the keys by which `match_entries` pairs an entry before it compares similarity."""
    name_key = () if entry.name is None else (("name", entry.name),)
    return (("key", _by_key(entry)), ("text", _by_text(entry)), *name_key)


def _by_key(entry: Entry) -> Hashable:
    return entry.type, entry.agent, entry.name or ("", *entry.lines)


def _by_text(entry: Entry) -> Hashable:
    return tuple(entry.lines)


def _by_name(entry: Entry) -> Hashable:
    return entry.name


def _pair_similar(
    loose: Iterable[Ref],
    lost: Iterable[str],
    units: Mapping[Ref, Entry],
    memories: Mapping[str, Entry],
    id_of: dict[Ref, str],
) -> None:
    ratios = []
    for index, ref in enumerate(loose):
        # Keep the second sequence: difflib prepares that one.
        matcher = SequenceMatcher(None, "", _compared_text(units[ref]), autojunk=False)
        for id in lost:
            matcher.set_seq1(_compared_text(memories[id]))
            if matcher.real_quick_ratio() >= MIN_MATCH_RATIO and matcher.quick_ratio() >= MIN_MATCH_RATIO:
                ratio = matcher.ratio()
                if ratio >= MIN_MATCH_RATIO:
                    ratios.append((-ratio, index, ref, id))
    ids_in_use = set[str]()
    for _, _, ref, id in sorted(ratios, key=lambda pairing: (pairing[0], pairing[1], pairing[3])):
        if ref not in id_of and id not in ids_in_use:
            id_of[ref] = id
            ids_in_use.add(id)


def _compared_text(entry: Entry) -> str:
    return entry.text[:_MAX_COMPARED_CHARS]
