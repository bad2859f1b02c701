"""All first facts of a project, in the order of their use."""

from __future__ import annotations

from sidecar.exchange.bootstrap.about import about
from sidecar.exchange.bootstrap.ci import ci
from sidecar.exchange.bootstrap.compiled import go, rust, swift
from sidecar.exchange.bootstrap.docker import docker
from sidecar.exchange.bootstrap.fact import Fact, Project
from sidecar.exchange.bootstrap.javascript import javascript
from sidecar.exchange.bootstrap.jvm import gradle, maven
from sidecar.exchange.bootstrap.native import cmake, just, make
from sidecar.exchange.bootstrap.python import python
from sidecar.exchange.bootstrap.scripting import dotnet, php, ruby

MOST = 15


def facts(project: Project) -> list[Fact]:
    """At most `MOST` facts; of more, those that were found first."""
    readers = (
        about, python, javascript, rust, go, maven, gradle, ruby, php, dotnet, swift, cmake, make, just, ci, docker,
    )  # fmt: skip
    found = [fact for reader in readers for fact in reader(project)]
    return found[:MOST]
