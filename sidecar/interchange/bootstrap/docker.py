"""Docker: what an image is made of and runs, and the services of a compose file."""

from __future__ import annotations

import re

from sidecar.interchange.bootstrap.fact import Fact, Project, code, listed

_FROM = re.compile(r"^FROM\s+(?:--\S+\s+)*(\S+)(?:\s+AS\s+(\S+))?", re.MULTILINE | re.IGNORECASE)
_RUNS = re.compile(r"^(ENTRYPOINT|CMD)\s+(.{1,200})$", re.MULTILINE | re.IGNORECASE)
_PORT = re.compile(r"^EXPOSE\s+(.{1,60})$", re.MULTILINE | re.IGNORECASE)


def docker(project: Project) -> list[Fact]:
    """One fact for the Dockerfile and one for the compose file."""
    found = []
    source = project.texts.get("Dockerfile", "").replace("\\\n", " ")
    stages = _FROM.findall(source)
    if stages:
        names = {name.lower() for _, name in stages if name}
        images = [image for image, _ in stages if image.lower() not in names]
        said = [f"The Dockerfile builds on {listed(images, 5)}."]
        if ports := _PORT.findall(source):
            said.append(f"It exposes {listed(' '.join(ports).split())}.")
        said += [f"Its {word.upper()} is {code(what.strip())}." for word, what in _RUNS.findall(source)[-2:]]
        found.append(Fact("Docker: the image", "\n".join(said), ("Dockerfile",)))
    path = project.first("compose.yaml", "compose.yml", "docker-compose.yml", "docker-compose.yaml")
    services = project.yaml(path).get("services") if path is not None else None
    if path is not None and isinstance(services, dict) and services:
        said = [
            f"The compose file starts {listed([str(name) for name in services])}; {code('docker compose up')}."
        ]
        found.append(Fact("Docker: services", "\n".join(said), (path,), "procedure"))
    return found
