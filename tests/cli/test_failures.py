"""A wrong command line gets one line, a hint, and a distinct exit code."""

from __future__ import annotations

import ast
import os
import pty
import re
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import get_args, get_type_hints

import msgspec
import pytest

from protocol.memories import OmittedItem
from protocol.methods import METHODS
from sidecar.cli.failure import COMMAND_OF, METHOD_NAME
from sidecar.cli.find import OMISSIONS
from sidecar.cli.main import COMMANDS
from tests.cli.conftest import ROOT, Remember, Run, RunForJson
from tests.cli.in_process import invoke


@pytest.mark.parametrize(
    ("arguments", "part"),
    [
        (["serch", "x"], "Did you mean search"),
        (["hisory", "x"], "Did you mean history"),
        (["search", "x", "--limt", "3"], "--limit"),
        (["search", "x", "--limit", "0"], "1<=x<=200"),
        (["search", "x", "--types", "usr"], "'user', 'feedback', 'project', 'reference'"),
        (["search", "x", "--since", "yesterdayish"], "7d"),
        (["search", "x", "--since", "9999999d"], "7d"),
        (["search", "x" * 16_001], "16000"),
        (["search", "x", "--cursor", "nonsense"], "cursor"),
        (["call", "memory/lnk"], "Did you mean memory/link"),
        (["call", "memory/link", "{}"], "missing required field `from`"),
        (["call", "memory/list", "[1]"], "PARAMS is not a JSON object"),
        (["summary"], "Missing argument"),
        (["list", "--workspace", "/no/such/folder"], "does not exist"),
        (["list", "--workspace", "src/counting.py"], "is a file"),
        (["inject", "--budget-tokens", "none"], "not a valid integer"),
    ],
)
def test_a_wrong_command_line_is_told_what_is_right(run: Run, arguments: list[str], part: str) -> None:
    done = run(*arguments, code=2)
    assert part in done.stderr
    assert done.stdout == ""


@pytest.mark.parametrize("name", ["show", "archive", "restore", "delete", "history", "undo", "edit"])
@pytest.mark.parametrize("id", ["no-such-memory", "x" * 300])
def test_an_unknown_memory_exits_with_3(run: Run, name: str, id: str) -> None:
    done = run(name, id, code=3)
    assert done.stderr.startswith("error: ")
    assert done.stdout == ""


def test_with_json_an_error_is_the_wires_error(run: Run) -> None:
    done = run("show", "no-such-memory", "--json", code=3)
    error = msgspec.json.decode(done.stderr)
    assert error["code"] == -32010
    assert "no-such-memory" in error["message"]
    assert done.stdout == ""


@pytest.mark.parametrize("arguments", [("list", "--limit", "x"), ("show",), ("serch",), ("record", "--type", "x", "y")])
def test_with_json_a_wrong_command_line_is_told_in_json(run: Run, arguments: tuple[str, ...]) -> None:
    done = run(*arguments, "--json", code=2)
    error = msgspec.json.decode(done.stderr)
    assert error["code"] == -32602
    assert error["message"]
    assert error["data"]["reason"] == "usage"
    assert "--help" in error["data"]["hint"]
    assert done.stdout == ""


@pytest.mark.parametrize("option", ["--clear", "--advance"])
def test_an_unknown_reminder_exits_with_3(run: Run, option: str) -> None:
    assert "`memory-sidecar reminders` shows" in run("reminders", option, "nosuch", code=3).stderr


def test_every_method_that_a_message_names_has_a_command() -> None:
    named = set()
    for file in (ROOT / "sidecar").rglob("*.py"):
        if file.parent.name not in ("lsp", "mcp", "tour", "hooks"):
            calls = (node for node in ast.walk(ast.parse(file.read_text("utf-8"))) if isinstance(node, ast.Call))
            texts = (ast.unparse(word.value) for call in calls for word in call.keywords if word.arg == "hint")
            named |= {name for text in texts for name in METHODS if name in text}
    named -= {"session/start"}  # of agents, which no command is
    assert len(named) > 5
    for name in named:
        told = METHOD_NAME.sub(lambda found: found["same"] or COMMAND_OF[found[0]], name)
        assert told.split()[0] in COMMANDS, name


def test_an_ambiguous_id_lists_what_it_may_be(run: Run, remember: Callable[..., str]) -> None:
    ids = [remember(f"Shelf {number} holds {word}.") for number, word in enumerate(("ash", "oak", "elm", "fir"))]
    beginning = ids[0][:6]  # of the time
    told = run("show", beginning, code=2).stderr
    assert all(id[-8:] in told for id in ids)


def test_a_command_with_memory_switched_off_says_how_to_switch_it_on(run: Run) -> None:
    done = run("record", "x", env={"MEMORY_SIDECAR_MEMORY_ENABLED": "false"}, code=1)
    assert "switched off" in done.stderr
    assert "hint: " in done.stderr


def test_a_bad_setting_is_a_warning_and_the_command_works(run: Run) -> None:
    done = run("record", "x", env={"MEMORY_SIDECAR_LOG_LEVEL": "loud"})
    assert done.stderr.startswith("warning: `log.level`")
    assert done.stdout.startswith("Remembered")


def test_a_store_that_cannot_be_made_is_an_error_with_a_hint(run: Run, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    done = run("list", env={"MEMORY_SIDECAR_STORE_FOLDER": str(tmp_path / "file" / "x")}, code=1)
    assert "\nerror: " in f"\n{done.stderr}"
    assert "No memories" not in done.stderr


def test_content_too_long_is_an_error_not_a_cut(run: Run, as_json: RunForJson) -> None:
    run("record", "-", stdin="x" * 16_001, code=2)
    assert as_json("list")["items"] == []


def test_recording_an_empty_text_is_a_usage_error(run: Run) -> None:
    run("record", "-", stdin="", code=2)
    run("record", code=2)


def test_the_workspace_is_found_from_inside_the_repository(as_json: RunForJson, run: Run, folder: Path) -> None:
    run("record", "At the top.", "--name", "top")
    assert [memory["name"] for memory in as_json("list", cwd=folder / "src")["items"]] == ["top"]
    run("record", "Inside.", "--name", "inside", "--workspace", ".", cwd=folder / "src")
    assert [memory["name"] for memory in as_json("list", cwd=folder / "src")["items"]] == ["inside"]
    assert [memory["name"] for memory in as_json("list")["items"]] == ["top"]


def test_the_workspace_outside_of_git_is_the_current_folder(as_json: RunForJson, run: Run, tmp_path: Path) -> None:
    (tmp_path / "plain folder" / "inner").mkdir(parents=True)
    run("record", "Here.", "--name", "here", cwd=tmp_path / "plain folder")
    assert len(as_json("list", cwd=tmp_path / "plain folder")["items"]) == 1
    assert as_json("list", cwd=tmp_path / "plain folder" / "inner")["items"] == []


def test_an_unknown_name_is_an_error_that_names_it(run: Run) -> None:
    done = run("show", "Gardening", code=3)
    assert "No memory has the id or the name 'Gardening'." in done.stderr
    assert "memory-sidecar list" in done.stderr
    assert "memory-sidecar list" in run("undo", "Gardening", code=3).stderr


@pytest.mark.parametrize("name", ["record", "search"])
@pytest.mark.parametrize("given", [["-"], [], ["  "]])
def test_an_empty_result_is_reported_in_words(run: Run, name: str, given: list[str]) -> None:
    done = run(name, *given, stdin="\n" if given != ["  "] else None, code=2)
    assert "str" not in done.stderr.partition("error: ")[2].partition("stdin")[0]
    assert ("CONTENT" if name == "record" else "QUERY") in done.stderr.partition("error: ")[2]


def test_help_speaks_a_users_language_in_one_short_line_a_command(run: Run) -> None:
    listed = run("--help").stdout.partition("Commands:\n")[2].partition("\n\n")[0].splitlines()
    for line in listed:
        name, _, summary = line.strip().partition(" ")
        told = run(name, "--help").stdout.split("\n\n", 1)[1]
        assert told.strip().splitlines()[0] == summary.strip()
        assert len(summary.strip()) <= 60
        assert not re.search(r"\b(memory|file|session|context|reminder|sidecar|workspace)/[a-z]+[A-Z]?\w*\b", told), (
            name
        )


def test_a_file_that_is_not_there_is_asked_about(
    run: Run, as_json: RunForJson, environ: dict[str, str], folder: Path
) -> None:
    assert "Did you mean src/counting.py?" in run("record", "x", "--file", "src/countign.py", code=2).stderr
    assert "Did you mean src/counting.py?" in run("record", "x", "--file", "counting.py", code=2).stderr
    assert "Did you mean" not in run("record", "x", "--file", "nothing-like-it.rs", code=2).stderr
    assert as_json("list")["items"] == []
    for answer, code in (("n\n", 1), ("y\n", 0)):
        own, terminal = pty.openpty()
        os.write(own, answer.encode())
        with open(terminal, encoding="utf-8") as person:
            assert invoke(("record", "x", "--file", "later.py"), environ, folder, person).returncode == code
        os.close(own)
    assert [memory["files"] for memory in as_json("list")["items"]] == [["later.py"]]


def test_an_id_may_be_shortened_to_any_beginning_or_to_its_end(
    run: Run, as_json: RunForJson, remember: Remember
) -> None:
    id = remember("The parser keeps comments.", "--name", "Parser")
    shown = id[-8:]
    for part in (shown, shown[:1], shown[:4], id[-5:], id[:-1], shown.upper()):
        assert as_json("show", part)["id"] == id
        assert as_json("why", part)["memory"]["id"] == id
    reminder = str(as_json("remind", "+2h", "look")["reminder"]["id"])
    assert as_json("reminders", "--clear", reminder[-8:-5])["id"] == reminder
    others = [remember(f"Note number {number} of many.", "--name", f"number {number}") for number in range(17)]
    twice = Counter(each[-8] for each in (id, *others)).most_common(1)[0][0]
    assert "Give more of the id" in run("show", twice, code=2).stderr


def test_no_digest_of_a_derived_name_is_shown(run: Run, as_json: RunForJson, remember: Remember) -> None:
    id = remember("Database migrations are running nightly and databases get replicated to the second region.")
    name = str(as_json("show", id)["name"])
    assert re.search(r" \([0-9a-f]{6}\)$", name)
    for arguments in (["list"], ["show", id], ["search", "migrations"], ["why", id], ["archive", id]):
        assert not re.search(r"\([0-9a-f]{6}\)", run(*arguments).stdout), arguments
    assert as_json("show", name[:-9])["id"] == id


def test_memories_left_out_of_a_block_are_named_with_a_reason(
    run: Run, as_json: RunForJson, remember: Remember
) -> None:
    remember("The parser keeps comments.", "--name", "Parser")
    reasons = [one["reason"] for one in as_json("inject", "parser comments", "--budget-tokens", "1")["omitted"]]
    assert reasons == ["budget"]
    assert "did not fit into the budget" in run("explain", "Parser", "parser comments", "--budget-tokens", "1").stdout
    assert set(get_args(get_type_hints(OmittedItem)["reason"])) <= set(OMISSIONS)


def test_hints_name_commands_and_not_methods_of_the_wire(run: Run, remember: Callable[..., str]) -> None:
    id = remember("We deploy on Fridays.", "--category", "decision")
    assert "with `memory-sidecar edit`" in run("resolve", id, code=2).stderr
    remember("x" * 15_000, "--name", "long")
    full = run("record", "y" * 5_000, "--name", "long", code=2).stderr
    assert "`memory-sidecar edit`" in full
    assert "memory/" not in full
    assert "memory/" not in run("reminders", "--clear", "nonesuch", code=3).stderr
