"""Programs from other releases of Debian, unpacked into a folder of the tests' cache; nothing is installed.

Neovim 0.10 is in Debian 13 and the newest Neovim in unstable. apt is asked with a state of its own, so that neither the
machine's lists nor its packages change, and no right of root is needed. The mirror is the one that the machine uses.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.client.installed import fetch, once

KEYRING = "/usr/share/keyrings/debian-archive-keyring.gpg"
CONFIGURATION = """\
Dir::State "{folder}/state";
Dir::State::status "{folder}/status";
Dir::Cache "{folder}/cache";
Dir::Etc::SourceList "{folder}/sources.list";
Dir::Etc::SourceParts "/dev/null";
Acquire::Languages "none";
Acquire::Retries "3";
APT::Sandbox::User "";
"""


def unpacked(release: str, *packages: str) -> Path:
    """The folder that holds these packages of a release, with all that they need. Skips where they cannot be had."""
    mirror = _mirror()

    def fill(folder: Path) -> None:
        apt = folder / "apt"
        for part in ("state/lists/partial", "cache/archives/partial"):
            (apt / part).mkdir(parents=True)
        (apt / "status").touch()
        (apt / "sources.list").write_text(f"deb [signed-by={KEYRING}] {mirror} {release} main\n")
        (apt / "apt.conf").write_text(CONFIGURATION.format(folder=apt))
        environment = {**os.environ, "APT_CONFIG": str(apt / "apt.conf")}
        _run(["apt-get", "update", "-qq"], environment)
        get = ["apt-get", "install", "-y", "-qq", "--download-only", "--no-install-recommends"]
        _run([*get, *packages], environment)
        for package in sorted((apt / "cache" / "archives").glob("*.deb")):
            _run(["dpkg-deb", "-x", str(package), str(folder / "root")], environment)
        shutil.rmtree(apt)

    return once(f"debian-{release}-{'-'.join(packages)}", fill) / "root"


def program(root: Path, binary: str, folder: Path, **environment: str) -> Path:
    """A script in `folder` that runs a binary of an unpacked root with that root's own loader and libraries."""
    name = binary.rsplit("/", 1)[-1]
    settings = " ".join(f"{key}='{value}'" for key, value in environment.items())
    loader = next(root.glob("usr/lib*/ld-linux*.so.*"), None) or next(root.glob("lib*/ld-linux*.so.*"))
    libraries = next(root.glob("usr/lib/*-linux-gnu"))
    script = folder / name
    script.write_text(
        f'#!/bin/sh\nexport {settings}\nexec {loader} --argv0 {name} --library-path {libraries} {root}/{binary} "$@"\n'
    )
    script.chmod(0o755)
    return script


def _mirror() -> str:
    if shutil.which("apt-get") is None:
        pytest.skip("this machine has no apt-get")
    form = "$(CREATED_BY) $(COMPONENT) $(REPO_URI)"
    listed = subprocess.run(
        ["apt-get", "indextargets", "--format", form], capture_output=True, text=True, check=False
    ).stdout
    for line in listed.splitlines():
        created, component, uri = line.split(" ", 2)
        if created == "Packages" and component == "main" and uri.rstrip("/").endswith("/debian"):
            return uri
    pytest.skip("this machine's apt knows no mirror of Debian")


def _run(command: list[str], environment: dict[str, str]) -> None:
    if why := fetch(command, Path("/"), environment):
        pytest.skip(why)
