"""Hook scripts through the engine: real files, real processes, and a clock under the test's control."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Literal

import pytest
from msgspec.structs import replace

from protocol import hooks as wire
from sidecar.engine.engine import Engine
from sidecar.engine.options import EngineOptions
from sidecar.hook_scripts.configured import Hook
from sidecar.settings import Settings
from sidecar.settings.model import HookSettings, StoreSettings
from tests.client.calling import EngineCalls
from tests.clock import Clock


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "home" / ".claude").mkdir(parents=True)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    place = tmp_path / "work"
    (place / ".claude" / "hooks").mkdir(parents=True)
    return place


RunHooks = Literal["never", "user", "all"]
StartEngine = Callable[..., Engine]


@pytest.fixture
def engines(folder: Path, tmp_path: Path, clock: Clock) -> Iterator[StartEngine]:
    started: list[Engine] = []

    def start(run: RunHooks = "all") -> Engine:
        settings = replace(Settings(), store=StoreSettings(folder=tmp_path / "store"), hooks=HookSettings(run=run))
        engine = Engine(settings, EngineOptions(clock=clock, short_lived=True))
        engine.lifecycle.add_workspace(folder)
        started.append(engine)
        return engine

    yield start
    for engine in started:
        engine.close()


def configure(folder: Path, *hooks: tuple[str, str, str], timeouts: dict[str, float] | None = None) -> None:
    """Configure hooks given as (event, matcher, command); `timeouts` are seconds by command."""
    events: dict[str, list[object]] = {}
    for event, matcher, command in hooks:
        entry: dict[str, object] = {"type": "command", "command": command}
        if timeouts and command in timeouts:
            entry["timeout"] = timeouts[command]
        events.setdefault(event, []).append({"matcher": matcher, "hooks": [entry]})
    (folder / ".claude" / "settings.json").write_text(json.dumps({"hooks": events}))


def run(engine: Engine, **params: object) -> wire.RunHooksResult:
    return EngineCalls(engine).hooks_run(replace(wire.RunHooksParams(event="PreToolUse", tool="Edit"), **params))


def test_missing_and_orphaned_and_not_executable_scripts_are_found(folder: Path, engines: StartEngine) -> None:
    scripts = folder / ".claude" / "hooks"
    for name, mode in (("good.sh", 0o755), ("plain.sh", 0o644), ("by_python.py", 0o644), ("lonely.sh", 0o755)):
        (scripts / name).write_text("#!/bin/sh\n")
        (scripts / name).chmod(mode)
    configure(
        folder,
        ("PreToolUse", "Edit", '"$CLAUDE_PROJECT_DIR"/.claude/hooks/good.sh'),
        ("PreToolUse", "Edit", "${CLAUDE_PROJECT_DIR}/.claude/hooks/plain.sh --flag"),
        ("Stop", "", "python3 .claude/hooks/by_python.py"),
        ("Stop", "", ".claude/hooks/gone.sh"),
        ("Stop", "", "no-such-program-here --x"),
        ("Stop", "", "'unbalanced"),
    )
    result = EngineCalls(engines()).hooks_verify(wire.VerifyHooksParams())
    found = [(each.problem, Path(each.path).name, each.event) for each in result.problems]
    assert found == [
        ("notExecutable", "plain.sh", "PreToolUse"),
        ("missing", "gone.sh", "Stop"),
        ("missing", "no-such-program-here", "Stop"),
        ("orphaned", "lonely.sh", None),
    ]
    assert result.configured == 6


def test_the_first_block_wins_and_order_is_kept(folder: Path, engines: StartEngine) -> None:
    configure(
        folder,
        ("PreToolUse", "Edit|Write", "echo first"),
        ("PreToolUse", "Bash", "echo not for this tool"),
        ("PreToolUse", "", "cat >seen.json; echo no >&2; exit 2"),
        ("PreToolUse", "*", "touch never"),
    )
    result = run(engines(), input={"file_path": "a.py"}, session_id="s")
    assert [outcome.output for outcome in result.outcomes] == ["first\n", ""]
    assert (result.blocked, result.reason) == (True, "no")
    seen = json.loads((folder / "seen.json").read_text())
    assert (seen["tool_name"], seen["tool_input"], seen["session_id"]) == ("Edit", {"file_path": "a.py"}, "s")
    assert not (folder / "never").exists()


def test_a_block_may_be_said_in_json(folder: Path, engines: StartEngine) -> None:
    denied = {"hookSpecificOutput": {"permissionDecision": "deny", "permissionDecisionReason": "frozen file"}}
    (folder / "deny.json").write_text(json.dumps(denied))
    configure(folder, ("PreToolUse", "Edit", "cat deny.json"))
    assert run(engines()).reason == "frozen file"


def test_a_repository_s_hooks_run_only_where_the_user_allows_it(folder: Path, engines: StartEngine) -> None:
    configure(folder, ("PreToolUse", "Edit", "touch theirs"))
    configure(Path.home(), ("PreToolUse", "Edit", "touch mine"))
    never = run(engines("never"))
    assert (never.outcomes, never.refused) == ([], ["touch mine", "touch theirs"])
    assert run(engines("user")).refused == ["touch theirs"]
    assert (folder / "mine").exists()
    assert not (folder / "theirs").exists()


def test_results_are_kept_for_a_moment_and_for_the_same_bytes(folder: Path, engines: StartEngine, clock: Clock) -> None:
    file = folder / "a.py"
    file.write_text("one")
    (folder / "count.sh").write_text("echo x >> out/count\n")
    (folder / "out").mkdir()
    configure(folder, ("PreToolUse", "Edit", "sh count.sh"))
    engine = engines()

    def cached() -> bool:
        return run(engine, input={"file_path": "a.py"}).outcomes[0].cached

    assert [cached(), cached()] == [False, True]
    file.write_text("two")
    assert [cached(), cached()] == [False, True]
    clock.now += 5_000
    assert not cached()
    assert not run(engine, input={"file_path": "b.py"}).outcomes[0].cached
    for number in range(100):
        run(engine, input={"file_path": f"{number}.py"})
    assert not cached(), "pushed out"
    assert (folder / "out" / "count").read_text().count("x") == 105


ALLOW, BLOCK = "#!/bin/sh\nexit 0 # no\n", "#!/bin/sh\nexit 2 # no\n"


def test_a_script_that_was_edited_to_block_is_not_passed_from_the_cache(folder: Path, engines: StartEngine) -> None:
    script = folder / ".claude" / "hooks" / "check.sh"
    script.write_text(ALLOW)
    os.utime(script, ns=(1, 1))
    configure(folder, ("PreToolUse", "Edit", "sh $CLAUDE_PROJECT_DIR/.claude/hooks/check.sh"))
    engine = engines()
    assert [run(engine, input={}).outcomes[0].cached for _ in range(2)] == [False, True]
    script.write_text(BLOCK)
    os.utime(script, ns=(1, 1))
    assert run(engine, input={}).blocked, "same size, same time"


def test_a_hook_that_hangs_is_killed_with_its_children(folder: Path, engines: StartEngine) -> None:
    configure(
        folder,
        ("PreToolUse", "Edit", "sleep 600 & sleep 600"),
        ("PreToolUse", "Edit", "echo after"),
        timeouts={"sleep 600 & sleep 600": 0.3},
    )
    result = run(engines())
    assert [outcome.timed_out for outcome in result.outcomes] == [True, False]
    assert not result.blocked


def test_broken_configuration_has_no_hooks(folder: Path, engines: StartEngine) -> None:
    for text in ("{", "[]", '{"hooks": 7}', '{"hooks": {"Stop": [7, {"hooks": [{"command": 3}]}]}}'):
        (folder / ".claude" / "settings.json").write_text(text)
        assert EngineCalls(engines()).hooks_verify(wire.VerifyHooksParams()).configured == 0


@pytest.mark.parametrize(
    ("matcher", "fits", "fits_not"),
    [
        (None, "Bash", None),
        ("*", "Bash", None),
        ("", "mcp__memory__recall", None),
        ("Edit", "Edit", "MultiEdit"),
        ("Edit|Write", "Write", "NotebookWrite"),
        ("^Notebook", "NotebookEdit", "MyNotebook"),
        ("Notebook.*", "NotebookEdit", "Edit"),
        ("mcp__memory__.*", "mcp__memory__recall", "mcp__other__recall"),
        ("mcp__memory", "mcp__memory", "mcp__memory__recall"),
        ("edit", "edit", "Edit"),
        ("(", "(", "Bash"),
    ],
)
def test_a_matcher_selects_tools_like_claude_code(matcher: str | None, fits: str, fits_not: str | None) -> None:
    hook = Hook("PreToolUse", matcher, "true", 1.0, "user")
    assert hook.matches("PreToolUse", fits)
    assert fits_not is None or not hook.matches("PreToolUse", fits_not)
    assert not hook.matches("PostToolUse", fits)


def test_a_hundred_results_are_kept_and_the_oldest_goes(folder: Path, engines: StartEngine) -> None:
    ran = folder / "out" / "ran"
    ran.parent.mkdir()
    script = folder / "count.sh"
    script.write_text(f"cat >/dev/null; echo x >> {ran}\n")
    configure(folder, ("PreToolUse", "Bash", f"sh {script}"))
    engine = engines()

    def run(command: str) -> bool:
        params = wire.RunHooksParams(event="PreToolUse", tool="Bash", input={"command": command})
        return bool(EngineCalls(engine).hooks_run(params).outcomes[0].cached)

    assert [run(str(number)) for number in range(101)] == [False] * 101
    assert run("100")
    assert run("1")
    assert not run("0")
    assert ran.read_text().count("x") == 102
