"""Whose words a memory is: shown wherever it is shown, and no part of the text that a person edits and merges."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from datetime import UTC, datetime
from types import SimpleNamespace
from typing import Any

import msgspec
import pytest
from lsprotocol import types

from protocol.reminders import Reminder
from sidecar.engine.handlers.file_notes import notes
from sidecar.lsp.features.hover import HoverRequest
from sidecar.mcp import work_tools
from sidecar.mcp.answers import note, note_text
from sidecar.settings.model import MemoryFileSettings
from tests.cli.in_process import invoke
from tests.client.git import git
from tests.team.conftest import Database
from tests.team.desks import Desk, Desks
from tests.waiting import eventually

WORDS = "The port in `app.py` is fixed by the firewall."
LINE = f"- *(by: Bob B. [bob])* {WORDS}"

Team = tuple[Desk, Desk, str]


@pytest.fixture(params=["file"])
def team(database: Database, desks: Desks, request: pytest.FixtureRequest) -> Team:
    """Bob, who recorded a memory, and Ann, who has it; with the memory's id."""
    bob, ann = (
        desks(database.role("bob", "memory_sidecar_creator")),
        desks(database.role("ann", "memory_sidecar_member")),
    )
    for desk in (bob, ann):
        file = MemoryFileSettings(mode=request.param)
        desk.settings = msgspec.structs.replace(desk.settings, memory_file=file)
    bob.team.join(None, dry_run=False)
    bob.team.set_role("ann", "write")
    id = bob.record(WORDS, files=["app.py"])
    eventually(lambda: ann.texts() == [WORDS])
    return bob, ann, id


def page(desk: Desk) -> str:
    """Return what the memory file says once it is in step."""
    desk.engine.lifecycle.add_workspace(desk.folder).open().memory_file.sync()
    return (desk.folder / ".agents" / "MEMORY.md").read_text()


def put(desk: Desk, change: Callable[[str], str]) -> str:
    place = desk.folder / ".agents" / "MEMORY.md"
    place.write_text(change(place.read_text()))
    return page(desk)


def author(desk: Desk, id: str) -> str | None:
    found: str | None = desk.call("memory/get", id=id).author
    return found


def test_the_memory_file_names_another_author_and_takes_the_mark_for_no_text(team: Team, database: Database) -> None:
    bob, ann, id = team
    assert LINE in page(ann).splitlines()
    assert f"- {WORDS}" in page(bob).splitlines()
    assert page(ann) == page(ann)
    assert ann.state().waiting == 0
    versions = ann.call("memory/history", id=id).versions
    assert len(versions) == 1
    without = put(ann, lambda text: text.replace("*(by: Bob B. [bob])* ", ""))
    forged = put(ann, lambda text: text.replace("Bob B. [bob]", "Eve"))
    for text in (without, forged):
        assert LINE in text.splitlines(), "it is written again"
    assert ann.call("memory/get", id=id).content == WORDS
    assert ann.call("memory/history", id=id).versions == versions
    assert database.sql("SELECT version, author FROM memory_sidecar.memories") == [(1, "bob")]


def test_an_edit_in_the_file_makes_the_words_the_editor_s_on_both_sides(team: Team, database: Database) -> None:
    bob, ann, id = team
    assert LINE in page(ann)
    put(ann, lambda text: text.replace("fixed by the firewall", "fixed by the firewall and the proxy"))
    changed = WORDS.replace("firewall", "firewall and the proxy")
    assert ann.call("memory/get", id=id).content == changed
    eventually(lambda: bob.texts() == [changed])
    assert database.sql("SELECT content, author FROM memory_sidecar.memories") == [(changed, "ann")]
    eventually(lambda: author(ann, id) is None)
    assert f"- {changed}" in page(ann).splitlines()
    assert f"- *(by: ann)* {changed}" in page(bob).splitlines()


def test_the_merge_of_two_people_s_edits_holds_no_author_mark(team: Team) -> None:
    bob, ann, _ = team
    page(ann)
    page(bob)
    put(ann, lambda text: text.replace(LINE, f"{LINE}\n  Ann added this line."))
    put(bob, lambda text: text.replace(f"{WORDS}\n", f"{WORDS}\n  Bob added this line.\n"))  # hers may be there by now
    eventually(lambda: all("Ann added" in each.texts()[0] and "Bob added" in each.texts()[0] for each in (ann, bob)))
    eventually(lambda: ann.texts() == bob.texts())
    assert sorted(ann.texts()[0].split("\n")) == sorted([WORDS, "Ann added this line.", "Bob added this line."])
    for desk in (ann, bob):
        assert page(desk) == page(desk)
        assert "by:" not in desk.texts()[0]


def test_a_file_that_git_tracks_is_the_same_on_both_machines(team: Team) -> None:
    bob, ann, _ = team
    for desk in (bob, ann):
        page(desk)
        git(desk.folder, "add", "-f", ".agents/MEMORY.md")
    for desk in (bob, ann):
        desk.record("Another one.", scope="personal")  # a change, so that the file is looked at again
        put(desk, lambda text: text + "\n")
    assert page(bob) == page(ann)
    assert f"- {WORDS}" in page(ann).splitlines()


@pytest.mark.parametrize("team", ["directory"], indirect=True)
def test_a_page_names_its_author_and_keeps_a_person_s_own_keys(team: Team) -> None:
    _, ann, id = team
    enabled = ann.engine.lifecycle.add_workspace(ann.folder).open()
    enabled.memory_file.sync()
    place = next((ann.folder / ".agents" / "memory").glob("*.md"))
    assert "\nby: Bob B. [bob]\n" in place.read_text()
    place.write_text(place.read_text().replace("by: Bob B. [bob]", "by: Eve\nauthor: Somebody"))
    enabled.memory_file.sync()
    assert "\nby: Bob B. [bob]\n" in place.read_text()
    assert "\nauthor: Somebody\n" in place.read_text()
    assert author(ann, id) == "Bob B. (bob)"
    assert len(ann.call("memory/history", id=id).versions) == 1


@pytest.mark.parametrize("markdown", [True, False])
def test_hover_names_the_author(team: Team, markdown: bool) -> None:
    _, ann, _ = team
    server: Any = SimpleNamespace(
        client=SimpleNamespace(markdown=markdown, links_commands=False),
        documents=SimpleNamespace(encoding=types.PositionEncodingKind.Utf16),
    )
    uri = (ann.folder / "app.py").as_uri()
    hover = HoverRequest(server, ann.engine.editor, uri, ["PORT = 8080\n"]).hover(types.Position(0, 1))
    assert hover is not None
    assert ("by `Bob B. (bob)`" if markdown else "by Bob B. (bob)") in hover.contents.value  # type: ignore[union-attr]


def test_recall_and_notes_about_a_file_name_the_author(team: Team) -> None:
    _, ann, id = team
    memory = ann.call("memory/get", id=id)
    assert "by Bob B. (bob)" in note_text(memory, memory.updated_at)
    assert note(memory)["author"] == "Bob B. (bob)"
    assert "[by Bob B. (bob)]" in notes(ann.engine.call, "app.py", edit=False)


def test_list_search_and_explain_name_the_author(team: Team) -> None:
    bob, ann, id = team
    bob.call("reminder/set", text="Open the firewall.", at="+2h")
    eventually(lambda: [reminder.author for reminder in ann.call("reminder/list").items] == ["bob"])
    eventually(lambda: bob.state().waiting == 0)
    for desk in (ann, bob):
        folder, url = desk.settings.store.folder, desk.settings.store.url
        desk.close()
        env = {"PATH": os.environ["PATH"], "HOME": str(desk.folder.parent), "MEMORY_SIDECAR_STORE_FOLDER": str(folder)}
        env |= {"MEMORY_SIDECAR_STORE_URL": url or "", "COLUMNS": "200"}
        for command in (("list",), ("search", "firewall"), ("explain", id)):
            said = invoke(command, env, desk.folder).stdout
            assert ("Bob B. (bob)" in said) == (desk is ann), (command, said)
        assert ("(by bob)" in invoke(("reminders",), env, desk.folder).stdout) == (desk is ann)


def test_a_due_reminder_of_whoever_counts_here_is_delivered_with_its_author(team: Team) -> None:
    bob, ann, _ = team
    ann.close()
    ann.settings = msgspec.structs.replace(
        ann.settings, store=msgspec.structs.replace(ann.settings.store, directives_from=("bob",))
    )
    soon = f"{datetime.fromtimestamp(time.time() + 3, UTC):%Y-%m-%dT%H:%M:%S}Z"
    id = bob.call("reminder/set", text="Open the firewall.", at=soon).reminder.id
    eventually(lambda: "Open the firewall." in ann.call("context/boot").text)
    assert f"[reminder {id}, by bob]" in ann.call("context/boot").text
    assert bob.call("context/boot").reminders == []
    assert whose(bob.call("reminder/list").items[0]) == ("Open the firewall.", False)
    assert whose(ann.call("reminder/list").items[0]) == ("Open the firewall. (by bob)", True)


def whose(reminder: Reminder) -> tuple[str, bool]:
    """Return what an agent reads of a reminder over MCP."""
    noted = work_tools.reminder_note(reminder)
    return noted["text"], noted["due"]
