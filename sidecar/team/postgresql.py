"""Connect securely to the database that shares memories, and word its errors.

psycopg is an optional dependency. Data leaves this machine only by TLS. Unless the URL has an `sslmode`, the server's
certificate is verified.
"""

from __future__ import annotations

import importlib
import logging
import os
import re
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from sidecar.runtime.errors import SidecarError, StoreUnavailable
from sidecar.text.toml import read_toml

if TYPE_CHECKING:
    import psycopg

log = logging.getLogger(__name__)

# A person may be waiting.
CONNECT_SECONDS: Final = 5
_SECURE_SSL_MODES = ("require", "verify-ca", "verify-full")
_LOCAL_HOSTS = ("localhost", "127.0.0.1", "::1")
# Options that detect a cut connection within some ten seconds.
_KEEPALIVE = {
    "keepalives": 1,
    "keepalives_idle": 5,
    "keepalives_interval": 2,
    "keepalives_count": 3,
    "tcp_user_timeout": 10_000,
}
_SESSION_SETTINGS = "SET statement_timeout = '60s'; SET lock_timeout = '20s'; SET search_path = memory_sidecar"


class TeamRefused(StoreUnavailable):
    """The database cannot be used until somebody fixes something. To try again does not help."""


def driver() -> Any:
    """Return psycopg. Raises `TeamRefused` if the extra is not installed."""
    try:
        import psycopg
    except ImportError as error:
        raise TeamRefused(
            "Sharing memory needs psycopg, which is not installed.",
            reason="extra",
            hint="Install this program again with its extra: uv tool install --force '/path/to/its/clone[team]'",
        ) from error
    return psycopg


class TeamDatabase(AbstractContextManager["TeamDatabase"]):
    """An open connection to the database that a URL names. Methods raise `StoreUnavailable`."""

    def __init__(self, url: str, connection: psycopg.Connection[tuple[Any, ...]]) -> None:
        self.url = url
        self.connection = connection

    def __exit__(self, *error: object) -> None:
        self.close()

    def close(self) -> None:
        self.connection.close()

    def query(self, statement: str, *values: object) -> list[tuple[Any, ...]]:
        with translate_errors(self.url):
            return self.connection.execute(statement.encode(), values).fetchall()

    def role(self) -> str:
        return str(self.query("SELECT session_user")[0][0])

    @contextmanager
    def transaction(self, *, dry_run: bool) -> Iterator[None]:
        """Commit what the block does; in a dry run, roll it back."""
        with translate_errors(self.url), self.connection.transaction(force_rollback=dry_run):
            yield


def connect(url: str, seconds: float = CONNECT_SECONDS) -> TeamDatabase:
    """Connect, with TLS unless the server is on this machine. Raises `StoreUnavailable`, `TeamRefused`."""
    psycopg = driver()
    options = _options(url)
    with translate_errors(url):
        options |= {"connect_timeout": max(2, round(seconds)), "autocommit": True, "prepare_threshold": None}
        try:
            connection = psycopg.connect(**options)
        except psycopg.OperationalError as error:
            password = _from_keyring(url) if "no password supplied" in str(error) else None
            if password is None:
                raise
            connection = psycopg.connect(**options, password=password)
        try:
            _check_secured(connection, url)
            connection.execute(_SESSION_SETTINGS)
        except BaseException:
            connection.close()
            raise
    return TeamDatabase(url, connection)


def _from_keyring(url: str) -> str | None:
    """Return the password that the system's keyring has for this URL, if the package keyring is installed."""
    try:
        keyring = importlib.import_module("keyring")
    except ImportError:
        return None
    try:
        password: str | None = keyring.get_password("memory-sidecar", url)
    except keyring.errors.KeyringError as error:
        log.info("The keyring cannot be read: %s.", type(error).__name__)
        return None
    return password


def _check_secured(connection: psycopg.Connection[tuple[Any, ...]], url: str) -> None:
    """Raise `TeamRefused` if the connection is not safe. A service file or PGHOST may have named its host."""
    if _is_local(connection.info.host):
        return
    if not connection.pgconn.ssl_in_use:
        raise TeamRefused(f"{display_address(url)} does not use TLS.", reason="tls", hint="Enable TLS on the server.")
    mode = next((option.val for option in connection.pgconn.info if option.keyword == b"sslmode"), None) or b""
    if mode.decode() not in _SECURE_SSL_MODES:
        raise TeamRefused(
            f"The certificate of {display_address(url)} was not verified.",
            reason="tls",
            hint="Put sslmode=verify-full and sslrootcert=FILE into the service, or name the host in store.url.",
        )


def _options(url: str) -> dict[str, Any]:
    psycopg = driver()
    try:
        options: dict[str, Any] = psycopg.conninfo.conninfo_to_dict(url)
    except psycopg.ProgrammingError as error:
        raise _invalid_url() from error
    if not str(options.get("port") or "0").replace(",", "0").isdigit():
        raise _invalid_url()
    hosts = str(options.get("host") or options.get("hostaddr") or "")  # the host first: the certificate names it
    local = hosts != "" and all(_is_local(host) for host in hosts.split(","))
    mode = options.get("sslmode")
    if not local and mode is not None and mode not in _SECURE_SSL_MODES:
        raise TeamRefused(
            f"sslmode={mode} would send memories unencrypted.",
            reason="tls",
            hint="Leave sslmode out of store.url, or use require, verify-ca or verify-full.",
        )
    if not local and mode is None and hosts:
        options |= {"sslmode": "verify-full"}
        options.setdefault("sslrootcert", os.environ.get("PGSSLROOTCERT") or _system_authorities())
    options.setdefault("application_name", "memory-sidecar")
    return {**_KEEPALIVE, **options}


def _system_authorities() -> str:
    """Return the path of the system's certificate authorities, which psycopg's own OpenSSL does not know."""
    import ssl

    return ssl.get_default_verify_paths().cafile or "system"


def _invalid_url() -> TeamRefused:
    return TeamRefused(
        "store.url is not the URL of a PostgreSQL database.",
        reason="url",
        hint="Write postgresql://ann@db.example.org/memory; credentials come from PGPASSWORD or ~/.pgpass.",
    )


def _is_local(host: str) -> bool:
    return host.startswith(("/", "@")) or host in _LOCAL_HOSTS


def display_address(url: str) -> str:
    """Return the address in a URL, without user, password and options."""
    psycopg = driver()
    try:
        options = psycopg.conninfo.conninfo_to_dict(url)
    except psycopg.ProgrammingError:
        return "store.url"
    port = f":{options['port']}" if options.get("port") else ""
    place = f"service {options['service']}" if options.get("service") else f"{options.get('host') or 'localhost'}{port}"
    return f"{place}/{options.get('dbname') or ''}"


@contextmanager
def translate_errors(url: str) -> Iterator[None]:
    """Raise the driver's errors as ours, without a word of a memory or a password."""
    psycopg = driver()
    try:
        yield
    except SidecarError:
        raise
    except psycopg.Error as error:
        raise _translate(url, error) from error


class _Fault(NamedTuple):
    """What an error of the driver means; see `faults.toml`."""

    reason: str
    message: str
    hint: str = "It is retried automatically."
    state: str = "(?!)"
    text: str = "(?!)"
    refused: bool = False


@cache
def _faults() -> list[_Fault]:
    table = read_toml(files(__package__).joinpath("faults.toml").read_text("utf-8"))
    return [_Fault(**fault) for fault in table["fault"]]


def _translate(url: str, error: Any) -> StoreUnavailable:
    place, state, text = display_address(url), error.sqlstate or "", str(error).lower()
    if "invalid integer" in text:
        return _invalid_url()
    fault = next(fault for fault in _faults() if re.fullmatch(fault.state, state) or re.search(fault.text, text))
    if fault.reason == "failed":
        log.warning("%s answered with SQLSTATE %s.", place, state)
    what = (error.diag.message_primary or "").strip()
    message = fault.message.format(place=place, state=state, what=what)
    return (TeamRefused if fault.refused else StoreUnavailable)(message, reason=fault.reason, hint=fault.hint)
