"""Makefiles: targets with their `##` help, variables, included files."""

from __future__ import annotations

import re

from msgspec.structs import replace

from sidecar.files.clean_text import shorten
from sidecar.files.outline.comments import doc_of
from sidecar.files.structure.result import Structure, capped, distinct, first_sentence
from sidecar.store.records import SymbolRecord

_RULE = re.compile(r"([^\s:=#][^:=#]{0,300}?)[ \t]*(::?)(?![:=])([^#]{0,2000})(?:#+[ \t]*(.{1,300}))?")
_VARIABLE = re.compile(r"(?:(?:export|override)[ \t]+)*([\w.-]{1,100})[ \t]*(?:[?+!:]{0,3}=)")
_DEFINE = re.compile(r"define[ \t]+([\w.-]{1,100})")
_INCLUDE = re.compile(r"[-s]?include[ \t]+(.{1,500})")
_TARGET_SPECIFIC = re.compile(r"[ \t]*[\w.-]{1,100}[ \t]*[?+!:]{0,2}=")


def makefile(text: str) -> Structure:
    """Return the symbols of a Makefile; skip recipes, and hide values of variables."""
    rows = text.split("\n")
    symbols: list[SymbolRecord] = []
    imports: list[str] = []
    seen: set[str] = set()
    header: list[str] = []
    comment = ""
    defining = continued = False
    for number, row in enumerate(rows, 1):
        joined, continued = continued, row.endswith("\\")
        if defining:
            defining = not row.strip().startswith("endef")
            continue
        if (row.startswith("\t") and symbols and symbols[-1].kind == "target") or joined:
            if symbols:
                symbols[-1] = replace(symbols[-1], end=number)
            continue
        bare = row.strip()
        if bare.startswith("#"):
            comment = bare.lstrip("#! ").strip()
            if not symbols:
                header.append(comment)
            continue
        if not bare:
            comment = ""
            continue
        define = _DEFINE.match(bare)
        variable = _VARIABLE.match(bare)
        included = _INCLUDE.match(bare)
        rule = _RULE.match(row) if not row[:1].isspace() else None
        if define or variable:
            found = define or variable
            name = found[1] if found else ""
            defining = define is not None and "endef" not in bare
            if name not in seen:
                seen.add(name)
                symbols.append(SymbolRecord(kind="variable", name=name, start=number, end=number, signature=name))
        elif included:
            imports.extend(included[1].split())
        elif rule:
            names = rule[1].split()
            if names[0] != ".PHONY" and not _TARGET_SPECIFIC.match(rule[3]):
                for name in names:
                    if not name.startswith(".") or name.count(".") > 1 or "%" in name:
                        _add_target(symbols, seen, name, rule, number, comment)
        comment = ""
    return Structure(
        doc=doc_of(header[:24]), symbols=capped(symbols, what="targets and variables"), imports=distinct(imports)
    )


def _add_target(
    symbols: list[SymbolRecord], seen: set[str], name: str, rule: re.Match[str], number: int, comment: str
) -> None:
    if f"target {name}" in seen:
        return
    seen.add(f"target {name}")
    needs = shorten(" ".join(rule[3].split(";")[0].rstrip("\\").split()), 60)
    symbols.append(
        SymbolRecord(
            kind="target",
            name=name,
            start=number,
            end=number,
            signature=f"{name}: {needs}" if needs else f"{name}:",
            doc=first_sentence((rule[4] or comment).strip(), 120),
        )
    )
