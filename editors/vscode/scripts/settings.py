"""Write the sidecar's settings into package.json, as VS Code lists them; with `--check` say if they are not there.

Run from the repository's root, with the project's Python: `python editors/vscode/scripts/settings.py`. Keys, which are
secret, are left out: the extension keeps them in VS Code's secret storage. So is `workspace.id`: set for the user it
would make one memory of all folders.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any, Literal, Union, get_args, get_origin

ROOT = Path(__file__).resolve().parents[3]
PACKAGE = ROOT / "editors" / "vscode" / "package.json"
SECTION = "memorySidecar"
LEFT_OUT = ("workspace.id",)
TITLES = {
    "memory": "Memory",
    "memoryFile": "Memory File",
    "maintenance": "Maintenance",
    "files": "Files",
    "embeddings": "Embeddings",
    "models": "Chat Model",
    "hooks": "Hooks",
    "watch": "Watching",
    "store": "Store",
    "log": "Log",
}


def configuration(own: dict[str, Any]) -> list[dict[str, Any]]:
    """The groups of settings: the extension's own, then the sidecar's in its order."""
    from sidecar.settings.table import describe

    groups: dict[str, dict[str, Any]] = {}
    for row in describe().values():
        if not row.secret and row.key not in LEFT_OUT:
            groups.setdefault(row.group, {})[f"{SECTION}.{row.key}"] = {
                **_schema(row.type),
                "default": _plain(row.default),
                # What decides where data goes or what is run is not taken from a repository. There is one log for all
                # folders of a window; the rest may differ between them.
                "scope": "machine" if row.user_only else "window" if row.group == "log" else "resource",
                "markdownDescription": row.description,
            }
    titled = [
        {"title": TITLES.get(group, group.capitalize()), "properties": properties}
        for group, properties in groups.items()
    ]
    return [own, *titled]


def _schema(kind: Any) -> dict[str, Any]:
    """The type as VS Code's settings editor understands it."""
    found = _of(kind)
    if found.pop("nullable", False):
        found["type"] = [found["type"], "null"]
        if "enum" in found:
            found["enum"] = [*found["enum"], None]
    return found


def _of(kind: Any) -> dict[str, Any]:
    if hasattr(kind, "__metadata__"):
        found = _of(kind.__origin__)
        for meta in kind.__metadata__:
            found |= _bounds(meta, found.get("type"))
        return found
    origin, arguments = get_origin(kind), get_args(kind)
    if origin is Literal:
        return {"type": "string", "enum": list(arguments)}
    if origin is tuple:
        return {"type": "array", "items": _of(arguments[0])}
    if origin is Union or type(None) in arguments:
        (some,) = [one for one in arguments if one is not type(None)]
        return {**_of(some), "nullable": True}
    names = {bool: "boolean", int: "integer", float: "number", str: "string", Path: "string"}
    return {"type": names[kind]}


def _bounds(meta: Any, kind: str | None) -> dict[str, Any]:
    names = {"ge": "minimum", "le": "maximum", "pattern": "pattern"}
    if kind == "array":
        names |= {"min_length": "minItems", "max_length": "maxItems"}
    else:
        names |= {"min_length": "minLength", "max_length": "maxLength"}
    return {names[key]: _plain(getattr(meta, key)) for key in names if getattr(meta, key, None) is not None}


def _plain(value: Any) -> Any:
    if isinstance(value, tuple):
        return list(value)
    if isinstance(value, float) and value.is_integer():
        return int(value)  # as JavaScript writes it
    return str(value) if isinstance(value, Path) else value


def main() -> int:
    """0: current or written; 1: not current."""
    before = PACKAGE.read_text(encoding="utf-8")
    package = json.loads(before)
    given = package["contributes"]["configuration"]
    own = given if isinstance(given, dict) else given[0]
    package["contributes"]["configuration"] = configuration(own)
    after = json.dumps(package, indent=2, ensure_ascii=False) + "\n"
    if "--check" in sys.argv:
        if after != before:
            sys.stderr.write(
                "editors/vscode/package.json does not list the sidecar's settings as they are: run "
                "`python editors/vscode/scripts/settings.py` and commit it.\n"
            )
        return int(after != before)
    PACKAGE.write_text(after, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.path.insert(0, str(ROOT))
    sys.exit(main())
