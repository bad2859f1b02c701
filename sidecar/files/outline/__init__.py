"""The record of a file, made from its bytes alone: doc, imports, symbols, entry points.

`outline` is pure and total: the same bytes and path always give the same record, and no bytes make `outline` raise.
Code is parsed with a tree-sitter grammar; everything else goes to `sidecar.files.structure`. This room does not resolve
imports to files, does not rank or shorten lists for readers, and keeps no state.

A symbol's `kind` is one of: class, interface, trait, protocol, struct, union, enum, record, object, extension (members
added to a type declared elsewhere, or a Rust trait implementation), module (also namespaces and packages), function,
method (also constructors), property, field, case (of an enum), constant, variable, type (alias, delegate), macro,
event, call (a statement that tells what the file does: a route, a build block), step (a loop or condition at the top
of a script).

`imports` lists each module once, in source order, in these forms:

- Python: dotted, relative dots kept. `import a.b` gives `a.b`; `from .m import f` gives `.m` and `.m.f`;
  `from . import x` gives `.x`; `from a import b, C, *` gives `a` and `a.b` (capitalised names are not modules).
- JavaScript, TypeScript: the specifier without quotes (`./x`, `react`, `node:fs`), from import, export-from,
  `require`, `import()` and `/// <reference path>`.
- Go: the import path without quotes: `fmt`, `github.com/a/b`.
- Rust: each leaf of a `use` tree: `crate::a::B`, `super::c`, `std::io`; `a::*` gives `a`; `use a::{self,
  b}` gives `a` and `a::b`; `mod x;` gives `self::x`; `extern crate x` gives `x`.
- Java: `a.b.C`, `a.b.*`; static imports without the word: `a.b.C.method`.
- Kotlin: `a.b.C`, `a.b.*`; aliases dropped.
- C, C++: with their delimiters: `"x.h"`, `<stdio.h>`.
- C#: namespaces, `System.Text`; an alias gives its target.
- Ruby: `require "a/b"` gives `a/b`; `require_relative "a"` gives `./a`, `"../a"` gives `../a`; `load` and
  `autoload` as written.
- PHP: `A\\B\\C` from `use`, groups expanded, without a leading backslash; include and require: the path,
  where `__DIR__ . '/x.php'` gives `./x.php`.
- Swift: the module, `Foundation`.
- Lua: `require("a.b")` gives `a.b`; `dofile("x.lua")` and `loadfile` give `x.lua`.
- Bash: the file of `source` or `.`, unquoted, variables kept: `./lib.sh`, `$DIR/lib.sh`.

`entry_points` holds short texts such as `if __name__ == "__main__"`, `func main`, `fn main`,
`int main`, `static void main`, or the shebang line of a script: `#!/usr/bin/env node`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from sidecar.store.records import ContentRecord

RECIPE: Final = 33  # raise it whenever the same bytes may give another record


def outline(path: str, data: bytes, hash: str, *, shown: bool = True) -> ContentRecord:
    """Return the record of `data`. The language is found by the name in `path` and by the bytes.

    With `shown` False, make only what the index needs, in half the time; such a record must neither be shown nor
    stored. If an extractor fails, the record lacks symbols and `fault` names the defect.
    """
    from sidecar.files.outline.assemble import assemble, without_symbols

    try:
        return assemble(path, data, hash, RECIPE, shown=shown)
    except Exception as error:  # noqa: BLE001 - a defect must not cost more than this file's symbols
        return without_symbols(path, data, hash, RECIPE, error)
