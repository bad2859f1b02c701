"""The pages that lead through the house name what is there."""

from __future__ import annotations

import re
from importlib.util import find_spec
from pathlib import Path

import pytest

from sidecar.store import keys

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
    "sidecar/store/README.md",
    "sidecar/team/README.md",
    "tests/bench/FIGURES.md",
    "tests/bench/README.md",
    "tests/README.md",
)
PATH = re.compile(r"`((?:[\w.-]+/)*[\w.-]+\.(?:py|toml|json|scm|sh|md))`")
"""A file in backticks; one with a placeholder in capitals, such as `LANGUAGE.scm`, is none."""

OF_USERS = re.compile(r"^(?:\.agents/|\.claude/|\.cursor/|\.gemini/|\.vscode/|~|[A-Z]+\.\w+$)")
"""Files of the user's own project."""

FOLDER = re.compile(r"`((?:[\w.-]+/)+)`")
BARE = re.compile(r"[\w.-]+/?")
EXAMPLES = {"a.py", "pricing.py", "devbench_dataset.json", "locomo-dev.json"}
"""Files of an imagined project, and data sets that a benchmark is given."""

MODULE = re.compile(r"python3? (?:-P )?-m ((?:sidecar|protocol|tests)[\w.]*)")
SCRIPT = re.compile(r"python3? (?:-P )?((?:[\w-]+/)+[\w.-]+\.py)")


def places_of(page: Path) -> tuple[Path, ...]:
    """Return the folders from which a page may name a path: its own, the top, and the packages that pages are about."""
    return ROOT, page.parent, ROOT / "sidecar", ROOT / "tests"


def missing_paths(page: Path, named: list[str]) -> list[str]:
    """Return the paths that do not exist. A bare name must be in a folder that the page names somewhere."""
    places = places_of(page)
    found = [place / path for path in named for place in places if (place / path).exists()]
    folders = {*places, *(path if path.is_dir() else path.parent for path in found)}
    return [
        path
        for path in named
        if "LANGUAGE" not in path
        and not any((folder / path).exists() for folder in (folders if BARE.fullmatch(path) else places))
    ]


@pytest.mark.parametrize("name", PAGES)
def test_every_file_and_command_that_a_page_names_is_there(name: str) -> None:
    page = ROOT / name
    text = page.read_text(encoding="utf-8")
    named = [*PATH.findall(text), *FOLDER.findall(text), *SCRIPT.findall(text)]
    missing = missing_paths(page, [path for path in named if path not in EXAMPLES and not OF_USERS.match(path)])
    missing += [module for module in MODULE.findall(text) if find_spec(module.rstrip(".")) is None]
    assert not missing, f"{name} names what is not there: {', '.join(sorted(set(missing)))}"


def test_a_bare_name_must_be_in_a_folder_that_the_page_names() -> None:
    named = [
        "sidecar/files/outline/queries/",
        "sidecar/files/outline/",
        "terraform.py",
        "queries/",
        "rust.py",
        "packing.py",
    ]
    assert missing_paths(ROOT / "README.md", named) == ["rust.py", "packing.py"]


def test_the_pages_are_read_at_all() -> None:
    named = {path for name in PAGES for path in PATH.findall((ROOT / name).read_text(encoding="utf-8"))}
    assert len(named) > 50


def test_the_page_of_the_stores_lists_every_key() -> None:
    page = (ROOT / "sidecar/store/README.md").read_text("utf-8")
    prefixes = {value for name, value in vars(keys).items() if name.isupper() and value != keys.SEPARATOR}
    assert [prefix for prefix in sorted(prefixes) if f"| `{prefix}" not in page] == []
