"""Configuration files that every ecosystem knows, and what each of them decides. Their content is never looked at."""

from __future__ import annotations

import re
from typing import Final

from sidecar.patterns import lazy

RULE: Final = "config-file"

_NAMES: Final[dict[str, str]] = {
    "pyproject.toml": "the Python package, its dependencies and its tools",
    "setup.py": "the Python package",
    "setup.cfg": "the Python package and its tools",
    "requirements.txt": "the Python dependencies",
    "pipfile": "the Python dependencies",
    "tox.ini": "the Python test environments",
    "noxfile.py": "the Python test sessions",
    "pytest.ini": "pytest",
    "mypy.ini": "mypy",
    "ruff.toml": "ruff",
    ".flake8": "flake8",
    ".pre-commit-config.yaml": "the pre-commit hooks",
    "environment.yml": "the conda environment",
    "package.json": "the JavaScript package: scripts and dependencies",
    "pnpm-workspace.yaml": "the packages of the pnpm workspace",
    "lerna.json": "the packages of the monorepo",
    "turbo.json": "the Turborepo tasks",
    "nx.json": "the Nx tasks",
    "deno.json": "Deno",
    "bunfig.toml": "Bun",
    ".npmrc": "npm",
    ".nvmrc": "the Node version",
    ".babelrc": "Babel",
    "biome.json": "Biome",
    "cargo.toml": "the Rust crate: dependencies and features",
    "rust-toolchain.toml": "the Rust toolchain",
    "rustfmt.toml": "rustfmt",
    "clippy.toml": "clippy",
    "go.mod": "the Go module and its dependencies",
    "go.work": "the Go workspace",
    ".golangci.yml": "golangci-lint",
    ".golangci.yaml": "golangci-lint",
    "pom.xml": "the Maven build",
    "build.gradle": "the Gradle build",
    "build.gradle.kts": "the Gradle build",
    "settings.gradle": "the modules of the Gradle build",
    "settings.gradle.kts": "the modules of the Gradle build",
    "gradle.properties": "the Gradle build",
    "gemfile": "the Ruby dependencies",
    "rakefile": "the Rake tasks",
    ".rubocop.yml": "RuboCop",
    "composer.json": "the PHP dependencies",
    "mix.exs": "the Elixir project",
    "package.swift": "the Swift package",
    "pubspec.yaml": "the Dart package",
    "cmakelists.txt": "the CMake build",
    "cmakepresets.json": "the CMake presets",
    "meson.build": "the Meson build",
    "makefile": "the make targets",
    "gnumakefile": "the make targets",
    "justfile": "the just recipes",
    "taskfile.yml": "the Task tasks",
    "procfile": "the processes of the app",
    "vercel.json": "the Vercel deployment",
    "netlify.toml": "the Netlify deployment",
    "fly.toml": "the Fly deployment",
    "wrangler.toml": "the Cloudflare Workers deployment",
    "renovate.json": "Renovate",
    ".editorconfig": "the editors' indentation and line ends",
    ".gitignore": "what git leaves out",
    ".gitattributes": "how git treats files",
    ".dockerignore": "what the Docker build leaves out",
    ".tool-versions": "the versions of the tools",
    "mise.toml": "the versions of the tools",
    "flake.nix": "the Nix environment",
    ".gitlab-ci.yml": "the GitLab CI pipeline",
    ".travis.yml": "the Travis CI build",
    "jenkinsfile": "the Jenkins pipeline",
    "azure-pipelines.yml": "the Azure pipeline",
    "bitbucket-pipelines.yml": "the Bitbucket pipeline",
    "appveyor.yml": "the AppVeyor build",
    "alembic.ini": "the Alembic migrations",
}
_FORMS: Final = tuple(
    (re.compile(form), what)
    for form, what in (
        (r"(?:.*/)?\.github/workflows/[^/]+\.ya?ml", "a GitHub Actions workflow"),
        (r"(?:.*/)?\.github/dependabot\.ya?ml", "Dependabot"),
        (r"(?:.*/)?\.circleci/config\.ya?ml", "the CircleCI pipeline"),
        (r"(?:.*/)?\.buildkite/[^/]+\.ya?ml", "the Buildkite pipeline"),
        (r"(?:.*/)?\.cargo/config(?:\.toml)?", "cargo"),
        (r"(?:.*/)?tsconfig(?:\.[\w-]+)*\.json", "the TypeScript compiler"),
        (r"(?:.*/)?jsconfig\.json", "the JavaScript language server"),
        (r"(?:.*/)?(?:[\w-]+\.)?dockerfile(?:\.[\w-]+)?", "the Docker image"),
        (r"(?:.*/)?(?:docker-)?compose(?:\.[\w-]+)*\.ya?ml", "the Docker Compose services"),
        (r"(?:.*/)?requirements[-_.][\w.-]+\.txt", "the Python dependencies"),
        (
            r"(?:.*/)?\.(?:eslintrc|prettierrc|stylelintrc|swcrc|mocharc|nycrc)(?:\.[a-z]+)?",
            "the JavaScript tools",
        ),
        (
            r"(?:.*/)?(?:eslint|prettier|vite|vitest|webpack|rollup|jest|babel|next|nuxt|svelte|astro|tailwind|postcss"
            r"|playwright|cypress|tsup|esbuild|drizzle|remix|metro|karma)\.config\.(?:[cm]?[jt]s|json)",
            "the JavaScript tools",
        ),
        (r"(?:.*/)?deno\.jsonc", "Deno"),
    )
)
_ENVIRONMENT: Final = lazy(r"\.env(?:rc|\.[\w.-]+)?")


def what_it_configures(path: str) -> str | None:
    """What a known configuration file decides; None for any other file. The path is relative."""
    base = path.rpartition("/")[2]
    if _ENVIRONMENT.fullmatch(base):
        return "the environment variables (their values are not kept here)"
    known = _NAMES.get(base.lower())
    if known is not None:
        return known
    return next((what for form, what in _FORMS if form.fullmatch(path.lower())), None)


def content(path: str, what: str) -> str:
    """What the memory says."""
    return f"`{path}` configures {what}."
