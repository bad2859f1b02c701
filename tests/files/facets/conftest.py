"""A small file, as facets are judged against it."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from sidecar.files.facets.content import Content
from sidecar.files.outline import outline

STORE = '''
"""Keeps sessions."""
import json
from shop.helpers import load_table

MAX_AGE = 30


class SessionStore:
    """All sessions of one process."""

    def load(self, path: str) -> None:
        """Read the sessions back from a file."""
        self._file = open(path)  # kept open for the tail
        self._cache = json.load(self._file)

    def flush(self) -> int:
        return len(self._cache)


def self_test(data):
    return data
'''


@pytest.fixture
def content() -> Callable[..., Content]:
    def make(text: str = STORE, path: str = "shop/store.py") -> Content:
        return Content(path, text, outline(path, text.encode(), "0" * 32))

    return make
