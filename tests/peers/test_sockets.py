"""What both sides of a socket agree on."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from pathlib import Path

import pytest
from msgspec.structs import replace

from protocol.askable import ASKABLE, result_type
from protocol.methods import METHODS
from sidecar.peers.sockets import Greeting, is_own, socket_folder
from sidecar.settings import Settings

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def runtime(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))
    return tmp_path / "memory-sidecar"


def test_an_askable_method_has_the_result_type_of_the_table() -> None:
    assert {METHODS[method].lane for method in ASKABLE} == {"read"}
    assert {method: result_type(method) for method in ASKABLE} == {method: METHODS[method].result for method in ASKABLE}


def test_a_greeting_tells_what_changes_answers_and_nothing_else(tmp_path: Path) -> None:
    plain = Settings()
    told = Greeting.of_workspace(tmp_path, tmp_path, plain)
    quiet = replace(plain, watch=replace(plain.watch, mode="off"), files=replace(plain.files, warm_up=False))
    assert Greeting.of_workspace(tmp_path, tmp_path, quiet) == told
    other = replace(plain, memory=replace(plain.memory, inject_budget_tokens=7))
    assert Greeting.of_workspace(tmp_path, tmp_path, other) != told
    assert Greeting.of_workspace(tmp_path, tmp_path, other).prefix() == told.prefix()
    assert Greeting.of_workspace(tmp_path, tmp_path / "other", plain).prefix() != told.prefix()
    assert Greeting.of_workspace(tmp_path / "other", tmp_path, plain).prefix() != told.prefix()


def test_a_secret_does_not_leave_in_a_greeting(tmp_path: Path) -> None:
    keyed = replace(Settings(), models=replace(Settings().models, key="sk-not-to-be-told"))
    assert "not-to-be-told" not in repr(Greeting.of_workspace(tmp_path, tmp_path, keyed))


def test_the_folder_of_sockets_is_private(runtime: Path) -> None:
    assert socket_folder(make=False) is None
    assert socket_folder(make=True) == runtime
    assert runtime.stat().st_mode & 0o777 == 0o700
    runtime.chmod(0o755)
    assert socket_folder(make=True) is None


def test_a_symlink_is_no_folder_of_sockets(runtime: Path, tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir(0o700)
    runtime.symlink_to(tmp_path / "elsewhere")
    assert socket_folder(make=True) is None


def test_a_folder_of_another_user_is_not_used(runtime: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    runtime.mkdir(0o700)
    user = os.geteuid()
    monkeypatch.setattr(os, "geteuid", lambda: user + 1)
    assert socket_folder(make=True) is None


def test_a_process_of_another_user_is_told_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    first, second = socket.socketpair(socket.AF_UNIX, socket.SOCK_STREAM)
    with first, second:
        assert is_own(first)
        user = os.geteuid()
        monkeypatch.setattr(os, "geteuid", lambda: user + 1)
        assert not is_own(first)


def test_socket_without_a_peer_has_no_user() -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as unconnected:
        assert not is_own(unconnected)


def test_a_missing_runtime_folder_is_no_noise_on_an_agents_screen() -> None:
    environ = {name: value for name, value in os.environ.items() if name != "XDG_RUNTIME_DIR"}
    code = "from sidecar.peers.sockets import socket_folder; socket_folder(make=False)"
    done = subprocess.run([sys.executable, "-c", code], env=environ, cwd=ROOT, capture_output=True, check=True)
    assert done.stderr == b""
