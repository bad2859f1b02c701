"""Which hook events an agent's version delivers: run headless against a scripted model, count what reaches the hook.

    python -m tests.editors.hook_versions [AGENT ...]    # prints a row of editors/README.md for each version

A session of one prompt runs a command that fails, reads and edits a file, and runs a command that passes. There are no
sub-agents and compactions in it.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from tests.client.installed import npm
from tests.client.scripted_model import ScriptedModel
from tests.editors import test_agents_claude_code as claude
from tests.editors import test_agents_codex as codex
from tests.editors import test_agents_gemini as gemini
from tests.editors import test_agents_opencode as opencode
from tests.editors.conftest import FAILING, LETTERS, ROOT, AgentProject

PROMPT = "Please always answer in British English. Now make the tests pass."
TEST = "python3 -m unittest test_letters"
PASSING = f"{TEST} --buffer"
Steps = Sequence[dict[str, Any]]


def _steps(shell: str, read: str, edit: str, path: str, fields: Sequence[str]) -> Callable[[AgentProject], Steps]:
    def made(project: AgentProject) -> Steps:
        letters = str(project.folder / "letters.py")
        words = dict(zip(fields, (letters, '"Der"', '"Dear"'), strict=True)) | {"instruction": "mend it"}
        words = words if edit == "^replace$" else {name: words[name] for name in fields}
        more = {"is_background": False} if read == "^read_file$" and edit == "^edit$" else {}
        return [
            {"tool": shell, "args": {"command": TEST, "description": "run the tests", **more}},
            {"tool": read, "args": {path: letters}},
            {"tool": edit, "args": words},
            {"tool": shell, "args": {"command": PASSING, "description": "again", **more}},
        ]

    return made


def _codex_steps(project: AgentProject) -> Steps:
    shell = "^exec_command$"
    patch = {"tool": "^apply_patch$", "input": codex.PATCH}
    return [{"tool": shell, "args": {"cmd": TEST}}, patch, {"tool": shell, "args": {"cmd": PASSING}}]


def _qwen(binary: Path, project: AgentProject, model: ScriptedModel, prompt: str) -> None:
    given = {"OPENAI_API_KEY": "none", "OPENAI_BASE_URL": f"{model.url}/v1", "OPENAI_MODEL": "fake"}
    project.run([str(binary), "--yolo", "-o", "stream-json", "-p", prompt], **given)


def _copilot(binary: Path, project: AgentProject, model: ScriptedModel, prompt: str) -> None:
    words = ["--allow-all", "--no-auto-update", "--output-format", "json"]
    given = {"COPILOT_PROVIDER_BASE_URL": f"{model.url}/v1", "COPILOT_MODEL": "fake", "COPILOT_OFFLINE": "true"}
    project.run([str(binary), "-p", prompt, *words], **given)


OLD_NEW = ("file_path", "old_string", "new_string")
AGENTS: dict[str, tuple[str, str, Sequence[str], Callable[..., object], Callable[[AgentProject], Steps]]] = {
    "claude": (
        "@anthropic-ai/claude-code",
        "claude",
        ("2.1.332", "2.1.285", "2.1.237"),
        claude.run,
        _steps("^Bash$", "^Read$", "^Edit$", "file_path", OLD_NEW),
    ),
    "codex": ("@openai/codex", "codex", ("0.171.0", "0.156.1", "0.144.6"), codex.run, _codex_steps),
    "gemini": (
        "@google/gemini-cli",
        "gemini",
        ("0.61.0", "0.58.0", "0.52.0"),
        gemini.run,
        _steps("^run_shell_command$", "^read_file$", "^replace$", "file_path", OLD_NEW),
    ),
    "qwen": (
        "@qwen-code/qwen-code",
        "qwen",
        ("0.24.4", "0.23.4", "0.21.2"),
        _qwen,
        _steps("^run_shell_command$", "^read_file$", "^edit$", "file_path", OLD_NEW),
    ),
    "opencode": (
        "opencode-ai",
        "opencode",
        ("1.18.33", "1.18.20", "1.18.4"),
        opencode.run,
        _steps("^bash$", "^read$", "^edit$", "filePath", ("filePath", "oldString", "newString")),
    ),
    "copilot": (
        "@github/copilot",
        "copilot",
        ("1.0.102", "1.0.92", "1.0.81"),
        _copilot,
        _steps("^bash$", "^view$", "^edit$", "path", ("path", "old_str", "new_str")),
    ),
}
SETTINGS = {
    "gemini": (
        ".gemini/settings.json",
        {"security": {"auth": {"selectedType": "gemini-api-key"}}, "general": {"enableAutoUpdate": False}},
    ),
    "qwen": (
        ".qwen/settings.json",
        {"security": {"auth": {"selectedType": "openai"}}, "general": {"enableAutoUpdate": False}},
    ),
}


def project_in(place: Path) -> AgentProject:
    """A repository, a home, and a sidecar that keeps a copy of what its hooks are given in `place`/events."""
    folder, home, bin = place / "project", place / "home", place / "bin"
    for each in (folder, home / ".config/memory-sidecar", bin, place / "events"):
        each.mkdir(parents=True)
    subprocess.run(["git", "init", "-q", str(folder)], check=True)
    (folder / "letters.py").write_text(LETTERS)
    (folder / "test_letters.py").write_text(FAILING)
    (home / ".config/memory-sidecar/settings.toml").write_text("[hooks]\nanswerSeconds = 9\n")
    program = bin / "memory-sidecar"
    program.write_text(
        f"#!/bin/sh\nexport PYTHONPATH={ROOT}\n"
        f'if [ "$1" = hook ]; then given={place}/events/$$; cat >"$given"; exec <"$given"; fi\n'
        f'exec {sys.executable} -P -m sidecar "$@"\n'
    )
    program.chmod(0o755)
    return AgentProject(folder, home, bin)


def delivered(place: Path) -> Counter[str]:
    found: Counter[str] = Counter()
    for path in (place / "events").iterdir():
        try:
            event = json.loads(path.read_text())
        except ValueError:
            continue
        found[str(event.get("hook_event_name") or event.get("event") or event.get("type"))] += 1
    return found


def main() -> None:
    for agent in sys.argv[1:] or AGENTS:
        package, binary, versions, run, steps = AGENTS[agent]
        for version in versions:
            with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as name:
                project = project_in(Path(name))
                if agent in SETTINGS:
                    path, own = SETTINGS[agent]
                    (project.home / path).parent.mkdir(parents=True)
                    (project.home / path).write_text(json.dumps(own))
                model = ScriptedModel(steps(project))
                try:
                    if agent != "opencode":  # whose run brings its plugin along, which uses no hooks
                        project.sidecar("setup", agent, "--yes")
                    run(npm(package, version, binary), project, model, PROMPT)
                    taught = "British English" in project.sidecar("list")
                    events = ", ".join(f"{each} ×{count}" for each, count in sorted(delivered(Path(name)).items()))
                    print(f"| {agent} {version} | {events} | {'yes' if taught else 'no'} |", flush=True)
                except (AssertionError, subprocess.SubprocessError) as error:
                    print(f"| {agent} {version} | failed: {str(error)[-300:]!r} | |", flush=True)
                finally:
                    model.close()


if __name__ == "__main__":
    main()
