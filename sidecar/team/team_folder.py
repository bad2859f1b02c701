"""Share one folder's memories by command: view, join, push, leave, and change members' rights.

`memory-sidecar team` calls this module.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import NamedTuple

import msgspec
from msgspec.structs import replace

from sidecar.checkout.identity import Identity, identify, record_identity
from sidecar.checkout.repository import read_user
from sidecar.runtime.clock import epoch_ms
from sidecar.runtime.errors import SidecarError, StoreUnavailable
from sidecar.settings import Settings
from sidecar.store.location import data_home
from sidecar.store.memory_store import MemoryStore
from sidecar.store.sharing import SharedPlaceRecord
from sidecar.team import postgresql, schema, team_reminders
from sidecar.team.scope_sync import ScopeSync, SyncResult
from sidecar.team.shared_database import find_workspace, not_joined_error
from sidecar.team.shared_scopes import SharedScopes, key_of_name, workspace_key

NO_ROLE = "nothing"


class TeamMember(msgspec.Struct, frozen=True, omit_defaults=True):
    role: str
    may: str
    name: str = ""


class MemberChange(msgspec.Struct, frozen=True):
    """What a role was and is allowed to do. `exists` says whether the database has a role of this name."""

    role: str
    before: str
    may: str
    exists: bool


class ScopeSharing(msgspec.Struct, frozen=True, rename="camel", omit_defaults=True):
    """How one scope is shared. `waiting` changes were not sent yet, `behind` ones not received yet."""

    scope: str
    joined: bool
    waiting: int = 0
    behind: int = 0


class TeamView(msgspec.Struct, frozen=True, rename="camel", omit_defaults=True):
    """How a folder's memories are shared. Without a connection, only local facts and the `problem`."""

    server: str
    key: str | None = None
    title: str | None = None
    role: str | None = None
    may: str | None = None
    scopes: list[ScopeSharing] = []
    members: list[TeamMember] = []
    problem: str | None = None
    hint: str | None = None


class _FolderStores(NamedTuple):
    identity: Identity
    home: Path
    stores: dict[str, MemoryStore]


class TeamFolder:
    """The sharing of one folder. Methods raise `StoreUnavailable` unless they say otherwise."""

    def __init__(self, folder: Path, settings: Settings) -> None:
        if settings.store.url is None:
            raise postgresql.TeamRefused(
                "No database is named.",
                reason="noUrl",
                hint="Set store.url in your own settings, or MEMORY_SIDECAR_STORE_URL.",
            )
        self._folder = folder
        self._settings = settings
        self._url = settings.store.url

    def describe(self) -> TeamView:
        """Return the state of both sides. An unreachable server is reported as the `problem`."""
        with self._stores() as opened:
            view = TeamView(server=postgresql.display_address(self._url))
            try:
                with self._connected() as database:
                    return self._view_connected(database, opened, view)
            except SidecarError as error:
                joined = ((sync, sync.place() is not None) for sync in self._syncs(opened, ""))
                scopes = [ScopeSharing(sync.scope, here, sync.count_pending() if here else 0) for sync, here in joined]
                return replace(view, scopes=scopes, problem=error.message, hint=error.data.hint)

    def join(self, name: str | None, *, dry_run: bool) -> list[SyncResult]:
        """Start to share this folder's memories, under its origin or under `name`."""
        with self._stores() as opened, self._connected() as database:
            key = key_of_name(name) if name else self._key(opened)
            if key is None:
                raise StoreUnavailable(
                    "Other machines cannot recognise this folder, because it has no origin and first commit.",
                    reason="noName",
                    hint="memory-sidecar team join --name NAME, the same name on each machine. A shallow clone "
                    "has no first commit either: git fetch --unshallow.",
                )
            person = read_user(opened.identity.folder, os.environ).name or ""
            with database.transaction(dry_run=dry_run):
                statement = "SELECT memory_sidecar.join_workspace(%s, %s, %s)"
                database.query(statement, key, opened.identity.folder.name, person)
                if dry_run:
                    sync = ScopeSync(opened.stores["project"], "project", key, (), epoch_ms)
                    return [sync.run(database, dry_run=True)[1]]
            record_identity(opened.identity, opened.home, keep=True)
            with opened.stores["project"].transaction() as transaction:
                sharing = transaction.sharing("project")
                before = sharing.place()
                if before is None or before.key != key or before.left:
                    for scope in ("project", team_reminders.REMINDER_SCOPE):
                        transaction.sharing(scope).drop(transaction.sharing(scope).all())
                    sharing.put_place(SharedPlaceRecord(key=key, named=name is not None))
            return self._sync_all(database, opened, dry_run=False)

    def push(self, *, dry_run: bool) -> list[SyncResult]:
        with self._stores() as opened, self._connected() as database:
            return self._sync_all(database, opened, dry_run=dry_run)

    def leave(self, *, dry_run: bool) -> list[SyncResult]:
        """Synchronise a last time, then stop sharing from this machine. Both sides keep their memories."""
        with self._stores() as opened, self._connected() as database:
            results = self._sync_all(database, opened, dry_run=dry_run)
            stuck = next((synced for synced in results if synced.waiting), None)
            if stuck is not None:
                raise StoreUnavailable(
                    f"{stuck.waiting} changes could not be sent: {stuck.detail}",
                    reason="waiting",
                    hint="They stay here. Ask for the right to write, or remove store.url from the settings.",
                )
            if not dry_run:
                with opened.stores["project"].transaction() as transaction:
                    for scope in ("project", "personal"):
                        transaction.sharing(scope).leave()
                    sharing = transaction.sharing(team_reminders.REMINDER_SCOPE)
                    sharing.drop(sharing.all())
            return results

    def set_role(self, role: str, may: str | None, *, dry_run: bool = False) -> MemberChange:
        """Say what a database role may do in this workspace; None revokes everything."""
        with self._stores() as opened, self._connected() as database:
            key = self._place_key(opened)
            workspace = None if key is None else find_workspace(database, key)
            if workspace is None:
                raise not_joined_error()
            with database.transaction(dry_run=dry_run):
                ((before, exists),) = database.query(
                    "SELECT (SELECT may FROM memory_sidecar.members WHERE workspace_id = %s AND role = %s"
                    " AND left_at IS NULL), EXISTS (SELECT FROM pg_roles WHERE rolname = %s)",
                    *(workspace.id, role, role),
                )
                database.query("SELECT memory_sidecar.set_member(%s, %s, %s)", workspace.id, role, may)
            return MemberChange(role, before or NO_ROLE, may or NO_ROLE, exists)

    def _view_connected(self, database: postgresql.TeamDatabase, opened: _FolderStores, view: TeamView) -> TeamView:
        me = database.role()
        key = self._place_key(opened)
        view = replace(view, key=key, role=me)
        scopes: list[ScopeSharing] = []
        for sync in self._syncs(opened, me):
            workspace, place = find_workspace(database, sync.key), sync.place()
            if workspace is None:
                scopes.append(ScopeSharing(sync.scope, False))
                continue
            since = place.pulled if place is not None else 0
            statement = "SELECT count(*) FROM memory_sidecar.memories WHERE workspace_id = %s AND seq > %s"
            behind = database.query(statement, workspace.id, since)[0][0]
            scopes.append(ScopeSharing(sync.scope, True, sync.count_pending(), behind))
            if sync.scope == "project":
                title = database.query("SELECT title FROM memory_sidecar.workspaces WHERE id = %s", workspace.id)
                statement = (
                    "SELECT role, may, name FROM memory_sidecar.members WHERE workspace_id = %s"
                    " AND left_at IS NULL ORDER BY role"
                )
                known = [TeamMember(*row) for row in database.query(statement, workspace.id)]
                may = next((member.may for member in known if member.role == me), None)
                view = replace(view, title=title[0][0] if title else None, members=known, may=may)
        if not any(scope.joined for scope in scopes):
            problem = not_joined_error()
            view = replace(view, problem=problem.message, hint=problem.data.hint)
        return replace(view, scopes=scopes)

    def _sync_all(self, database: postgresql.TeamDatabase, opened: _FolderStores, *, dry_run: bool) -> list[SyncResult]:
        results: list[SyncResult] = []
        for sync in self._syncs(opened, database.role()):
            workspace = find_workspace(database, sync.key) if dry_run else sync.open(database)
            if workspace is not None:
                results.append(sync.run(database, dry_run=dry_run)[1])
            elif sync.scope == "project":
                raise not_joined_error()
            else:
                results.append(SyncResult(sync.scope, 0, sync.count_pending()))
        if not results:
            raise not_joined_error()
        return results

    def _syncs(self, opened: _FolderStores, me: str) -> list[ScopeSync]:
        return SharedScopes(self._settings.store, opened.stores, self._key(opened), epoch_ms).syncs(me)

    def _key(self, opened: _FolderStores) -> str | None:
        return workspace_key(opened.identity, self._settings.workspace.id)

    def _place_key(self, opened: _FolderStores) -> str | None:
        with opened.stores["project"].sharing("project") as sharing:
            place = sharing.place()
        return place.key if place is not None else self._key(opened)

    @contextmanager
    def _stores(self) -> Iterator[_FolderStores]:
        home = data_home(self._settings.store.folder)
        identity = identify(self._folder, home, self._settings.workspace.id)
        with ExitStack() as stack:
            memories = MemoryStore.open(home / "workspaces" / identity.id / "memory")
            stack.callback(memories.close)
            user = MemoryStore.open(home / "user")
            stack.callback(user.close)
            yield _FolderStores(identity, home, {"project": memories, "personal": memories, "global": user})

    @contextmanager
    def _connected(self) -> Iterator[postgresql.TeamDatabase]:
        with postgresql.connect(self._url) as database:
            schema.check(database)
            yield database
