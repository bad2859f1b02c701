"""Write what is generated from the structs, or check that it is current.

`python -m protocol.generate` writes `schema.json`, `vectors.json`, `askable.py`, `calls.py`, the tables of
`README.md` and, in a checkout, the types of the TypeScript package, the LuaCATS types of the Neovim plugin and the
calls of the tests; `python -m protocol.generate --check` exits 1 and names what is out of date.
"""

from __future__ import annotations

import sys
from pathlib import Path

import msgspec

from protocol.luacats import luacats
from protocol.page import page
from protocol.python_calls import python_askable, python_calls, python_calls_by_name
from protocol.schema import schema
from protocol.typescript import typescript
from protocol.vectors import vectors

HERE = Path(__file__).parent
PACKAGE = HERE.parent / "editors" / "typescript" / "src"
PLUGIN = HERE.parent / "editors" / "neovim" / "lua" / "memory_sidecar"
TESTS = HERE.parent / "tests" / "client"


def generated() -> dict[Path, str]:
    """Return each generated file with the text that it should have."""
    types = {PACKAGE / "protocol.ts": typescript()} if PACKAGE.is_dir() else {}
    if PLUGIN.is_dir():
        types[PLUGIN / "protocol.lua"] = luacats()
    if TESTS.is_dir():
        types[TESTS / "calls_by_name.py"] = python_calls_by_name()
    return types | {
        HERE / "schema.json": _json(schema()),
        HERE / "vectors.json": "[\n"
        + ",\n".join(msgspec.json.encode(vector).decode() for vector in vectors())
        + "\n]\n",
        HERE / "askable.py": python_askable(),
        HERE / "calls.py": python_calls(),
        HERE / "README.md": page((HERE / "README.md").read_text(encoding="utf-8")),
    }


def _json(value: object) -> str:
    return msgspec.json.format(msgspec.json.encode(value), indent=2).decode() + "\n"


def main(arguments: list[str]) -> int:
    """Write the generated files, or with `--check` only compare them; return the exit code."""
    stale = []
    for path, text in generated().items():
        if path.exists() and path.read_text(encoding="utf-8") == text:
            continue
        stale.append(path.name)
        if "--check" not in arguments:
            path.write_text(text, encoding="utf-8")
    if stale:
        verb = "out of date" if "--check" in arguments else "written"
        print(f"{verb}: {', '.join(stale)}")
    return int(bool(stale) and "--check" in arguments)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
