"""Hooks as an agent runs them: a process for each event, sharing only the disk."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from sidecar.engine.ended_sessions import wait_until_learned
from sidecar.engine.journal_line import JournalLine, said_line
from sidecar.engine.session_journal import Journal, journal_path
from sidecar.hooks import front
from sidecar.hooks.event import HookEvent
from sidecar.hooks.run import HookProgress, HookRun
from sidecar.settings import load
from tests.client.json_value import Json
from tests.hooks.conftest import Hook, command, eventually

TEST = {"command": "pytest tests/test_a.py"}
ERROR = "Exit code 1\nE   ModuleNotFoundError: No module named 'yaml'"


def stored(folder: Path, environ: dict[str, str]) -> list[Json]:
    items: list[Json] = json.loads(command(folder, environ, "list", "--json"))["items"]
    return items


def journals(environ: dict[str, str]) -> list[Path]:
    return list(Path(environ["XDG_DATA_HOME"]).glob("memory-sidecar/hooks/*/*.jsonl"))


def test_lesson_of_one_session_reaches_the_next(
    hook: Hook, folder: Path, environ: dict[str, str], tmp_path: Path
) -> None:
    assert hook("SessionStart", source="startup") == ""
    said = "Please always use pnpm rather than npm in this project."
    assert said not in hook("UserPromptSubmit", prompt=said)
    hook("PostToolUseFailure", tool_name="Bash", tool_input=TEST, error=ERROR, tool_use_id="1")
    edit = {"file_path": str(folder / "setup.cfg"), "old_string": "a", "new_string": "b"}
    hook("PostToolUse", tool_name="Edit", tool_input=edit, tool_response={}, tool_use_id="2")
    transcript = tmp_path / "transcript.jsonl"
    text = "We decided to keep the cache in one file because two files could disagree."
    entry = {"type": "assistant", "message": {"content": [{"type": "text", "text": text}]}}
    transcript.write_text(json.dumps(entry) + "\n")
    hook("Stop", transcript_path=str(transcript))
    passed = {"stdout": "1 passed", "stderr": "", "interrupted": False}
    again = {"command": f"PYTHONPATH=lib {TEST['command']}"}
    hook("PostToolUse", tool_name="Bash", tool_input=again, tool_response=passed, tool_use_id="3")
    hook("SessionEnd", reason="other")
    assert journals(environ) == []
    start = hook("SessionStart", session="s2", source="startup")
    assert "pnpm rather than npm" in start
    assert "No module named 'yaml'" in start
    assert "`PYTHONPATH=lib pytest tests/test_a.py` passes" in start
    assert "one file because" not in start, "what an agent merely says is no source"
    assert hook("SessionStart", session="s2", source="resume") == start, "frozen for the session"
    assert "pnpm" not in hook("UserPromptSubmit", session="s2", prompt="pnpm or npm?"), "shown already"


def test_a_session_that_has_just_ended_is_waited_for_and_an_older_one_is_not(tmp_path: Path) -> None:
    path = journal_path(tmp_path, tmp_path / "work", "s1")
    path.parent.mkdir(parents=True)
    Journal(path, "s1").write(JournalLine("ended"))
    learned = threading.Timer(0.5, path.unlink)
    learned.start()
    wait_until_learned(tmp_path, tmp_path / "work", 60.0)
    assert not path.exists()
    Journal(path, "s1").write(JournalLine("ended"))
    os.utime(path, (time.time() - 60, time.time() - 60))
    wait_until_learned(tmp_path, tmp_path / "work", 600.0)
    assert path.exists()


def test_a_command_waits_for_what_the_session_before_it_taught(
    hook: Hook, folder: Path, environ: dict[str, str]
) -> None:
    hook("UserPromptSubmit", prompt="From now on deploy with `make ship`.")
    end = {"hook_event_name": "SessionEnd", "session_id": "s1", "cwd": str(folder), "reason": "other"}
    ending = [sys.executable, "-P", "-m", "sidecar", "hook"]
    subprocess.run(ending, input=json.dumps(end).encode(), env=environ, cwd=folder, check=True)
    assert ["make ship" in memory["content"] for memory in stored(folder, environ)] == [True]


@pytest.mark.parametrize("event", ["SessionStart", "UserPromptSubmit"])
def test_a_block_that_came_too_late_is_given_at_the_next_prompt(
    hook: Hook, folder: Path, environ: dict[str, str], monkeypatch: pytest.MonkeyPatch, event: str
) -> None:
    hook("UserPromptSubmit", session="s0", prompt="From now on deploy with `make ship`.")
    hook("SessionEnd", session="s0", reason="other")
    noted = threading.Event()

    def slow(run: HookRun, text: str) -> None:
        noted.set()  # the block counts as shown
        time.sleep(60)

    monkeypatch.setattr(HookRun, "context_answer", slow)
    for name in ("HOME", "XDG_DATA_HOME", "XDG_CONFIG_HOME", "XDG_STATE_HOME"):
        monkeypatch.setenv(name, environ[name])  # this process is the hook's, so its own folders are asked for
    data = {"hook_event_name": event, "session_id": "s1", "cwd": str(folder), "prompt": "How do we deploy?"}
    leave = threading.Event()

    def stop_waiting() -> None:
        noted.wait(60)
        leave.set()

    threading.Thread(target=stop_waiting, daemon=True).start()
    assert front.respond_in_time(json.dumps(data).encode(), environ, 120.0, front.CLAUDE, leave) == (b"", False)
    assert "make ship" in hook("UserPromptSubmit", prompt="Why is the build red?")
    assert "make ship" not in hook("UserPromptSubmit", prompt="How do we deploy?"), "shown by now"


def test_counts_go_on_from_process_to_process(hook: Hook, folder: Path, environ: dict[str, str]) -> None:
    found = []
    for session in ("s1", "s2", "s3"):
        for number in range(3):
            hook(
                "PostToolUse",
                session=session,
                tool_name="Bash",
                tool_input=TEST,
                tool_response={"stdout": "ok"},
                tool_use_id=str(number),
            )
            if number < 2:
                hook("Stop", session=session)
        hook("SessionEnd", session=session)
        found.append([memory["version"] for memory in stored(folder, environ)])
    assert found == [[], [], [1]], "twice in each of three sessions"


def test_a_read_is_never_blocked_and_costs_no_store(hook: Hook, environ: dict[str, str]) -> None:
    assert hook("PreToolUse", tool_name="Read", tool_input={"file_path": "/etc/passwd"}) == ""
    hook("PostToolUse", tool_name="Read", tool_input={"file_path": "a.py"}, tool_response={"file": {}})
    assert not (Path(environ["XDG_DATA_HOME"]) / "memory-sidecar" / "workspaces").exists()


def test_secrets_are_not_written_down(hook: Hook, environ: dict[str, str]) -> None:
    secret = "ghp_" + "a1B2c3D4e5F6" * 3
    command = {"command": f"curl -H 'Authorization: token {secret}' https://api.github.com"}
    hook("PostToolUseFailure", tool_name="Bash", tool_input=command, error=f"Exit code 7\nbad {secret}")
    (journal,) = journals(environ)
    assert secret not in journal.read_text()
    assert journal.stat().st_mode & 0o777 == 0o600


def test_switched_off_memory_is_silent_and_keeps_nothing(hook: Hook, environ: dict[str, str]) -> None:
    off = {"MEMORY_SIDECAR_MEMORY_ENABLED": "false"}
    assert hook("SessionStart", env=off, source="startup") == ""
    assert hook("UserPromptSubmit", env=off, prompt="Always use tabs.") == ""
    hook("PostToolUse", env=off, tool_name="Bash", tool_input=TEST, tool_response={})
    assert journals(environ) == []
    hook("PostToolUse", env={"MEMORY_SIDECAR_MEMORY_LEARN": "off"}, tool_name="Bash", tool_input=TEST)
    assert journals(environ) == []


def test_whatever_comes_nothing_is_printed_and_the_exit_code_is_zero(hook: Hook) -> None:
    for data in (
        b"",
        b"garbage",
        b"[]",
        b"\xff\xfe",
        b"[" * 100_000,
        b'{"hook_event_name":"SessionStart"}',
        b'{"hook_event_name":7,"session_id":"s"}',
        b'{"hook_event_name":"SessionStart","session_id":"s","cwd":"/no/such/folder"}',
        b'{"hook_event_name":"NoSuchEvent","session_id":"s","cwd":"/"}',
    ):
        assert hook.send(data) == ""
    assert hook("Stop", transcript_path="/dev/zero") == ""
    assert hook("PostToolUse", tool_name="Bash", tool_input="no object", tool_response=None) == ""


def test_a_store_that_cannot_be_written_disturbs_nobody(hook: Hook, environ: dict[str, str]) -> None:
    place = Path(environ["XDG_DATA_HOME"])
    place.mkdir(parents=True)
    (place / "memory-sidecar").write_text("in the way")
    assert hook("SessionStart", source="startup") == ""
    assert hook("PostToolUse", tool_name="Bash", tool_input=TEST, tool_response={}) == ""


def test_a_busy_store_is_waited_for_shortly_and_nothing_is_lost(
    hook: Hook, folder: Path, environ: dict[str, str]
) -> None:
    hook("SessionStart", source="startup")
    locks = list(Path(environ["XDG_DATA_HOME"]).glob("memory-sidecar/workspaces/*/memory/*lock*"))
    assert locks
    holder = subprocess.Popen(
        [sys.executable, "-c", _HOLD, *map(str, locks)], stdout=subprocess.PIPE, stdin=subprocess.PIPE
    )
    try:
        assert holder.stdout is not None
        assert holder.stdout.readline() == b"held\n"
        said = "Please always use pnpm rather than npm here."
        assert hook("UserPromptSubmit", env={"MEMORY_SIDECAR_HOOKS_ANSWER_SECONDS": "2"}, prompt=said) == ""
    finally:
        holder.kill()
        holder.wait()
    hook("Stop")
    assert any("pnpm" in memory["content"] for memory in stored(folder, environ))


_HOLD = """
import fcntl, sys, time
files = [open(path, "r+b") for path in sys.argv[1:]]
for file in files:
    fcntl.flock(file, fcntl.LOCK_EX)
print("held", flush=True)
time.sleep(600)
"""


def test_a_session_that_was_never_ended_is_ended_by_a_later_one(
    hook: Hook, folder: Path, environ: dict[str, str]
) -> None:
    hook("PostToolUseFailure", session="lost", tool_name="Bash", tool_input=TEST, error=ERROR)
    again = {"command": f"PYTHONPATH=lib {TEST['command']}"}
    hook("PostToolUse", session="lost", tool_name="Bash", tool_input=again, tool_response={"stdout": "ok"})
    (journal,) = journals(environ)
    long_ago = time.time() - 24 * 3_600
    os.utime(journal, (long_ago, long_ago))
    hook("SessionStart", session="new", source="startup")
    assert not journal.exists()
    assert any("yaml" in memory["content"] for memory in stored(folder, environ))


def test_killed_hooks_leave_a_journal_that_can_be_read(hook: Hook, folder: Path, environ: dict[str, str]) -> None:
    hook("UserPromptSubmit", prompt="Hello")
    (journal,) = journals(environ)
    with journal.open("ab") as file:
        file.write(b'{"kind":"tool","tool":"Ba')
    hook("PostToolUse", tool_name="Bash", tool_input=TEST, tool_response={"stdout": "ok"})
    event = {"hook_event_name": "Stop", "session_id": "s1", "cwd": str(folder)}
    process = subprocess.Popen(
        [sys.executable, "-P", "-m", "sidecar", "hook"], stdin=subprocess.PIPE, env=environ, cwd=folder
    )
    assert process.stdin is not None
    process.stdin.write(json.dumps(event).encode())
    process.stdin.close()
    process.send_signal(signal.SIGKILL)
    process.wait()
    hook("SessionEnd")
    assert eventually(lambda: journals(environ) == [])


def test_a_prompt_is_answered_first_and_learned_from_when_the_turn_ends(
    hook: Hook, folder: Path, environ: dict[str, str]
) -> None:
    hook("UserPromptSubmit", prompt="Please always use pnpm rather than npm in this project.")
    assert stored(folder, environ) == []
    hook("Stop")
    assert [memory["type"] for memory in stored(folder, environ)] == ["feedback"]


def test_a_prompt_with_nothing_to_learn_from_waits_for_nobody_who_learns(
    folder: Path, environ: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def asked(self: Journal, seconds: float) -> object:
        raise AssertionError("waited")

    monkeypatch.setattr(Journal, "locked", asked)
    monkeypatch.setenv("XDG_DATA_HOME", environ["XDG_DATA_HOME"])
    event = HookEvent(hook_event_name="UserPromptSubmit", session_id="s1", prompt="Go on.", cwd=str(folder))
    settings = load(folder, environ).settings
    assert front._prompt(HookRun(event, folder, settings, environ, front.CLAUDE, HookProgress())) is None


def test_interrupted_turn_is_learned_once_when_the_next_one_ends(
    hook: Hook, folder: Path, environ: dict[str, str]
) -> None:
    hook("UserPromptSubmit", prompt="Please always use pnpm rather than npm in this project.")
    hook("UserPromptSubmit", prompt="From now on always indent Makefiles with tabs.")
    assert stored(folder, environ) == []
    hook("Stop")
    hook("UserPromptSubmit", prompt="Go on.")
    hook("Stop")
    assert sorted(memory["version"] for memory in stored(folder, environ)) == [1, 1]


def test_a_long_journal_loses_what_was_learned_from_and_nothing_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sidecar.engine.session_journal.MAX_JOURNAL_BYTES", 2_000)
    journal = Journal(journal_path(tmp_path, tmp_path, "s1"), "s1")
    assert journal.record_told("of a.py")
    journal.write(said_line("user", "words " * 400))
    journal.write(said_line("user", "Always use pnpm."))  # too long by now, and nothing was learned yet
    _, fresh, end = journal.read()
    assert len(fresh) == 2
    journal.write(JournalLine("learned", upto=end))
    with journal.locked(0.0) as mine:
        assert mine
        journal.write(said_line("user", "While somebody learns."))
        assert journal.path.stat().st_size > 2_000
    journal.write(said_line("user", "Never use npm."))
    assert journal.path.stat().st_size < 2_000
    assert [line.text for line in journal.read()[1]] == ["While somebody learns.", "Never use npm."]
    assert not journal.record_told("of a.py")
    journal.write(JournalLine("learned", upto=journal.read()[2]))
    assert journal.read()[1] == []


def test_unlearned_journals_are_dropped_only_at_a_hard_limit_and_reported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr("sidecar.engine.session_journal.MAX_JOURNAL_BYTES", 2_000)
    monkeypatch.setattr("sidecar.engine.session_journal.MAX_UNLEARNED_BYTES", 4_000)
    journal = Journal(journal_path(tmp_path, tmp_path, "s1"), "s1")
    for number in range(30):
        journal.write(said_line("user", f"{number:02d} " + "words " * 30))
    texts = [line.text[:2] for line in journal.read()[1]]
    assert texts == [f"{number:02d}" for number in range(30 - len(texts), 30)]
    assert 18 <= len(texts) < 30
    told = [record for record in caplog.records if "dropped" in record.message]
    assert sum(int(record.message.split(": ")[1].split()[0]) for record in told) == 30 - len(texts)


def test_lines_written_while_a_session_ends_stay_for_a_later_one(tmp_path: Path) -> None:
    journal = Journal(journal_path(tmp_path, tmp_path, "s1"), "s1")
    journal.write(said_line("user", "Always use pnpm."))
    upto = journal.read()[2]
    journal.write(said_line("assistant", "We decided to keep one cache."))
    journal.remove(upto)
    assert journal.path.exists()
    journal.remove(journal.read()[2])
    assert not journal.path.exists()


def test_a_session_that_could_not_be_stored_keeps_its_journal(
    hook: Hook, folder: Path, environ: dict[str, str]
) -> None:
    hook("UserPromptSubmit", prompt="Please always use pnpm rather than npm in this project.")
    (home,) = Path(environ["XDG_DATA_HOME"]).glob("memory-sidecar/workspaces/*/memory")
    aside = home.rename(home.with_name("aside"))
    home.write_text("no folder")
    hook("SessionEnd")
    assert len(journals(environ)) == 1
    home.unlink()
    aside.rename(home)
    hook("SessionEnd")
    assert journals(environ) == []
    assert [memory["type"] for memory in stored(folder, environ)] == ["feedback"]


def test_neither_a_forgotten_name_nor_a_full_disk_is_told_by_the_exit_code(
    hook: Hook, folder: Path, environ: dict[str, str]
) -> None:
    assert hook.raw("Stop", "--agent") == ""
    hook("UserPromptSubmit", prompt="Please always use pnpm rather than npm in this project.")
    hook("SessionEnd")
    event = {"hook_event_name": "SessionStart", "session_id": "s2", "cwd": str(folder)}
    with open("/dev/full", "wb") as full:
        done = subprocess.run(
            [sys.executable, "-P", "-m", "sidecar", "hook"],
            input=json.dumps(event).encode(),
            stdout=full,
            env=environ,
            cwd=folder,
            timeout=180,
            check=False,
        )
    assert done.returncode == 0
