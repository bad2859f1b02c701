"""The schema `memory_sidecar` of a database: created and brought up to date by its owner, step by step."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from importlib import resources
from typing import TYPE_CHECKING, NamedTuple

from sidecar.runtime.digests import blake2b
from sidecar.runtime.errors import StoreTooNew
from sidecar.team.server import TeamRefused, display_address, driver, translate_errors, unknown_schema

if TYPE_CHECKING:
    from sidecar.team.server import Connection

LOCK_ID = 0x6D656D6F7279  # the bytes of "memory", the advisory lock for setting up a schema
MEMBER_ROLE, CREATOR_ROLE = "memory_sidecar_member", "memory_sidecar_creator"
LATEST_VERSION = "FROM memory_sidecar.schema_version ORDER BY version DESC LIMIT 1"


class SetupResult(NamedTuple):
    """What `set_up` did, or would do: the versions before and after, and whether roles for others exist."""

    before: int
    after: int
    roles: bool


@cache
def migrations() -> Sequence[str]:
    """Return the migrations in order; the first leads to version 1. Never change one that was released."""
    folder = resources.files("sidecar.team") / "migrations"
    return [
        file.read_text("utf-8") for file in sorted(folder.iterdir(), key=lambda file: file.name) if file.name[:1] == "0"
    ]


def check(connection: Connection, url: str) -> None:
    """Raise as `compare`, and `TeamRefused` for a missing schema."""
    with translate_errors(url):
        row = connection.execute(f"SELECT version, checksum {LATEST_VERSION}".encode()).fetchone()
    compare(url, *(row or (0, "")))


def compare(url: str, version: int | None, checksum: str | None) -> None:
    """Raise `StoreTooNew` or `TeamRefused` unless the schema is that of this program."""
    ours, version = migrations(), version or 0
    if version > len(ours):
        raise StoreTooNew(
            f"{display_address(url)} was set up by a newer memory-sidecar (schema {version}, ours is {len(ours)}).",
            reason="tooNew",
            hint="Update memory-sidecar. Until then this machine works with what it has, and shares nothing.",
        )
    if version < len(ours):
        raise TeamRefused(
            f"{display_address(url)} has schema {version}; this memory-sidecar needs {len(ours)}.",
            reason="tooOld",
            hint="Its owner runs: memory-sidecar team setup URL",
        )
    if checksum != checksum_of(ours):
        raise unknown_schema(url)


def checksum_of(migrations: Sequence[str]) -> str:
    return blake2b("\0".join(migrations).encode(), digest_size=16).hexdigest()


def set_up(connection: Connection, url: str, *, dry_run: bool = False) -> SetupResult:
    """Bring the schema up to date in one transaction, one process at a time; a dry run rolls all of it back.

    Raises `StoreUnavailable`, `StoreTooNew` and, without the right to create, `TeamRefused`.
    """
    scripts = migrations()
    with translate_errors(url), connection.transaction(force_rollback=dry_run):
        connection.execute("SELECT pg_advisory_xact_lock(%s)", (LOCK_ID,))
        table = connection.execute("SELECT to_regclass('memory_sidecar.schema_version')").fetchone()
        before = 0
        if table is not None and table[0] is not None:
            row = connection.execute(f"SELECT version, checksum {LATEST_VERSION}".encode()).fetchone()
            before, checksum = row or (0, "")
            if before >= len(scripts):
                compare(url, before, checksum)
            elif before and checksum != checksum_of(scripts[:before]):
                raise unknown_schema(url)
        if before == 0:
            connection.execute("CREATE SCHEMA IF NOT EXISTS memory_sidecar")
            connection.execute(
                "CREATE TABLE memory_sidecar.schema_version (version integer PRIMARY KEY,"
                " checksum text NOT NULL DEFAULT '', applied_at timestamptz NOT NULL DEFAULT now(),"
                " applied_by text NOT NULL DEFAULT session_user)"
            )
            connection.execute("CREATE TABLE memory_sidecar.identity AS SELECT gen_random_uuid()::text AS id")
        connection.execute("SET LOCAL search_path = memory_sidecar")
        for number, step in enumerate(scripts[before:], before + 1):
            connection.execute(step.encode())
            connection.execute(
                "INSERT INTO schema_version (version, checksum) VALUES (%s, %s)",
                (number, checksum_of(scripts[:number])),
            )
        roles = _make_roles(connection)
    return SetupResult(before, len(scripts), roles)


def _make_roles(connection: Connection) -> bool:
    """Create the roles to grant to other people's roles, if the owner may, and grant them what they need."""
    psycopg = driver()
    for role in (MEMBER_ROLE, CREATOR_ROLE):
        try:
            with connection.transaction():
                connection.execute(
                    f"DO $$ BEGIN IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = '{role}') THEN"
                    f" CREATE ROLE {role} NOLOGIN; END IF; END $$"
                )
        except psycopg.errors.InsufficientPrivilege:
            return False
    with connection.transaction():
        connection.execute(
            f"DO $$ BEGIN IF NOT pg_has_role('{CREATOR_ROLE}', '{MEMBER_ROLE}', 'member') THEN"
            f" GRANT {MEMBER_ROLE} TO {CREATOR_ROLE}; END IF; END $$"
        )
    connection.execute(
        f"GRANT USAGE ON SCHEMA memory_sidecar TO {MEMBER_ROLE};"
        f"GRANT SELECT ON ALL TABLES IN SCHEMA memory_sidecar TO {MEMBER_ROLE};"
        f"GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA memory_sidecar TO {MEMBER_ROLE}"
    )
    return True
