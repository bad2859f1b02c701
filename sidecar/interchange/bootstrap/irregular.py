"""What the table of rules cannot express: scripts, tasks and images that depend on more than one value."""

from __future__ import annotations

import re
from collections.abc import Mapping

from sidecar.interchange.bootstrap.project import FirstFact, Project, code, commands, listed, text, value_at

_NPM_SCRIPTS = "test lint build dev start check typecheck type-check format fmt e2e docs".split()
_MAX_SCRIPTS = 12
_MAX_SCRIPT_CHARS = 120
_REQUIREMENT = re.compile(r"[A-Za-z0-9][\w.-]*")
_GEM = re.compile(r"\.name\s*=\s*[\"']([\w.-]+)[\"']|Gem::Specification\.new\s*\(?\s*[\"']([\w.-]+)[\"']")
_GEM_RUBY = re.compile(r"required_ruby_version\s*=\s*(?:Gem::Requirement\.new\s*\(?\s*)?[\"']([^\"']{1,40})[\"']")
_GEM_NEEDS = re.compile(r"\.add_(?:runtime_)?dependency[\s(]+[\"']([\w.-]+)[\"']")
_TASK = re.compile(r"^\s*(?:task|multitask)\s*\(?\s*:?[\"']?([\w-]+(?::[\w-]+)*)", re.MULTILINE)
_TEST_TASK = re.compile(r"(?:Rake::TestTask|RSpec::Core::RakeTask|Minitest::TestTask)\.\w+\s*\(?\s*:?[\"']?(\w+)?")
_RAKE_TASKS = frozenset("default test spec lint rubocop build check doc docs ci cs stan analyse".split())
_SWIFT_TOOLS = re.compile(r"swift-tools-version:\s*([\d.]+)")
_FROM = re.compile(r"^FROM\s+(?:--\S+\s+)*(\S+)(?:\s+AS\s+(\S+))?", re.MULTILINE | re.IGNORECASE)
_RUNS = re.compile(r"^(ENTRYPOINT|CMD)\s+(.{1,200})$", re.MULTILINE | re.IGNORECASE)
_PORT = re.compile(r"^EXPOSE\s+(.{1,60})$", re.MULTILINE | re.IGNORECASE)


def uv_run(project: Project, tool: str) -> str:
    """Return the prefix of a tool's command: `uv run` if uv installs that tool without a named group."""
    if not project.has("uv.lock"):
        return ""
    groups = project.value("pyproject.toml", "dependency-groups")
    named = project.value("pyproject.toml", "tool/uv/default-groups")
    groups_to_read = (
        [name_of_group for name_of_group in named if isinstance(name_of_group, str)]
        if isinstance(named, list)
        else ["dev"]
    )
    known: set[str] = set()
    for group in groups_to_read:
        for entry in value_at(groups, group) or ():
            if isinstance(entry, str) and (name := _REQUIREMENT.match(entry)):
                known.add(name[0].lower())
            elif isinstance(inner := value_at(entry, "include-group"), str) and inner not in groups_to_read:
                groups_to_read.append(inner)
    return "uv run " if tool in known else ""


def npm_scripts(project: Project, words: Mapping[str, str]) -> list[FirstFact]:
    scripts = project.value("package.json", "scripts")
    if not isinstance(scripts, dict):
        return []
    named = {name: body for name, body in scripts.items() if isinstance(body, str) and body.strip()}
    shown_names = [
        name
        for name in named
        if any(name == word or name.startswith((f"{word}:", f"{word}-")) for word in _NPM_SCRIPTS)
    ]
    shown_names = sorted(shown_names, key=lambda name: ":" in name or "-" in name)[:_MAX_SCRIPTS]
    if not shown_names:
        return []
    manager = words["manager"]
    pairs = []
    for name in shown_names:
        purpose = name if "$(" in named[name] else _with_body(name, named[name])
        short = manager == "npm" and name in ("test", "start")
        pairs.append((purpose, f"{manager} {name}" if short else f"{manager} run {name}"))
    other = [name for name in named if name not in shown_names]
    more = f"\nOther scripts: {listed(other, 10)}." if other else ""
    content = commands(pairs, ["package.json"]) + more
    return [FirstFact("JavaScript: commands", content, ("package.json",), "procedure")]


def composer_scripts(project: Project, _: Mapping[str, str]) -> list[tuple[str, str]]:
    scripts = project.value("composer.json", "scripts")
    pairs = []
    for name, body in scripts.items() if isinstance(scripts, dict) else ():
        if not name.startswith(("pre-", "post-")):
            steps = body if isinstance(body, list) else [body]
            shown = "; ".join(step for step in steps if isinstance(step, str))
            pairs.append((_with_body(name, shown), f"composer {name}"))
    return pairs


def _with_body(name: str, body: str) -> str:
    """Return a script's name with its command, if that is short and plain."""
    shown = text(body, _MAX_SCRIPT_CHARS)
    return f"{name} ({shown})" if shown and "`" not in shown else name


def rust_programs(project: Project) -> list[tuple[str, str]]:
    sentences = []
    programs = project.value("Cargo.toml", "bin")
    for program in programs if isinstance(programs, list) else []:
        name, path = text(value_at(program, "name"), 80), text(value_at(program, "path"), 200)
        if name is not None:
            sentence = f"Its program `{name}` begins in `{path}`." if path else f"It has the program `{name}`."
            sentences.append((sentence, "Cargo.toml"))
    return sentences


def gems(project: Project) -> list[tuple[str, str]]:
    sentences = []
    for path in project.matching(r"[\w.-]+\.gemspec")[:3]:
        source = project.texts.get(path, "")
        name, needs = _GEM.search(source), _GEM_RUBY.search(source)
        called = (name[1] or name[2]) if name else path.removesuffix(".gemspec")
        needed = f"; it needs Ruby `{needs[1]}`" if needs else ""
        sentences.append((f"The gem `{called}` is described in `{path}`{needed}.", path))
        if dependencies := list(dict.fromkeys(_GEM_NEEDS.findall(source))):
            sentences.append((f"It depends on {listed(dependencies, 8)}.", path))
    return sentences


def rake_tasks(project: Project, words: Mapping[str, str]) -> list[tuple[str, str]]:
    source = project.texts.get(project.first("Rakefile", "rakefile") or "", "")
    names = [*_TASK.findall(source), *(task or "test" for task in _TEST_TASK.findall(source))]
    shown_names = dict.fromkeys(name for name in names if name in _RAKE_TASKS)
    rake = f"{words['bundle']}rake"
    return [(f"task {name}", rake if name == "default" else f"{rake} {name}") for name in shown_names]


def least_swift(project: Project) -> list[tuple[str, str]]:
    versions = [
        path[len("Package@swift-") : -len(".swift")] for path in project.matching(r"Package@swift-\d[\d.]*\.swift")
    ]
    versions += _SWIFT_TOOLS.findall(project.texts.get("Package.swift", ""))[:1]
    least = min(versions, key=lambda version: [int(part) for part in version.split(".") if part])
    return [(least, "Package.swift")]


def image(project: Project) -> list[tuple[str, str]]:
    source = project.texts.get("Dockerfile", "").replace("\\\n", " ")
    stages = _FROM.findall(source)
    if not stages:
        return []
    names = {name.lower() for _, name in stages if name}
    images = [image for image, _ in stages if image.lower() not in names]
    sentences = [f"The Dockerfile builds on {listed(images, 5)}."]
    if ports := _PORT.findall(source):
        sentences.append(f"It exposes {listed(' '.join(ports).split())}.")
    sentences += [f"Its {word.upper()} is {code(what.strip())}." for word, what in _RUNS.findall(source)[-2:]]
    return [(sentence, "Dockerfile") for sentence in sentences]
