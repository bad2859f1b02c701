"""All first facts of a project, in the order of their use."""

from __future__ import annotations

from sidecar.interchange.bootstrap.about import about
from sidecar.interchange.bootstrap.ci import ci
from sidecar.interchange.bootstrap.compiled import go, rust, swift
from sidecar.interchange.bootstrap.docker import docker
from sidecar.interchange.bootstrap.fact import Fact, Project
from sidecar.interchange.bootstrap.javascript import javascript
from sidecar.interchange.bootstrap.jvm import gradle, maven
from sidecar.interchange.bootstrap.native import cmake, just, make
from sidecar.interchange.bootstrap.python import python
from sidecar.interchange.bootstrap.scripting import dotnet, php, ruby

MOST = 15


def facts(project: Project) -> list[Fact]:
    """At most `MOST` facts; of more, those that were found first."""
    readers = (
        about, python, javascript, rust, go, maven, gradle, ruby, php, dotnet, swift, cmake, make, just, ci, docker,
    )  # fmt: skip
    found = [fact for reader in readers for fact in reader(project)]
    return found[:MOST]
