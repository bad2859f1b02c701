"""A password comes from where PostgreSQL looks for it, or from the keyring; never from a repository."""

from __future__ import annotations

import shutil
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType, SimpleNamespace

import pytest

from sidecar.runtime.errors import StoreUnavailable
from sidecar.team import postgresql
from tests.client.postgresql import LocalServer
from tests.team.conftest import free_port

PASSWORD = "correct horse"


@pytest.fixture(scope="module")
def guarded() -> Iterator[LocalServer]:
    """A server that asks for a password over TCP."""
    folder = Path(tempfile.mkdtemp(prefix="ms-pw-"))
    folder.chmod(0o755)
    running = LocalServer(folder, free_port())
    try:
        running.make()
        (folder / "data" / "pg_hba.conf").write_text("local all all trust\nhost all all 127.0.0.1/32 scram-sha-256\n")
        running.start()
        with postgresql.connect(running.url).connection as connection:
            connection.execute(f"CREATE ROLE ann LOGIN PASSWORD '{PASSWORD}'".encode())
        yield running
    finally:
        running.kill()
        shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture
def url(guarded: LocalServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """The URL of a role with a password, where nothing knows it."""
    monkeypatch.setenv("PGPASSFILE", str(tmp_path / "pgpass"))
    monkeypatch.setenv("PGSERVICEFILE", str(tmp_path / "services"))
    monkeypatch.delenv("PGPASSWORD", raising=False)
    monkeypatch.setitem(sys.modules, "keyring", None)
    return f"postgresql://ann@127.0.0.1:{guarded.port}/postgres"


def user_of(url: str) -> object:
    with postgresql.connect(url).connection as connection:
        return connection.execute("SELECT session_user").fetchone()


def test_a_missing_password_is_refused_with_a_hint(url: str) -> None:
    with pytest.raises(StoreUnavailable, match="does not accept this user or password") as refused:
        user_of(url)
    assert refused.value.data.reason == "credentials"
    for place in ("PGPASSWORD", "~/.pgpass", "service", "keyring"):
        assert place in (refused.value.data.hint or "")


def test_a_password_is_read_from_the_environment(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PGPASSWORD", PASSWORD)
    assert user_of(url) == ("ann",)
    monkeypatch.setenv("PGPASSWORD", "wrong")
    with pytest.raises(StoreUnavailable, match="does not accept") as refused:
        user_of(url)
    assert "wrong" not in str(refused.value)


def test_a_password_is_read_from_pgpass(url: str, guarded: LocalServer, tmp_path: Path) -> None:
    passwords = tmp_path / "pgpass"
    passwords.write_text(f"127.0.0.1:{guarded.port}:*:ann:{PASSWORD}\n")
    passwords.chmod(0o600)
    assert user_of(url) == ("ann",)


def test_a_password_is_read_from_a_service_file(url: str, guarded: LocalServer, tmp_path: Path) -> None:
    (tmp_path / "services").write_text(
        f"[team]\nhost=127.0.0.1\nport={guarded.port}\ndbname=postgres\nuser=ann\npassword={PASSWORD}\n"
    )
    assert user_of("postgresql:///?service=team") == ("ann",)


def test_a_password_is_read_from_the_keyring(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Stands in for the package keyring, whose backends need a desktop."""

    class LockedError(Exception):
        pass

    keyring = ModuleType("keyring")
    words = {("memory-sidecar", url): PASSWORD}
    keyring.__dict__.update(
        errors=SimpleNamespace(KeyringError=LockedError), get_password=lambda *asked: words.get(asked)
    )
    monkeypatch.setitem(sys.modules, "keyring", keyring)
    assert user_of(url) == ("ann",)
    words.clear()
    with pytest.raises(StoreUnavailable, match="does not accept"):
        user_of(url)

    def locked(*asked: str) -> str:
        raise LockedError

    monkeypatch.setattr(keyring, "get_password", locked)
    with pytest.raises(StoreUnavailable, match="does not accept"):
        user_of(url)
