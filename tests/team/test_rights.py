"""One who may not read a workspace cannot read it, change it, or find out about it."""

from __future__ import annotations

import psycopg
import pytest

from sidecar.runtime.errors import StoreUnavailable
from sidecar.team import postgresql
from tests.team.conftest import KEY, Database, Machines

TABLES = ("workspaces", "members", "memories", "memory_versions", "audit", "sessions", "claims", "answers", "reminders")


def ask(url: str, statement: str, *values: object) -> list[tuple[object, ...]]:
    with postgresql.connect(url).connection as connection:
        cursor = connection.execute(statement.encode(), values or None)
        return cursor.fetchall() if cursor.description else []


def test_a_stranger_sees_no_row_of_any_table(database: Database, machines: Machines) -> None:
    machines().record("Not for strangers.")
    owner = machines()
    owner.record("Nor this.")
    owner.sync()
    stranger = database.role("stranger", "memory_sidecar_member")
    for table in TABLES:
        assert ask(stranger, f"SELECT count(*) FROM memory_sidecar.{table}") == [(0,)], table


def test_a_workspace_that_exists_and_one_that_does_not_are_told_apart_by_nobody(database: Database) -> None:
    stranger = database.role("stranger", "memory_sidecar_member")
    answers = []
    for key in (KEY, "no such workspace"):
        with pytest.raises(psycopg.errors.InsufficientPrivilege) as error:
            ask(stranger, "SELECT memory_sidecar.join_workspace(%s, '', '')", key)
        answers.append(str(error.value).splitlines()[0])
    assert answers[0] == answers[1]
    answers = []
    for number in ("(SELECT 1)", "(SELECT 999)"):
        with pytest.raises(psycopg.errors.InsufficientPrivilege) as error:
            ask(stranger, f"SELECT * FROM memory_sidecar.push({number}, '[]')")
        answers.append(str(error.value).splitlines()[0])
    assert answers[0] == answers[1]


def test_nobody_writes_but_through_push(database: Database, machines: Machines) -> None:
    owner = machines()
    owner.record("As it was pushed.")
    owner.sync()
    member = database.role("member", "memory_sidecar_member")
    database.member("member", "admin")
    for statement in (
        "UPDATE memory_sidecar.memories SET author = 'memory'",
        "DELETE FROM memory_sidecar.audit",
        "INSERT INTO memory_sidecar.members VALUES (1, 'x', 'admin')",
        "UPDATE memory_sidecar.workspaces SET seq = 0",
    ):
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            ask(member, statement)


def test_a_role_without_the_schema_s_rights_is_told_so(database: Database, machines: Machines) -> None:
    with pytest.raises(StoreUnavailable) as error:
        machines(database.role("nobody_yet")).sync()
    assert error.value.data.reason == "rights"
    assert "member" in (error.value.data.hint or "")


def test_the_audit_says_who_did_what_and_no_word_of_it(database: Database, machines: Machines) -> None:
    laptop = machines()
    id = laptop.record("Words that the audit does not have.")
    laptop.sync()
    laptop.edit(id, content="Other words.")
    laptop.sync()
    laptop.delete(id, purge=True)
    laptop.sync()
    rows = database.sql("SELECT role, action, subject FROM memory_sidecar.audit WHERE subject = %s ORDER BY at", id)
    assert rows == [("memory", action, id) for action in ("created", "updated", "purged")]
    assert database.sql("SELECT count(*) FROM memory_sidecar.audit a WHERE a::text LIKE '%%words%%'") == [(0,)]


def test_a_person_s_words_are_purged_everywhere(database: Database, machines: Machines) -> None:
    owner = machines()
    bob = machines(database.role("bob", "memory_sidecar_member"))
    database.member("bob", "write")
    kept = owner.record("The owner's.")
    bob.record("Bob's, and then gone.")
    bob.sync()
    owner.sync()
    assert len(owner.says()) == 2
    number = database.sql("SELECT memory_sidecar.purge((SELECT id FROM memory_sidecar.workspaces), 'bob')")
    assert number == [(1,)]
    owner.sync()
    bob.sync()
    assert owner.says() == bob.says() == {kept: "The owner's."}
    assert database.sql("SELECT count(*) FROM memory_sidecar.memory_versions v WHERE v::text LIKE '%%Bob%%'") == [(0,)]


def test_a_secret_that_another_s_rules_let_through_is_not_stored_here(database: Database, machines: Machines) -> None:
    token = "ghp_" + "a1B2" * 9
    bob = machines(database.role("bob", "memory_sidecar_member"))
    database.member("bob", "write")
    id = bob.record(f"Fetch with {token} in the header.", name="Fetching")
    bob.sync()
    owner = machines()
    owner.sync()
    assert token not in owner.says()[id]
    assert owner.says()[id].startswith("Fetch with [redacted")
    assert owner.sync().pushed == 0, "the words stay Bob's"


def test_forged_forms_are_left_alone(database: Database, machines: Machines) -> None:
    """A form that this program never sends, and one that is too large, keep nobody's synchronisation from going on."""
    owner = machines()
    good = owner.record("Good.")
    owner.sync()
    for number, memory in enumerate(
        ('{"type": "command", "name": "x", "content": "x"}', '{"type": "project", "name": "", "content": "x"}', "[]")
    ):
        change = f'[{{"id": "bad-{number}", "expected": 0, "digest": "d", "change": "created", "memory": {memory}}}]'
        database.sql("SELECT memory_sidecar.push((SELECT id FROM memory_sidecar.workspaces), %s)", change)
    other = machines()
    other.sync()
    assert other.says() == {good: "Good."}
