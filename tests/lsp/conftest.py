"""One server process with the fake engine, for tests that neither end it nor need options."""

from __future__ import annotations

import sys
from collections.abc import Iterator

import pytest

from tests.client.stdio_client import ROOT, StdioClient

FAKE_SERVER = ROOT / "tests" / "client" / "fake_engine.py"


@pytest.fixture(scope="module")
def shared() -> Iterator[StdioClient]:
    with StdioClient([sys.executable, str(FAKE_SERVER)]) as started:
        started.initialize()
        yield started


@pytest.fixture
def client(shared: StdioClient) -> Iterator[StdioClient]:
    """The shared process; after each test nothing may be left unconsumed."""
    yield shared
    shared.call("test/echo")
    shared.check_consumed()
    shared.ignore.clear()
    shared.reader.messages.clear()
