"""Choose the extractor of a language; it is imported on first use."""

from __future__ import annotations

import logging
from dataclasses import replace
from functools import partial as bind
from importlib import import_module

from sidecar.files.language import languages_by, table
from sidecar.files.structure.definitions import definitions, languages
from sidecar.files.structure.result import Extractor, Structure
from sidecar.files.structure.row_reading import header
from sidecar.files.structure.rows import SHOWN_BY_ROWS
from sidecar.files.structure.sample import plain

_HEADED = frozenset({"css", "scss", "less", "sql"})  # where a comment mostly belongs to the statement below it
log = logging.getLogger(__name__)


def structure(language: str, text: str) -> Structure:
    """Return the structure of `text`. Languages are named as in `sidecar.files.language`. Never raises.

    Line ends may be of any kind. If an extractor fails, the failure is logged and the head of the text returned.
    """
    text = text.replace("\r\n", "\n").replace("\r", "\n").removeprefix("\ufeff")
    if not text.strip():
        return Structure()
    name = language.lower()
    try:
        found = _extractor(languages_by("aliases").get(name, name))(text)
    except Exception:
        log.exception("The structure of a %s text of %d characters could not be read.", language, len(text))
        found = Structure(partial=True)
    if (found.doc is None and name in SHOWN_BY_ROWS) or name in _HEADED:
        found = replace(found, doc=header(text))
    if found.symbols or found.head or name in {"dotenv", "env"}:
        return found
    sampled = plain(text) if name not in {"ini", "properties", "conf", "cfg"} else Structure()
    return Structure(
        doc=found.doc or sampled.doc,
        imports=found.imports,
        entry_points=found.entry_points,
        partial=found.partial,
        head=sampled.head,
    )


def _extractor(language: str) -> Extractor:
    """Return the function that reads a language; for an unknown language, the one that samples the head."""
    traits = table().get(language, {})
    if "extractor" in traits:
        module, _, function = traits["extractor"].partition(".")
        return bind(
            getattr(import_module(f"sidecar.files.structure.{module}"), function), **traits.get("arguments", {})
        )
    return bind(definitions, languages()[language]) if language in languages() else plain
