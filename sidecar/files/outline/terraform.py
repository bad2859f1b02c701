"""Describe a Terraform block by its attributes."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from sidecar.files.clean_text import shorten
from sidecar.files.outline.source import Source
from sidecar.files.structure.comments import doc_of
from sidecar.files.structure.values import secret_key, without_secret

if TYPE_CHECKING:
    from tree_sitter import Node

_DETAILS: Final = {
    "variable block": {"type": ": ", "default": " = ", "sensitive": ", sensitive "},
    "output": {"value": " = ", "sensitive": ", sensitive "},
    "module": {"source": " from ", "version": " "},
}
"""The attributes shown for each kind of block, in order, with the text before each."""
_DETAIL_CHARS: Final = 100
_ACTION: Final = re.compile(r"\"([a-z][a-z\d-]*:[A-Za-z*]+)\"")  # "ec2:DescribeTags"


def details(source: Source, block: Node, kind: str, name: str) -> str:
    """Return the text that follows the block's labels in its signature."""
    values = _attributes(source, block)
    actions = ", ".join(_ACTION.findall(values.get("actions", "")))
    shown = f" {shorten(actions, _DETAIL_CHARS)}" if actions else ""
    for key, before in _DETAILS.get(kind, {}).items():
        value = " ".join(values.get(key, "").split())
        if key == "default" and (secret_key(name) or "sensitive" in values) and len(value) > 4:
            value = "[hidden]"  # null, "" and true are not secrets
        if value:
            shown += before + shorten(without_secret(f"{key} = {value}").partition(" = ")[2], _DETAIL_CHARS)
    return shown


def description(source: Source, block: Node) -> str | None:
    value = _attributes(source, block).get("description", "")
    return doc_of([value.strip('"')]) if value.startswith('"') else None


def _attributes(source: Source, block: Node) -> dict[str, str]:
    body = next((child for child in block.children if child.type == "body"), None)
    attributes = [child.children for child in body.children if child.type == "attribute"] if body is not None else []
    return {source.text(parts[0]): source.text(parts[-1]) for parts in attributes}
