"""What the code has to know of each language that a query tells, beside its query in `queries`."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True)
class Tagged:
    """One language. `private` and `main` are sought in signatures, `around_import` is cut from an import's text."""

    comments: frozenset[str] = frozenset({"comment"})
    transparent: frozenset[str] = frozenset()
    carriers: frozenset[str] = frozenset()  # node types whose comment describes the file
    clauses: bool = False  # neighbours of one name are one
    docs_below: bool = False
    private: re.Pattern[str] | None = None
    main: re.Pattern[str] | None = None
    around_import: re.Pattern[str] | None = None


_OCAML: Final = Tagged(carriers=frozenset({"open_module"}), docs_below=True)

TAGGED: Final = {
    "elixir": Tagged(
        clauses=True,
        private=re.compile(r"^(?:defp|defmacrop|defguardp|defnp|defrecordp|@typep)\b"),
        around_import=re.compile(r"\.\{.*", re.DOTALL),
    ),
    "scala": Tagged(
        comments=frozenset({"comment", "block_comment"}),
        carriers=frozenset({"package_clause", "import_declaration"}),
        private=re.compile(r"\bprivate\b"),
        main=re.compile(r"@main\b|object \w+ extends App\b|def main\("),
        around_import=re.compile(r"^import\s+"),
    ),
    "dart": Tagged(
        comments=frozenset({"comment", "documentation_comment"}),
        carriers=frozenset({"import_or_export", "library_name"}),
        private=re.compile(r"^(?:[^(=]*[\s.])?_\w"),
        main=re.compile(r"(?:Future<void> |void |int )?main\("),
    ),
    "haskell": Tagged(
        comments=frozenset({"comment", "haddock"}),
        carriers=frozenset({"header"}),
        clauses=True,
        main=re.compile(r"main ::"),
    ),
    "julia": Tagged(
        carriers=frozenset({"module_definition"}),
        comments=frozenset({"line_comment", "block_comment"}),
        clauses=True,
    ),
    "zig": Tagged(
        private=re.compile(r"^(?:(?:inline|extern|threadlocal|comptime) )*(?:fn|const|var)\b"),
        main=re.compile(r"pub fn main\b"),
    ),
    "solidity": Tagged(
        carriers=frozenset({"pragma_directive", "import_directive"}),
        private=re.compile(r"\b(?:private|internal)\b"),
    ),
    "ocaml": _OCAML,
    "ocaml-interface": _OCAML,
    "powershell": Tagged(carriers=frozenset({"statement_list"})),
    "nix": Tagged(),
    "terraform": Tagged(),
}
