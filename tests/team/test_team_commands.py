"""`memory-sidecar team` as a person runs it, and what it says when something must be put right."""

from __future__ import annotations

import json
import os
import ssl
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest

from sidecar.runtime.errors import StoreUnavailable
from sidecar.team import postgresql, schema
from tests.cli.in_process import invoke
from tests.client.json_value import Json
from tests.team.conftest import Database, free_port

Run = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture
def run(database: Database, tmp_path: Path) -> Run:
    """Run a command on machine `on`, each with its own home and a folder without git."""

    def start(*arguments: str, on: str = "laptop", code: int = 0, **environ: str) -> subprocess.CompletedProcess[str]:
        home, folder = tmp_path / on, tmp_path / on / "notes"
        folder.mkdir(parents=True, exist_ok=True)
        own = {"HOME": str(home), "XDG_DATA_HOME": str(home / "d"), "XDG_CONFIG_HOME": str(home / "c")}
        own |= {"XDG_STATE_HOME": str(home / "s"), "XDG_RUNTIME_DIR": str(home), "PATH": os.environ["PATH"]}
        given = {**own, "MEMORY_SIDECAR_STORE_URL": database.url(), **environ}
        done = invoke(arguments, {key: value for key, value in given.items() if value}, folder)
        assert done.returncode == code, done.stdout + done.stderr
        return done

    return start


def test_from_local_to_shared_and_back_loses_nothing(run: Run) -> None:
    run("record", "Made before it was shared.")
    assert "would be sent" in run("team", "join", "--name", "notes", "--dry-run").stdout
    assert json.loads(run("team", "status", "--json").stdout)["problem"]
    assert "1 sent" in run("team", "join", "--name", "notes").stdout
    assert "1 would be received" in run("team", "join", "--name", "notes", "--dry-run", on="desktop").stdout
    assert "1 received" in run("team", "join", "--name", "notes", on="desktop").stdout
    run("record", "Made on the desktop.", on="desktop")
    view = json.loads(run("team", "status", "--json", on="desktop").stdout)
    assert view["scopes"] == [{"scope": "project", "joined": True, "waiting": 1}]
    assert "1 sent" in run("team", "push", on="desktop").stdout
    assert "1 would be received" in run("team", "leave", "--dry-run").stdout
    assert "No longer shared" in run("team", "leave").stdout
    for on in ("laptop", "desktop"):
        texts = [each["content"] for each in json.loads(run("list", "--json", on=on).stdout)["items"]]
        assert sorted(texts) == ["Made before it was shared.", "Made on the desktop."]
    run("record", "Made after leaving.")
    run("team", "push", code=1)
    run("team", "join", "--name", "notes")
    assert "1 received" in run("team", "push", on="desktop").stdout


def test_a_runner_of_ci_has_the_project_s_memory_and_cannot_change_it(run: Run, database: Database) -> None:
    """As the workflow in editors/README.md does it, with a shallow clone's name."""
    run("record", "Releases are cut from main only.", "--category", "decision")
    run("team", "join", "--name", "shop")
    database.role("ci", "memory_sidecar_member")
    run("team", "member", "ci", "--may", "read")
    runner = {"on": "runner", "MEMORY_SIDECAR_STORE_URL": database.url("ci"), "MEMORY_SIDECAR_WORKSPACE_ID": "shop"}
    assert "1 received" in run("team", "push", **runner).stdout
    assert "cut from main only" in run("search", "releases", **runner).stdout
    run("record", "Nobody else will see this.", **runner)
    assert "not yet shared" in run("team", "push", **runner).stderr
    assert len(database.memories()) == 1


def test_setting_up_twice_changes_nothing_and_says_what_is_next(run: Run, database: Database) -> None:
    result = run("team", "setup", database.url())
    assert "is up to date" in result.stdout
    assert "[store]" in result.stderr
    assert json.loads(run("team", "setup", database.url(), "--dry-run", "--json").stdout)["before"] == 1


def test_members_are_listed_and_let_in(run: Run, database: Database) -> None:
    run("team", "join", "--name", "notes")
    database.role("kim", "memory_sidecar_member")
    run("team", "member", "kim", "--may", "read")
    members = json.loads(run("team", "status", "--json").stdout)["members"]
    assert {"role": "kim", "may": "read"} in members
    assert "kim" in run("team", "status").stdout
    run("team", "member", "kim", "--may", "nothing")
    assert "kim" not in run("team", "status").stdout


def test_a_dry_run_changes_nothing_and_is_refused_where_the_command_would_be(run: Run, database: Database) -> None:
    run("record", "Nobody else has this yet.")
    run("team", "join", "--name", "notes")
    for name, may in (("kim", "read"), ("lee", "write")):
        database.role(name, "memory_sidecar_member")
        printed = run("team", "member", name, "--may", may, "--dry-run").stdout
        assert printed == f"{name} would be allowed to {may} here (before: nothing).\n"
        assert name not in run("team", "status").stdout
        run("team", "member", name, "--may", may)
    assert (
        "would be allowed nothing here (before: read)"
        in run("team", "member", "kim", "--may", "nothing", "--dry-run").stdout
    )
    assert "no role of this name" in run("team", "member", "typo", "--dry-run").stderr
    before = _rows(database)
    kim = {"on": "kim", "MEMORY_SIDECAR_STORE_URL": database.url("kim"), "MEMORY_SIDECAR_WORKSPACE_ID": "notes"}
    run("record", "Kim may not send this.", **kim)
    for name, code in (("push", 0), ("leave", 1)):
        tried = run("team", name, "--dry-run", code=code, **kim)
        assert "not allowed to do this" in tried.stderr, name
        assert "1 would be sent" not in tried.stdout
    for command in (("join", "--name", "other"), ("member", "lee")):
        tried = run("team", *command, "--dry-run", code=1, **kim)
        assert "refuses" in tried.stderr, command
        assert tried.stderr == run("team", *command, code=1, **kim).stderr
    run("record", "Not shared.", on="third")
    assert "1 would be sent" in run("team", "join", "--name", "third", "--dry-run", on="third").stdout
    assert _rows(database) == before


def test_a_dry_run_of_setting_up_fails_where_setting_up_would(run: Run, database: Database) -> None:
    database.role("guest")
    for more in (("--dry-run",), ()):
        assert "refuses" in run("team", "setup", database.url("guest"), *more, code=1).stderr
    empty = database.url().replace(database.name, "template1")
    assert "Would be brought from schema 0" in run("team", "setup", empty, "--dry-run").stdout
    with postgresql.connect(empty).connection as connection:
        assert connection.execute("SELECT to_regnamespace('memory_sidecar')").fetchone() == (None,)


def _rows(database: Database) -> list[list[tuple[object, ...]]]:
    return [
        database.sql(f"SELECT t.* FROM memory_sidecar.{table} t ORDER BY t::text")
        for table in ("workspaces", "members", "memories", "audit", "sessions", "claims")
    ]


def test_doctor_checks_the_shared_database(run: Run) -> None:
    assert "notJoined" not in run("doctor", code=0).stdout
    run("team", "join", "--name", "notes")
    checks = {each["name"]: each for each in json.loads(run("doctor", "--json").stdout)["checks"]}
    assert checks["team"]["state"] == "ok"
    away = f"postgresql://memory@127.0.0.1:{free_port()}/x"
    checks = {
        each["name"]: each
        for each in json.loads(run("doctor", "--json", MEMORY_SIDECAR_STORE_URL=away).stdout)["checks"]
    }
    assert checks["team"]["state"] == "warning"
    assert "cannot be reached" in checks["team"]["found"]


@pytest.mark.parametrize(
    ("url", "reason"),
    [
        ("postgresql://a@db.example.org/m?sslmode=disable", "tls"),
        ("postgresql://a@db.example.org/m?sslmode=prefer", "tls"),
        ("postgresql://127.0.0.1:5432:5432/x", "url"),
        ("postgresql://127.0.0.1/m?no_such_option=1", "url"),
        ("postgresql://a@db.example.org:five/m", "url"),
        ("postgresql://a@db1.example.org:5432,db2.example.org:/m?sslmode=prefer", "tls"),
    ],
)
def test_a_bad_url_is_refused_before_anything_is_sent(url: str, reason: str) -> None:
    with pytest.raises(StoreUnavailable) as error:
        postgresql.connect(url)
    assert error.value.data.reason == reason
    assert error.value.data.hint


def test_a_remote_server_is_asked_for_a_certificate_that_can_be_verified() -> None:
    options = postgresql._options("postgresql://a@db.example.org/m")
    assert (options["sslmode"], options["sslrootcert"]) == ("verify-full", ssl.get_default_verify_paths().cafile)
    assert "sslmode" not in postgresql._options("postgresql://a@127.0.0.1/m")
    assert "sslmode" not in postgresql._options("postgresql:///m?host=/run/postgresql")
    assert postgresql._options("postgresql://a@db.example.org/m?hostaddr=127.0.0.1")["sslmode"] == "verify-full"
    assert postgresql._options("postgresql://a@localhost,db.example.org/m")["sslmode"] == "verify-full"


def test_no_message_holds_a_password() -> None:
    with pytest.raises(StoreUnavailable) as error:
        postgresql.connect(f"postgresql://ann:hunter2@127.0.0.1:{free_port()}/m?application_name=x")
    assert "hunter2" not in f"{error.value.message} {error.value.data.hint}"
    assert "127.0.0.1" in error.value.message


def test_a_database_that_is_not_there_or_not_set_up_is_named(database: Database) -> None:
    for url, reason in (
        (f"{database.url()}x", "database"),
        (database.url().replace(database.name, "postgres"), "schema"),
    ):
        with pytest.raises(StoreUnavailable) as error, postgresql.connect(url) as opened:
            schema.check(opened)
        assert error.value.data.reason == reason


def test_without_a_url_a_command_says_where_to_set_it(run: Run) -> None:
    result = run("team", "status", "--json", code=1, MEMORY_SIDECAR_STORE_URL="")
    assert msgspec.json.decode(result.stderr)["data"]["reason"] == "noUrl"


def test_a_folder_that_no_other_machine_would_know_is_joined_by_a_name(run: Run) -> None:
    assert "--name NAME" in run("team", "join", code=1).stderr


def test_a_repository_cannot_name_the_database(run: Run, tmp_path: Path) -> None:
    agents = tmp_path / "laptop" / "notes" / ".agents"
    agents.mkdir(parents=True)
    (agents / "memory-sidecar.toml").write_text(
        '[store]\nurl = "postgresql://evil.example/x"\nshared = ["personal"]\ndirectivesFrom = ["*"]\n'
    )
    settings: Json = json.loads(run("settings", "--json", MEMORY_SIDECAR_STORE_URL="").stdout)
    for key in ("store.url", "store.shared", "store.directivesFrom"):
        assert settings["settings"][key]["origin"] == "default"
        assert any(key in problem for problem in settings["problems"])


def test_a_missing_extra_says_how_to_install_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "psycopg", None)
    with pytest.raises(StoreUnavailable, match="psycopg") as error:
        postgresql.connect("postgresql://a@127.0.0.1/m")
    assert "[team]" in str(error.value.data.hint)
