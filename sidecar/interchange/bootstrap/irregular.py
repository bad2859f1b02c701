"""Facts that depend on more than one value, which the table of rules cannot express: scripts and `uv run`."""

from __future__ import annotations

import re
from collections.abc import Mapping

from sidecar.interchange.bootstrap.project import FirstFact, Project, list_commands, list_values, short_text, value_at

_NPM_SCRIPTS = "test lint build dev start check typecheck type-check format fmt e2e docs".split()
_MAX_SCRIPTS = 12  # listed with their commands
_MAX_SCRIPT_CHARS = 120  # of a command that is shown
_REQUIREMENT = re.compile(r"[A-Za-z0-9][\w.-]*")


def uv_run(project: Project, tool: str) -> str:
    """Return what precedes a tool's command: `uv run` if uv installs the tool without a named group, else nothing."""
    if not project.has("uv.lock"):
        return ""
    tables = project.value("pyproject.toml", "dependency-groups")
    default = project.value("pyproject.toml", "tool/uv/default-groups")
    groups = [name for name in default if isinstance(name, str)] if isinstance(default, list) else ["dev"]
    tools: set[str] = set()
    for group in groups:
        for entry in value_at(tables, group) or ():
            if isinstance(entry, str) and (name := _REQUIREMENT.match(entry)):
                tools.add(name[0].lower())
            elif isinstance(inner := value_at(entry, "include-group"), str) and inner not in groups:
                groups.append(inner)
    return "uv run " if tool in tools else ""


def npm_scripts(project: Project, words: Mapping[str, str]) -> list[FirstFact]:
    scripts = project.value("package.json", "scripts")
    if not isinstance(scripts, dict):
        return []
    bodies = {name: body for name, body in scripts.items() if isinstance(body, str) and body.strip()}
    shown_names = [
        name
        for name in bodies
        if any(name == word or name.startswith((f"{word}:", f"{word}-")) for word in _NPM_SCRIPTS)
    ]
    shown_names = sorted(shown_names, key=lambda name: ":" in name or "-" in name)[:_MAX_SCRIPTS]
    if not shown_names:
        return []
    manager = words["manager"]
    pairs = []
    for name in shown_names:
        script = short_text(bodies[name], _MAX_SCRIPT_CHARS)
        purpose = f"{name} ({script})" if script and "`" not in script and "$(" not in script else name
        short = manager == "npm" and name in ("test", "start")
        pairs.append((purpose, f"{manager} {name}" if short else f"{manager} run {name}"))
    other = [name for name in bodies if name not in shown_names]
    more = f"\nOther scripts: {list_values(other, 10)}." if other else ""
    content = list_commands(pairs, ["package.json"]) + more
    return [FirstFact("JavaScript: commands", content, ("package.json",), "procedure")]
