"""Facts about each language described by a query that the query in `queries` cannot express."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from sidecar.files.outline.conditions import without_conditions


@dataclass(frozen=True, slots=True)
class Tagged:
    """A language's facts: `private` and `main` are searched in signatures, `around_import` is cut from imports."""

    comments: frozenset[str] = frozenset({"comment"})
    carriers: frozenset[str] = frozenset()  # node types whose comment describes the file
    bodies: frozenset[str] = frozenset()  # children that end a signature
    guarded: frozenset[str] = frozenset()  # kinds of members that are private by default
    clauses: bool = False  # adjacent definitions of one name are one
    once: bool = False  # of definitions with the same name only the first counts
    docs_below: bool = False
    plain: bool = False  # signatures are exactly the definitions' text
    private: re.Pattern[str] | None = None
    private_name: re.Pattern[str] | None = None
    main: re.Pattern[str] | None = None
    around_name: re.Pattern[str] = re.compile(r"^(?:[$`]|(?:global|script|local):)+|`$")
    tidied: tuple[re.Pattern[str], str] = (re.compile(r"(?!)"), "")  # replacement in signatures of values
    around_import: re.Pattern[str] | None = None
    mask: Callable[[bytes], bytes] | None = None

    def imported(self, texts: list[str]) -> str:
        """Join the texts that make up one import."""
        text = "\\".join(text.strip(_QUOTES) for text in texts)
        return (self.around_import.sub("", text) if self.around_import is not None else text).strip(_QUOTES)


_QUOTES: Final = "\"'<>` "
_LINES_AND_BLOCKS: Final = frozenset({"line_comment", "block_comment"})
# The grammar of Kotlin does not know `fun interface`.
_FUN_INTERFACE: Final = re.compile(rb"\bfun(?=[ \t]+interface\b)")
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
        carriers=frozenset({"module_definition"}), comments=frozenset({"line_comment", "block_comment"}), clauses=True
    ),
    "zig": Tagged(
        private=re.compile(r"^(?:(?:inline|extern|threadlocal|comptime) )*(?:fn|const|var)\b"),
        main=re.compile(r"pub fn main\b"),
    ),
    "solidity": Tagged(
        carriers=frozenset({"pragma_directive", "import_directive"}), private=re.compile(r"\bprivate\b")
    ),
    "ocaml": _OCAML,
    "ocaml-interface": _OCAML,
    "kotlin": Tagged(
        comments=_LINES_AND_BLOCKS,
        carriers=frozenset({"package_header", "import", "file_annotation"}),
        bodies=frozenset(
            "class_body enum_class_body function_body block constructor_delegation_call getter setter "
            "property_delegate".split()
        ),
        plain=True,
        around_import=re.compile(r"^import\s+|\s+as\s.*|[\s;]+"),
        mask=lambda data: _FUN_INTERFACE.sub(b"   ", data),
    ),
    "java": Tagged(
        comments=_LINES_AND_BLOCKS,
        carriers=frozenset({"package_declaration", "import_declaration"}),
        guarded=frozenset({"method", "field", "constant"}),
        plain=True,
        around_import=re.compile(r"^import\s+(?:static\s+)?|[\s;]+"),
    ),
    "csharp": Tagged(
        carriers=frozenset(
            "using_directive namespace_declaration file_scoped_namespace_declaration extern_alias_directive".split()
        ),
        bodies=frozenset({"block", "arrow_expression_clause"}),
        guarded=frozenset("class struct interface enum record method property event field constant type".split()),
        plain=True,
        tidied=(re.compile(r"\b(get|set|init|add|remove) ?;?(?= )"), r"\1;"),
        around_import=re.compile(r"\s+"),
        mask=without_conditions,
    ),
    "php": Tagged(
        carriers=frozenset({"namespace_definition", "namespace_use_declaration", "declare_statement"}),
        plain=True,
        around_import=re.compile(r"^\\"),
    ),
    "swift": Tagged(
        comments=frozenset({"comment", "multiline_comment"}),
        carriers=frozenset({"import_declaration", "directive"}),
        bodies=frozenset({"computed_property", "willset_didset_block"}),
        plain=True,
    ),
    "go": Tagged(carriers=frozenset({"package_clause"}), plain=True, private_name=re.compile(r"(?:^|\.)[^\W\dA-Z]")),
    "lua": Tagged(
        carriers=frozenset({"variable_declaration"}),
        plain=True,
        private_name=re.compile(r"(?:^|[.:])_\w*$"),
        around_import=re.compile(r"[\[\]]+"),
    ),
    "bash": Tagged(
        carriers=frozenset({"command", "list", "declaration_command", "variable_assignment"}),
        once=True,
        plain=True,
        private_name=re.compile(r"^_"),
        around_name=re.compile(r"=.*", re.DOTALL),
        tidied=(re.compile(r"^([^=]*) = "), r"\1="),
        around_import=re.compile(r"[\s\"']+"),
    ),
    "powershell": Tagged(carriers=frozenset({"statement_list"})),
    "nix": Tagged(),
    "terraform": Tagged(),
}
