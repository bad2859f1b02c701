"""Which extractor reads which language. Extractors are imported when their language is first met."""

from __future__ import annotations

import logging
from functools import partial as bind

from sidecar.files.structure.result import Extractor, Structure

_log = logging.getLogger(__name__)

_ALIASES = {
    "jsonc": "json",
    "json5": "json",
    "jsonl": "json",
    "yml": "yaml",
    "htm": "html",
    "xhtml": "html",
    "vue": "html",
    "svelte": "html",
    "astro": "html",
    "svg": "xml",
    "plist": "xml",
    "sass": "scss",
    "proto": "protobuf",
    "rst": "restructuredtext",
    "viml": "vim",
    "vimscript": "vim",
    "make": "makefile",
    "env": "dotenv",
    "conf": "ini",
    "cfg": "ini",
    "ipynb": "notebook",
    "jupyter": "notebook",
    "objc": "objective-c",
    "objectivec": "objective-c",
    "mdx": "markdown",
}


def structure(language: str, text: str) -> Structure:
    """Structure of `text`, which is in `language` (a name of `sidecar.files.language`). Never raises.

    Line ends may be of any kind; an extractor that fails all the same is logged, and the text's head given.
    """
    from sidecar.files.structure.sample import plain

    text = text.replace("\r\n", "\n").replace("\r", "\n").removeprefix("\ufeff")
    if not text.strip():
        return Structure()
    name = language.lower()
    try:
        found = _extractor(_ALIASES.get(name, name))(text)
    except Exception:  # noqa: BLE001 - total by contract, and logged
        _log.exception("structure of a %s text of %d characters failed", language, len(text))
        found = Structure(partial=True)
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
    """The function that reads a language; a head sample for languages that are not known."""
    found = _documents(language) or _configuration(language) or _styles_and_data(language)
    if found is not None:
        return found
    from sidecar.files.structure.language_table import LANGUAGES

    if language in LANGUAGES:
        from sidecar.files.structure.definitions import definitions

        return bind(definitions, LANGUAGES[language])
    from sidecar.files.structure.sample import log, plain

    return log if language == "log" else plain


def _documents(language: str) -> Extractor | None:
    if language == "markdown":
        from sidecar.files.structure.markdown import markdown

        return markdown
    if language == "restructuredtext":
        from sidecar.files.structure.restructured import restructured

        return restructured
    if language in {"asciidoc", "org", "latex", "diff"}:
        from sidecar.files.structure.marked_lines import marked_lines

        return bind(marked_lines, language)
    if language in {"html", "erb", "razor"}:
        from sidecar.files.structure import html_page, templates

        return {"html": html_page.html_page, "erb": templates.erb, "razor": templates.razor}[language]
    if language == "xml":
        from sidecar.files.structure.xml_tree import xml_tree

        return xml_tree
    if language == "notebook":
        from sidecar.files.structure.notebook import notebook

        return notebook
    return None


def _configuration(language: str) -> Extractor | None:
    if language == "json":
        from sidecar.files.structure.json_keys import json_keys

        return json_keys
    if language == "yaml":
        from sidecar.files.structure.yaml_keys import yaml_keys

        return yaml_keys
    if language == "toml":
        from sidecar.files.structure.toml_tables import toml_tables

        return toml_tables
    if language in {"ini", "properties", "dotenv"}:
        from sidecar.files.structure.settings_keys import dotenv, settings_keys

        return dotenv if language == "dotenv" else settings_keys
    if language == "dockerfile":
        from sidecar.files.structure.dockerfile import dockerfile

        return dockerfile
    if language == "makefile":
        from sidecar.files.structure.makefile import makefile

        return makefile
    return None


def _styles_and_data(language: str) -> Extractor | None:
    if language in {"css", "scss", "less"}:
        from sidecar.files.structure.stylesheet import stylesheet

        return bind(stylesheet, line_comments=language != "css")
    if language == "sql":
        from sidecar.files.structure.sql import sql

        return sql
    if language in {"csv", "tsv"}:
        from sidecar.files.structure.table import table

        return bind(table, delimiter="\t" if language == "tsv" else None)
    return None
