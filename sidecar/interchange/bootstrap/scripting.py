"""Ruby, PHP and .NET."""

from __future__ import annotations

import re

from sidecar.interchange.bootstrap.fact import Fact, Project, at, commands, listed, text

_GEM = re.compile(r"\.name\s*=\s*[\"']([\w.-]+)[\"']|Gem::Specification\.new\s*\(?\s*[\"']([\w.-]+)[\"']")
_GEM_RUBY = re.compile(r"required_ruby_version\s*=\s*[\"']([^\"']{1,40})[\"']")
_TASK = re.compile(r"^\s*(?:task|multitask)\s*\(?\s*:?[\"']?([\w-]+(?::[\w-]+)*)", re.MULTILINE)
_TEST_TASK = re.compile(
    r"(?:Rake::TestTask|RSpec::Core::RakeTask|Minitest::TestTask)\.\w+\s*\(?\s*:?[\"']?(\w+)?"
)
_WORTH = (
    "default",
    "test",
    "spec",
    "lint",
    "rubocop",
    "build",
    "check",
    "doc",
    "docs",
    "ci",
    "cs",
    "stan",
    "analyse",
)
_FRAMEWORKS = re.compile(r"<TargetFrameworks?>([^<$]{1,120})</TargetFrameworks?>")


def ruby(project: Project) -> list[Fact]:
    """The gem, the Ruby it needs, and the tasks. A Gemfile alone often serves only tools, and tells nothing."""
    specs = sorted(path for path in project.texts if path.endswith(".gemspec"))
    rake = project.first("Rakefile", "rakefile")
    if not specs and rake is None and not project.has(".rspec"):
        return []
    said, files = [], []
    for path in specs[:3]:
        name, needs = _GEM.search(project.texts[path]), _GEM_RUBY.search(project.texts[path])
        called = (name[1] or name[2]) if name else path.removesuffix(".gemspec")
        said.append(
            f"The gem `{called}` is described in `{path}`"
            + (f"; it needs Ruby `{needs[1]}`." if needs else ".")
        )
        files.append(path)
    version = text(project.texts.get(".ruby-version"), 40)
    if version is not None:
        said.append(f"Development uses Ruby `{version}`.")
        files.append(".ruby-version")
    bundle = "bundle exec " if project.has("Gemfile") else ""
    pairs, where = [], []
    if bundle:
        pairs.append(("install dependencies", "bundle install"))
        where.append("Gemfile")
    if rake is not None:
        source = project.texts.get(rake, "")
        names = [*_TASK.findall(source), *(one or "test" for one in _TEST_TASK.findall(source))]
        for name in dict.fromkeys(one for one in names if one in _WORTH):
            pairs.append((f"task {name}", f"{bundle}rake" if name == "default" else f"{bundle}rake {name}"))
        where.append(rake)
    if project.has(".rspec"):
        pairs.append(("test", f"{bundle}rspec"))
        where.append(".rspec")
    if project.has(".rubocop.yml"):
        pairs.append(("lint", f"{bundle}rubocop"))
        where.append(".rubocop.yml")
    found = [Fact("Ruby: what the gem needs", "\n".join(said), tuple(files))] if said else []
    return found + (
        [Fact("Ruby: commands", commands(pairs, where), tuple(where), "procedure")] if pairs else []
    )


def php(project: Project) -> list[Fact]:
    """The package, the PHP it needs, its namespaces, and its scripts."""
    package = project.json("composer.json")
    if not package:
        return []
    said = []
    if (needs := text(at(package, "require", "php"), 60)) is not None:
        said.append(f"It needs PHP `{needs}`.")
    spaces = at(package, "autoload", "psr-4")
    if isinstance(spaces, dict):
        places = [f"{name} in {folder}" for name, folder in spaces.items() if isinstance(folder, str)]
        said.append(f"Its namespaces (PSR-4): {listed(places, 5)}.")
    pairs, files = [("install dependencies", "composer install")], ["composer.json"]
    scripts = package.get("scripts")
    for name, body in scripts.items() if isinstance(scripts, dict) else ():
        if name.startswith(("pre-", "post-")):
            continue
        steps = body if isinstance(body, list) else [body]
        shown = text("; ".join(one for one in steps if isinstance(one, str)), 120)
        pairs.append((f"{name} ({shown})" if shown and "`" not in shown else name, f"composer {name}"))
    named = set(scripts) if isinstance(scripts, dict) else set()
    for path, purpose, command in (
        (project.first("phpunit.xml", "phpunit.xml.dist"), "test", "vendor/bin/phpunit"),
        (project.first("phpstan.neon", "phpstan.neon.dist"), "static analysis", "vendor/bin/phpstan"),
        (project.first("phpcs.xml", "phpcs.xml.dist"), "coding style", "vendor/bin/phpcs"),
    ):
        if path is not None and not named & {
            command.rpartition("/")[2],
            "test" if purpose == "test" else "-",
        }:
            pairs.append((purpose, command))
            files.append(path)
    found = [Fact("PHP: what the package needs", "\n".join(said), ("composer.json",))] if said else []
    return [*found, Fact("PHP: commands", commands(pairs[:12], files), tuple(files), "procedure")]


def dotnet(project: Project) -> list[Fact]:
    """The solutions, the SDK and the frameworks, and dotnet's commands."""
    solutions = sorted(path for path in project.present if path.lower().endswith((".sln", ".slnx")))
    if not solutions:
        return []
    said, files = [f"Its solutions: {listed(solutions)}."], [*solutions[:5]]
    sdk = text(at(project.json("global.json"), "sdk", "version"), 60)
    if sdk is not None:
        said.append(f"It is built with the .NET SDK {sdk} (`global.json`).")
        files.append("global.json")
    frameworks = _FRAMEWORKS.search(project.texts.get("Directory.Build.props", ""))
    if frameworks is not None:
        said.append(f"Its target frameworks: {listed(frameworks[1].split(';'))}.")
        files.append("Directory.Build.props")
    name = solutions[0]
    pairs = [("build", f"dotnet build {name}"), ("test", f"dotnet test {name}")]
    return [
        Fact(
            ".NET: solutions and commands",
            "\n".join(said) + "\n" + commands(pairs),
            tuple(files),
            "procedure",
        )
    ]
