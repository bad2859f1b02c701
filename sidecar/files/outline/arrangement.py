"""Arrange the symbols that a query found: put members under their owners, and merge repeated definitions."""

from __future__ import annotations

import re
from typing import Final

from sidecar.files.outline.builder import OutlineBuilder
from sidecar.files.outline.draft import OutlineDraft
from sidecar.files.outline.languages import LanguageRules
from sidecar.files.outline.tags import TaggedDefinition

_ALIAS: Final = re.compile(r"namespace \w+ =")
_OVERLOAD: Final = re.compile(r"@(?:\w+\.)*overload\b")


def move_under_owners(
    builder: OutlineBuilder, facts: LanguageRules, placed: list[tuple[TaggedDefinition, OutlineDraft]]
) -> None:
    """Move a member that is defined outside its type under the type. If the file lacks the type, prefix its name."""
    owned = {id(draft): definition for definition, draft in placed if definition.owner is not None}
    lists = [builder.out.symbols] if owned else []
    while lists:
        symbols = lists.pop()
        lists += [draft.children for draft in symbols if draft.kind in ("module", "call", "method")]
        holders = {draft.name: draft for draft in reversed(symbols) if id(draft) not in owned}
        symbols[:] = [draft for draft in symbols if not _moved(builder, facts, draft, owned.get(id(draft)), holders)]


def _moved(
    builder: OutlineBuilder,
    facts: LanguageRules,
    draft: OutlineDraft,
    definition: TaggedDefinition | None,
    holders: dict[str, OutlineDraft],
) -> bool:
    """Move a draft under its owner; return whether the file has the owner."""
    if definition is None or definition.owner is None:
        return False
    owner = facts.around_name.sub("", builder.source.text(definition.owner))
    holder = holders.get(owner)
    if holder is not None:
        holder.children += draft.children if definition.owner == definition.names[0] else [draft]
    elif draft.kind == "extension":
        draft.name = owner
    elif "owned" in definition.settings:
        return True
    else:
        draft.name = f"{owner}{definition.settings.get('joint', '.')}{draft.name}"
        draft.public = draft.public and not facts.private_name.search(draft.name)
        holders.setdefault(draft.name, draft)
    return holder is not None


def drop_repeated(symbols: list[OutlineDraft]) -> None:
    """Drop the stubs of implemented overloads, and all but the first definition of a name."""
    implemented = {symbol.name for symbol in symbols if not _OVERLOAD.match(symbol.signature)}
    seen: set[str] = set()
    kept = []
    for symbol in symbols:
        if symbol.name not in (implemented if _OVERLOAD.match(symbol.signature) else seen):
            kept.append(symbol)
            seen.add(symbol.name)
            drop_repeated(symbol.children)
    symbols[:] = kept


def merge_declarations(builder: OutlineBuilder) -> None:
    """Sort the symbols of the file and of its namespaces; merge repeated declarations."""
    lists = [builder.out.symbols]
    while lists:
        symbols = lists.pop()
        symbols[:] = _merged(symbols, builder.language)
        lists.extend(symbol.children for symbol in symbols if symbol.kind == "module")


def extend_namespaces(symbols: list[OutlineDraft]) -> int:
    """Let a namespace reach to its last definition: a macro may have ended it early for the parser."""
    for symbol in symbols:
        if _ALIAS.match(symbol.signature):
            symbol.end = symbol.start
        elif symbol.kind == "module":
            symbol.end = max(symbol.end, extend_namespaces(symbol.children))
    return max((symbol.end for symbol in symbols), default=0)


def _merged(symbols: list[OutlineDraft], language: str) -> list[OutlineDraft]:
    """Drop prototypes of defined functions, and move members defined outside their class into the class."""
    symbols.sort(key=lambda symbol: symbol.start)
    classes = {symbol.name: symbol for symbol in symbols if symbol.kind in ("class", "struct")}
    seen: dict[tuple[str, str], OutlineDraft] = {}
    kept: list[OutlineDraft] = []
    held = {(symbol.start, symbol.end) for symbol in symbols if symbol.children}
    for symbol in symbols:
        if symbol.kind == "enum" and not symbol.children and (symbol.start, symbol.end) in held:
            continue  # the macro before the name in `typedef enum TYPED { … } Name`
        if symbol.kind == "method" and "::" in symbol.name:
            owner, _, name = symbol.name.rpartition("::")
            holder = classes.get(owner)
            if holder is not None and any(child.name == name for child in holder.children):
                continue
        overloaded = language != "c" and symbol.kind in ("function", "method")
        key = (symbol.name, symbol.signature.rstrip(" ;") if overloaded else "")
        earlier = seen.get(key)
        if earlier is not None and earlier.kind == symbol.kind == "module" and kept[-1] is not earlier:
            kept.append(symbol)  # far from its other part
            seen[key] = symbol
            continue
        if earlier is not None and earlier.kind == symbol.kind == "module":
            earlier.children.extend(symbol.children)  # a reopened namespace
            earlier.end = max(earlier.end, symbol.end)
            continue
        if earlier is not None and earlier.kind == symbol.kind:
            earlier.children = earlier.children or symbol.children
            if symbol.end - symbol.start > earlier.end - earlier.start and symbol.kind == "function":
                earlier.start, earlier.end, earlier.signature = symbol.start, symbol.end, symbol.signature
                earlier.doc = symbol.doc or earlier.doc
            continue
        seen[key] = symbol
        kept.append(symbol)
    return kept
