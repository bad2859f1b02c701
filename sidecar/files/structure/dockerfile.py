"""Dockerfiles: build stages with their images, and what runs. Rows show the instructions."""

from __future__ import annotations

import re
from itertools import takewhile

from sidecar.files.outline.comments import doc_of
from sidecar.files.structure.result import LineNumbers, Structure, capped, distinct
from sidecar.files.structure.values import command
from sidecar.store.records import SymbolRecord

_CONTINUED = re.compile(r"\\[ \t]*\n(?:[ \t]*#[^\n]*\n)*")
_STAGE = re.compile(
    r"^[ \t]*FROM[ \t]+(?:--\S{1,200}[ \t]+)*(\S{1,300})(?:[ \t]+AS[ \t]+(\S{1,100}))?", re.IGNORECASE | re.MULTILINE
)
_RUN = re.compile(r"^[ \t]*(ENTRYPOINT|CMD)[ \t]+([^\n]{1,400})", re.IGNORECASE | re.MULTILINE)


def dockerfile(text: str) -> Structure:
    lines = LineNumbers(text)
    stages = list(_STAGE.finditer(text))
    ends = [lines.at(stage.start()) - 1 for stage in stages[1:]] + [lines.count]
    symbols = []
    for stage, end in zip(stages, ends, strict=False):
        start = lines.at(stage.start())
        signature = f"FROM {stage[1]} AS {stage[2]}" if stage[2] else f"FROM {stage[1]}"
        symbols.append(
            SymbolRecord(kind="stage", name=stage[2] or stage[1], start=start, end=max(start, end), signature=signature)
        )
    points = []
    for word, rest in _RUN.findall(_CONTINUED.sub(" ", text)):
        shown = command(word, re.sub(r'[\[\]",]+', " ", rest) if rest.startswith("[") else rest)
        points.append(f"{word.upper()} {shown}" if shown else word.upper())
    head = takewhile(lambda line: line[:1] in ("", "#"), text.split("\n")[:20])
    return Structure(
        doc=doc_of([line.lstrip("# \t") for line in head if "=" not in line]),
        symbols=capped(symbols, what="stages"),
        entry_points=distinct(points[-4:]),
    )
