"""Choose the extractor of a language and import it on first use."""

from __future__ import annotations

import logging
from functools import partial as bind
from importlib import import_module

from sidecar.files.structure.result import Extractor, Structure

_log = logging.getLogger(__name__)

_ALIASES = {
    alias: language
    for language, aliases in {
        "json": "jsonc json5 jsonl",
        "yaml": "yml",
        "html": "htm xhtml vue svelte astro",
        "xml": "svg plist",
        "scss": "sass",
        "protobuf": "proto",
        "restructuredtext": "rst",
        "vim": "viml vimscript",
        "makefile": "make",
        "dotenv": "env",
        "ini": "conf cfg",
        "notebook": "ipynb jupyter",
        "objective-c": "objc objectivec",
        "markdown": "mdx",
    }.items()
    for alias in aliases.split()
}
# Module and function, and further arguments for the function.
_EXTRACTORS: dict[str, tuple[str, dict[str, object]]] = {
    "markdown": ("markdown.markdown", {}),
    "restructuredtext": ("restructured.restructured", {}),
    "asciidoc": ("marked_lines.marked_lines", {"language": "asciidoc"}),
    "org": ("marked_lines.marked_lines", {"language": "org"}),
    "latex": ("marked_lines.marked_lines", {"language": "latex"}),
    "diff": ("marked_lines.marked_lines", {"language": "diff"}),
    "html": ("html_page.html_page", {}),
    "erb": ("html_page.erb", {}),
    "blade": ("blade.blade", {}),
    "razor": ("html_page.razor", {}),
    "xml": ("xml_tree.xml_tree", {}),
    "notebook": ("notebook.notebook", {}),
    "json": ("json_keys.json_keys", {}),
    "yaml": ("yaml_keys.yaml_keys", {}),
    "toml": ("toml_tables.toml_tables", {}),
    "ini": ("settings_keys.settings_keys", {"values": True}),
    "properties": ("settings_keys.settings_keys", {"values": True}),
    "dotenv": ("settings_keys.settings_keys", {"values": False}),
    "dockerfile": ("dockerfile.dockerfile", {}),
    "makefile": ("makefile.makefile", {}),
    "css": ("stylesheet.stylesheet", {"line_comments": False}),
    "scss": ("stylesheet.stylesheet", {"line_comments": True}),
    "less": ("stylesheet.stylesheet", {"line_comments": True}),
    "sql": ("sql.sql", {}),
    "csv": ("table.table", {"delimiter": None}),
    "tsv": ("table.table", {"delimiter": "\t"}),
    "log": ("sample.log", {}),
}


def structure(language: str, text: str) -> Structure:
    """Return the structure of `text`, whose language is named as in `sidecar.files.language`. Never raises.

    Line ends may be of any kind. If an extractor fails, the failure is logged and the head of the text returned.
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
    """Return the function that reads a language; for unknown languages, the one that samples the head."""
    if language in _EXTRACTORS:
        place, told = _EXTRACTORS[language]
        module, _, function = place.partition(".")
        return bind(getattr(import_module(f"sidecar.files.structure.{module}"), function), **told)
    from sidecar.files.structure.definitions import definitions, languages
    from sidecar.files.structure.sample import plain

    return bind(definitions, languages()[language]) if language in languages() else plain
