"""JavaScript and TypeScript: package.json, its scripts and lock file."""

from __future__ import annotations

from sidecar.interchange.bootstrap.fact import Fact, Project, at, commands, listed, text

_MANAGERS = (
    ("pnpm-lock.yaml", "pnpm"),
    ("yarn.lock", "yarn"),
    ("bun.lock", "bun"),
    ("bun.lockb", "bun"),
    ("package-lock.json", "npm"),
)
_WORTH = (
    "test",
    "lint",
    "build",
    "dev",
    "start",
    "check",
    "typecheck",
    "type-check",
    "format",
    "fmt",
    "e2e",
    "docs",
)
_LONGEST = 120
_MOST = 12


def javascript(project: Project) -> list[Fact]:
    """What the package needs and where it begins, and its scripts."""
    package = project.json("package.json")
    if not package:
        return []
    lock = next(((path, name) for path, name in _MANAGERS if project.has(path)), None)
    given = text(package.get("packageManager"), 100)
    manager = given.partition("@")[0] if given else lock[1] if lock else "npm"
    if manager not in ("npm", "pnpm", "yarn", "bun"):
        manager = "npm"
    return [*_package(project, package, given, lock), *_scripts(package, manager)]


def _package(
    project: Project, package: dict[str, object], given: str | None, lock: tuple[str, str] | None
) -> list[Fact]:
    said, files = [], ["package.json"]
    engine = text(at(package, "engines", "node"), 60)
    if engine is not None:
        said.append(f"It needs Node.js `{engine}`.")
    version = project.first(".nvmrc", ".node-version")
    if version is not None and (wanted := text(project.texts.get(version), 40)):
        said.append(f"Development uses Node.js `{wanted}` (`{version}`).")
        files.append(version)
    if given is not None:
        said.append(f"Its package manager is `{given.partition('+')[0]}`.")
    elif lock is not None:
        said.append(f"Its package manager is {lock[1]} (`{lock[0]}`).")
        files.append(lock[0])
    if package.get("type") == "module":
        said.append("Its `.js` files are ES modules.")
    entry = text(package.get("main"), 100)
    if entry is not None:
        said.append(f"Its entry point is `{entry}`.")
    programs = package.get("bin")
    if isinstance(programs, dict) and programs:
        said.append(f"Commands that it installs: {listed(programs, 5)}.")
    elif isinstance(programs, str) and (name := text(package.get("name"), 100)):
        said.append(f"It installs the command `{name.rpartition('/')[2]}`.")
    spaces = package.get("workspaces")
    folders = spaces.get("packages") if isinstance(spaces, dict) else spaces
    if not isinstance(folders, list):
        folders = project.yaml("pnpm-workspace.yaml").get("packages")
        files += ["pnpm-workspace.yaml"] if isinstance(folders, list) else []
    if isinstance(folders, list) and folders:
        said.append(
            f"It is a workspace of packages in {listed([str(one) for one in folders if isinstance(one, str)])}."
        )
    if project.has("tsconfig.json"):
        said.append("It is checked by TypeScript (`tsconfig.json`).")
        files.append("tsconfig.json")
    return [Fact("JavaScript: what the package needs", "\n".join(said), tuple(files))] if said else []


def _scripts(package: dict[str, object], manager: str) -> list[Fact]:
    scripts = package.get("scripts")
    if not isinstance(scripts, dict):
        return []
    named = [(name, body) for name, body in scripts.items() if isinstance(body, str) and body.strip()]
    worth = [
        (name, body)
        for name, body in named
        if any(name == word or name.startswith((f"{word}:", f"{word}-")) for word in _WORTH)
    ]
    worth.sort(key=lambda one: ":" in one[0] or "-" in one[0])
    pairs = []
    for name, body in worth[:_MOST]:
        command = f"npm {name}" if manager == "npm" and name in ("test", "start") else f"{manager} run {name}"
        shown = text(body, _LONGEST)
        pairs.append(
            (f"{name} ({shown})" if shown and "`" not in shown and "$(" not in shown else name, command)
        )
    if not pairs:
        return []
    other = [name for name, _ in named if name not in {each for each, _ in worth[:_MOST]}]
    more = f"\nOther scripts: {listed(other, 10)}." if other else ""
    return [
        Fact("JavaScript: commands", commands(pairs, ["package.json"]) + more, ("package.json",), "procedure")
    ]
