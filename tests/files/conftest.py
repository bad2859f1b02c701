"""What tests of outlines share."""

from __future__ import annotations

import pytest


@pytest.fixture
def told_by_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    """Tell small files by their parts, as larger ones are, not by their own text."""
    monkeypatch.setattr("sidecar.files.outline.assemble.SMALL", 0)
