"""Every command about memories, on a real store."""

from __future__ import annotations

import random
import re
from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest

from protocol.memories import HistoryResult, InjectResult, ListResult, Memory, RecordResult, SearchResult
from tests.cli.conftest import Remember, Run, RunForJson


def test_an_undo_says_what_changed(run: Run, remember: Callable[..., str]) -> None:
    id = remember("The shelf is of oak.")
    run("archive", id)
    assert "status: archived → active" in (told := run("undo", id).stdout)
    assert "oak" not in told.partition("\n")[2]
    run("edit", id, "--content", "The shelf is of elm.")
    listed = run("undo")
    assert listed.stdout.startswith("Updated: The shelf is of elm [")
    assert "undo ID" in listed.stderr
    told = run("undo", id).stdout
    assert "- The shelf is of elm." in told
    assert "+ The shelf is of oak." in told


def test_record_prints_the_wire_result(as_json: RunForJson) -> None:
    printed = as_json("record", "Use pnpm rather than npm.", "--name", "Package manager", "--type", "user")
    result = msgspec.convert(printed, RecordResult)
    assert result.status == "created"
    assert (result.memory.name, result.memory.scope) == ("Package manager", "personal")


def test_record_says_what_became_of_it(run: Run) -> None:
    first = run("record", "Use pnpm rather than npm.", "--name", "Package manager")
    assert first.stdout.startswith("Remembered: Package manager")
    again = run("record", "Use pnpm rather than npm.", "--name", "Package manager")
    assert again.stdout.startswith("Already known: Package manager")
    more = run("record", "Version 9 at least.", "--name", "Package manager")
    assert more.stdout.startswith("Merged into: Package manager")


def test_every_option_of_record_reaches_the_memory(as_json: RunForJson, folder: Path) -> None:
    options = ["--name", "N", "--description", "D", "--type", "feedback", "--scope", "global"]
    options += ["--category", "directive", "--agent", "reviewer", "--session-id", "s1", "--pinned"]
    options += ["--files", "counting.py", "--tags", "a", "--tag", "b", "--expires-at", "2100-01-01"]
    memory = msgspec.convert(as_json("record", "Text", *options, cwd=folder / "src"), RecordResult).memory
    assert (memory.name, memory.description, memory.type, memory.scope) == ("N", "D", "feedback", "global")
    assert (memory.category, memory.agent, memory.session_id) == ("directive", "reviewer", "s1")
    assert (memory.files, memory.tags, memory.pinned) == (["src/counting.py"], ["a", "b"], True)
    assert memory.expires_at is not None
    assert memory.expires_at > 4_000_000_000_000


def test_record_reads_stdin(as_json: RunForJson) -> None:
    dashed = as_json("record", "-", "--name", "one", stdin="from a pipe\nof two lines\n")
    assert dashed["memory"]["content"] == "from a pipe\nof two lines"
    piped = as_json("record", "--name", "two", stdin="without a dash\n")
    assert piped["memory"]["content"] == "without a dash"


def test_words_are_joined(as_json: RunForJson) -> None:
    assert as_json("record", "several", "words", "here")["memory"]["content"] == "several words here"


def test_a_secret_is_taken_out_and_the_user_told(run: Run, environ: dict[str, str]) -> None:
    secret = "AKIA" + "".join(random.Random(16).choices("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567", k=16))
    done = run("record", f"The bucket opens with {secret} only.", "--name", "Bucket")
    assert "removed from content" in done.stderr
    assert secret not in run("show", "Bucket").stdout
    for path in Path(environ["HOME"]).rglob("*"):
        assert not path.is_file() or secret.encode() not in path.read_bytes()


def test_search_finds_what_fits_best_first(as_json: RunForJson, remember: Remember) -> None:
    wanted = remember("The parser keeps comments because the formatter needs them.", "--name", "Parser")
    remember("Deploy on Tuesdays.", "--name", "Deploy")
    result = msgspec.convert(as_json("search", "formatter", "comments"), SearchResult)
    assert [hit.memory.id for hit in result.items] == [wanted]
    assert result.items[0].reasons


def test_search_prints_a_line_for_each(run: Run, remember: Remember) -> None:
    id = remember("The parser keeps comments.", "--name", "Parser keeps", "--category", "decision")
    lines = run("search", "parser").stdout.splitlines()
    assert lines[0].split() == ["id", "name", "type", "scope", "age", "score", "why"]
    assert lines[1].startswith(id[-8:])
    assert all(part in lines[1] for part in ("Parser keeps", "project/decision", "just now"))
    assert "The parser keeps comments." in lines[2]


def test_search_with_filters_and_pages(as_json: RunForJson, remember: Remember) -> None:
    for number in range(5):
        remember(f"Parser fact number {number}.", "--name", f"fact {number}", "--category", "fact")
    remember("Parser preference.", "--type", "user", "--name", "preference")
    assert [hit["memory"]["name"] for hit in as_json("search", "parser", "--types", "user")["items"]] == ["preference"]
    assert as_json("search", "parser", "--scope", "global")["items"] == []
    assert len(as_json("search", "parser", "--since", "1h")["items"]) == 6
    assert as_json("search", "parser", "--since", "2100-01-01")["items"] == []
    first = as_json("search", "parser", "--categories", "fact", "--limit", "3")
    second = as_json("search", "parser", "--categories", "fact", "--limit", "3", "--cursor", str(first["cursor"]))
    names = [hit["memory"]["name"] for page in (first, second) for hit in page["items"]]
    assert sorted(names) == [f"fact {number}" for number in range(5)]


def test_a_compact_list_has_a_line_for_each(run: Run, remember: Remember) -> None:
    id = remember("The parser keeps comments.\nAnd blank lines.", "--name", "Parser keeps")
    for words in (("search", "parser"), ("list",)):
        assert run(*words, "--compact").stdout == f"{id[-8:]}  Parser keeps\n"


def test_a_compact_list_shows_what_was_said_later(run: Run, remember: Remember) -> None:
    id = remember("Wrap at 80. (Said later: “100 now”)", "--name", "Wrapping")
    assert run("list", "--compact").stdout == f"{id[-8:]}  Wrapping (Said later: “100 now”)\n"


def test_nothing_found_is_no_error(run: Run) -> None:
    done = run("search", "anything")
    assert (done.stdout, done.stderr) == ("", "Nothing found.\n")


def test_list_shows_only_memories_that_match_its_filters(as_json: RunForJson, remember: Remember, run: Run) -> None:
    remember("One.", "--name", "one")
    gone = remember("Two.", "--name", "two")
    run("archive", gone)
    names = [memory.name for memory in msgspec.convert(as_json("list"), ListResult).items]
    assert names == ["one"]
    archived = as_json("list", "--status", "archived", "--include", "archived")["items"]
    assert [memory["name"] for memory in archived] == ["two"]
    assert "one" in run("list").stdout


@pytest.mark.parametrize("part", ["full", "end", "name", "case"])
def test_a_memory_is_named_by_id_part_of_it_or_name(part: str, as_json: RunForJson, remember: Remember) -> None:
    id = remember("Something.", "--name", "Some Thing")
    given = {"full": id, "end": id[-6:], "name": "Some Thing", "case": "some thing"}[part]
    assert msgspec.convert(as_json("get", given), Memory).id == id


def test_an_ambiguous_name_lists_what_fits(run: Run, remember: Remember) -> None:
    first = remember("One.", "--name", "same", "--scope", "personal")
    second = remember("Two.", "--name", "same", "--scope", "global")
    done = run("show", "same", code=2)
    assert first[-8:] in done.stderr
    assert second[-8:] in done.stderr


def test_show_prints_all_fields_of_a_memory(run: Run, remember: Remember) -> None:
    id = remember("First line.\nSecond `src/counting.py` line.", "--name", "N", "--tag", "t1")
    shown = run("show", id).stdout
    assert all(part in shown for part in (id, "N", "t1", "First line.\nSecond", "version 1", "active"))


def test_archived_memories_are_restored(run: Run, as_json: RunForJson, remember: Remember) -> None:
    id = remember("Parser.", "--name", "n")
    assert as_json("archive", id)["status"] == "archived"
    assert as_json("search", "parser")["items"] == []
    assert len(as_json("search", "parser", "--include", "archived")["items"]) == 1
    assert run("restore", id).stdout.startswith("Restored: n")
    assert len(as_json("search", "parser")["items"]) == 1


def test_delete_can_be_undone_and_says_how(run: Run, as_json: RunForJson, remember: Remember) -> None:
    id = remember("Parser.", "--name", "n")
    said = run("delete", "n").stdout
    assert said.endswith(f"memory-sidecar restore {id[-8:]}\n")
    assert "list --deleted" in run("show", id, code=3).stderr
    assert as_json("undo", id[-8:])["content"] == "Parser."
    run("redo", id[:-3])
    assert as_json("restore", id[-8:])["content"] == "Parser."
    assert as_json("delete", id) == {"id": id, "undoable": True}


def test_deleted_memories_are_listed_and_restored_in_bulk(run: Run, as_json: RunForJson, remember: Remember) -> None:
    ids = [remember(f"Parser {number}.", "--name", f"n{number}") for number in range(3)]
    before = as_json("list")
    run("delete", *ids)
    assert "No memories yet. Try `record`" in run("list").stderr
    assert sorted(item["name"] for item in as_json("list", "--deleted")["items"]) == ["n0", "n1", "n2"]
    assert "deleted" in run("list", "--deleted").stdout
    assert "No deleted memories" in run("list", "--deleted", "--scope", "global").stderr
    run("restore", code=2)
    run("restore", "--deleted", "--since", "1h")
    after = as_json("list")
    for one in (*before["items"], *after["items"]):
        one.pop("version")
    assert after == before
    assert "no deleted memories" in run("restore", "--deleted").stderr


def test_a_recording_is_undone_and_redone(run: Run, as_json: RunForJson, remember: Remember) -> None:
    id = remember("Parser.", "--name", "n")
    assert "Undone (now deleted): n" in run("undo", "n").stdout
    assert as_json("list")["items"] == []
    assert as_json("redo", id)["status"] == "active"


def test_purge_asks_and_is_for_good(run: Run, remember: Remember) -> None:
    id = remember("Parser.", "--name", "n")
    assert "--yes" in run("delete", id, "--purge", code=2).stderr
    run("show", id)
    run("delete", id)
    assert "for good" in run("delete", id[-8:], "--purge", "--yes").stdout
    run("undo", id, code=3)
    assert "No deleted memories" in run("list", "--deleted").stderr


def test_history_tells_what_changed(run: Run, as_json: RunForJson, remember: Remember) -> None:
    id = remember("Parser.\nIn one file.", "--name", "n")
    run("edit", id, "--name", "better", "--tag", "x", "--content", "Parser.\nIn two files.")
    run("delete", id)
    result = msgspec.convert(as_json("history", id[-8:]), HistoryResult)
    assert [version.change for version in result.versions] == ["deleted", "updated", "created"]
    lines = run("history", id).stdout.splitlines()
    assert "deleted" in lines[0]
    assert re.match(r"  2  \d{4}-\d\d-\d\d \d\d:\d\d  updated, ", lines[1])
    assert [line.strip() for line in lines[2:4]] == ["name: n → better", "tags: [] → ['x']"]
    assert [line.strip() for line in lines[4:6]] == ["- In one file.", "+ In two files."]
    assert [line.strip() for line in lines[-2:]] == ["+ Parser.", "+ In one file."]
    run("undo", id)
    assert as_json("undo", id)["name"] == "n"


def test_search_shows_nobody_what_has_no_chance_to_matter(run: Run, as_json: RunForJson, remember: Remember) -> None:
    remember(
        "Fast and low overhead web framework, focused on developers; inspired by others, one of the fastest in town."
    )
    improbable = [hit["score"] for hit in as_json("search", "zebra")["items"] if hit["score"] < 0.005]
    shown = run("search", "zebra")
    assert improbable, "otherwise this tests nothing"
    assert "framework" not in shown.stdout
    assert "Nothing found." in shown.stdout + shown.stderr


def test_history_passes_over_the_digest_of_a_derived_name(run: Run, as_json: RunForJson, remember: Remember) -> None:
    remember("Run the parser.\n\nWith the flag of old.")
    id = remember("Run the parser.\n\nOnly in the folder of tests, never elsewhere.")
    name = as_json("show", id)["name"]
    run("edit", id, "--content", "Run the parser.\n\nIn any folder.")
    assert as_json("show", id)["name"] != name, "the digest is of the text"
    assert "name:" not in run("history", id).stdout


def test_inject_prints_the_block_and_nothing_else(run: Run, as_json: RunForJson, remember: Remember) -> None:
    remember("The parser keeps comments.", "--name", "Parser")
    printed = run("inject", "change", "the", "parser")
    result = msgspec.convert(as_json("inject", "change the parser"), InjectResult)
    assert printed.stdout == result.text.rstrip("\n") + "\n"
    assert run("inject", "change the parser").stdout == printed.stdout
    assert "keeps comments" in printed.stdout
    assert f"{result.tokens} tokens" in printed.stderr


def test_inject_with_a_file_gives_its_briefing_within_the_budget(run: Run, as_json: RunForJson) -> None:
    block = as_json("inject", "--files", "src/counting.py", "--budget-tokens", "900")
    assert [item["path"] for item in block["items"]] == ["src/counting.py"]
    assert block["tokens"] <= 900
    assert "src/counting.py" in run("inject", "--file", "src/counting.py").stdout


def test_inject_nothing_prints_nothing(run: Run) -> None:
    assert run("inject", "whatever").stdout == ""


def test_recorded_unicode_is_printed_unchanged(run: Run, spawned: Run, as_json: RunForJson, remember: Remember) -> None:
    text = "日本語のメモ: naïve café 🎉 — مرحبا"
    id = remember(text, "--name", "メモ")
    assert as_json("show", "メモ")["id"] == id
    assert text in run("show", id).stdout
    assert [hit["memory"]["id"] for hit in as_json("search", "日本語")["items"]] == [id]
    ascii_only = spawned("search", "日本語", "--json", env={"PYTHONIOENCODING": "ascii", "LC_ALL": "C"})
    assert ascii_only.stdout.count("メモ")


def test_list_shows_a_person_the_memories_of_every_agent(run: Run, as_json: RunForJson, remember: Remember) -> None:
    kept = remember("Check the lock order first.", "--name", "Locks", "--agent", "reviewer")
    remember("Deploy with make ship.", "--name", "Deploy")
    assert [item["name"] for item in as_json("list")["items"]] == ["Deploy", "Locks"]
    assert as_json("search", "lock order")["items"][0]["memory"]["id"] == kept
    assert as_json("show", "Locks")["id"] == kept
    assert "reviewer" in run("list").stdout
    assert "agent" not in run("list", "--agent", "writer").stdout
    assert [item["name"] for item in as_json("list", "--agent", "writer")["items"]] == ["Deploy"]
    found = as_json("search", "lock order", "--agent", "writer")["items"]
    assert kept not in [item["memory"]["id"] for item in found]


def test_an_agent_named_by_a_star_is_refused(run: Run) -> None:
    refused = run("record", "Text", "--agent", "*", code=2)
    assert "agent cannot be `*`" in refused.stderr
    assert "The id is empty." in run("show", "", code=2).stderr
