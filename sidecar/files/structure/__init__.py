"""Structure of texts without a grammar: documents, data, configuration, build files, other languages.

`structure(language, text)` never raises, is deterministic and linear in the text, and never recurses with the text's
nesting. A broken text gives what could be read, with `partial` set. Values of configuration files are shown only if
they are short and harmless (numbers, booleans, versions, names in manifests); values of `.env` files never are.

`dispatch` chooses the module for a language, and `result` is what each of them returns. The others form four groups:

- rows, the lines that a briefing shows: `row_reading` reads a text as rows, `row_tree` nests them, `row_choice` chooses
  as many as there is room for, `row_masks` writes one without secrets, and `rows` makes records of them. `sql_rows`
  and `page_rows` (HTML) read rows in their own way, and `quoted_lines` indents texts of several lines below the row
  that begins them. `body_rows` are the statements of definitions, `combined` with the `comments` in their blocks,
  `paragraphs` those of prose.
- pages: `html_page` (and tags of Jinja, Go and Twirl), `markdown`, `restructured`, `marked_lines` (AsciiDoc, Org,
  LaTeX, patches), `templates` (ERB, Blade, Razor), `notebook`, `tags`.
- keys: `definitions` finds what the patterns of languages.toml name; `key_formats` adds what else YAML, TOML, INI, XML,
  SQL, Dockerfiles and style sheets say; `json_keys`, `table` (CSV), `sample` (the head of any text).
- secrets: `values` hides them in a text before anything is made of it, and decides about one value.
"""

from __future__ import annotations

from sidecar.files.structure.dispatch import structure
from sidecar.files.structure.result import Structure

__all__ = ["Structure", "structure"]
