"""The invariants of the house, read from the source so that they cannot drift."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path
from typing import get_args

import pytest

from protocol import memories
from sidecar.exchange.memory_file import document
from sidecar.store import vocabulary

ROOT = Path(__file__).resolve().parents[1]
SOURCES = sorted([*ROOT.glob("sidecar/**/*.py"), *ROOT.glob("protocol/**/*.py")])

FLOORS = {
    "cli": 5,
    "__main__": 5,
    "lsp": 4,
    "mcp": 4,
    "hooks": 4,
    "engine": 3,
    "requests": 3,
    "workspace": 3,
    "roster": 3,
    "transfer": 3,
    "background": 3,
    "convert": 3,
    "courtesy": 3,
    "embedding": 3,
    "enrichment": 3,
    "grounding": 3,
    "hook_scripts": 3,
    "kept": 3,
    "housekeeping": 3,
    "journal": 3,
    "settling": 3,
    "inflight": 3,
    "lanes": 3,
    "learner": 3,
    "lessons": 3,
    "session_reading": 3,
    "memory_file": 3,
    "model_answers": 3,
    "modelling": 3,
    "opened": 3,
    "files": 2,
    "memories": 2,
    "learning": 2,
    "sessions": 2,
    "exchange": 2,
    "transcripts": 2,
    "store": 1,
    "checkout": 1,
    "text": 1,
    "models": 1,
    "settings": 1,
    "trackers": 1,
    "user_folders": 1,
    "wire": 1,
    "errors": 1,
    "ids": 1,
    "processes": 1,
    "patterns": 1,
    "structs": 3,
    "stock": 3,
    "call": 1,
    "log": 1,
}


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
            if node.module in ("sidecar", "protocol"):
                found += [(f"{node.module}.{alias.name}", id(node) in top) for alias in node.names]
    return found


def module_of(path: Path) -> str:
    return ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")


@pytest.mark.parametrize("path", SOURCES, ids=lambda p: str(p.relative_to(ROOT)))
def test_imports_go_down_the_floors(path: Path) -> None:
    module = module_of(path)
    if module.startswith("protocol"):
        outside = [name for name, _ in imports(path) if name.startswith("sidecar")]
        assert not outside, f"protocol/ imports {outside}"
        return
    if module == "sidecar":
        return
    here = room(module)
    assert here in FLOORS, f"sidecar/{here} has no floor: give it one in this test and in the room list"
    for name, _ in imports(path):
        if not name.startswith("sidecar."):
            continue
        there = room(name)
        if there in ("", here) or there.startswith("__"):
            continue
        assert there in FLOORS, f"{module} imports {name}, which has no floor"
        same_floor_is_fine = FLOORS[here] in (1, 3, 5)
        assert FLOORS[there] < FLOORS[here] or (same_floor_is_fine and FLOORS[there] == FLOORS[here]), (
            f"{module} (floor {FLOORS[here]}) imports {name} (floor {FLOORS[there]})"
        )


@pytest.mark.parametrize("path", SOURCES, ids=lambda p: str(p.relative_to(ROOT)))
def test_rooms_know_only_their_own_libraries(path: Path) -> None:
    module = module_of(path)
    here = room(module)
    names = {name.split(".")[0] for name, _ in imports(path)}
    if here != "lsp":
        assert not names & {"pygls", "lsprotocol", "cattrs", "attrs"}, f"{module} knows LSP"
    if here != "store":
        assert not names & {"diskcache", "sqlite3"}, f"{module} names the store's engine"
    if FLOORS.get(here) == 2:
        allowed_json = "structure" in module  # reading a JSON file's structure is that room's work
        assert not names & ({"asyncio"} | (set() if allowed_json else {"json"})), f"{module} knows the wire"
    assert not names & {"pickle", "marshal", "shelve", "dill"}, f"{module} imports a pickler"


@pytest.mark.parametrize("path", SOURCES, ids=lambda p: str(p.relative_to(ROOT)))
def test_files_stay_small_and_say_what_they_are(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert text.count("\n") <= 400, f"{path} has grown past 400 lines: which two rooms is it?"
    assert path.stem not in {"utils", "helpers", "common", "base", "manager"}
    assert ast.get_docstring(ast.parse(text)), f"{path} does not say what it is"


MUTE = [path for path in SOURCES if "/cli/" not in str(path) and path.name != "generate.py"]
"""Everything but the command line and the generator, which print for a person."""


@pytest.mark.parametrize("path", MUTE, ids=lambda p: str(p.relative_to(ROOT)))
def test_nothing_prints_on_the_stream(path: Path) -> None:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    calls = [
        node.lineno
        for node in ast.walk(tree)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "print"
    ]
    assert not calls, f"{path} prints at lines {calls}: fd 1 belongs to frames"


def test_the_domain_s_words_are_the_wire_s() -> None:
    """The domain may not import the wire's structs, so it has these lists of its own: they must not drift apart."""
    assert set(vocabulary.SCOPES) == set(get_args(memories.Scope))
    assert set(vocabulary.TYPES) == set(get_args(memories.MemoryType))
    assert set(vocabulary.CATEGORIES) == set(get_args(memories.Category))
    assert set(document.TITLES) == set(get_args(memories.MemoryType))


def loaded_after(statement: str) -> set[str]:
    code = f"import sys\n{statement}\nprint(*sorted(sys.modules), sep='\\n')"
    out = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT, check=True, timeout=180
    )
    return {line.split(".")[0] for line in out.stdout.splitlines()}


def test_the_command_line_starts_without_the_language_server() -> None:
    loaded = loaded_after("import sidecar.cli.main, sidecar.engine")
    assert not loaded & {"pygls", "lsprotocol", "cattrs", "rich", "redact_secret", "watchfiles", "yaml"}


def test_the_contract_needs_msgspec_alone() -> None:
    loaded = loaded_after("import protocol.methods, protocol.errors")
    assert not loaded & {"sidecar", "pygls", "lsprotocol", "diskcache", "click"}
