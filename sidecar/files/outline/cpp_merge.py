"""One symbol for what C and C++ declare several times."""

from __future__ import annotations

from sidecar.files.outline.draft import Draft
from sidecar.files.outline.walker import Walker


def merge(walker: Walker) -> None:
    """Bring the file's symbols and those of its namespaces into order, each declared once."""
    lists = [walker.out.symbols]
    while lists:
        symbols = lists.pop()
        symbols[:] = _merged(symbols, walker.language)
        lists.extend(one.children for one in symbols if one.kind == "module")


def _merged(symbols: list[Draft], language: str) -> list[Draft]:
    """Prototypes give way to the definition; members defined outside give way to their class."""
    symbols.sort(key=lambda one: one.start)
    classes = {one.name: one for one in symbols if one.kind in ("class", "struct")}
    seen: dict[tuple[str, str], Draft] = {}
    kept: list[Draft] = []
    for one in symbols:
        if one.kind == "method" and "::" in one.name:
            owner, _, name = one.name.rpartition("::")
            holder = classes.get(owner)
            if holder is not None and any(child.name == name for child in holder.children):
                continue
        key = (one.name, "" if language == "c" or one.kind != "function" else one.signature.rstrip(" ;"))
        earlier = seen.get(key)
        if earlier is not None and earlier.kind == one.kind == "module":
            earlier.children.extend(one.children)  # a namespace that is opened again
            earlier.end = max(earlier.end, one.end)
            continue
        if earlier is not None and earlier.kind == one.kind:
            if one.end - one.start > earlier.end - earlier.start and one.kind == "function":
                earlier.start, earlier.end, earlier.signature = one.start, one.end, one.signature
                earlier.doc = one.doc or earlier.doc
            continue
        seen[key] = one
        kept.append(one)
    return kept
