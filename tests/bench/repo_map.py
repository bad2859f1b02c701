"""The repository map beside aider's, on the same folder and machine: cold, warm, and after an edit.

    python tests/bench/repo_map.py DIR --aider PYTHON [--budget 4096] [--rounds 5]

DIR is a git repository; the files that git tracks and both tools can read are given to aider as it is given them by its
own `/map`. PYTHON is the interpreter of a virtual environment with aider-chat; without it only ours is measured. Both
run in processes of their own, with the same budget, one after the other, each round of one beside one of the other.

cold: nothing kept, from an empty cache to the map. warm: the process is running and knows the files; a map seen from
a file in play, another one each time, so that no finished map can be handed out again. edit: one file was changed.
The work is done on a copy of DIR, of its tracked files alone, with a commit of its own.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]

AIDER = r"""
import json, os, sys, time
from aider.repomap import RepoMap
class Io:
    def read_text(self, name, silent=False):
        try:
            with open(name, encoding="utf-8") as file:
                return file.read()
        except (OSError, UnicodeError):
            return None
    def tool_output(self, *a, **k): pass
    tool_warning = tool_error = tool_output
class Model:
    def token_count(self, text):
        return len(text) // 4
root, budget = sys.argv[1], int(sys.argv[2])
files = [os.path.join(root, line) for line in json.loads(sys.stdin.readline())]
made = None
for line in sys.stdin:
    kind, name = json.loads(line)
    start = time.perf_counter()
    if kind == "cold":
        made = RepoMap(map_tokens=budget, root=root, main_model=Model(), io=Io(), map_mul_no_files=1, refresh="always")
        text = made.get_repo_map([], files)
    else:
        chat = os.path.join(root, name)
        text = made.get_repo_map([chat], [file for file in files if file != chat])
    print(json.dumps([time.perf_counter() - start, len(text or "")]), flush=True)
"""

OURS = r"""
import json, os, sys, time
from pathlib import Path
root, budget, home = sys.argv[1], int(sys.argv[2]), sys.argv[3]
sys.stdin.readline()
engine = None
from protocol.files import RepoMapParams
from sidecar.engine import Engine
from sidecar.settings import Settings
from sidecar.settings.model import FileSettings, StoreSettings, WatchSettings
settings = Settings(store=StoreSettings(folder=Path(home)), files=FileSettings(warm_up_workers=int(sys.argv[4])),
                    watch=WatchSettings(mode="off"))
for line in sys.stdin:
    kind, name = json.loads(line)
    start = time.perf_counter()
    if kind == "cold":
        engine = Engine(settings)
        engine.open_workspace(Path(root), watch=False)
        engine.warm_up()
        params = RepoMapParams(budget_tokens=budget)
    else:
        params = RepoMapParams(budget_tokens=budget, files=[name])
    if kind == "edit":
        engine.files_changed([Path(root, name).as_uri()])
    result = engine.call("workspace/repoMap", params)
    print(json.dumps([time.perf_counter() - start, len(result.text)]), flush=True)
engine.close()
"""


class Tool:
    """One of the two, in a process of its own."""

    def __init__(self, name: str, command: list[str], files: list[str], env: dict[str, str]) -> None:
        self.name = name
        self._process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            env=env,
        )
        self._send(files)

    def _send(self, value: object) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps(value) + "\n")
        self._process.stdin.flush()

    def ask(self, kind: str, name: str = "") -> tuple[float, int]:
        """Seconds, and characters of the map."""
        self._send([kind, name])
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        if not line:
            raise SystemExit(f"{self.name} ended")
        seconds, characters = json.loads(line)
        return seconds, characters

    def close(self) -> None:
        """End the process."""
        assert self._process.stdin is not None
        self._process.stdin.close()
        self._process.wait(timeout=60)


@contextmanager
def copy_of(folder: Path) -> Iterator[tuple[Path, list[str]]]:
    """A copy of the tracked files, under git, and the names of those that a grammar of ours reads."""
    sys.path.insert(0, str(ROOT))
    from sidecar.files.language import CODE, language_of

    with tempfile.TemporaryDirectory(prefix="repo-map-") as made:
        top = Path(made, "copy")
        archive = subprocess.run(["git", "-C", folder, "archive", "HEAD"], check=True, capture_output=True)
        top.mkdir()
        subprocess.run(["tar", "x", "-C", top], input=archive.stdout, check=True)
        for arguments in (["init", "-q"], ["add", "-A"], ["commit", "-qm", "copy"]):
            own = ["-c", "user.name=b", "-c", "user.email=b@example.invalid"]
            subprocess.run(["git", "-C", top, *own, *arguments], check=True)
        names = [
            p.relative_to(top).as_posix()
            for p in sorted(top.rglob("*"))
            if p.is_file() and ".git" not in p.parts
        ]
        yield top, [name for name in names if language_of(name) in CODE]


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=Path)
    parser.add_argument("--aider", type=Path)
    parser.add_argument("--budget", type=int, default=4096)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--workers", type=int, default=os.cpu_count() or 1)
    given = parser.parse_args()
    if not (given.folder / ".git").exists():
        raise SystemExit(f"{given.folder} is no git repository")
    with copy_of(given.folder) as (top, files), tempfile.TemporaryDirectory() as home:
        python = [name for name in files if name.endswith(".py")] or files
        print(
            f"{given.folder.name}: {len(files)} code files; budget {given.budget}; load {os.getloadavg()[0]:.1f}"
        )
        inherited = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}
        own = [sys.executable, "-P", "-c", OURS, str(top), str(given.budget), home, str(given.workers)]
        tools = [Tool("memory-sidecar", own, files, {**inherited, "PYTHONPATH": str(ROOT)})]
        if given.aider:
            command = [str(given.aider), "-P", "-c", AIDER, str(top), str(given.budget)]
            tools.append(Tool("aider", command, files, {**inherited, "HOME": home}))
        figures: dict[str, dict[str, float]] = {tool.name: {} for tool in tools}
        for tool in tools:
            seconds, characters = tool.ask("cold")
            figures[tool.name]["cold"] = seconds
            print(f"  {tool.name:15} cold {seconds:8.2f} s, {characters} characters", flush=True)
        for kind in ("warm", "edit"):
            times: dict[str, list[float]] = {tool.name: [] for tool in tools}
            for number in range(given.rounds):
                name = python[(number + 1) * len(python) // (given.rounds + 2)]
                if kind == "edit":
                    with (top / name).open("a") as file:
                        file.write(f"\n\ndef added_{time.time_ns()}(value):\n    return value\n")
                for tool in tools:
                    times[tool.name].append(tool.ask(kind, name)[0])
            for tool in tools:
                found = figures[tool.name][kind] = statistics.median(times[tool.name])
                print(
                    f"  {tool.name:15} {kind} {found * 1000:8.1f} ms median, {max(times[tool.name]) * 1000:.1f} most"
                )
        for tool in tools:
            tool.close()
        if given.aider:
            ours, theirs = (figures[tool.name] for tool in tools)
            print("  times faster: " + ", ".join(f"{kind} {theirs[kind] / ours[kind]:.1f}" for kind in ours))
        shutil.rmtree(top / ".aider.tags.cache.v4", ignore_errors=True)


if __name__ == "__main__":
    main()
