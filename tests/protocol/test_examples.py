"""The exchanges that the protocol page shows can still be recorded with a real server."""

from __future__ import annotations

import pytest

from protocol.methods import METHODS
from tests.protocol.examples import record

pytestmark = pytest.mark.slow


def test_a_recorded_session_has_an_exchange_of_every_method() -> None:
    assert list(record()) == list(METHODS)
