"""Which files tell what a project is: those to read, and those of which the presence is enough."""

from __future__ import annotations

import re
from collections.abc import Iterable

PRESENT = (
    "uv.lock",
    "poetry.lock",
    "pdm.lock",
    "Pipfile",
    "package-lock.json",
    "pnpm-lock.yaml",
    "yarn.lock",
    "bun.lock",
    "bun.lockb",
    "mvnw",
    "gradlew",
    "Gemfile.lock",
    ".rspec",
    ".rubocop.yml",
    "rustfmt.toml",
    ".rustfmt.toml",
    ".golangci.yml",
    ".golangci.yaml",
    "phpunit.xml",
    "phpunit.xml.dist",
    "phpstan.neon",
    "phpstan.neon.dist",
    "phpcs.xml",
    "phpcs.xml.dist",
    "tsconfig.json",
    "manage.py",
    "pytest.ini",
    "mypy.ini",
    "ruff.toml",
    ".ruff.toml",
    ".flake8",
    "noxfile.py",
    "biome.json",
    "biome.jsonc",
)
_READ = re.compile(
    r"readme(?:\.(?:md|rst|txt|markdown))?|pyproject\.toml|setup\.cfg|setup\.py|tox\.ini|\.python-version"
    r"|\.pre-commit-config\.yaml|package\.json|pnpm-workspace\.yaml|\.nvmrc|\.node-version|cargo\.toml"
    r"|rust-toolchain(?:\.toml)?|go\.mod|pom\.xml|(?:build|settings)\.gradle(?:\.kts)?|gemfile|rakefile|\.ruby-version"
    r"|[\w.-]+\.gemspec|composer\.json|global\.json|directory\.build\.props|cmakelists\.txt|(?:gnu)?makefile"
    r"|package\.swift|dockerfile|(?:docker-)?compose\.ya?ml|\.gitlab-ci\.yml|\.github/workflows/[^/]+\.ya?ml"
    r"|justfile",
    re.IGNORECASE,
)
_SOLUTION = re.compile(r"(?:[^/]+/)?[^/]+\.slnx?", re.IGNORECASE)
_PROGRAM = re.compile(
    r"(?:cmd/[^/]+/)?main\.go|src/main\.rs|src/lib\.rs|src/bin/[^/]+\.rs|Package@swift-[\d.]+\.swift"
)


def wanted(paths: Iterable[str]) -> tuple[list[str], list[str]]:
    """The files to read, and those whose presence tells something."""
    read, seen = [], []
    for path in paths:
        if _READ.fullmatch(path):
            read.append(path)
        elif _SOLUTION.fullmatch(path) or _PROGRAM.fullmatch(path):
            seen.append(path)
    return read, seen
