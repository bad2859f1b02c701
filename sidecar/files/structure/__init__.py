"""Structure of texts that no grammar is loaded for: documents, data, configuration, build files, other languages.

`structure(language, text)` gives the headings, keys, tables, rules, targets or definitions of a text with their
lines, what it refers to, how it can be run; and for texts of unknown form a sample of their first lines. It is
total (no text makes it raise), deterministic, linear in the text, and never recurses with the text's nesting. Broken
texts give what could be read, with `partial` set. Values of configuration files are shown only where they are
short and harmless (numbers, booleans, versions, names in manifests); of `.env` files no value is ever shown.
It does not read files, guess languages, resolve imports, or shorten lists for a reader.
"""

from __future__ import annotations

from sidecar.files.structure.dispatch import structure
from sidecar.files.structure.result import Structure

__all__ = ["Structure", "structure"]
