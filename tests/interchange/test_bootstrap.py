"""First facts of small projects of many kinds: true, few, each with its files; broken manifests tell nothing."""

# ruff: noqa: E501 - a manifest is one string
from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sidecar.interchange.bootstrap.project import Project
from sidecar.interchange.bootstrap.rules import MAX_FACTS, derive_facts, files_to_read, presence_files

POM = """<project xmlns="http://maven.apache.org/POM/4.0.0"><groupId>org.shop</groupId><artifactId>shop</artifactId>
<properties><maven.compiler.release>21</maven.compiler.release></properties>
<modules><module>core</module><module>web</module></modules></project>"""
WORKFLOW = """on:
  push: {branches: [main]}
jobs:
  test:
    steps:
      - run: pip install tox
      - run: |
          make lint
          pytest -q
      - run: npm publish
      - run: pytest ${{ matrix.args }}
      - run: |
          if true; then
            make never
          fi
      - run: make sub
        working-directory: sub
"""

CASES: list[tuple[dict[str, str], tuple[str, ...], list[str]]] = [
    (
        {"pyproject.toml": '[project]\nname="a"\nrequires-python=">=3.11"\n[project.scripts]\na="a:main"\n[tool.pytest.ini_options]\n[tool.ruff]\n'
         '[tool.mypy]\n[dependency-groups]\ndev=["pytest>=8",{include-group="lint"}]\nlint=["ruff"]\n'},
        ("uv.lock",),
        ["needs Python `>=3.11`", "`a = a:main`", "- test: `uv run pytest`", "- lint: `uv run ruff check`", "uv keeps"],
    ),
    (
        {"package.json": '{"name":"w","description":"A tool for windows.","engines":{"node":">=20"},"scripts":{"test":"vitest","lint":"eslint ."},"workspaces":["packages/*"]}'},
        ("pnpm-lock.yaml", "tsconfig.json"),
        ["`w`: A tool for windows.", "Node.js `>=20`", "- lint (eslint .): `pnpm run lint`", "`packages/*`", "TypeScript"],
    ),
    (
        {"Cargo.toml": '[package]\nname="r"\nedition="2021"\nrust-version="1.80"\n[workspace]\nmembers=["x"]\n[[bin]]\nname="rr"\npath="src/r.rs"\n'},
        ("rustfmt.toml",),
        ["Rust 2021", "from version 1.80", "`cargo test --workspace`", "programs: `rr`", "`cargo fmt --all`"],
    ),
    ({"go.mod": "module example.org/shop\n\ngo 1.23\n"}, ("cmd/shop/main.go", ".golangci.yml"), ["`example.org/shop`", "Go 1.23", "`cmd/shop/main.go`", "`golangci-lint run`"]),
    ({"pom.xml": POM}, ("mvnw",), ["`org.shop:shop`", "Java 21", "`core`, `web`", "`./mvnw test`"]),
    ({"build.gradle.kts": "kotlin { jvmToolchain(17) }", "settings.gradle.kts": 'rootProject.name = "g"\ninclude(":a", ":b")'}, ("gradlew",), ["called `g`", "`:a`, `:b`", "Java 17", "`./gradlew build`"]),
    ({"g.gemspec": 'Gem::Specification.new do |s|\n s.name = "g"\n s.required_ruby_version = Gem::Requirement.new(">= 3.1")\n s.add_runtime_dependency "nio4r", "~> 2.0"\nend', "Gemfile": "gemspec", "Rakefile": "Rake::TestTask.new(:test)\ntask default: :test\n"}, (), ["gem `g`", "Ruby `>= 3.1`", "depends on `nio4r`", "`bundle exec rake test`", "`bundle exec rake default`"]),
    ({"composer.json": '{"name":"p/p","require":{"php":"^8.2"},"scripts":{"test":"phpunit"},"autoload":{"psr-4":{"P\\\\":"src/"}}}'}, ("phpunit.xml",), ["PHP `^8.2`", "`composer test`", "`P\\ in src/`"]),
    ({"global.json": '{"sdk":{"version":"9.0.100"}}'}, ("Shop.sln",), ["`dotnet test Shop.sln`", "SDK 9.0.100"]),
    ({"CMakeLists.txt": "cmake_minimum_required(VERSION 3.20...3.28)\nproject(shop CXX)\nset(CMAKE_CXX_STANDARD 20)\nenable_testing()\n"}, (), ["`shop`", "CMake 3.20 or", "C++20", "`ctest --test-dir build`"]),
    ({"Makefile": "VERSION := 1\n.PHONY: all test\nall: x\ntest lint: all\n\tgo test\n"}, (), ["`make all`", "`make test`", "`make lint`"]),
    ({"Dockerfile": 'FROM node:20 AS build\nFROM build\nEXPOSE 80 443\nCMD ["node", "x"]\n', "compose.yaml": "services:\n  db: {}\n  web: {}\n"}, (), ["`node:20`", "`80`, `443`", '`["node", "x"]`', "`db`, `web`"]),
    ({".gitlab-ci.yml": "stages: [test]\nunit:\n  script:\n    - pip install x\n    - tox -e py\n"}, (), ["`tox -e py`"]),
    ({"Package.swift": '// swift-tools-version:5.9\nlet p = Package(name: "S", targets: [.testTarget(name: "T")])'}, (), ["`S`", "Swift 5.9", "`swift test`"]),
]  # fmt: skip


@pytest.mark.parametrize(
    ("texts", "present", "said"), CASES, ids=lambda value: next(iter(value), "") if isinstance(value, dict) else ""
)
def test_each_ecosystem_tells_its_first_facts(texts: dict[str, str], present: tuple[str, ...], said: list[str]) -> None:
    found = derive_facts(Project(texts, frozenset(present)))
    content = "\n".join(fact.content for fact in found)
    for words in said:
        assert words in content
    for fact in found:
        assert not fact.content.startswith("- "), "a name before it would stand on the first of many lines"
        assert set(fact.files) <= {*texts, *present}
        assert fact.files


def test_commands_of_ci_that_mean_the_same_alone() -> None:
    (fact,) = derive_facts(Project({".github/workflows/test.yml": WORKFLOW}))
    assert fact.content == "Commands that run on changes:\n- test.yml: `make lint`\n- test.yml: `pytest -q`"
    released = WORKFLOW.replace("{branches: [main]}", "{tags: ['v*']}")
    assert derive_facts(Project({".github/workflows/test.yml": released})) == []


README = """<p align="center"><img src="x.png"></p>

# Shop

[![Build](https://ci.example/badge.svg)](https://ci.example) [![npm][npm-image]][npm-url]

> A shop.

See the [documentation](https://example.org) for more.

**Shop** is a [small](https://example.org) server that
sells things. It has no cart. Buy now!

[npm-image]: https://example.org/x.svg
"""


def test_the_readme_s_own_words_describe_the_project() -> None:
    (fact,) = derive_facts(Project({"README.md": README}))
    assert fact.content == "The README says: “Shop is a small server that sells things. It has no cart. Buy now!”"


def test_a_project_that_says_nothing_gives_nothing() -> None:
    assert derive_facts(Project({"README.md": "# X\n\n![badge](x)\n"})) == []


def test_bootstrap_reads_what_is_documented() -> None:
    read, seen = files_to_read(
        ["README.md", "src/README.md", "a.txt", ".github/workflows/ci.yml", "Src/App.sln", "pyproject.toml"]
    )
    assert read == ["README.md", ".github/workflows/ci.yml", "pyproject.toml"]
    assert seen == ["Src/App.sln"]


KNOWN = [next(iter(texts)) for texts, _, _ in CASES] + [
    "setup.cfg",
    "tox.ini",
    "compose.yaml",
    "README.md",
    ".github/workflows/a.yml",
]


@given(
    st.dictionaries(
        st.sampled_from(KNOWN),
        st.text(max_size=80)
        | st.sampled_from(
            [next(iter(t.values())) for t, _, _ in CASES]
            + [
                "[]",
                '{"scripts": 3, "bin": 4, "workspaces": {"packages": 1}}',
                "[project]\nscripts = 1\n[tool]\nmypy = 3",
                "jobs: [1]\non: push",
            ]
        ),
        max_size=6,
    )
)
def test_no_manifest_makes_bootstrap_fail_or_exceed_its_limit(texts: dict[str, str]) -> None:
    found = derive_facts(Project(texts, frozenset(presence_files())))
    assert len(found) <= MAX_FACTS
    assert len({fact.name for fact in found}) == len(found)
    assert all(0 < len(fact.content) <= 16_000 for fact in found)
