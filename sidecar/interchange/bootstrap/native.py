"""CMake, make and just."""

from __future__ import annotations

import re

from sidecar.interchange.bootstrap.fact import Fact, Project, commands, listed

_PROJECT = re.compile(r"^\s*project\s*\(\s*(\w[\w.+-]*)([^)]*)\)", re.MULTILINE | re.IGNORECASE)
_LEAST = re.compile(r"cmake_minimum_required\s*\(\s*VERSION\s+(\d+(?:\.\d+)*)", re.IGNORECASE)
_STANDARD = re.compile(r"set\s*\(\s*CMAKE_(CXX|C)_STANDARD\s+(\d+)", re.IGNORECASE)
_TESTING = re.compile(r"\b(?:enable_testing\s*\(|include\s*\(\s*CTest\s*\))", re.IGNORECASE)
_TARGET = re.compile(r"^([A-Za-z0-9][\w./-]*)(?:[ \t]+[A-Za-z0-9][\w./-]*)*[ \t]*::?(?!=)", re.MULTILINE)
_RECIPE = re.compile(r"^@?([a-z][\w-]*)(?:[ \t]+[^:\n]*)?:(?!=)", re.MULTILINE)
_CATCH_ALL = re.compile(r"^\.DEFAULT[ \t]*:", re.MULTILINE)
_WORTH = (
    "all", "build", "install", "test", "tests", "check", "lint", "fmt", "format", "vet", "bench", "benchmark", "run",
    "dev", "ci", "coverage", "clean", "docs", "docgen", "typecheck", "release", "init", "deps", "help",
)  # fmt: skip


def cmake(project: Project) -> list[Fact]:
    """The project and its standard, and how CMake builds and tests."""
    source = project.texts.get("CMakeLists.txt", "")
    name, least = _PROJECT.search(source), _LEAST.search(source)
    if name is None:
        return []
    said = [
        f"The CMake project is `{name[1]}`" + (f"; it needs CMake {least[1]} or newer." if least else ".")
    ]
    for language, standard in dict.fromkeys(_STANDARD.findall(source)):
        said.append(f"It is compiled as {'C++' if language.upper() == 'CXX' else 'C'}{standard}.")
    pairs = [("build", "cmake -S . -B build && cmake --build build")]
    if _TESTING.search(source):
        pairs.append(("test", "ctest --test-dir build"))
    return [
        Fact(
            "CMake: project and commands",
            "\n".join([*said, commands(pairs)]),
            ("CMakeLists.txt",),
            "procedure",
        )
    ]


def make(project: Project) -> list[Fact]:
    """The targets of a Makefile that people call, each as it is written there."""
    path = project.first("Makefile", "makefile", "GNUmakefile")
    if path is None:
        return []
    source = project.texts.get(path, "")
    names = list(
        dict.fromkeys(word for match in _TARGET.finditer(source) for word in match[0].rstrip(": \t").split())
    )
    worth = [name for name in names if name in _WORTH]
    said = ""
    if worth:
        said = f"Targets of the Makefile: {listed([f'make {name}' for name in worth], 14)}."
    if _CATCH_ALL.search(source):
        said += "\nAny other target is passed on by its `.DEFAULT` rule."
    return [Fact("Make: commands", said.strip(), (path,), "procedure")] if said else []


def just(project: Project) -> list[Fact]:
    """The recipes of a justfile."""
    path = project.first("justfile", "Justfile")
    names = list(dict.fromkeys(_RECIPE.findall(project.texts.get(path, "")))) if path is not None else []
    if path is None or not names:
        return []
    said = f"Recipes of the justfile: {listed([f'just {name}' for name in names], 14)}."
    return [Fact("just: commands", said, (path,), "procedure")]
