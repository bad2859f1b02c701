"""`manual`: a page that groff takes without a warning, with every command and option."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from sidecar.cli.main import COMMANDS
from tests.cli.conftest import Run


def test_every_command_is_in_the_page(run: Run) -> None:
    page = run("manual").stdout
    assert re.findall(r"^\.SS (.+)$", page, re.MULTILINE) == list(COMMANDS)
    assert r"\-\-expected\-version" in page
    assert "0 done, 1 failed" in page


@pytest.mark.skipif(shutil.which("groff") is None, reason="groff is not installed")
def test_groff_takes_it_without_a_warning(run: Run) -> None:
    page = run("manual").stdout
    done = subprocess.run(
        ["groff", "-man", "-ww", "-Tutf8"], input=page, capture_output=True, text=True, check=True, timeout=60
    )
    assert done.stderr == ""
    assert "Find memories by their words and meaning." in " ".join(done.stdout.split())


def test_readme_counts_the_commands() -> None:
    text = (Path(__file__).parents[2] / "README.md").read_text(encoding="utf-8")
    named, more = re.search(r"`memory-sidecar --help`; ((?:`\w+`, )+`\w+`) and\s+(\d+) more", text).groups()  # type: ignore[union-attr]
    assert named.count(",") + 1 + int(more) == len(COMMANDS)
