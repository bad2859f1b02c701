"""The invariants of the house, read from the source so that they cannot drift."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from pathlib import Path
from typing import get_args

import pytest

from protocol import memories
from sidecar.memory_file.text import document
from sidecar.store import vocabulary

ROOT = Path(__file__).resolve().parents[1]
SOURCES = sorted([*ROOT.glob("sidecar/**/*.py"), *ROOT.glob("protocol/**/*.py")])

ROOMS = (
    "__main__",
    "cli",
    "mcp",
    "lsp",
    "hooks",
    "engine",
    "trackers",
    "summaries",
    "team",
    "memory_file",
    "interchange",
    "embedding",
    "memories",
    "hook_scripts",
    "transcripts",
    "models",
    "learning",
    "files",
    "coordination",
    "peers",
    "wire",
    "checkout",
    "store",
    "runtime",
    "settings",
    "system",
    "text",
)
"""The rooms from the top of the house to its ground: each imports only rooms that stand after it."""

SUBROOMS = {
    "memories": (
        "book",
        "maintenance",
        "candidates",
        "injection",
        "editing",
        "recording",
        "retrieval",
        "index",
        "wording",
        "announcing",
        "results",
        "drafts",
    ),
    "files": (
        "index",
        "workers",
        "graph",
        "scan",
        "facets",
        "briefing",
        "retrieval",
        "symbols",
        "outline",
        "structure",
    ),
}
"""The folders and modules of some rooms in the same order, from top to ground; of `files`, only the folders."""

DOMAINS = {"files", "memories", "learning", "coordination", "interchange", "transcripts"}
"""Rooms that take plain values: they load neither JSON nor an event loop."""


def room(module: str) -> str:
    parts = module.split(".")
    return parts[1] if len(parts) > 1 else ""


def imports(path: Path) -> list[tuple[str, bool]]:
    """Modules that a file imports, and whether at module level (so at start-up)."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    top = {id(node) for node in tree.body}
    found: list[tuple[str, bool]] = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found += [(alias.name, id(node) in top) for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module:
            found.append((node.module, id(node) in top))
            if node.module in ("sidecar", "protocol", *(f"sidecar.{name}" for name in SUBROOMS)):
                found += [(f"{node.module}.{alias.name}", id(node) in top) for alias in node.names]
    return found


def module_of(path: Path) -> str:
    return ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")


def test_imports_go_down_the_rooms() -> None:
    wrong: list[str] = []
    for path in SOURCES:
        module = module_of(path)
        here = room(module)
        if module.startswith("protocol"):
            wrong += [f"{module} imports {name}" for name, _ in imports(path) if name.startswith("sidecar")]
        elif module != "sidecar" and here not in ROOMS:
            wrong.append(f"sidecar/{here} has no place: give it one in ROOMS and in sidecar/README.md")
        elif module != "sidecar":
            below = {here, "", "__version__", *ROOMS[ROOMS.index(here) + 1 :]}
            names = {name for name, _ in imports(path) if name.split(".")[0] == "sidecar"}
            wrong += [f"{module} imports {name}" for name in names if room(name) not in below]
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize(("name", "order"), SUBROOMS.items())
def test_imports_go_down_the_subrooms(name: str, order: tuple[str, ...]) -> None:
    wrong: list[str] = []
    prefix = f"sidecar.{name}."
    modules = {path.stem for path in (ROOT / "sidecar" / name).glob("*.py")}
    for module, path in ((module_of(path), path) for path in SOURCES):
        if not module.startswith(prefix):
            continue
        here = module.split(".")[2]
        if name == "files" and here in modules:
            continue
        if here not in order:
            wrong.append(f"{prefix}{here} has no place: give it one in SUBROOMS and in sidecar/README.md")
            continue
        below = {*order[order.index(here) :], *(modules if name == "files" else ())}
        names = {imported for imported, _ in imports(path) if imported.startswith(prefix)}
        wrong += [f"{module} imports {imported}" for imported in names if imported.split(".")[2] not in below]
    assert not wrong, "\n".join(wrong)


def test_outlines_and_pointers_import_no_index() -> None:
    """Not even a function may import the index, nor its types: it is made of the parts that would import it."""
    wrong: list[str] = []
    for path in sorted((ROOT / "sidecar/files").glob("**/*.py")):
        if module_of(path).startswith("sidecar.files.index"):
            continue
        wrong += [f"{path}: {name}" for name, _ in imports(path) if name.startswith("sidecar.files.index")]
    assert not wrong, "\n".join(wrong)


def test_rooms_know_only_their_own_libraries() -> None:
    wrong: list[str] = []
    for path in SOURCES:
        module = module_of(path)
        here = room(module)
        names = {name.split(".")[0] for name, _ in imports(path)}
        refused = {"pickle", "marshal", "shelve", "dill"}
        if here != "lsp":
            refused |= {"pygls", "lsprotocol", "cattrs", "attrs"}
        if here != "store":
            refused |= {"diskcache", "sqlite3"}
        if here != "team":
            refused |= {"psycopg", "psycopg_pool"}
        if here != "system":
            refused |= {"fcntl", "grp", "pty", "pwd", "resource", "termios", "tty"}
        if here in DOMAINS:
            reads_json = "structure" in module  # reading a JSON file's structure is that room's work
            refused |= {"asyncio"} if reads_json else {"asyncio", "json"}
        wrong += [f"{module} imports {name}" for name in names & refused]
    assert not wrong, "\n".join(wrong)


def test_files_stay_small_and_say_what_they_are() -> None:
    wrong: list[str] = []
    for path in SOURCES:
        text = path.read_text(encoding="utf-8")
        if text.count("\n") > 400:
            wrong.append(f"{path} has grown past 400 lines: which two modules is it?")
        if path.stem in {"utils", "helpers", "common", "base", "manager"}:
            wrong.append(f"{path} has a name that says nothing")
        if not ast.get_docstring(ast.parse(text)):
            wrong.append(f"{path} does not say what it is")
    assert not wrong, "\n".join(wrong)


def test_nothing_prints_on_the_stream() -> None:
    """All but the command line and the generator, which print for a person: fd 1 belongs to frames."""
    wrong = [
        f"{path}:{node.lineno} prints"
        for path in SOURCES
        if "/cli/" not in str(path) and path.name != "generate.py"
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "print"
    ]
    assert not wrong, "\n".join(wrong)


def test_the_domain_s_words_are_the_wire_s() -> None:
    """The domain may not import the wire's structs, so it has these lists of its own: they must not drift apart."""
    assert set(vocabulary.SCOPES) == set(get_args(memories.Scope))
    assert set(vocabulary.TYPES) == set(get_args(memories.MemoryType))
    assert set(vocabulary.CATEGORIES) == set(get_args(memories.Category))
    assert set(get_args(vocabulary.MemoryChange)) == set(get_args(memories.Change))
    assert set(document.TITLES) == set(get_args(memories.MemoryType))


def loaded_after(statement: str) -> set[str]:
    code = f"import sys\n{statement}\nprint(*sorted(sys.modules), sep='\\n')"
    out = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT, check=True, timeout=180
    )
    return {line.split(".")[0] for line in out.stdout.splitlines()}


def test_the_command_line_starts_without_the_language_server() -> None:
    loaded = loaded_after("import sidecar.cli.main, sidecar.engine.engine")
    assert not loaded & {"pygls", "lsprotocol", "cattrs", "rich", "redact_secret", "watchfiles", "yaml"}


def test_the_contract_needs_msgspec_alone() -> None:
    loaded = loaded_after("import protocol.methods, protocol.errors")
    assert not loaded & {"sidecar", "pygls", "lsprotocol", "diskcache", "click"}


def test_a_name_is_one_class() -> None:
    homes: dict[str, list[str]] = {}
    for path in SOURCES:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ClassDef) and module_of(path).startswith("sidecar"):
                homes.setdefault(node.name, []).append(module_of(path))
    twice = [f"{name}: {', '.join(modules)}" for name, modules in homes.items() if len(modules) > 1]
    assert not twice, "\n".join(twice)


def test_a_module_calls_its_logger_log() -> None:
    named = re.compile(r"^(?!log )\w+ = logging\.getLogger", re.MULTILINE)
    assert not [module_of(path) for path in SOURCES if named.search(path.read_text(encoding="utf-8"))]


def test_functions_and_constructors_are_short() -> None:
    long: list[str] = []
    for path in SOURCES:
        text = path.read_text(encoding="utf-8")
        for node in () if text.startswith('"""Generated') else ast.walk(ast.parse(text)):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                parameters = len(node.args.args) + len(node.args.kwonlyargs) - 1
                if (node.end_lineno or 0) - node.lineno >= 60 or (node.name == "__init__" and parameters > 7):
                    long.append(f"{module_of(path)}.{node.name}")
    assert not long
