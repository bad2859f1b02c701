"""How good the briefings are on real repositories: share of public names, size against the file, speed.

    python tests/bench/outline_quality.py DIR [DIR...] [--worst 10]

Truth comes from Python's `ast` (Python) or universal-ctags (the other languages); see README.md beside this file
for what counts as a public top-level symbol in each.
"""

from __future__ import annotations

import argparse
import ast
import json
import re
import shutil
import subprocess
import sys
import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from sidecar.files.briefing.render import render
from sidecar.files.imports import project_imports
from sidecar.files.language import language_of
from sidecar.files.outline import outline
from sidecar.text.tokens import estimate

MAX_BYTES = 1_000_000
LONG = 100
Tag = dict[str, Any]

_SCRIPT = (
    r"export\s+(?:default\s+)?(?:declare\s+)?(?:abstract\s+)?(?:async\s+)?"
    r"(?:const\s+enum|const|let|var|function\*?|class|interface|type|enum|namespace)\s+"
)
_RUST = (
    r"pub\s+(?:(?:const|async|unsafe|extern\s+\"C\")\s+)*"
    r"(?:fn|struct|enum|trait|union|type|const|static|mod)\s+(?:mut\s+)?"
)
_CPP_KINDS = {"class", "struct", "union", "enum", "typedef", "function", "prototype"}


def _declared(prefix: str) -> Callable[[Tag, str], bool]:
    """Symbols whose line, unindented, has the prefix directly before the name."""
    compiled = re.compile(prefix)

    def public(tag: Tag, line: str) -> bool:
        match = compiled.match(line)
        return "scope" not in tag and bool(match) and line[match.end() if match else 0 :].startswith(tag["name"])

    return public


def _go(tag: Tag, line: str) -> bool:
    kinds = {"func", "struct", "interface", "type", "const", "var", "talias", "alias"}
    return tag["kind"] in kinds and tag["name"][:1].isupper() and tag.get("scopeKind", "package") == "package"


def _types(tag: Tag, line: str) -> bool:
    return (
        tag["kind"] in {"class", "interface", "enum", "struct", "trait", "annotation", "object"}
        and tag.get("scopeKind", "package") in {"package", "namespace"}
        and ("public" in line or (tag["language"] == "Kotlin" and "private" not in line))
    )


def _c(tag: Tag, line: str) -> bool:
    local = tag.get("file") or "static" in line
    return tag["kind"] in _CPP_KINDS - {"prototype"} and not local and tag.get("scopeKind", "namespace") == "namespace"


def _ruby(tag: Tag, line: str) -> bool:
    return tag["kind"] in {"class", "module", "method"} and "scope" not in tag and _at_margin(tag)


def _php(tag: Tag, line: str) -> bool:
    return (
        tag["kind"] in {"class", "interface", "trait", "function"} and tag.get("scopeKind", "namespace") == "namespace"
    )


def _shell(tag: Tag, line: str) -> bool:
    return tag["kind"] == "function" and tag["name"][:1].isalpha() and _at_margin(tag)


def _lua(tag: Tag, line: str) -> bool:
    plain = tag["name"][:1] != "_" and ":" not in tag["name"] and (tag["name"].count(".") == 0 or tag["exported"])
    return tag["kind"] == "function" and line.startswith("function") and plain and _at_margin(tag)


def _at_margin(tag: Tag) -> bool:
    """Whether the symbol's line is not indented."""
    return not str(tag.get("pattern", ""))[2:3].isspace()


RULES: dict[str, Callable[[Tag, str], bool]] = {
    "javascript": _declared(_SCRIPT),
    "jsx": _declared(_SCRIPT),
    "typescript": _declared(_SCRIPT),
    "tsx": _declared(_SCRIPT),
    "go": _go,
    "rust": _declared(_RUST),
    "java": _types,
    "csharp": _types,
    "kotlin": _types,
    "c": _c,
    "cpp": _c,
    "ruby": _ruby,
    "php": _php,
    "bash": _shell,
    "lua": _lua,
}


@dataclass
class Tally:
    """What was measured of one language."""

    files: int = 0
    partial: int = 0
    expected: int = 0
    named: int = 0
    shares: list[float] = field(default_factory=list)
    tokens: list[int] = field(default_factory=list)
    outline_seconds: float = 0.0
    render_seconds: float = 0.0
    missing: list[tuple[str, list[str], int]] = field(default_factory=list)
    largest: list[tuple[float, str, int]] = field(default_factory=list)


def files_of(root: Path) -> Iterator[str]:
    """Relative paths of a repository's tracked files; without git, of all files not under a dot folder."""
    listed = subprocess.run(["git", "-C", str(root), "ls-files", "-z"], capture_output=True, check=False)
    if listed.returncode == 0 and listed.stdout:
        yield from sorted(name for name in listed.stdout.decode("utf-8", "replace").split("\0") if name)
        return
    for path in sorted(root.rglob("*")):
        inner = path.relative_to(root)
        if path.is_file() and not any(part.startswith(".") for part in inner.parts):
            yield inner.as_posix()


def python_names(data: bytes) -> list[str] | None:
    """Public names a module binds at its top level, also inside `if` and `try` but not in its `__main__` part.

    `__all__`, when it is a plain list, narrows them. None when ast refuses the file.
    """
    try:
        tree = ast.parse(data)
    except (SyntaxError, ValueError, RecursionError):
        return None
    names: list[str] = []
    listed: set[str] = set()
    waiting: list[ast.stmt] = list(tree.body)
    while waiting:
        node = waiting.pop(0)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            names.append(node.name)
        elif isinstance(node, ast.Assign):
            names.extend(target.id for target in node.targets if isinstance(target, ast.Name))
            if "__all__" in names and isinstance(node.value, ast.List | ast.Tuple):
                names.remove("__all__")
                listed |= {str(item.value) for item in node.value.elts if isinstance(item, ast.Constant)}
        elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            names.append(node.target.id)
        elif isinstance(node, ast.Try) or (isinstance(node, ast.If) and "__main__" not in ast.dump(node.test)):
            waiting[:0] = [*node.body, *node.orelse, *getattr(node, "finalbody", [])]
    public = dict.fromkeys(name for name in names if not name.startswith("_"))
    return [name for name in public if not listed or name in listed]


def ctags_names(root: Path, paths: dict[str, str]) -> dict[str, list[str]]:
    """Public top-level names by path, from one run of ctags over files of the languages in RULES."""
    listing = "\n".join(str(root / path) for path in paths)
    command = ["ctags", "--output-format=json", "--fields=+neKSZaslf", "--kinds-c=+p", "-L", "-", "-f", "-"]
    ran = subprocess.run(command, input=listing.encode(), capture_output=True, check=False)
    found: dict[str, list[str]] = {path: [] for path in paths}
    sources: dict[str, list[str]] = {}
    for row in ran.stdout.decode("utf-8", "replace").splitlines():
        try:
            tag = json.loads(row)
        except ValueError:
            continue
        if tag.get("_type") != "tag" or "line" not in tag:
            continue
        path = Path(tag["path"]).relative_to(root).as_posix()
        if path not in sources:
            sources[path] = (root / path).read_text("utf-8", "replace").split("\n")
        lines = sources[path]
        line = lines[tag["line"] - 1].strip() if tag["line"] <= len(lines) else ""
        tag["exported"] = f"return {tag['name'].split('.')[0]}" in "\n".join(lines[-4:])
        public = RULES[paths[path]](tag, line)
        name = re.split(r"\\|::|\.(?=\w)", tag["name"])[-1]
        if public and not name.startswith("__anon") and name not in found[path]:
            found[path].append(name)
    return found


def named(name: str, text: str) -> bool:
    """Whether a text has the name as a whole word; blanks inside it (`operator ==`) may be missing."""
    if name.startswith("operator"):
        return name.replace(" ", "") in text.replace(" ", "")
    return re.search(rf"(?<![\w$]){re.escape(name)}(?![\w$])", text) is not None


def measure(root: Path, tallies: dict[str, Tally]) -> None:
    """Adds one repository's files to the tallies."""
    texts: dict[str, tuple[str, str]] = {}
    truth: dict[str, list[str]] = {}
    tracked = list(files_of(root))
    known = frozenset(tracked)
    for path in tracked:
        full = root / path
        if full.is_symlink() or not full.is_file() or full.stat().st_size > MAX_BYTES:
            continue
        data = full.read_bytes()
        if not data.strip() or b"\0" in data[:8000]:
            continue
        language = language_of(path, data[:4096])
        tally = tallies[language]
        started = time.perf_counter()
        record = outline(path, data, "0" * 32)
        outlined = time.perf_counter()
        imported = project_imports(record, path, known.__contains__)
        text = render(record, path=path, project_imports=imported)
        tally.outline_seconds += outlined - started
        tally.render_seconds += time.perf_counter() - outlined
        tally.files += 1
        tally.partial += record.partial
        if record.lines > LONG:
            share = estimate(text) / max(1, record.file_tokens)
            tally.shares.append(share)
            tally.tokens.append(estimate(text))
            tally.largest.append((share, f"{root.name}/{path}", record.file_tokens))
        texts[path] = (language, text)
        if language == "python":
            names = python_names(data)
            if names is not None:
                truth[path] = names
    if shutil.which("ctags"):
        truth.update(ctags_names(root, {path: lang for path, (lang, _) in texts.items() if lang in RULES}))
    for path, expected in truth.items():
        language, text = texts[path]
        tally = tallies[language]
        missing = [name for name in expected if not named(name, text)]
        tally.expected += len(expected)
        tally.named += len(expected) - len(missing)
        if missing:
            tally.missing.append((f"{root.name}/{path}", missing, len(expected)))


def report(tallies: dict[str, Tally], worst: int) -> None:
    """Prints a table by language, then the files that lack most names and those that are largest."""
    head = ("language", "files", "partial", "names", "named %", ">100", "median %", "tokens", "outl/s", "rend/s")
    print("{:<18}{:>7}{:>9}{:>8}{:>9}{:>7}{:>10}{:>8}{:>9}{:>8}".format(*head))
    every = Tally()
    for language, tally in sorted(tallies.items(), key=lambda item: -item[1].files):
        _row(language, tally)
        every.files += tally.files
        every.partial += tally.partial
        every.expected += tally.expected
        every.named += tally.named
        every.shares += tally.shares
        every.tokens += tally.tokens
        every.outline_seconds += tally.outline_seconds
        every.render_seconds += tally.render_seconds
        every.missing += [(f"{language} {path}", names, count) for path, names, count in tally.missing]
        every.largest += [(share, f"{language} {path}", tokens) for share, path, tokens in tally.largest]
    _row("all", every)
    print("\nfiles that lack most names:")
    for path, names, count in sorted(every.missing, key=lambda item: -len(item[1]))[:worst]:
        print(f"  {len(names)} of {count}  {path}: {', '.join(names[:8])}{' …' if len(names) > 8 else ''}")
    print("\nlargest shares (files over 100 lines):")
    for share, path, tokens in sorted(every.largest, reverse=True)[:worst]:
        print(f"  {100 * share:5.1f} % of {tokens:,} tokens  {path}")


def _row(language: str, tally: Tally) -> None:
    names = f"{100 * tally.named / tally.expected:.1f}" if tally.expected else "-"
    share = f"{100 * median(tally.shares):.1f}" if tally.shares else "-"
    tokens = f"{median(tally.tokens):.0f}" if tally.tokens else "-"
    outlines = f"{tally.files / tally.outline_seconds:.0f}" if tally.outline_seconds else "-"
    renders = f"{tally.files / tally.render_seconds:.0f}" if tally.render_seconds else "-"
    print(
        f"{language:<18}{tally.files:>7}{tally.partial:>9}{tally.expected:>8}{names:>9}"
        f"{len(tally.shares):>7}{share:>10}{tokens:>8}{outlines:>9}{renders:>8}"
    )


def main() -> int:
    """Measures every folder given; 2 when one of them is no folder."""
    parser = argparse.ArgumentParser(description="Quality of file briefings on real repositories.")
    parser.add_argument("folders", nargs="+", type=Path, metavar="DIR")
    parser.add_argument("--worst", type=int, default=10, help="files listed as worst (default 10)")
    arguments = parser.parse_args()
    for folder in arguments.folders:
        if not folder.is_dir():
            print(f"{folder} is not a folder", file=sys.stderr)
            return 2
    if shutil.which("ctags") is None:
        print("universal-ctags is not installed: names are checked for Python only (apt install universal-ctags)\n")
    tallies: dict[str, Tally] = defaultdict(Tally)
    for folder in arguments.folders:
        measure(folder.resolve(), tallies)
    report(tallies, arguments.worst)
    return 0


if __name__ == "__main__":
    sys.exit(main())
