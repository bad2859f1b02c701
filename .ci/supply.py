"""What CI installs: `python .ci/supply.py lock`, `audit` or `sbom`; needs pip and nothing else.

`lock` writes requirements.txt: every package that `pip install -e '.[dev]'` takes now, with the hash of the file that
was chosen (this Python and platform). `audit` compares it with advisories.toml, filled by hand, where a package nobody
looked at fails; and asks pip-audit where that is installed and reaches its service. `sbom` prints CycloneDX.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
LOCK = HERE / "requirements.txt"
ROW = re.compile(r"^([\w.-]+)==(\S+) --hash=sha256:([0-9a-f]{64})$", re.MULTILINE)


def locked() -> list[tuple[str, str, str]]:
    """Name, version and hash of each locked package."""
    return ROW.findall(LOCK.read_text())


def numbers(version: str) -> list[int]:
    """A version to compare by: its numbers."""
    return [int(each) for each in re.findall(r"\d+", version)]


def lock() -> int:
    """Ask pip what it would install, and write it down."""
    command = [sys.executable, "-m", "pip", "install", "--dry-run", "--ignore-installed", "-q", "--report", "-"]
    done = subprocess.run([*command, "-e", f"{HERE.parent}[dev]"], stdout=subprocess.PIPE, check=True)
    rows = []
    for each in json.loads(done.stdout)["install"]:
        name, version = each["metadata"]["name"].lower().replace("_", "-"), each["metadata"]["version"]
        if name != "memory-sidecar":
            rows.append(f"{name}=={version} --hash=sha256:{each['download_info']['archive_info']['hashes']['sha256']}")
    about = f"# Made by .ci/supply.py lock, for Python {sys.version_info[0]}.{sys.version_info[1]} on {sys.platform}."
    LOCK.write_text("\n".join([about, *sorted(rows)]) + "\n")
    return 0


def audit() -> int:
    """Print what is unsafe; 1 when anything is, or was not looked at."""
    known: dict[str, Any] = tomllib.loads((HERE / "advisories.toml").read_text())
    found = []
    for name, version, _ in locked():
        row = known["packages"].get(name)
        if row is None:
            found.append(f"{name} {version}: nobody has looked for advisories")
        elif "safe" in row and numbers(version) < numbers(row["safe"]):
            found.append(f"{name} {version}: {row['why']}; {row['safe']} is safe")
    for name, row in known["packages"].items():
        if "accepted" in row:
            print(f"accepted: {name}: {row['why']}: {row['accepted']}")
    asked = subprocess.run(
        [sys.executable, "-m", "pip_audit", "-r", str(LOCK), "--disable-pip", "-f", "json"],
        capture_output=True,
        check=False,
    )
    answers = json.loads(asked.stdout)["dependencies"] if asked.stdout.startswith(b"{") else []
    answered = [each for each in answers if "vulns" in each]
    print(f"pip-audit answered for {len(answered)} packages; advisories.toml was filled on {known['looked']}")
    for each in answered:
        for flaw in each["vulns"]:
            if known["packages"].get(each["name"], {}).get("why") not in (flaw["id"], *flaw["aliases"]):
                found.append(f"{each['name']} {each['version']}: {flaw['id']}, mended in {flaw['fix_versions']}")
    print("\n".join(found) or f"{len(locked())} packages, none known to be unsafe")
    return int(bool(found))


def sbom() -> int:
    """Print a CycloneDX document of the locked packages."""
    components = [
        {
            "type": "library",
            "bom-ref": f"pkg:pypi/{name}@{version}",
            "name": name,
            "version": version,
            "purl": f"pkg:pypi/{name}@{version}",
            "hashes": [{"alg": "SHA-256", "content": sha}],
        }
        for name, version, sha in locked()
    ]
    project = tomllib.loads((HERE.parent / "pyproject.toml").read_text())["project"]
    itself = {"type": "application", "name": project["name"], "version": project["version"]}
    document = {"bomFormat": "CycloneDX", "specVersion": "1.6", "version": 1, "metadata": {"component": itself}}
    print(json.dumps({**document, "components": components}, indent=1))
    return 0


if __name__ == "__main__":
    sys.exit({"lock": lock, "audit": audit, "sbom": sbom}[sys.argv[1]]())
