"""Which language a file is written in, by its name, extension or first line."""

from __future__ import annotations

import os
import re
import sys
from typing import Final

from sidecar.text.lazy_patterns import lazy

# Haskell's grammar corrupts the heap there (tree-sitter/tree-sitter-haskell, issue 144), and is not installed.
_LEFT_OUT: Final = {"haskell"} if sys.platform == "linux" and os.uname().machine == "aarch64" else set[str]()

# Languages outlined with a grammar; all others go to the structure room.
CODE: Final = frozenset(
    {
        "python", "javascript", "jsx", "typescript", "tsx", "go", "rust", "java", "c", "cpp", "csharp",
        "ruby", "php", "kotlin", "swift", "lua", "bash", "elixir", "scala", "dart", "haskell", "julia", "zig",
        "solidity", "ocaml", "ocaml-interface", "powershell", "nix", "terraform",
    }
) - _LEFT_OUT  # fmt: skip

HOSTS: Final = frozenset({"vue", "svelte", "astro", "html", "erb", "razor", "notebook"})
"""Languages whose files hold code of another language."""

_EXTENSIONS: Final = {
    extension: language
    for language, extensions in {
        "python": "py pyi pyw wsgi",
        "javascript": "js mjs cjs es6",
        "jsx": "jsx",
        "typescript": "ts mts cts",
        "tsx": "tsx",
        "go": "go",
        "rust": "rs",
        "java": "java",
        "c": "c",
        "cpp": "cc cpp cxx c++ hh hpp hxx h++ ipp tpp inl ino cu cuh",
        "csharp": "cs csx",
        "ruby": "rb rake gemspec ru podspec jbuilder",
        "php": "php php3 php4 php5 phtml",
        "kotlin": "kt kts",
        "swift": "swift",
        "lua": "lua rockspec luau",
        "bash": "sh bash zsh ksh dash ash bats ebuild",
        "markdown": "md markdown mdx mdc mkd livemd qmd rmd",
        "restructuredtext": "rst",
        "asciidoc": "adoc asciidoc",
        "org": "org",
        "json": "json jsonc json5 webmanifest geojson",
        "notebook": "ipynb",
        "jsonl": "jsonl ndjson",
        "yaml": "yaml yml",
        "toml": "toml",
        "ini": "ini cfg conf properties editorconfig desktop service",
        "xml": "xml xsd xsl xslt wsdl plist csproj vbproj fsproj props targets resx svg",
        "html": "html htm xhtml",
        "vue": "vue",
        "svelte": "svelte",
        "astro": "astro",
        "erb": "erb rhtml",
        "razor": "razor cshtml",
        "css": "css",
        "scss": "scss",
        "sass": "sass",
        "less": "less",
        "sql": "sql ddl psql",
        "graphql": "graphql gql",
        "prisma": "prisma",
        "protobuf": "proto",
        "makefile": "mk mak",
        "cmake": "cmake",
        "dockerfile": "dockerfile",
        "terraform": "tf tfvars hcl",
        "diff": "diff patch",
        "csv": "csv",
        "tsv": "tsv",
        "scala": "scala sc sbt",
        "groovy": "groovy gradle",
        "clojure": "clj cljs cljc edn",
        "elixir": "ex exs",
        "erlang": "erl hrl",
        "haskell": "hs lhs",
        "ocaml": "ml",
        "ocaml-interface": "mli",
        "fsharp": "fs fsi fsx",
        "dart": "dart",
        "r": "r",
        "julia": "jl",
        "perl": "pl pm t",
        "powershell": "ps1 psm1 psd1",
        "batch": "bat cmd",
        "fish": "fish",
        "objc": "m mm",
        "zig": "zig",
        "solidity": "sol",
        "nim": "nim",
        "vim": "vim",
        "lisp": "el lisp cl scm rkt",
        "cython": "pyx pxd",
        "latex": "tex sty cls",
        "nix": "nix",
        "bazel": "bzl bazel",
        "assembly": "asm s",
        "meson": "meson",
        "jinja": "j2 jinja jinja2",
    }.items()
    for extension in extensions.split()
}

_NAMES: Final = {
    "dockerfile": "dockerfile",
    "containerfile": "dockerfile",
    "makefile": "makefile",
    "gnumakefile": "makefile",
    "cmakelists.txt": "cmake",
    "meson.build": "meson",
    "meson.options": "meson",
    "meson_options.txt": "meson",
    "gemfile": "ruby",
    "rakefile": "ruby",
    "podfile": "ruby",
    "vagrantfile": "ruby",
    "brewfile": "ruby",
    "guardfile": "ruby",
    "fastfile": "ruby",
    "jenkinsfile": "groovy",
    "build": "bazel",
    "workspace": "bazel",
    "sconstruct": "python",
    "sconscript": "python",
    "wscript": "python",
    "pkgbuild": "bash",
    ".bashrc": "bash",
    ".bash_profile": "bash",
    ".bash_aliases": "bash",
    ".profile": "bash",
    ".zshrc": "bash",
    ".zshenv": "bash",
    ".envrc": "bash",
    ".babelrc": "json",
    ".eslintrc": "json",
    ".prettierrc": "json",
    "composer.lock": "json",
    "pipfile": "toml",
    "pipfile.lock": "json",
    "cargo.lock": "toml",
    "poetry.lock": "toml",
    "uv.lock": "toml",
    ".gitconfig": "ini",
    ".editorconfig": "ini",
    ".npmrc": "ini",
    "go.mod": "gomod",
    "go.sum": "text",
    ".luacheckrc": "lua",
    ".vimrc": "vim",
}

_INTERPRETERS: Final = (
    (re.compile(r"(?:python|pypy)[\d.]*w?"), "python"),
    (re.compile(r"node(?:js)?|bun"), "javascript"),
    (re.compile(r"deno|ts-node|tsx"), "typescript"),
    (re.compile(r"(?:ba|z|k|da|a|mk)?sh"), "bash"),
    (re.compile(r"ruby[\d.]*|rake"), "ruby"),
    (re.compile(r"php[\d.]*"), "php"),
    (re.compile(r"lua(?:jit)?[\d.]*"), "lua"),
    (re.compile(r"perl[\d.]*"), "perl"),
    (re.compile(r"swift"), "swift"),
    (re.compile(r"kotlin"), "kotlin"),
    (re.compile(r"fish"), "fish"),
    (re.compile(r"make"), "makefile"),
    (re.compile(r"Rscript"), "r"),
    (re.compile(r"groovy"), "groovy"),
    (re.compile(r"pwsh"), "powershell"),
)

# What only C++ writes; decides what a .h file is. Bounded to one line each, so it cannot backtrack far.
_CPP_HEADER: Final = lazy(
    rb"^[ \t]*(?:template[ \t]*<|namespace\b|class[ \t]+\w|using[ \t]+\w|public:|private:|protected:)"
    rb"|\bstd::|^[ \t]*#[ \t]*include[ \t]*<(?:string|vector|memory|cstd\w+|map|utility|functional"
    rb"|type_traits)>"
    rb"|-\*-[ \t]*C\+\+[ \t]*-\*-",
    re.MULTILINE,
)
_OBJC_HEADER: Final = lazy(rb"^[ \t]*@(?:interface|protocol|class|import)\b", re.MULTILINE)
# What begins a MATLAB file rather than an Objective-C one.
_MATLAB: Final = lazy(rb"\A\s*(?:%|function\b|classdef\b)")
_HEAD_BYTES: Final = 16_384


def language_of(path: str, head: bytes = b"") -> str:
    """Return the language of the file at `path`, whose content begins with `head`; "text" if nothing tells.

    The name decides first, then the extension, then the shebang. `head` may be the whole content: only its first 16 KiB
    are looked at. A `.h` file is "c" unless its text shows C++ or Objective-C.
    """
    head = head[:_HEAD_BYTES]
    name = path.replace("\\", "/").rsplit("/", 1)[-1].lower()
    known = _NAMES.get(name)
    if known is not None:
        return known
    if name.endswith(".blade.php"):
        return "blade"
    stem, dot, extension = name.rpartition(".")
    if dot and (stem or extension in _EXTENSIONS):
        if extension == "h":
            return _header(head)
        if extension == "m" and _MATLAB.match(head):
            return "matlab"
        if extension == "erb" and stem.endswith(".md"):
            return "markdown"
        found = _EXTENSIONS.get(extension)
        if found is not None:
            return found
    if stem in ("dockerfile", "containerfile", "makefile") and dot:
        return _NAMES[stem]
    if name.startswith(".env"):
        return "dotenv"
    return _shebang(head) or "text"


def _header(head: bytes) -> str:
    if _OBJC_HEADER.search(head):
        return "objc"
    return "cpp" if _CPP_HEADER.search(head) else "c"


def _shebang(head: bytes) -> str | None:
    """Return the language of the first line's interpreter: `#!/usr/bin/env -S python3 -u`."""
    line = head.removeprefix(b"\xef\xbb\xbf").split(b"\n", 1)[0]
    if not line.startswith(b"#!"):
        return None
    words = line[2:].decode("latin-1").split()
    while words and (words[0].rsplit("/", 1)[-1] == "env" or words[0].startswith("-") or "=" in words[0]):
        words.pop(0)
    if not words:
        return None
    program = words[0].rsplit("/", 1)[-1]
    for pattern, language in _INTERPRETERS:
        if pattern.fullmatch(program):
            return language
    return None
