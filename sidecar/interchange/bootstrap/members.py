"""List a monorepo's members with their folders, descriptions and mutual uses, and the libraries that they use."""

from __future__ import annotations

import re
import tomllib
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from functools import cache, partial
from pathlib import Path
from typing import Any, NamedTuple

from sidecar.interchange.bootstrap.project import FirstFact, Project, as_code, list_values, short_text, value_at

MAX_MANIFESTS = 80
_MAX_MEMBERS = 24
_MAX_USED = 4  # members listed that another member uses
_MAX_ROLES = 10
_EXAMPLE_FOLDERS = frozenset(
    "example examples playground playgrounds fixture fixtures testdata template templates sandbox demo demos sample"
    " samples".split()
)
_USE = re.compile(r"^use[ \t]+([^\s()]+)|^use[ \t]*\(([^)]*)\)", re.MULTILINE)
_MODULE = re.compile(r"(?m)^module[ \t]+(\S+)")
_REQUIRE = re.compile(r"(?m)^(?:require)?[ \t]+([\w.-]+\.[\w.-]+/\S+)[ \t]+v\S+(?![^\n]*// indirect)")
_INCLUDE = re.compile(r"""(?<!\w)include\s*\(?\s*((?:["'][^"']+["'][\s,]*)+)""")
_GRADLE = re.compile(r"""["']([\w.-]+:[\w.-]+)(?::[^"']*)?["']""")
_REQUIREMENT = re.compile(r"[A-Za-z0-9][\w.-]*")


class Member(NamedTuple):
    """One member; its manifest names the libraries and other members that it `uses`."""

    folder: str
    name: str
    description: str
    uses: frozenset[str]
    ecosystem: str

    @property
    def is_example(self) -> bool:
        return not _EXAMPLE_FOLDERS.isdisjoint(self.folder.split("/"))


def find_manifests(project: Project, paths: Collection[str]) -> list[str]:
    """Return the members' manifests among the paths of a checkout, at most `MAX_MANIFESTS`."""
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
            lines.append(
                f"Examples and fixtures: {', '.join(f'{n} in {as_code(top)}' for top, n in sorted(examples.items()))}."
            )
        facts.append(FirstFact("Monorepo: its members", "\n".join(lines), tuple(project.members[:5])))
    roots = [member for path in _ROOTS if project.has(path) and (member := _member(project, path)) is not None]
    return [*facts, *_libraries([*roots, *main_members], project)]


def _member_line(member: Member, names: Mapping[str, str]) -> str:
    """Return a member's line; `names` gives the name to show for each member."""
    last = member.folder.rpartition("/")[2]
    name_note = (
        f" ({as_code(member.name)})"
        if member.name and (member.name[0] == "@" or member.name.rpartition("/")[2] != last)
        else ""
    )
    description = f": {member.description}" if member.description else ""
    ties = sorted(names[other] for other in member.uses & names.keys() - {member.name, ""})
    uses_note = f" [uses {list_values(ties, _MAX_USED)}]" if ties else ""
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
    files = tuple(path for path in (*_ROOTS, *project.members) if project.has(path))[:5]
    return [FirstFact("Libraries, by what they are for", "\n".join(["Libraries that it uses:", *lines]), files)]


@cache
def _roles() -> dict[str, dict[str, str]]:
    table = tomllib.loads(Path(__file__).with_name("libraries.toml").read_text("utf-8"))
    return {
        ecosystem: {name: role for role, names in roles.items() for name in names.split()}
        for ecosystem, roles in table.items()
    }


# -- where members are ---------------------------------------------------------------------------------------


def _declared(project: Project, known: Collection[str]) -> Iterator[str]:
    for name, key in (("Cargo.toml", "workspace"), ("pyproject.toml", "tool/uv/workspace")):
        table = project.value(name, key)
        yield from _matching(value_at(table, "members"), value_at(table, "exclude"), name, known)
    yield from _matching(project.value("pom.xml", "modules/module"), (), "pom.xml", known)


def _npm(project: Project, known: Collection[str]) -> Iterator[str]:
    workspaces = project.value("package.json", "workspaces")
    patterns = [
        *_texts(value_at(workspaces, "packages") or workspaces),
        *_texts(project.value("pnpm-workspace.yaml", "packages")),
    ]
    left_out = [pattern[1:] for pattern in patterns if pattern.startswith("!")]
    yield from _matching([pattern for pattern in patterns if pattern[0] != "!"], left_out, "package.json", known)


def _go(project: Project, known: Collection[str]) -> Iterator[str]:
    folders = [
        word for single, many in _USE.findall(project.texts.get("go.work", "")) for word in (single or many).split()
    ]
    if folders:
        yield from _matching([single for single in folders if not single.startswith("//")], (), "go.mod", known)
    elif not project.has("go.mod"):  # several modules in one repository
        yield from sorted(path for path in known if path.endswith("/go.mod"))


def _gradle(project: Project, known: Collection[str]) -> Iterator[str]:
    source = project.texts.get(project.first("settings.gradle.kts", "settings.gradle") or "", "")
    for group in _INCLUDE.findall(source):
        for name in re.findall(r"""["']([^"']+)["']""", group):
            folder = name.strip(":").replace(":", "/")
            yield from (f"{folder}/{build}" for build in ("build.gradle.kts", "build.gradle"))


def _nx(project: Project, known: Collection[str]) -> Iterator[str]:
    if "nx.json" in known:
        yield from sorted(path for path in known if path.endswith("/project.json") and path.count("/") < 6)


_FINDERS: tuple[Callable[[Project, Collection[str]], Iterable[str]], ...] = (
    _declared, _npm, _go, _gradle, _nx,
)  # fmt: skip


def _matching(wanted_globs: object, left_out: object, name: str, known: Collection[str]) -> Iterator[str]:
    """Yield the manifests called `name` in folders that a pattern matches."""
    patterns = [_pattern(glob) for glob in _texts(wanted_globs)]
    if not patterns:
        return
    excluded = [_pattern(glob) for glob in _texts(left_out)]
    for path in sorted(known):
        folder, _, last = path.rpartition("/")
        wanted = folder and last == name and any(glob.fullmatch(folder) for glob in patterns)
        if wanted and not any(glob.match(folder) for glob in excluded):
            yield path


def _pattern(glob: str) -> re.Pattern[str]:
    parts = re.split(r"(\*\*/?|\*|\?)", glob.removeprefix("./").strip("/"))
    wild = {"**": ".*", "**/": "(?:.*/)?", "*": "[^/]*", "?": "[^/]"}
    return re.compile("".join(wild.get(part) or re.escape(part) for part in parts))


# -- what a manifest says ------------------------------------------------------------------------------------


def _member(project: Project, path: str) -> Member | None:
    folder, _, last = path.rpartition("/")
    read = _READERS.get(last)
    if read is None or path not in project.texts:
        return None
    name, description, uses, ecosystem = read(project, path)
    about = short_text(description, 160) or ""
    shown = about if about.lower().strip("`.@ ") not in (name.lower().strip("@ "), "") and "${" not in about else ""
    return Member(folder, "" if "${" in name else name, shown, frozenset(uses), ecosystem)


MemberRead = tuple[str, object, Iterable[str], str]

_TABLES = {
    "Cargo.toml": ("package", ("dependencies", "dev-dependencies", "build-dependencies", "workspace/dependencies")),
    "package.json": ("", ("dependencies", "peerDependencies", "devDependencies")),
}
"""By manifest, the table that describes the package, and the tables of libraries."""


def _read_tables(project: Project, path: str, ecosystem: str) -> MemberRead:
    key, tables = _TABLES[path.rpartition("/")[2]]
    package = project.value(path, key)
    parsed_tables = (project.value(path, table) for table in tables)
    uses = {str(name) for table in parsed_tables if isinstance(table, dict) for name in table}
    return _name(package), value_at(package, "description"), uses, ecosystem


def _read_python(project: Project, path: str) -> MemberRead:
    package = project.value(path, "project") or project.value(path, "tool/poetry")
    groups = [value_at(package, "dependencies"), value_at(package, "optional-dependencies")]
    required = (
        text for group in (*groups, project.value(path, "dependency-groups")) for text in _requirement_texts(group)
    )
    matches = (_REQUIREMENT.match(requirement) for requirement in required)
    uses = {requirement[0].lower().replace("_", "-") for requirement in matches if requirement}
    return _name(package), value_at(package, "description"), uses, "python"


def _read_go(project: Project, path: str) -> MemberRead:
    source = project.texts[path]
    module = _MODULE.search(source)
    return module[1] if module else "", None, _REQUIRE.findall(source), "go"


def _read_maven(project: Project, path: str) -> MemberRead:
    def element(key: str) -> str:
        return next(iter(project.value(path, key) or ()), "").strip()

    uses = project.value(path, "dependencies/dependency/artifactId") or ()
    return element("artifactId"), element("description"), uses, "java"


def _read_gradle(project: Project, path: str) -> MemberRead:
    catalog = project.value("gradle/libs.versions.toml", "libraries")
    shared = (
        [value_at(library, "module") or library for library in catalog.values()] if isinstance(catalog, dict) else []
    )
    uses = [*_GRADLE.findall(project.texts[path]), *(library for library in shared if isinstance(library, str))]
    return "", None, {library.split(":")[1] for library in uses if ":" in library}, "java"


def _read_nx(project: Project, path: str) -> MemberRead:
    whole = project.value(path, "")
    return _name(whole), value_at(whole, "projectType"), (), "javascript"


_READERS: dict[str, Callable[[Project, str], MemberRead]] = {
    "Cargo.toml": partial(_read_tables, ecosystem="rust"),
    "package.json": partial(_read_tables, ecosystem="javascript"),
    "pyproject.toml": _read_python,
    "go.mod": _read_go,
    "pom.xml": _read_maven,
    "build.gradle.kts": _read_gradle,
    "build.gradle": _read_gradle,
    "project.json": _read_nx,
}
_ROOTS = tuple(name for name in _READERS if name != "project.json")


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
