"""Which share of the definitions in public files our outlines name, for each language; kept as counts.

    python tests/bench/languages_named.py MIRRORS [LANGUAGE...] [--write] [--misses 20]

MIRRORS holds bare clones as `owner+name/repo`. `data/languages_named.json` names the repositories, nobody having looked
at them while the queries and rules were written; `--write` puts the counts into it. What is defined is told by
universal-ctags where it knows the language, else by the line patterns below, which are a reader's; what either finds
inside a function is left out. tests/files/test_languages_named.py holds the counts against the floor.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from sidecar.files.kinds import kind_of
from sidecar.files.language import language_of
from sidecar.files.outline import RECIPE, outline
from sidecar.store.records import SymbolRecord

DATA = Path(__file__).parent / "data" / "languages_named.json"
PER_REPOSITORY = 40
_SIZES = range(200, 200_000)
_CTAGS = dict(
    pair.split("=")
    for pair in """python=Python javascript=JavaScript typescript=TypeScript tsx=TypeScript go=Go rust=Rust java=Java
    c=C cpp=C++ csharp=C# ruby=Ruby php=PHP kotlin=Kotlin lua=Lua bash=Sh elixir=Elixir haskell=Haskell julia=Julia
    ocaml=OCaml ocaml-interface=OCaml objc=ObjectiveC perl=Perl powershell=PowerShell r=R clojure=Clojure erlang=Erlang
    protobuf=Protobuf""".split()
)
_INNER = re.compile(r"func|method|member|sub|macro|constructor|variable|val|test|property", re.IGNORECASE)
_NO_DEFINITIONS = frozenset(
    """parameter local label unknown import alias package namespace header packageName heredoc script implementation
    anonMember module-import globalVar functionVar vector list dataframe library nameattr source
    format label protodef""".split()
)
_OBJC = re.compile(
    r"^\s*(?:[-+] ?\(|@(?:interface|protocol|implementation)|#|typedef (?:NS_|struct|enum)|(?:static|extern) )"
)
_NO_SUCH = {  # variables, or made up
    tuple(pair.split("/"))
    for pair in """PowerShell/variable Haskell/constructor OCaml/var C/macro C++/macro C++/variable C/variable
    PHP/variable Lua/unknown""".split()
}
_TESTED = frozenset("python javascript typescript tsx go rust java kotlin c cpp csharp php swift lua bash ruby".split())
_SCRIPTS = re.compile(r"^(?:export |default |async |abstract |declare )*(?:function|class|interface|enum|type)\b")
_NAME = r"(?P<name>[A-Za-z_]\w*)"
_READ = {
    "scala": (
        rf"(?: {{2}})?(?:(?:private|protected|final|sealed|abstract|case|implicit|override|inline|lazy)(?:\[\w+\])? )*"
        rf"(?:class|object|trait|def|type|enum) {_NAME}"
    ),
    "dart": (
        rf"(?:(?:abstract |sealed |base |final )*class|mixin|enum|extension) {_NAME}"
        rf"|(?: {{2}})?(?:static |external )*(?:void|String|int|bool|double|Future<\w+>|Widget|[A-Z]\w*)\??"
        r"(?: get)? (?!get\b|set\b)(?P<member>[a-z_]\w*)(?:\(|.*=>)"
    ),
    "zig": rf"(?: {{4}})?(?:pub |export |inline |extern )*fn {_NAME}"
    r"|(?:pub )?const (?P<member>\w+) = (?:struct|enum|union)\b",
    "solidity": (
        rf"(?:abstract )?(?:contract|interface|library) {_NAME}"
        r"|(?: {4}|\t)?(?:function|event|error|modifier|struct|enum) (?P<member>[A-Za-z_]\w*)"
    ),
    "nix": r"(?: {2})?(?P<name>[A-Za-z_][\w.-]*) =",
    "terraform": r"(?:resource|data) \"[\w-]+\" (?P<name>\"[\w-]+\")|(?:variable|output|module) \"(?P<member>[\w-]+)\"",
    "swift": (
        rf"(?: {{4}})?(?:@\w+ |public |private |internal |open |final |static |override |class |mutating )*"
        rf"(?:class|struct|enum|protocol|func|extension|actor) (?!func|var){_NAME}"
    ),
    "groovy": rf"(?: {{4}})?(?:@\w+ |public |private |protected |static |abstract |final )*"
    rf"(?:class|interface|trait|enum|def|void) {_NAME}(?=[ (])(?! *=)",
    "graphql": rf"(?:type|interface|input|enum|union|scalar|query|mutation|fragment) {_NAME}",
    "prisma": rf"(?:model|enum|type|datasource|generator|view) {_NAME}",
}
_SPLIT = re.compile(r"[\s.:/#\"']+")


def main() -> int:
    """Measure, print, and keep what is asked for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("mirrors", type=Path)
    parser.add_argument("languages", nargs="*")
    parser.add_argument("--table", type=Path, default=DATA)
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--misses", type=int, default=0)
    options = parser.parse_args()
    kept = json.loads(options.table.read_text())
    for language, row in kept.items():
        if options.languages and language not in options.languages:
            continue
        files = expected = named = 0
        misses: list[str] = []
        for repository in row["repositories"]:
            folder = options.mirrors / repository["name"].replace("/", "+") / "repo"
            repository["commit"] = _git(folder, "rev-parse", "HEAD").decode().strip()
            for path, data in _sample(folder, language):
                wanted = set(_defined(language, path, data))
                if not wanted:
                    continue
                known = set(_names(outline(path, data, "").symbols))
                files, expected, named = files + 1, expected + len(wanted), named + len(wanted & known)
                misses += [f"{path}: {name}" for name in sorted(wanted - known)]
        row.update(recipe=RECIPE, by="ctags" if language in _CTAGS else "reader", files=files)
        row.update(expected=expected, named=named)
        print(f"{language:16} {files:3} files {named:5} of {expected:5} {named / max(1, expected):6.1%}", flush=True)
        for miss in misses[:: max(1, len(misses) // options.misses)] if options.misses else ():
            print("    ", miss)
    if options.write:
        options.table.write_text(json.dumps(kept, indent=1) + "\n")
    return 0


def _git(folder: Path, *arguments: str) -> bytes:
    return subprocess.run(["git", "-C", str(folder), *arguments], stdout=subprocess.PIPE, check=True).stdout


def _sample(folder: Path, language: str) -> Iterator[tuple[str, bytes]]:
    """The same files each time, chosen by the hash of their paths."""
    chosen: list[tuple[str, str, str]] = []
    for row in _git(folder, "ls-tree", "-r", "-l", "-z", "HEAD").decode("utf-8", "replace").split("\0"):
        meta, _, path = row.partition("\t")
        mode, _, sha, size = meta.split() if meta else ("", "", "", "-")
        if mode.startswith("100") and size.isdigit() and int(size) in _SIZES:
            chosen.append((hashlib.sha256(path.encode()).hexdigest(), path, sha))
    left = PER_REPOSITORY
    for _, path, sha in sorted(chosen):
        if language_of(path) not in (language, "c" if language in ("objc", "cpp") else language):
            continue
        if language in _TESTED and kind_of(path, language) == "test":
            continue  # most of what is defined there is local to a test
        data = _git(folder, "cat-file", "blob", sha)
        if language_of(path, data) == language and left and max(map(len, data.split(b"\n"))) < 2_000:
            left -= 1
            yield path, data


def _defined(language: str, path: str, data: bytes) -> Iterator[str]:
    """The names that somebody else sees defined in a file, without what is local to a function."""
    if language not in _CTAGS:
        text = re.sub(
            r"/\*.*?\*/", lambda found: "\n" * found[0].count("\n"), data.decode("utf-8", "replace"), flags=re.S
        )
        for match in re.finditer(rf"^(?:{_READ[language]})", text, re.MULTILINE):
            yield next(filter(None, match.groups()), "").strip('"')
        return
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / Path(path).name
        file.write_bytes(data)
        command = ["ctags", "-o", "-", "--output-format=json", "--fields=+nKZ", "--sort=no"]
        tool = _CTAGS[language]
        done = subprocess.run(
            [*command, f"--language-force={tool}", str(file)],
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            check=False,
        )
    lines = data.decode("utf-8", "replace").split("\n")
    tests = next((at for at, line in enumerate(lines, 1) if line.startswith("#[cfg(test)]")), len(lines) + 1)
    for row in done.stdout.decode("utf-8", "replace").splitlines():
        tag = json.loads(row)
        kind, line = tag.get("kind"), lines[tag["line"] - 1].rstrip()
        if (tool, kind) == ("Rust", "module") and line.endswith(";"):
            continue  # another file's
        if kind in _NO_DEFINITIONS or (tool, kind) in _NO_SUCH or _INNER.search(tag.get("scopeKind", "")):
            continue
        name = tag["name"].partition(":")[0] if language == "objc" else _SPLIT.split(tag["name"].strip("` ="))[-1]
        made_up = name.startswith(("__anon", "anonFunc", "Anonymous", "<")) or not re.search(r"\w", name)
        made_up = made_up or (tool in ("JavaScript", "TypeScript") and not _SCRIPTS.match(lines[tag["line"] - 1]))
        made_up = (
            made_up or tag["line"] > tests or lines[tag["line"] - 1].startswith(("template class", "template SPDLOG"))
        )
        # Attributes of properties, parameters of blocks, and calls of macros are none.
        made_up = made_up or (tool == "ObjectiveC" and not _OBJC.search(lines[tag["line"] - 1]))
        # OCaml's is the file's own name, an indented one of these is local.
        own = tool == "OCaml" and name.lower() == file.stem.lower()
        if not made_up and not own and not (tool in ("R", "Lua", "Sh") and lines[tag["line"] - 1][:1] in " \t"):
            yield name


def _names(symbols: Iterable[SymbolRecord]) -> Iterator[str]:
    for one in symbols:
        yield one.name
        yield from _SPLIT.split(one.name)
        yield from _names(one.children)


if __name__ == "__main__":
    sys.exit(main())
