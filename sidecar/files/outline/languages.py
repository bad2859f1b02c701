"""The rules of each language with a grammar, from `languages.toml`: for its query, and for `salvage`."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field, fields
from functools import cache
from pathlib import Path
from typing import Any, Final

from sidecar.files.outline.preprocessor import without_conditions, without_macros
from sidecar.text.toml import read_toml

_QUOTES: Final = "\"'<>` "
_IMPORT_CHARS: Final = 8_000
_IMPORT_TREE: Final = re.compile(r"([\w:]*)\{([^{}]*)\}")
_NEVER: Final = re.compile(r"(?!)")
# Read on import, because a server may outlive the files of its version.
_WORDS: Final = read_toml(Path(__file__).with_name("words.toml").read_text("utf-8"))
_TABLE: Final = (Path(__file__).parent / "languages.toml").read_text(encoding="utf-8")


@dataclass(frozen=True, slots=True)
class LanguageRules:
    """The facts about one language. In the table, a set is words, and `like` names a language with the same facts."""

    grammar: tuple[str, str]  # module and function of the wheel; `tree_sitter_LANGUAGE` and `language` by default
    query: str = ""  # the name of the query, by default the language's
    statements: str = ""  # "all" lists every statement; "dotted" lists `app.get("/")` but not `run("x")`
    lost: str = ""  # how a declaration that `salvage` finds in a broken file begins, up to the name
    lost_function: str = ""  # the same for functions without a keyword, including the name
    arrow: str = ""  # the arrows of a language whose grammar cannot handle unmatched angle brackets
    blanked: str = ""  # pattern of text that the grammar cannot read
    macros: bool = False  # the grammar has no preprocessor
    conditions: bool = False  # the grammar loses declarations between `#if` and `#endif`
    comments: frozenset[str] = frozenset({"comment"})
    carriers: frozenset[str] = frozenset()  # node types whose comment describes the file
    decorations: frozenset[str] = frozenset()  # siblings before a definition that belong to it
    wrappers: frozenset[str] = frozenset()  # nodes around a definition that belong to it
    bodies: frozenset[str] = frozenset()  # children that end a signature
    between: frozenset[str] = frozenset()  # nodes that may be between a definition and its owner, by default all
    methods: bool = False  # functions inside any definition are methods
    sections: frozenset[str] = frozenset()  # node types that may have sections such as `private:`
    sectioned: frozenset[str] = frozenset()  # kinds of symbols that a section hides
    guarded: frozenset[str] = frozenset()  # kinds of members that are private by default
    clauses: frozenset[str] = frozenset()  # kinds whose adjacent definitions of one name are one symbol
    once: str = ""  # definitions of which only the first with a name counts: "values" or "all"
    docs_below: bool = False
    plain: bool = False  # signatures are exactly the text of the definitions
    words: dict[str, dict[str, str]] = field(default_factory=dict)  # kinds and visibility by a call's word
    private: re.Pattern[str] = _NEVER  # words in the signatures of private definitions
    private_name: re.Pattern[str] = _NEVER
    constant_name: re.Pattern[str] = _NEVER  # names of variables that are constants
    constant_signature: re.Pattern[str] = _NEVER  # the same
    main: re.Pattern[str] = _NEVER  # signatures of entry points
    around_name: re.Pattern[str] = re.compile(r"^(?:[$`]|(?:global|script|local):)+|`$")
    tidied: tuple[str, str] = (_NEVER.pattern, "")  # replacement in the signatures of values
    loading: str = ""  # how a value begins that is an imported module and defines nothing
    import_joint: str = "\\"  # between the parts of an import
    around_import: re.Pattern[str] = _NEVER  # cut from imports
    import_quotes: bool = False  # imports keep their quotes
    import_tree: bool = False  # imports may have braces around several names
    marked: bool = False  # private, unless a word makes it public; except in traits, enums and what implements a trait

    @property
    def mask(self) -> Callable[[bytes], bytes] | None:
        """Return the function that blanks text the grammar cannot read. Length and lines stay."""
        if self.macros:
            return without_macros
        if self.conditions:
            return without_conditions
        if not self.blanked:
            return None
        pattern = re.compile(self.blanked.encode())
        return lambda data: pattern.sub(lambda match: b" " * len(match[0]), data)

    def imported(self, texts: list[str], joint: str | None = None) -> list[str]:
        """Return the modules that an import names: `a::{b as c, d::*, self}` names `a::b`, `a::d` and `a`."""
        if self.import_quotes:
            return texts
        joint = self.import_joint if joint is None else joint
        text = joint.join(text.strip(_QUOTES) for text in texts)[:_IMPORT_CHARS]
        while self.import_tree and (tree := _IMPORT_TREE.search(text)):
            leaves = ",".join(tree[1] + leaf.strip() for leaf in tree[2].split(",") if leaf.strip())
            text = text[: tree.start()] + leaves[:_IMPORT_CHARS] + text[tree.end() :]
        modules = text.split(",") if self.import_tree else [text]
        return [name for module in modules if (name := self.around_import.sub("", module).strip(_QUOTES))]


@cache
def _table() -> dict[str, dict[str, Any]]:
    return read_toml(_TABLE)


@cache
def facts_of(language: str) -> LanguageRules:
    own = _table()[language]
    traits = {"grammar": (f"tree_sitter_{language}", "language")} | _table().get(own.get("like", ""), {}) | own
    kinds = {trait.name: str(trait.type) for trait in fields(LanguageRules)}
    traits["words"] = {
        label: {word: kind for kind, words in kinds_of.items() for word in words.split()}
        for label, kinds_of in traits.get("words", {}).items()
    }
    return LanguageRules(**{key: _value(kinds[key], value) for key, value in traits.items() if key != "like"})


def words_of(module: str) -> dict[str, Any]:
    """Return the words for which a module of outlines looks."""
    words: dict[str, Any] = _WORDS[module]
    return words


def _value(kind: str, value: Any) -> Any:
    if kind.startswith("frozenset"):
        return frozenset(value.split())
    return re.compile(value) if kind.startswith("re.") else tuple(value) if kind.startswith("tuple") else value
