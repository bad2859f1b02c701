"""What counts as this machine: a key is sent in the open to nothing else."""

from __future__ import annotations

import pytest

from sidecar.models.connecting import is_local


@pytest.mark.parametrize("host", ["localhost", "127.0.0.1", "127.1.2.3", "::1"])
def test_this_machine(host: str) -> None:
    assert is_local(host)


@pytest.mark.parametrize(
    "host", ["", "127.0.0.1.example.com", "127.evil.example", "10.0.0.1", "localhost.example"]
)
def test_other_machines(host: str) -> None:
    assert not is_local(host)
