"""Structure of texts without a grammar: documents, data, configuration, build files, other languages.

`structure(language, text)` returns a text's headings, keys, tables, rules, targets or definitions with their lines, its
references and entry points, and for unknown formats a sample of its first lines. It is total (no text makes it raise),
deterministic, linear in the text, and never recurses with the text's nesting. Broken texts give what could be read,
with `partial` set. Values of configuration files are shown only if short and harmless (numbers, booleans, versions,
names in manifests); values of `.env` files never. It does not read files, guess languages, resolve imports, or shorten
lists for readers.
"""

from __future__ import annotations

from sidecar.files.structure.dispatch import structure
from sidecar.files.structure.result import Structure

__all__ = ["Structure", "structure"]
