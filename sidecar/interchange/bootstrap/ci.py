"""The commands with which continuous integration checks a change, as its files spell them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from sidecar.interchange.bootstrap.project import FirstFact, Project, list_commands, value_at
from sidecar.text.lazy_patterns import patterns

_PATTERNS = patterns(Path(__file__), "ci")
_WORKFLOW_FOLDER = ".github/workflows/"
_MAX_COMMAND_CHARS = 100  # characters; a longer command is a script
_MAX_COMMANDS = 8  # commands


def ci_facts(project: Project) -> list[FirstFact]:
    return [*_github_facts(project), *_gitlab_facts(project)]


def _github_facts(project: Project) -> list[FirstFact]:
    workflow_of: dict[str, str] = {}  # command: workflow
    for path in sorted(path for path in project.texts if path.startswith(_WORKFLOW_FOLDER)):
        if _PATTERNS["other_work"].search(path.rpartition("/")[2]) or not _runs_on_changes(project.value(path, "on")):
            continue
        jobs = project.value(path, "jobs")
        for job in jobs.values() if isinstance(jobs, dict) else ():
            steps = value_at(job, "steps")
            for step in steps if isinstance(steps, list) else ():
                folder = value_at(step, "working-directory")
                if isinstance(folder, str) and folder not in (".", "./"):
                    continue  # the command would be wrong elsewhere
                for command in _whole_commands(value_at(step, "run")):
                    workflow_of.setdefault(command, path)
    return _command_facts("CI: what GitHub Actions runs", workflow_of)


def _gitlab_facts(project: Project) -> list[FirstFact]:
    workflow_of: dict[str, str] = {}
    path = ".gitlab-ci.yml"
    for job in (project.value(path, "") or {}).values():
        scripts = value_at(job, "script")
        for line in scripts if isinstance(scripts, list) else [scripts]:
            for command in _whole_commands(line):
                workflow_of.setdefault(command, path)
    return _command_facts("CI: what GitLab runs", workflow_of)


def _command_facts(name: str, workflow_of: dict[str, str]) -> list[FirstFact]:
    if not workflow_of:
        return []
    first_commands = dict(list(workflow_of.items())[:_MAX_COMMANDS])
    pairs = [(path.rpartition("/")[2], command) for command, path in first_commands.items()]
    intro = "Commands that run on changes:\n"
    more = f"\nAnd {len(workflow_of) - len(first_commands)} more." if len(workflow_of) > len(first_commands) else ""
    files = tuple(dict.fromkeys(first_commands.values()))
    return [FirstFact(name, intro + list_commands(pairs) + more, files, "procedure")]


def _runs_on_changes(on: Any) -> bool:
    events = on if isinstance(on, list | dict) else [on]
    triggers = [event for event in events if event in ("push", "pull_request", "merge_group")]
    push = value_at(on, "push")
    if triggers == ["push"] and isinstance(push, dict) and "tags" in push and "branches" not in push:
        return False  # a release
    return bool(triggers)


def _whole_commands(run: object) -> Iterator[str]:
    """Yield those whole commands of a step that can be run as they are."""
    if not isinstance(run, str):
        return
    lines = run.replace("\\\n", " ").splitlines()
    if any(re.match(r"\s*(?:if|for|while|case|function|cd)\b|.*<<", line) for line in lines):
        return  # a script: its lines do not mean the same when run alone
    for line in lines:
        command = " ".join(line.split())
        decides = _PATTERNS["decides"].search(command) and not _PATTERNS["not"].search(command)
        if decides and len(command) <= _MAX_COMMAND_CHARS:
            yield command
