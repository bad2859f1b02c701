"""Dockerfiles: build stages and their images, ports, entry point, and copied paths."""

from __future__ import annotations

import re
from collections.abc import Iterator

from sidecar.files.clean_text import shorten
from sidecar.files.outline.comments import doc_of
from sidecar.files.structure.result import Structure, capped, distinct
from sidecar.files.structure.values import command, masked
from sidecar.store.records import SymbolRecord

_INSTRUCTION = re.compile(r"[ \t]{0,16}([A-Za-z]{2,20})(?:[ \t]+(.*)|[ \t]*)$")
_FROM = re.compile(r"(?:--\S{1,200}[ \t]+)*(\S{1,300})(?:[ \t]+[Aa][Ss][ \t]+(\S{1,100}))?")
_HEREDOC = re.compile(r"<<-?\s?[\"']?(\w{1,40})")
_KNOWN = frozenset(
    "FROM RUN CMD LABEL MAINTAINER EXPOSE ENV ADD COPY ENTRYPOINT VOLUME USER WORKDIR ARG ONBUILD STOPSIGNAL "
    "HEALTHCHECK SHELL".split()
)
_KEYS = re.compile(r"""([A-Za-z_]\w{0,100})(?==|[ \t]|$)(?:=(?:"[^"\n]{0,2000}"|'[^'\n]{0,2000}'|[^\s"']{0,2000}))?""")


def dockerfile(text: str) -> Structure:
    """Return the stages with their notable instructions; never show values of ENV and ARG."""
    stages: list[tuple[str, str, int, list[SymbolRecord]]] = []
    outside: list[SymbolRecord] = []
    points: list[str] = []
    comments: list[str] = []
    partial = False
    rows = text.split("\n")
    for first, end, row in _joined(rows):
        if row.lstrip().startswith("#"):
            if not stages and not outside and "=" not in row:
                comments.append(row.lstrip("# \t"))
            continue
        match = _INSTRUCTION.match(row)
        word = match[1].upper() if match else ""
        if match is None or word not in _KNOWN:
            partial = partial or bool(row.strip())
            continue
        rest = (match[2] or "").strip()
        target = stages[-1][3] if stages else outside
        if word == "FROM":
            image = _FROM.match(rest)
            base = image[1] if image else ""
            name = (image[2] if image else None) or base or f"stage {len(stages)}"
            signature = f"FROM {base} AS {name}" if image and image[2] else f"FROM {base}"
            stages.append((name, signature, first, []))
        elif word in {"ENV", "ARG"}:
            names = [key[1] for key in _KEYS.finditer(rest[:4000])]
            names = names if "=" in rest else names[:1]
            if names:
                target.append(_line(word, ", ".join(names), first, end))
        elif word in {"EXPOSE", "WORKDIR", "USER", "VOLUME"}:
            target.append(_line(word, shorten(rest, 80), first, end))
        elif word in {"ENTRYPOINT", "CMD"}:
            shown = command(word, re.sub(r'[\[\]",]+', " ", rest)) if rest.startswith("[") else command(word, rest)
            points.append(f"{word} {shown}" if shown else word)
            target.append(_line(word, shown or "…", first, end))
        elif word in {"COPY", "ADD"} or word == "RUN":
            target.append(_line(word, shorten(masked(rest), 80 if word == "COPY" else 60), first, end))
    last = len(rows) - (1 if text.endswith("\n") else 0)
    symbols = list(outside)
    for index, (name, signature, start, children) in enumerate(stages):
        end = stages[index + 1][2] - 1 if index + 1 < len(stages) else last
        told = capped(children, 40, "instructions")
        symbols.append(
            SymbolRecord(kind="stage", name=name, start=start, end=max(start, end), signature=signature, children=told)
        )
    return Structure(
        doc=doc_of(comments[:12]),
        symbols=capped(symbols, what="stages"),
        entry_points=distinct(points[-4:]),
        partial=partial,
    )


def _joined(rows: list[str]) -> Iterator[tuple[int, int, str]]:
    """Yield each comment, and each instruction with its continued lines, with its first and last line's number."""
    number = 0
    while number < len(rows):
        first, row = number + 1, rows[number].rstrip()
        number += 1
        if not row.lstrip().startswith("#"):
            parts = [row]
            while parts[-1].endswith("\\") and number < len(rows):
                following = rows[number].strip()
                number += 1
                if following and not following.startswith("#"):
                    parts[-1] = parts[-1][:-1]
                    parts.append(following)
            row = " ".join(part.strip() for part in parts)
            heredoc = _HEREDOC.search(row)
            end = next((at for at in range(number, len(rows)) if heredoc and rows[at].strip() == heredoc[1]), None)
            number = number if end is None else end + 1
        yield first, number, row


def _line(word: str, rest: str, start: int, end: int) -> SymbolRecord:
    name = f"{word} {rest}".strip()
    return SymbolRecord(kind="instruction", name=name, start=start, end=max(start, end), signature=name)
