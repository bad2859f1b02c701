"""Java and Kotlin: Maven's pom.xml and Gradle's scripts."""

from __future__ import annotations

import re
from xml.etree import ElementTree

from sidecar.interchange.bootstrap.fact import Fact, Project, commands, listed, text

_NAMESPACE = re.compile(r"\sxmlns=\"[^\"]*\"")
_JAVA = (
    "maven.compiler.release",
    "java.version",
    "maven.compiler.source",
    "maven.compiler.target",
    "javaVersion",
)
_ROOT = re.compile(r"rootProject\.name\s*=\s*[\"']([^\"']{1,100})[\"']")
_INCLUDE = re.compile(r"(?<!\w)include\s*\(?\s*((?:[\"'][^\"']+[\"'][\s,]*)+)")
_QUOTED = re.compile(r"[\"']([^\"']+)[\"']")
_TOOLCHAIN = re.compile(r"jvmToolchain\s*\(\s*(\d+)|JavaLanguageVersion\.of\(\s*(\d+)")


def maven(project: Project) -> list[Fact]:
    """The artifact, its modules and its Java, and Maven's commands."""
    source = project.texts.get("pom.xml", "")
    if (
        not source or "<!DOCTYPE" in source or "<!ENTITY" in source
    ):  # entities can make a small file a huge one
        return []
    try:
        root = ElementTree.fromstring(_NAMESPACE.sub("", source, count=1))  # noqa: S314 - no entities, see above
    except (ElementTree.ParseError, ValueError, RecursionError):
        return []
    group, artifact = _inner(root, "groupId") or _inner(root, "parent/groupId"), _inner(root, "artifactId")
    said = [f"The Maven artifact is `{group}:{artifact}`."] if artifact and group else []
    release = next((value for key in _JAVA if (value := _inner(root, f"properties/{key}"))), None)
    if release is not None and not release.startswith("${"):
        said.append(f"It is compiled for Java {release}.")
    modules = [each.text.strip() for each in root.findall("modules/module") if each.text]
    if modules:
        said.append(f"Its modules: {listed(modules)}.")
    run, files = ("./mvnw", ("pom.xml", "mvnw")) if project.has("mvnw") else ("mvn", ("pom.xml",))
    pairs = [("test", f"{run} test"), ("build and all checks", f"{run} verify")]
    found = [Fact("Maven: what the artifact is", "\n".join(said), ("pom.xml",))] if said else []
    return [*found, Fact("Maven: commands", commands(pairs, files), files, "procedure")]


def gradle(project: Project) -> list[Fact]:
    """The build's name, projects and Java, and Gradle's commands."""
    build = project.first("build.gradle.kts", "build.gradle")
    settings = project.first("settings.gradle.kts", "settings.gradle")
    if build is None and settings is None:
        return []
    said = []
    given = project.texts.get(settings or "", "")
    if (name := _ROOT.search(given)) is not None:
        said.append(f"The Gradle build is called `{name[1]}`.")
    included = [each for group in _INCLUDE.findall(given) for each in _QUOTED.findall(group)]
    if included:
        said.append(f"Its projects: {listed(included)}.")
    if (tool := _TOOLCHAIN.search(project.texts.get(build or "", ""))) is not None:
        said.append(f"Its toolchain is Java {tool[1] or tool[2]}.")
    run = "./gradlew" if project.has("gradlew") else "gradle"
    pairs = [("build and all checks", f"{run} build"), ("tests and checks", f"{run} check")]
    files = tuple(path for path in (build, settings) if path is not None)
    found = [Fact("Gradle: what the build is", "\n".join(said), files)] if said else []
    return [*found, Fact("Gradle: commands", commands(pairs, files), files, "procedure")]


def _inner(root: ElementTree.Element, path: str) -> str | None:
    return text(root.findtext(path), 200)
