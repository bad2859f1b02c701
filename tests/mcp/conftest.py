"""Fixtures of the MCP front: a workspace, and clients of real processes."""

from __future__ import annotations

import subprocess
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import pytest

from tests.client.line_client import LineClient

MODULE = '"""Sends letters."""\n\n\n' + "\n\n".join(
    f'def send_{n}(to: str, text: str) -> bool:\n    """Send letter {n}.\n\n    More of it.\n    """\n'
    f"    body = text.strip() + str({n})\n    if not body:\n        return False\n"
    "    print(to, body)\n    return True\n"
    for n in range(12)
)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    place = tmp_path / "work"
    place.mkdir()
    subprocess.run(["git", "init", "-q", str(place)], check=True)
    (place / "letters.py").write_text(MODULE)
    return place


@pytest.fixture
def connect(tmp_path: Path, folder: Path) -> Iterator[Callable[..., LineClient]]:
    clients: list[LineClient] = []
    home = tmp_path / "home"
    home.mkdir()

    def start(*arguments: str, at: Path | None = None, env: Mapping[str, str] | None = None) -> LineClient:
        clients.append(LineClient(at or folder, home, *arguments, env=env))
        return clients[-1]

    yield start
    for client in clients:
        client.kill()
