"""The pages that lead through the house name what is there."""

from __future__ import annotations

import re
from importlib.util import find_spec
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
PAGES = (
    "README.md",
    ".github/CONTRIBUTING.md",
    ".github/SECURITY.md",
    "CHANGELOG.md",
    "editors/README.md",
    "protocol/README.md",
    "sidecar/ADMINISTRATION.md",
    "sidecar/GUIDE.md",
    "sidecar/README.md",
    "sidecar/team/README.md",
    "tests/bench/FIGURES.md",
    "tests/bench/README.md",
    "tests/README.md",
)
PATH = re.compile(r"`((?:[\w.-]+/)*[\w.-]+\.(?:py|toml|json|scm|sh|md))`")
"""A file in backticks; one with a placeholder in capitals, such as `LANGUAGE.scm`, is none."""

OF_USERS = re.compile(r"^(?:\.agents/|\.claude/|\.cursor/|\.gemini/|\.vscode/|~|[A-Z]+\.\w+$|[\w.-]+$)")
"""Files of the user's own project, and bare names."""

MODULE = re.compile(r"python3? (?:-P )?-m ((?:sidecar|protocol|tests)[\w.]*)")
SCRIPT = re.compile(r"python3? (?:-P )?((?:[\w-]+/)+[\w.-]+\.py)")


def stands(page: Path, name: str) -> bool:
    """Return True if a page's path exists, from the page, the top, or the packages that pages are about."""
    places = (ROOT, page.parent, ROOT / "sidecar", ROOT / "tests")
    return any((place / name).exists() for place in places)


@pytest.mark.parametrize("name", PAGES)
def test_every_file_and_command_that_a_page_names_is_there(name: str) -> None:
    page = ROOT / name
    text = page.read_text(encoding="utf-8")
    named = [path for path in PATH.findall(text) if not OF_USERS.match(path)] + SCRIPT.findall(text)
    missing = [path for path in named if not stands(page, path) and "LANGUAGE" not in path]
    missing += [module for module in MODULE.findall(text) if find_spec(module.rstrip(".")) is None]
    assert not missing, f"{name} names what is not there: {', '.join(sorted(set(missing)))}"


def test_the_pages_are_read_at_all() -> None:
    named = {path for name in PAGES for path in PATH.findall((ROOT / name).read_text(encoding="utf-8"))}
    assert len(named) > 50
