"""Python: pyproject.toml, setup.cfg, tox.ini and the tools' own files."""

from __future__ import annotations

import configparser
import re
from collections.abc import Callable

from sidecar.interchange.bootstrap.fact import Fact, Project, at, commands, listed, text

_SETUP_PYTHON = re.compile(r"python_requires\s*=\s*[\"']([^\"']{1,40})[\"']")
_REQUIREMENT = re.compile(r"[A-Za-z0-9][\w.-]*")
_TARGETS = ("files", "packages", "modules")
_HOOK = re.compile(r"^\s*-\s+id:\s*([\w.-]+)", re.MULTILINE)


def python(project: Project) -> list[Fact]:
    """What the package is and needs, and how it is tested and checked."""
    table = project.toml("pyproject.toml")
    setup = _ini(project.texts.get("setup.cfg", ""))
    if not table and not project.first("setup.cfg", "setup.py"):
        return []
    return [*_package(project, table, setup), *_commands(project, table, setup)]


def _package(project: Project, table: dict[str, object], setup: configparser.ConfigParser) -> list[Fact]:
    said, files = [], []
    manifest = project.first("pyproject.toml", "setup.cfg", "setup.py") or "setup.py"
    needs = text(at(table, "project", "requires-python"), 60) or text(
        at(table, "tool", "poetry", "dependencies", "python"), 60
    )
    if needs is None and setup.has_option("options", "python_requires"):
        needs, manifest = text(setup.get("options", "python_requires"), 60), "setup.cfg"
    if needs is None and (found := _SETUP_PYTHON.search(project.texts.get("setup.py", ""))):
        needs, manifest = found[1], "setup.py"
    if needs is not None:
        said.append(f"It needs Python `{needs}`.")
        files.append(manifest)
    backend = text(at(table, "build-system", "build-backend"), 60)
    if backend is not None:
        said.append(f"It is built by `{backend}`.")
        files.append("pyproject.toml")
    scripts = at(table, "project", "scripts") or at(table, "tool", "poetry", "scripts")
    if isinstance(scripts, dict) and scripts:
        entries = [f"{name} = {target}" for name, target in scripts.items() if isinstance(target, str)]
        said.append(f"Commands that it installs: {listed(entries, 5)}.")
        files.append("pyproject.toml")
    for lock, tool in (
        ("uv.lock", "uv"),
        ("poetry.lock", "Poetry"),
        ("pdm.lock", "PDM"),
        ("Pipfile", "Pipenv"),
    ):
        if project.has(lock):
            said.append(f"{tool} keeps its dependencies (`{lock}`).")
            files.append(lock)
            break
    version = text(project.texts.get(".python-version"), 40)
    if version is not None:
        said.append(f"Development uses Python `{version}` (`.python-version`).")
        files.append(".python-version")
    if not said:
        return []
    return [Fact("Python: what the package needs", "\n".join(said), tuple(dict.fromkeys(files)))]


def _commands(project: Project, table: dict[str, object], setup: configparser.ConfigParser) -> list[Fact]:
    pairs: list[tuple[str, str]] = []
    files: list[str] = []
    tool = at(table, "tool")
    tools = tool if isinstance(tool, dict) else {}
    tox = _ini(project.texts.get("tox.ini", ""))

    def add(purpose: str, command: str, *where: str | None) -> None:
        pairs.append((purpose, command))
        files.extend(path for path in where if path is not None)

    configured = "pyproject.toml" if at(tools, "pytest") is not None else None
    configured = configured or ("setup.cfg" if setup.has_section("tool:pytest") else None)
    configured = (
        configured or ("tox.ini" if tox.has_section("pytest") else None) or project.first("pytest.ini")
    )
    run = _runner(project, table)
    if configured is not None:
        add("test", f"{run('pytest')}pytest", configured)
    if project.has("manage.py"):
        add("test (Django)", "python manage.py test", "manage.py")
    if tox.has_section("tox") or tox.sections():
        names = [
            each.strip()
            for each in re.split(r"[,\n]", tox.get("tox", "envlist", fallback=""))
            if each.strip()
        ]
        add(
            f"all test environments ({', '.join(names[:8])})" if names else "all test environments",
            "tox",
            "tox.ini",
        )
    elif at(tools, "tox") is not None:
        names = at(tools, "tox", "env_list")
        shown = [one for one in names if isinstance(one, str)] if isinstance(names, list) else []
        add(
            f"all test environments ({', '.join(shown[:8])})" if shown else "all test environments",
            "tox",
            "pyproject.toml",
        )
    if project.has("noxfile.py"):
        add("all test sessions", "nox", "noxfile.py")
    ruff = "pyproject.toml" if at(tools, "ruff") is not None else project.first("ruff.toml", ".ruff.toml")
    if ruff is not None:
        add("lint", f"{run('ruff')}ruff check", ruff)
    elif setup.has_section("flake8") or tox.has_section("flake8") or project.has(".flake8"):
        add("lint", f"{run('flake8')}flake8", project.first(".flake8", "setup.cfg", "tox.ini"))
    if at(tools, "black") is not None:
        add("format", f"{run('black')}black .", "pyproject.toml")
    mypy = "pyproject.toml" if at(tools, "mypy") is not None else project.first("mypy.ini")
    if mypy is not None and (mypy == "mypy.ini" or any(at(tools, "mypy", key) for key in _TARGETS)):
        add("type check", f"{run('mypy')}mypy", mypy)
    if at(tools, "pyright") is not None:
        add("type check", f"{run('pyright')}pyright", "pyproject.toml")
    tasks = at(tools, "poe", "tasks") or at(tools, "taskipy", "tasks") or at(tools, "pdm", "scripts")
    if isinstance(tasks, dict):
        runner = "poe" if at(tools, "poe") else "task" if at(tools, "taskipy") else "pdm run"
        for name in list(tasks)[:8]:
            add(f"task {name}", f"{runner} {name}", "pyproject.toml")
    hooks = _HOOK.findall(project.texts.get(".pre-commit-config.yaml", ""))
    if hooks:
        hook_names = ", ".join(list(dict.fromkeys(hooks))[:8])
        add(f"checks before a commit ({hook_names})", "pre-commit run --all-files", ".pre-commit-config.yaml")
    if not pairs:
        return []
    return [Fact("Python: commands", commands(pairs, files), tuple(dict.fromkeys(files)), "procedure")]


def _runner(project: Project, table: dict[str, object]) -> Callable[[str], str]:
    """What to put before a tool's command: `uv run` when uv installs that tool without being asked for a group."""
    if not project.has("uv.lock"):
        return lambda tool: ""
    named = at(table, "tool", "uv", "default-groups")
    defaults = [one for one in named if isinstance(one, str)] if isinstance(named, list) else ["dev"]
    known: set[str] = set()
    todo = [*defaults]
    for group in todo:
        for entry in at(table, "dependency-groups", group) or ():
            if isinstance(entry, str) and (name := _REQUIREMENT.match(entry)):
                known.add(name[0].lower())
            elif isinstance(inner := at(entry, "include-group"), str) and inner not in todo:
                todo.append(inner)
    return lambda tool: "uv run " if tool in known else ""


def _ini(source: str) -> configparser.ConfigParser:
    parser = configparser.ConfigParser(interpolation=None, strict=False)
    try:
        parser.read_string(source)
    except configparser.Error:
        return configparser.ConfigParser(interpolation=None)
    return parser
