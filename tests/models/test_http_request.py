"""What counts as this machine: a key is sent in clear to nothing else."""

from __future__ import annotations

from urllib.parse import urlsplit

import pytest

from sidecar.models.http_request import is_local, prepare_connection


@pytest.mark.parametrize("host", ["localhost", "127.0.0.1", "127.1.2.3", "::1"])
def test_a_host_of_this_machine_is_local(host: str) -> None:
    assert is_local(host)


@pytest.mark.parametrize("host", ["", "127.0.0.1.example.com", "127.evil.example", "10.0.0.1", "localhost.example"])
def test_a_host_of_another_machine_is_not_local(host: str) -> None:
    assert not is_local(host)


def test_request_to_this_machine_passes_no_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("http_proxy", "http://proxy.example:3128")
    monkeypatch.setenv("no_proxy", "")
    asked, target, _ = prepare_connection(urlsplit("http://127.0.0.1:8080/v1"), "/v1", {"PRIVATE-TOKEN": "x"}, 1.0)
    assert (asked.host, asked.port, target) == ("127.0.0.1", 8080, "/v1")
    asked, target, _ = prepare_connection(urlsplit("http://models.example/v1"), "/v1", {}, 1.0)
    assert (asked.host, asked.port, target) == ("proxy.example", 3128, "http://models.example/v1")
