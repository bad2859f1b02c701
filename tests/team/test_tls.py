"""TLS with a real server: its certificate is verified, and it may verify ours."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from sidecar.runtime.errors import StoreUnavailable
from sidecar.team import postgresql
from tests.client.postgresql import LocalServer
from tests.team.conftest import free_port

HOST = "db.example.org"


class Authority:
    """A certificate authority that the openssl program makes, and the certificates it signs."""

    def __init__(self, folder: Path, name: str) -> None:
        self._folder = folder
        self._name = name
        self.certificate = folder / f"{name}.crt"
        key = ("-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes")
        self._openssl(
            "req", "-x509", *key, "-subj", f"/CN={name}", "-keyout", self._key(name), "-out", str(self.certificate)
        )

    def sign(self, name: str, subject: str, extension: str = "", days: int = 2) -> tuple[Path, Path]:
        """Return a certificate for a subject and its key; one of negative `days` has expired."""
        certificate, request = self._folder / f"{name}.crt", self._folder / f"{name}.csr"
        key = ("-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes")
        self._openssl("req", *key, "-subj", f"/CN={subject}", "-keyout", self._key(name), "-out", str(request))
        extensions = self._folder / f"{name}.ext"
        extensions.write_text(extension)
        self._openssl(
            "x509", "-req", "-in", str(request), "-CA", str(self.certificate), "-CAkey", self._key(self._name),
            "-CAcreateserial", "-days", str(days), "-extfile", str(extensions), "-out", str(certificate),
        )  # fmt: skip
        return certificate, Path(self._key(name))

    def _key(self, name: str) -> str:
        return str(self._folder / f"{name}.key")

    def _openssl(self, *arguments: str) -> None:
        subprocess.run(["openssl", *arguments], check=True, capture_output=True)


class Secured:
    """A server that speaks nothing but TLS over TCP; one certificate at a time."""

    def __init__(self, folder: Path, authority: Authority) -> None:
        self.authority = authority
        self._folder = folder
        self._server = LocalServer(folder, free_port(), settings=("ssl=on", f"ssl_ca_file={folder}/client-ca.crt"))
        self._server.make()
        shutil.copy(authority.certificate, folder / "client-ca.crt")
        hba = "local all all trust\nhostssl all memory 127.0.0.1/32 trust\n"
        hba += "hostssl all kim 127.0.0.1/32 cert clientcert=verify-full\n"
        (folder / "data" / "pg_hba.conf").write_text(hba)

    def present(self, certificate: tuple[Path, Path]) -> None:
        """Start with this certificate."""
        self._server.stop()
        for source, name in zip(certificate, ("server.crt", "server.key"), strict=True):
            place = self._folder / "data" / name
            shutil.copy(source, place)
            place.chmod(0o600)
            if self._server._user is not None:
                os.chown(place, self._server._user.pw_uid, self._server._user.pw_gid)
        self._server.start()

    def url(self, host: str = HOST, role: str = LocalServer.owner, **options: object) -> str:
        """Return a URL for a name that leads to this machine, whatever the name servers say."""
        given = {"hostaddr": "127.0.0.1", "port": self._server.port, "sslrootcert": self.authority.certificate}
        more = "&".join(f"{key}={value}" for key, value in {**given, **options}.items())
        return f"postgresql://{role}@{host}/postgres?{more}"

    @property
    def port(self) -> int:
        return self._server.port or 0

    def sql(self, statement: str) -> None:
        with postgresql.connect(self._server.url).connection as connection:
            connection.execute(statement.encode())

    def close(self) -> None:
        self._server.kill()


@pytest.fixture(scope="module")
def secured(database_server: LocalServer) -> Iterator[Secured]:
    if shutil.which("openssl") is None:
        pytest.skip("needs the openssl program")
    folder = Path(tempfile.mkdtemp(prefix="ms-tls-"))
    folder.chmod(0o755)
    (folder / "keys").mkdir(mode=0o755)
    made = Secured(folder / "s", Authority(folder / "keys", "root"))
    yield made
    made.close()
    shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture(scope="module")
def sound(secured: Secured) -> Secured:
    secured.present(secured.authority.sign("sound", HOST, f"subjectAltName=DNS:{HOST}"))
    secured.sql("CREATE ROLE kim LOGIN")
    return secured


def refused(url: str) -> str | None:
    with pytest.raises(StoreUnavailable) as error:
        postgresql.connect(url).close()
    assert error.value.data.hint
    return error.value.data.reason


def test_a_certificate_of_the_named_authority_for_this_host_is_accepted(sound: Secured) -> None:
    with postgresql.connect(sound.url()).connection as connection:
        assert connection.pgconn.ssl_in_use
        row = connection.execute("SELECT ssl, version FROM pg_stat_ssl WHERE pid = pg_backend_pid()").fetchone()
    assert row is not None
    assert row[0]
    assert row[1] in ("TLSv1.2", "TLSv1.3")


def test_another_authority_s_certificate_is_refused(sound: Secured, tmp_path: Path) -> None:
    other = Authority(tmp_path, "other")
    assert refused(sound.url(sslrootcert=other.certificate)) == "tls"


def test_without_options_the_system_s_authorities_are_asked(sound: Secured, monkeypatch: pytest.MonkeyPatch) -> None:
    plain = sound.url().replace(f"&sslrootcert={sound.authority.certificate}", "")
    assert refused(plain) == "tls"
    monkeypatch.setenv("SSL_CERT_FILE", str(sound.authority.certificate))
    with postgresql.connect(plain).connection as connection:
        assert connection.pgconn.ssl_in_use


def test_a_service_that_asks_for_no_certificate_is_refused(
    sound: Secured, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    services = tmp_path / "services"
    monkeypatch.setenv("PGSERVICEFILE", str(services))
    given = f"[team]\nhost={HOST}\nhostaddr=127.0.0.1\nport={sound.port}\nuser=memory\ndbname=postgres\n"
    services.write_text(given)
    assert refused("postgresql:///?service=team") == "tls"
    services.write_text(f"{given}sslmode=verify-full\nsslrootcert={sound.authority.certificate}\n")
    with postgresql.connect("postgresql:///?service=team").connection as connection:
        assert connection.pgconn.ssl_in_use


def test_a_certificate_for_another_host_is_refused(sound: Secured) -> None:
    assert refused(sound.url(host="db.example.net")) == "tls"
    with postgresql.connect(sound.url(host="db.example.net", sslmode="verify-ca")).connection as connection:
        assert connection.pgconn.ssl_in_use


def test_a_client_certificate_stands_for_a_role_and_for_no_other(sound: Secured, tmp_path: Path) -> None:
    certificate, key = sound.authority.sign("kim", "kim")
    key.chmod(0o600)
    with postgresql.connect(sound.url(role="kim", sslcert=certificate, sslkey=key)).connection as connection:
        assert connection.execute("SELECT session_user").fetchone() == ("kim",)
    assert refused(sound.url(role="kim")) == "credentials"
    lee, lee_key = sound.authority.sign("lee", "lee")
    lee_key.chmod(0o600)
    assert refused(sound.url(role="kim", sslcert=lee, sslkey=lee_key)) == "credentials"
    stranger = Authority(tmp_path, "stranger-root").sign("stranger", "kim")
    stranger[1].chmod(0o600)
    assert refused(sound.url(role="kim", sslcert=stranger[0], sslkey=stranger[1])) in ("tls", "credentials")


def test_an_expired_certificate_is_refused(secured: Secured) -> None:
    secured.present(secured.authority.sign("expired", HOST, f"subjectAltName=DNS:{HOST}", days=-1))
    assert refused(secured.url()) == "tls"


def test_a_server_without_tls_is_refused(database_server: LocalServer, secured: Secured) -> None:
    url = secured.url(port=database_server.port)
    assert refused(url) == "tls"
