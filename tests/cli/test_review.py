"""`review` and `why` as people and scripts use them: a real terminal, real pipes, a real editor."""

from __future__ import annotations

import os
import pty
import select
import sys
import termios
import time
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from tests.cli.conftest import Run, RunForJson
from tests.client.stdio_client import StdioClient

pytestmark = pytest.mark.long

TRAIN = "Deploys to staging go through the release train on Thursday."
TOKENS = "Access tokens of the robot account are rotated by the platform team."
LOGS = "Logs of the nightly import are kept in the blue bucket."
SECONDS = 60.0


@pytest.fixture
def said(folder: Path, environ: dict[str, str], spawn: Callable[..., StdioClient]) -> Callable[..., None]:
    """Return a function that runs a session through a server that says what may become a memory."""

    def say(session: str, *texts: str) -> None:
        lines = "".join(f"- **{text[:20]}** (project, project): {text}\n" for text in texts)
        env = {**environ, "MEMORY_SIDECAR_MEMORY_LEARN": "propose"}
        server = spawn(env=env, ignore=("memory/didChange", "window/logMessage", "$/progress"))
        server.initialize(folder)
        summary = f"## Memory Candidates\n{lines}"
        server.notify("event/compaction", {"sessionId": session, "summary": summary})
        server.call("session/end", {"sessionId": session})
        server.close()

    return say


class Terminal:
    """`memory-sidecar review` on a terminal of its own."""

    def __init__(self, command: list[str], folder: Path, environ: Mapping[str, str]) -> None:
        self.shown = ""
        self.pid, self._end = pty.fork()
        if self.pid == 0:
            os.chdir(folder)
            os.execvpe(command[0], [*command, "review"], {**environ, "TERM": "xterm", "COLUMNS": "100"})

    def wait(self, text: str) -> str:
        """Return the screen's text up to this one."""
        while text not in self.shown:
            assert self._read(), self.shown
        seen, _, self.shown = self.shown.partition(text)
        return seen

    def press(self, keys: str) -> str:
        """Press each key once its line is there; return the screen's text before the last."""
        seen = ""
        for key in keys:
            seen = self.wait("q quit")
            until = time.monotonic() + SECONDS
            while termios.tcgetattr(self._end)[3] & termios.ICANON:  # what is typed earlier is dropped
                assert time.monotonic() < until
                time.sleep(0.01)
            os.write(self._end, key.encode())
        return seen

    def end(self) -> tuple[int, str]:
        """Return the exit code and the remaining text."""
        while self._read():
            pass
        _, status = os.waitpid(self.pid, 0)
        os.close(self._end)
        return os.waitstatus_to_exitcode(status), self.shown

    def _read(self) -> bool:
        if not select.select([self._end], [], [], SECONDS)[0]:
            return False
        try:
            data = os.read(self._end, 65_536)
        except OSError:  # Linux reports that the other side has gone
            return False
        self.shown += data.decode("utf-8", "replace")
        return bool(data)


@pytest.fixture
def terminal(command: list[str], folder: Path, environ: dict[str, str]) -> Callable[..., Terminal]:
    return lambda **env: Terminal(command, folder, {**environ, **env})


def test_review_takes_one_key_for_each_candidate_beside_its_evidence(
    said: Callable[..., None], terminal: Callable[..., Terminal], as_json: RunForJson, run: Run
) -> None:
    said("one", TRAIN, TOKENS, LOGS)
    said("two", TRAIN)
    screen = terminal(EDITOR=f"{sys.executable} -c \"import sys; open(sys.argv[1], 'w').write('Logs: blue.')\"")
    first = screen.press("s")
    assert "1 of 3" in first
    assert "said in 2 sessions" in first
    assert "expires in" in first
    assert "release train" in first
    assert "session one" in first
    assert "session two" in first
    assert "scope: personal" in screen.press("sk")
    screen.press("e")
    screen.wait("Logs: blue.")
    screen.press("?k")
    screen.press("r")
    code, rest = screen.end()
    assert code == 0
    assert "Rejected." in rest
    assert "2 kept, 1 rejected; 0 candidates wait" in rest
    memories = {str(item["content"]): item for item in as_json("list")["items"]}
    assert set(memories) == {TRAIN, "Logs: blue."}
    assert memories[TRAIN]["source"] == "user"
    assert memories[TRAIN]["scope"] == "personal"
    assert "No candidates wait" in run("review").stderr


@pytest.mark.parametrize("keys", ["q", "lq", "\x04", "\x1b", "ll"])
def test_later_and_quit_leave_everything_as_it_is(
    said: Callable[..., None], terminal: Callable[..., Terminal], as_json: RunForJson, keys: str
) -> None:
    said("one", TRAIN, LOGS)
    screen = terminal()
    screen.press(keys)
    code, rest = screen.end()
    assert code == 0
    assert "0 kept, 0 rejected; 2 candidates wait" in rest
    assert as_json("review")["waiting"] == 2


def test_an_editor_that_fails_asks_again(
    said: Callable[..., None], terminal: Callable[..., Terminal], as_json: RunForJson
) -> None:
    said("one", TRAIN)
    screen = terminal(EDITOR="/no/such/editor")
    screen.press("e")
    screen.wait("could not be started")
    screen.press("q")
    assert screen.end()[0] == 0
    assert as_json("list")["items"] == []


def test_without_a_terminal_it_is_a_list_and_ids(said: Callable[..., None], run: Run, as_json: RunForJson) -> None:
    said("one", TRAIN, LOGS, TOKENS)
    ids = {str(item["content"]): str(item["id"]) for item in as_json("review")["items"]}
    listed = run("review")
    assert all(f"{id[-8:]}" in listed.stdout for id in ids.values())
    assert "session one" in listed.stdout
    assert "3 candidates wait" in listed.stderr
    assert "2 more" in run("review", "--limit", "1").stderr
    kept = run("review", "--keep", ids[TRAIN][-8:], "--scope", "personal", "--content", "Staging: Thursdays.")
    assert kept.stdout.startswith("Kept: Staging: Thursdays")
    assert "Staging: Thursdays." in run("show", ids[TRAIN][-8:]).stdout, "a candidate's id finds its memory"
    done = as_json("review", "--keep", ids[LOGS], "--reject", ids[TOKENS])
    assert done["kept"][0]["memory"]["content"] == LOGS
    assert done["rejected"][0]["status"] == "rejected"
    assert run("review", "--status", "rejected").stdout.count("Access tokens") >= 1
    (memory,) = as_json("list", "--scope", "personal")["items"]
    assert memory["content"] == "Staging: Thursdays."
    run("review", "--keep", ids[TOKENS])
    assert len(as_json("list")["items"]) == 3


def test_a_wrong_id_does_nothing_at_all(said: Callable[..., None], run: Run, as_json: RunForJson) -> None:
    said("one", TRAIN, LOGS)
    id = str(as_json("review")["items"][0]["id"])
    wrong = run("review", "--keep", id, "--reject", "no-such-id", code=3)
    assert "No candidate has the id 'no-such-id'" in wrong.stderr
    assert "hint:" in wrong.stderr
    assert "several" in run("review", "--keep", id, "--keep", "b", "--content", "x", code=2).stderr
    assert "--keep ID" in run("review", "--scope", "global", code=2).stderr
    assert "both kept and rejected" in run("review", "--keep", id, "--reject", id, code=2).stderr
    run("review", "--keep", id, "--scope", "everyone", code=2)
    run("review", "--keep", id, "--content", " ", code=2)
    assert as_json("review")["waiting"] == 2
    assert as_json("list")["items"] == []


def test_status_doctor_and_boot_say_how_many_wait(said: Callable[..., None], run: Run) -> None:
    said("one", TRAIN, LOGS)
    assert "2 candidates wait" in run("status").stdout
    assert "2 candidates wait" in run("doctor", code=None).stdout
    assert "2 candidates wait" in run("boot").stderr


def test_why_shows_the_words(said: Callable[..., None], run: Run, as_json: RunForJson) -> None:
    said("one", TRAIN)
    said("two", TRAIN)
    (waits,) = as_json("review")["items"]
    told = run("why", str(waits["id"])[-8:]).stdout
    assert "Not a memory yet." in told
    assert "session one" in told
    run("review", "--keep", str(waits["id"]), "--content", "Staging is deployed on Thursdays.")
    (memory,) = as_json("list")["items"]
    run("edit", str(memory["id"]), "--content", "Staging is deployed on Fridays.")
    told = run("why", str(memory["id"])[-8:]).stdout
    assert "confirmed by you" in told
    assert f"proposed as: {TRAIN}" in told
    assert "session one" in told
    assert "session two" in told
    assert "version 2  updated" in told
    assert "version 1  created" in told
    assert run("why", str(waits["id"])).stdout == run("why", str(memory["id"])).stdout
    found = as_json("why", str(memory["id"]))
    assert found["memory"]["id"] == memory["id"]
    assert [each["sessionId"] for each in found["candidates"][0]["evidence"]] == ["one", "two"]
    assert len(found["versions"]) == 2


def test_why_tells_who_recorded_what_nobody_proposed(
    run: Run, as_json: RunForJson, folder: Path, spawn: Callable[..., StdioClient], environ: dict[str, str]
) -> None:
    run("record", "Ship on Thursdays.", "--name", "Shipping")
    assert "Recorded by you." in run("why", "Shipping").stdout
    server = spawn(env=environ, ignore=("memory/didChange", "window/logMessage", "$/progress"))
    server.initialize(folder)
    server.call("memory/record", {"content": "Bake on Mondays.", "name": "Baking", "sessionId": "s-9"})
    server.close()
    assert "Recorded by an agent in session s-9." in run("why", "Baking").stdout
    (folder / "AGENTS.md").write_text("# Rules\n\n## Sowing\n\nSow on Tuesdays, when the moon is up.\n")
    run("import", "AGENTS.md")
    name = next(str(item["name"]) for item in as_json("list")["items"] if "Sow on" in item["content"])
    assert "Imported: markdown." in run("why", name).stdout
    assert "No memory has the id" in run("why", "no-such-thing", code=3).stderr
