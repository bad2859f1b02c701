"""Candidates in Neovim, by keystrokes: gone through, decided on, taken back; and where a memory came from."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.client.neovim import Neovim, kept, pinned
from tests.client.stdio_client import StdioClient
from tests.editors.conftest import AgentProject

# The first test installs what it needs.
pytestmark = pytest.mark.timeout(1_500)

NOISE = ["window/logMessage", "memory/didChange", "file/didInvalidate", "$/progress"]


@pytest.fixture
def nvim(project: AgentProject, tmp_path: Path) -> Iterator[Neovim]:
    started = Neovim(
        pinned(kept("neovim-0.11")), project.folder, project.environment(), tmp_path / "nvim", ["letters.py"]
    )
    yield started
    started.close()


def candidates(project: AgentProject, status: str) -> list[str]:
    with StdioClient(cwd=project.folder, env=project.environment(), ignore=NOISE) as asking:
        asking.initialize(project.folder)
        found = asking.call("memory/candidates", {"status": [status]})["items"]
    return sorted(str(one["name"]) for one in found)


def memories(project: AgentProject) -> dict[str, dict[str, object]]:
    return {item["name"]: item for item in json.loads(project.sidecar("list", "--json"))["items"]}


def test_candidates_are_gone_through_with_one_key_each(nvim: Neovim, project: AgentProject) -> None:
    nvim.attached()
    project.propose(
        "Deploys to staging go through the release train on Thursday.",
        "Invoices are printed on Monday.",
        "Emphasis is not wanted in answers.",
        "Elevators are not for parcels.",
        "Reports go out before noon.",
    )
    nvim.sees(r"\[memory 0 · 5 to review\]")
    nvim.command("Memory review")
    nvim.sees(r"Candidates · 5")
    nvim.sees(r"e edit · k keep · l later · q close|\? help")
    nvim.sees(r"Deploys to .* project feedback  1 session  now")
    nvim.sees(r"the agent 20\d\d-\d\d-\d\d")  # one line of the fold
    assert "found by compaction" not in nvim.screen()
    nvim.type("?")
    nvim.sees(r"k keeps it, e edits and keeps it, s keeps it for a scope")

    # The words behind one, and hidden again.
    nvim.type("/Deploys to\r")
    nvim.type("\r")
    nvim.sees(r"(?s)the agent 20\d\d-\d\d-\d\d \d\d:\d\d in session s-1: .*found by compaction, forgotten on 20")
    nvim.type("\r")
    nvim.no_more(r"found by compaction")

    nvim.type("k")
    nvim.sees(r"Remembered “Deploys”\. u takes that back\.")
    nvim.sees(r"Candidates · 4")
    nvim.type("/Elevators are\r")
    nvim.type("r")
    nvim.sees(r"Rejected “Elevators are not for parcels\.”; it is not proposed again")
    nvim.sees(r"Candidates · 3")
    nvim.type("/Emphasis is\r")
    nvim.type("s")
    nvim.sees(r"Keep for whom \(proposed: project\)")
    nvim.type("3\r")
    nvim.sees(r"Remembered “Emphasis”")
    nvim.sees(r"Candidates · 2")
    nvim.type("/Reports go\r")
    nvim.type("l")
    nvim.sees(r"Candidates · 1")
    nvim.type("e")
    nvim.sees(r":w keeps it, :bw! leaves it as it was")
    nvim.sees(r"scope: project")
    nvim.type("Gccinvoices are printed on Tuesday.\x1b")
    nvim.command("w")
    nvim.sees(r"Remembered “Invoices”")
    found = memories(project)
    assert {name: (one["scope"], one["content"]) for name, one in found.items()} == {
        "Deploys": ("project", "Deploys to staging go through the release train on Thursday."),
        "Emphasis": ("global", "Emphasis is not wanted in answers."),
        "Invoices": ("project", "invoices are printed on Tuesday."),
    }
    assert {one["source"] for one in found.values()} == {"user"}
    nvim.command("b letters.py")
    nvim.sees(r"· 1 to review\]")
    assert candidates(project, "waiting") == ["Reports"]  # left for later, and there again
    nvim.command("Memory review")
    nvim.sees(r"Reports go out before noon\.")


def test_a_decision_is_taken_back_and_what_was_rejected_found_again(nvim: Neovim, project: AgentProject) -> None:
    nvim.attached()
    project.propose("Deploys go through the release train.", "Elevators are not for parcels.")
    nvim.sees(r"· 2 to review\]")
    nvim.command("Memory review")
    nvim.sees(r"Candidates · 2")
    nvim.type("/Deploys go\r")
    nvim.type("k")
    nvim.sees(r"Remembered “Deploys”")
    nvim.type("u")
    nvim.sees(r"Forgotten again\.")
    assert memories(project) == {}
    nvim.sees(r"Candidates · 1")
    nvim.type("r")
    nvim.sees(r"Rejected “Elevators")
    nvim.sees(r"No candidate waits\.")
    nvim.type("q")
    nvim.command("Memory review rejected")
    nvim.sees(r"Rejected candidates · 1")
    nvim.type("k")
    nvim.sees(r"Remembered “Elevators”")
    nvim.sees(r"Nothing was rejected\.")
    assert list(memories(project)) == ["Elevators"]
    nvim.type("q")
    nvim.command("Memory review nonsense")
    nvim.sees(r":Memory review takes no nonsense")


def test_review_tells_where_a_memory_came_from(nvim: Neovim, project: AgentProject) -> None:
    nvim.attached()
    project.propose("Deploys to staging go through the release train on Thursday.", name="Trains")
    project.propose("Staging deploys: through the release train, Thursday.", session="s-2", name="Trains")
    nvim.sees(r"\[memory 1\]")
    nvim.command("Memory why Trains")
    nvim.sees(r"recorded 20\d\d-\d\d-\d\d \d\d:\d\d by extractor:compaction in session s-2")
    nvim.sees(r"(?s)in session s-1: .*in session s-2: .*found by compaction")
    nvim.type("q")
    project.sidecar("record", "Said so.", "--name", "Own")
    nvim.command("Memory why Own")
    nvim.sees(r"by user.*\n?.*")
    nvim.sees(r"It was never a candidate")
