"""The schema `memory_sidecar` of a database, which its owner creates and brings up to date, step by step."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from importlib import resources
from typing import NamedTuple

from sidecar.runtime.digests import blake2b
from sidecar.runtime.errors import StoreTooNew
from sidecar.team.postgresql import TeamDatabase, TeamRefused, display_address, driver

# The advisory lock for setting up a schema: the bytes of "memory".
LOCK_ID = 0x6D656D6F7279
MEMBER_ROLE, CREATOR_ROLE = "memory_sidecar_member", "memory_sidecar_creator"
LATEST_VERSION = "FROM memory_sidecar.schema_version ORDER BY version DESC LIMIT 1"


class SetupResult(NamedTuple):
    """The versions of the schema before and after `set_up`, and whether the roles for other people exist."""

    before: int
    after: int
    roles: bool


@cache
def migrations() -> Sequence[str]:
    """Return the SQL of each version in order. Never change the SQL of a released version."""
    folder = resources.files("sidecar.team") / "migrations"
    return [
        file.read_text("utf-8") for file in sorted(folder.iterdir(), key=lambda file: file.name) if file.name[:1] == "0"
    ]


def check(database: TeamDatabase) -> None:
    """Raise `StoreTooNew` or `TeamRefused` unless the schema is that of this program."""
    rows = database.query(f"SELECT version, checksum {LATEST_VERSION}")
    compare(database.url, *(rows[0] if rows else (0, "")))


def compare(url: str, version: int | None, checksum: str | None, *, current: bool = True) -> None:
    """Raise `StoreTooNew` or `TeamRefused` unless the schema is this program's; not `current`: or an older one."""
    ours, version = migrations(), version or 0
    if version > len(ours):
        raise StoreTooNew(
            f"{display_address(url)} was set up by a newer memory-sidecar (schema {version}, ours is {len(ours)}).",
            reason="tooNew",
            hint="Update memory-sidecar. Until then this machine works with its own memories and shares nothing.",
        )
    if version and checksum != checksum_of(ours[:version]):
        raise TeamRefused(
            f"{display_address(url)} has a schema that this memory-sidecar does not know.",
            reason="schema",
            hint="Update memory-sidecar, or name another database in store.url.",
        )
    if version < len(ours) and current:
        raise TeamRefused(
            f"{display_address(url)} has schema {version}; this memory-sidecar needs {len(ours)}.",
            reason="tooOld",
            hint="Its owner runs: memory-sidecar team setup URL",
        )


def checksum_of(migrations: Sequence[str]) -> str:
    return blake2b("\0".join(migrations).encode(), digest_size=16).hexdigest()


def set_up(database: TeamDatabase, *, dry_run: bool = False) -> SetupResult:
    """Bring the schema up to date in one transaction; in a dry run, roll it back.

    Raises `StoreUnavailable`, `StoreTooNew`.
    """
    scripts, connection = migrations(), database.connection
    with database.transaction(dry_run=dry_run):
        connection.execute("SELECT pg_advisory_xact_lock(%s)", (LOCK_ID,))
        table = connection.execute("SELECT to_regclass('memory_sidecar.schema_version')").fetchone()
        before = 0
        if table is not None and table[0] is not None:
            row = connection.execute(f"SELECT version, checksum {LATEST_VERSION}".encode()).fetchone()
            before, checksum = row or (0, "")
            compare(database.url, before, checksum, current=False)
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
        roles = _make_roles(database)
    return SetupResult(before, len(scripts), roles)


def _make_roles(database: TeamDatabase) -> bool:
    """Create the roles that the owner grants to people, with their rights; return False if the owner may not."""
    psycopg, connection = driver(), database.connection
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
