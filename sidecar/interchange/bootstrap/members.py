"""List a monorepo's members with their folders, descriptions and uses of each other, and the libraries they use."""

from __future__ import annotations

import re
import tomllib
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from functools import cache, partial
from pathlib import Path
from typing import Any, NamedTuple

from sidecar.interchange.bootstrap.project import FirstFact, Project, as_code, list_values, short_text, value_at

MAX_MANIFESTS = 80  # of members that are read
_MAX_MEMBERS = 24  # listed in the fact
_MAX_USED_MEMBERS = 4  # the most members listed of those that a member uses
_MAX_ROLES = 10  # of libraries
_EXAMPLE_FOLDERS = frozenset(
    "example examples playground playgrounds fixture fixtures testdata template templates sandbox demo demos sample"
    " samples".split()
)
_GO_USE = re.compile(r"^use[ \t]+([^\s()]+)|^use[ \t]*\(([^)]*)\)", re.MULTILINE)
_GO_MODULE = re.compile(r"(?m)^module[ \t]+(\S+)")
_GO_REQUIRE = re.compile(r"(?m)^(?:require)?[ \t]+([\w.-]+\.[\w.-]+/\S+)[ \t]+v\S+(?![^\n]*// indirect)")
_GRADLE_INCLUDE = re.compile(r"""(?<!\w)include\s*\(?\s*((?:["'][^"']+["'][\s,]*)+)""")
_GRADLE_LIBRARY = re.compile(r"""["']([\w.-]+:[\w.-]+)(?::[^"']*)?["']""")
_REQUIREMENT = re.compile(r"[A-Za-z0-9][\w.-]*")


class Member(NamedTuple):
    """One member. By its manifest, it `uses` these libraries and other members."""

    folder: str
    name: str
    description: str
    uses: frozenset[str]
    ecosystem: str

    @property
    def is_example(self) -> bool:
        return not _EXAMPLE_FOLDERS.isdisjoint(self.folder.split("/"))


def find_manifests(project: Project, paths: Collection[str]) -> list[str]:
    """Return the manifests of the members among the paths of a checkout, at most `MAX_MANIFESTS`."""
    known = frozenset(paths)
    paths_in_order = dict.fromkeys(path for finder in _FINDERS for path in finder(project, known) if path in known)
    return list(paths_in_order)[:MAX_MANIFESTS]


def member_facts(project: Project) -> list[FirstFact]:
    all_members = [member for path in project.members if (member := _member(project, path)) is not None]
    main_members = list({member.folder: member for member in all_members if not member.is_example}.values())
    examples = Counter(member.folder.split("/")[0] for member in all_members if member.is_example)
    facts = []
    if len(main_members) > 1:
        names = {
            member.name: member.folder if "/" in member.name[1:] and member.name[0] != "@" else member.name
            for member in main_members
        }
        lines = [f"It is a monorepo with {len(main_members)} members:"]
        lines += [_member_line(member, names) for member in sorted(main_members)[:_MAX_MEMBERS]]
        if len(main_members) > _MAX_MEMBERS:
            lines.append(f"And {len(main_members) - _MAX_MEMBERS} more.")
        if examples:
            counts = ", ".join(f"{count} in {as_code(top)}" for top, count in sorted(examples.items()))
            lines.append(f"Examples and fixtures: {counts}.")
        facts.append(FirstFact("Monorepo: its members", "\n".join(lines), tuple(project.members[:5])))
    roots = [member for path in _ROOT_MANIFESTS if project.has(path) and (member := _member(project, path)) is not None]
    return [*facts, *_libraries([*roots, *main_members], project)]


def _member_line(member: Member, names: Mapping[str, str]) -> str:
    """Return a member's line; `names` has the name to show of each member."""
    last = member.folder.rpartition("/")[2]
    differs = member.name and (member.name[0] == "@" or member.name.rpartition("/")[2] != last)
    name_note = f" ({as_code(member.name)})" if differs else ""
    description = f": {member.description}" if member.description else ""
    ties = sorted(names[other] for other in member.uses & names.keys() - {member.name, ""})
    uses_note = f" [uses {list_values(ties, _MAX_USED_MEMBERS)}]" if ties else ""
    return f"- {as_code(member.folder)}{name_note}{description}{uses_note}"


def _libraries(members_listed: list[Member], project: Project) -> list[FirstFact]:
    counts: Counter[tuple[str, str]] = Counter()
    own = {name for member in members_listed for name in (member.name, member.folder.rpartition("/")[2])}
    for member in members_listed:
        roles = _roles().get(member.ecosystem, {})
        for name in member.uses - own:
            if (role := roles.get(name.lower())) is not None:
                counts[role, name] += 1
    by_role: dict[str, list[str]] = {}
    for (role, name), _ in sorted(counts.items(), key=lambda item: (-item[1], item[0])):
        by_role.setdefault(role, []).append(name)
    if not by_role:
        return []
    lines = [f"- {role}: {list_values(names, 4)}" for role, names in list(by_role.items())[:_MAX_ROLES]]
    files = tuple(path for path in (*_ROOT_MANIFESTS, *project.members) if project.has(path))[:5]
    return [FirstFact("Libraries, by what they are for", "\n".join(["Libraries that it uses:", *lines]), files)]


@cache
def _roles() -> dict[str, dict[str, str]]:
    table = tomllib.loads(Path(__file__).with_name("libraries.toml").read_text("utf-8"))
    return {
        ecosystem: {name: role for role, names in roles.items() for name in names.split()}
        for ecosystem, roles in table.items()
    }


def _find_declared(project: Project, known_paths: Collection[str]) -> Iterator[str]:
    for name, key in (("Cargo.toml", "workspace"), ("pyproject.toml", "tool/uv/workspace")):
        table = project.value(name, key)
        yield from _matching(value_at(table, "members"), value_at(table, "exclude"), name, known_paths)
    yield from _matching(project.value("pom.xml", "modules/module"), (), "pom.xml", known_paths)


def _find_npm(project: Project, known_paths: Collection[str]) -> Iterator[str]:
    workspaces = project.value("package.json", "workspaces")
    pnpm = project.value("pnpm-workspace.yaml", "packages")
    patterns = _texts(value_at(workspaces, "packages") or workspaces) + _texts(pnpm)
    left_out = [pattern[1:] for pattern in patterns if pattern.startswith("!")]
    yield from _matching([pattern for pattern in patterns if pattern[0] != "!"], left_out, "package.json", known_paths)


def _find_go(project: Project, known_paths: Collection[str]) -> Iterator[str]:
    uses = _GO_USE.findall(project.texts.get("go.work", ""))
    folders = [word for single, many in uses for word in (single or many).split() if not word.startswith("//")]
    if uses:
        yield from _matching(folders, (), "go.mod", known_paths)
    elif not project.has("go.mod"):  # several modules in one repository
        yield from sorted(path for path in known_paths if path.endswith("/go.mod"))


def _find_gradle(project: Project, known_paths: Collection[str]) -> Iterator[str]:
    source = project.texts.get(project.first("settings.gradle.kts", "settings.gradle") or "", "")
    for group in _GRADLE_INCLUDE.findall(source):
        for name in re.findall(r"""["']([^"']+)["']""", group):
            folder = name.strip(":").replace(":", "/")
            yield from (f"{folder}/{build}" for build in ("build.gradle.kts", "build.gradle"))


def _find_nx(project: Project, known_paths: Collection[str]) -> Iterator[str]:
    if "nx.json" in known_paths:
        yield from sorted(path for path in known_paths if path.endswith("/project.json") and path.count("/") < 6)


_FINDERS = (_find_declared, _find_npm, _find_go, _find_gradle, _find_nx)


def _matching(wanted_globs: object, left_out: object, name: str, known_paths: Collection[str]) -> Iterator[str]:
    """Yield the manifests called `name` in those folders that a pattern matches."""
    patterns = [_pattern(glob) for glob in _texts(wanted_globs)]
    if not patterns:
        return
    excluded = [_pattern(glob) for glob in _texts(left_out)]
    for path in sorted(known_paths):
        folder, _, last = path.rpartition("/")
        wanted = folder and last == name and any(glob.fullmatch(folder) for glob in patterns)
        if wanted and not any(glob.match(folder) for glob in excluded):
            yield path


def _pattern(glob: str) -> re.Pattern[str]:
    parts = re.split(r"(\*\*/?|\*|\?)", glob.removeprefix("./").strip("/"))
    wild = {"**": ".*", "**/": "(?:.*/)?", "*": "[^/]*", "?": "[^/]"}
    return re.compile("".join(wild.get(part) or re.escape(part) for part in parts))


def _member(project: Project, path: str) -> Member | None:
    folder, _, last = path.rpartition("/")
    if last not in _ECOSYSTEMS or path not in project.texts:
        return None
    name, description, uses = _read_manifest(project, path, last)
    about = short_text(description, 160) or ""
    text = about if about.lower().strip("`.@ ") not in (name.lower().strip("@ "), "") and "${" not in about else ""
    return Member(folder, "" if "${" in name else name, text, frozenset(uses), _ECOSYSTEMS[last])


_ECOSYSTEMS = {
    "Cargo.toml": "rust",
    "package.json": "javascript",
    "pyproject.toml": "python",
    "go.mod": "go",
    "pom.xml": "java",
    "build.gradle.kts": "java",
    "build.gradle": "java",
    "project.json": "javascript",
}
_ROOT_MANIFESTS = tuple(name for name in _ECOSYSTEMS if name != "project.json")
_LIBRARY_TABLES = {
    "Cargo.toml": ("dependencies", "dev-dependencies", "build-dependencies", "workspace/dependencies"),
    "package.json": ("dependencies", "peerDependencies", "devDependencies"),
}


def _read_manifest(project: Project, path: str, last: str) -> tuple[str, object, Iterable[str]]:
    """Return the name, description and used libraries of a manifest, whose file is called `last`."""
    source, value = project.texts[path], partial(project.value, path)
    uses: Iterable[str]
    match last:
        case "go.mod":
            module = _GO_MODULE.search(source)
            return module[1] if module else "", None, _GO_REQUIRE.findall(source)
        case "pom.xml":
            name, description = (next(iter(value(key) or ()), "").strip() for key in ("artifactId", "description"))
            return name, description, value("dependencies/dependency/artifactId") or ()
        case "build.gradle" | "build.gradle.kts":
            catalog = project.value("gradle/libs.versions.toml", "libraries")
            libraries = catalog.values() if isinstance(catalog, dict) else ()
            shared = (value_at(library, "module") or library for library in libraries)
            uses = [*_GRADLE_LIBRARY.findall(source), *(library for library in shared if isinstance(library, str))]
            return "", None, {library.split(":")[1] for library in uses if ":" in library}
        case "project.json":
            return _name(value("")), value("projectType"), ()
        case "pyproject.toml":
            package = value("project") or value("tool/poetry")
            groups = (
                value_at(package, "dependencies"),
                value_at(package, "optional-dependencies"),
                value("dependency-groups"),
            )
            required = (_REQUIREMENT.match(text) for group in groups for text in _requirement_texts(group))
            uses = {name[0].lower().replace("_", "-") for name in required if name}
            return _name(package), value_at(package, "description"), uses
    package = value("package" if last == "Cargo.toml" else "")
    tables = (value(key) for key in _LIBRARY_TABLES[last])
    uses = {str(name) for table in tables if isinstance(table, dict) for name in table}
    return _name(package), value_at(package, "description"), uses


def _name(table: Any) -> str:
    return short_text(value_at(table, "name"), 100) or ""


def _requirement_texts(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for key, inner in value.items():
            yield from _requirement_texts(inner) if isinstance(inner, list) else (str(key),)
    elif isinstance(value, list):
        for item in value:
            yield from _requirement_texts(item) if isinstance(item, str) else ()


def _texts(value: object) -> list[str]:
    items = value if isinstance(value, list | tuple) else ()
    return [item.strip() for item in items if isinstance(item, str) and item.strip()]
