"""Structure of texts without a grammar: documents, data, configuration, build files, other languages.

`structure(language, text)` is total (no text makes it raise), deterministic, linear in the text, and never recurses
with the text's nesting; broken texts give what could be read, with `partial` set. Values of configuration files are
shown only if short and harmless (numbers, booleans, versions, names in manifests); values of `.env` files never.
"""

from __future__ import annotations

from sidecar.files.structure.dispatch import structure
from sidecar.files.structure.result import Structure

__all__ = ["Structure", "structure"]
