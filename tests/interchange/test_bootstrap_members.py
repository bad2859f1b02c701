"""Monorepos: their members and their libraries, for each kind of workspace, from folders on disk."""

from __future__ import annotations

from pathlib import Path

import pytest

from sidecar.checkout.tree import Tree
from sidecar.interchange.bootstrap.about import about_facts
from sidecar.interchange.bootstrap.project import Project
from sidecar.interchange.bootstrap.rules import derive_facts
from sidecar.interchange.bootstrapping import read_project

KINDS: dict[str, dict[str, str]] = {
    "cargo": {
        "Cargo.toml": '[workspace]\nmembers = ["crates/*", "tool"]\nexclude = ["crates/old"]\n',
        "crates/core/Cargo.toml": '[package]\nname = "core"\ndescription = "The core"\n[dependencies]\nserde = "1"\n',
        "crates/old/Cargo.toml": '[package]\nname = "old"\n',
        "tool/Cargo.toml": '[package]\nname = "tool"\n[dependencies]\ncore = { path = "../crates/core" }\n'
        '[dev-dependencies]\ninsta = "1"\n',
    },
    "npm": {
        "package.json": '{"workspaces": {"packages": ["./packages/*"]}, "devDependencies": {"vitest": "1"}}',
        "packages/core/package.json": '{"name": "core", "description": "The core"}',
        "packages/tool/package.json": '{"name": "tool", "dependencies": {"core": "*", "react": "19"}}',
    },
    "pnpm": {
        "package.json": '{"name": "all", "private": true}',
        "pnpm-workspace.yaml": "packages:\n  - 'packages/**'\n  - '!**/old/**'\n",
        "packages/core/package.json": '{"name": "core", "description": "The core"}',
        "packages/deep/tool/package.json": '{"name": "tool", "peerDependencies": {"core": "*"}}',
        "packages/old/x/package.json": '{"name": "old"}',
    },
    "uv": {
        "pyproject.toml": '[project]\nname = "all"\n[tool.uv.workspace]\nmembers = ["libs/*"]\n'
        '[dependency-groups]\ndev = ["pytest>=8"]\n',
        "libs/core/pyproject.toml": '[project]\nname = "core"\ndescription = "The core"\n',
        "libs/tool/pyproject.toml": '[project]\nname = "tool"\ndependencies = ["core", "click>=8"]\n',
    },
    "go": {
        "go.work": "go 1.22\n\nuse (\n\t./core\n\t./tool // the program\n)\n",
        "core/go.mod": "module example.org/x/core\n\nrequire github.com/stretchr/testify v1.9.0\n",
        "tool/go.mod": "module example.org/x/tool\n\nrequire (\n\texample.org/x/core v0.1.0\n"
        "\tgithub.com/spf13/cobra v1.8.0\n\tgithub.com/lib/pq v1.0.0 // indirect\n)\n",
    },
    "gradle": {
        "settings.gradle.kts": 'rootProject.name = "all"\ninclude(":core", ":apps:tool")\n',
        "core/build.gradle.kts": 'dependencies { testImplementation("org.junit.jupiter:junit-jupiter:5.10") }\n',
        "apps/tool/build.gradle.kts": "",
    },
    "nx": {
        "package.json": '{"name": "all", "devDependencies": {"nx": "20"}}',
        "nx.json": "{}",
        "apps/tool/project.json": '{"name": "tool", "projectType": "application"}',
        "libs/core/project.json": '{"name": "core", "projectType": "library"}',
    },
    "maven": {
        "pom.xml": "<project><groupId>g</groupId><artifactId>all</artifactId>"
        "<modules><module>core</module><module>tool</module></modules></project>",
        "core/pom.xml": "<project><artifactId>core</artifactId><description>The core</description></project>",
        "tool/pom.xml": "<project><artifactId>tool</artifactId><dependencies>"
        "<dependency><artifactId>core</artifactId></dependency>"
        "<dependency><artifactId>junit</artifactId></dependency></dependencies></project>",
    },
}
LIBRARIES = {
    "cargo": ["serialisation: `serde`", "tests: `insta`"],
    "npm": ["tests: `vitest`", "web: `react`"],
    "uv": ["command line: `click`", "tests: `pytest`"],
    "go": ["command line: `github.com/spf13/cobra`", "tests: `github.com/stretchr/testify`"],
    "gradle": ["tests: `junit-jupiter`"],
    "nx": ["build: `nx`"],
    "maven": ["tests: `junit`"],
}


def facts_of(folder: Path, files: dict[str, str]) -> dict[str, str]:
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    return {fact.name: fact.content for fact in derive_facts(read_project(Tree(folder), lambda done, total: None))}


@pytest.mark.parametrize("kind", KINDS)
def test_monorepo_members_are_listed_with_descriptions_and_uses(kind: str, tmp_path: Path) -> None:
    found = facts_of(tmp_path, KINDS[kind])
    lines = found["Monorepo: its members"].splitlines()
    assert lines[0] == "It is a monorepo with 2 members:"
    assert "old" not in found["Monorepo: its members"]
    tool, core = (
        next(line for line in lines if f"{name}`" in line.partition(" ")[2][:20]) for name in ("tool", "core")
    )
    if kind not in ("go", "gradle", "nx"):
        assert ": The core" in core
        assert "[uses `core`]" in tool
    if kind == "go":
        assert "[uses `core`]" in tool
    if kind == "nx":
        assert tool == "- `apps/tool`: application"
    libraries = found.get("Libraries, by what they are for", "").splitlines()[1:]
    assert sorted(libraries) == [f"- {line}" for line in LIBRARIES.get(kind, [])]


def test_a_package_alone_is_no_monorepo_and_hostile_manifests_are_survived(tmp_path: Path) -> None:
    assert "Monorepo: its members" not in facts_of(
        tmp_path / "one", {"package.json": '{"name": "one", "workspaces": ["x"]}'}
    )
    hostile = {
        "package.json": '{"workspaces": [7, null, "../../*", "/etc/*", "' + "**/" * 60 + '*"], "dependencies": [1]}',
        "Cargo.toml": '[workspace]\nmembers = "x"\n',
        "pom.xml": "<project><modules><module>${x}</module><module>../..</module></modules></project>",
        "go.work": "use (\n",
        "pyproject.toml": "[tool.uv.workspace]\nmembers = [1]\n[project]\ndependencies = [1, {}]\n",
        "a/package.json": '{"name": 7, "description": {}, "dependencies": []}',
        "b/package.json": "[",
    }
    facts_of(tmp_path / "two", hostile)


@pytest.mark.parametrize(
    ("readme", "said"),
    [
        ("# Core\n\n## Sponsors\n\nCore is a project made possible entirely by the support of these backers.\n", None),
        ("# Core\n\n## Installation\n\nInstallation is done using the npm install command, as always.\n", None),
        ("# Core\n\nBelow are our core plugins, which you can install with npm.\n", None),
        (
            "# OkCore\n\nHTTP is the way that applications talk.\n\nOkCore is a client that is efficient.\n",
            "OkCore is a",
        ),
        ("# Core\n\n## Questions\n\nFor questions and support please use the mailing list of the project.\n", None),
        ("# Core\n\nThe small library that draws graphs of everything.\n\n## Use\n\nCall it.\n", "The small library"),
    ],
)
def test_readme_describes_the_project(readme: str, said: str | None) -> None:
    found = [fact.content for fact in about_facts(Project({"README.md": readme}))]
    assert (said in found[0]) if said else not found
