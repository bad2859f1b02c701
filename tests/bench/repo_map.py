"""The repository map beside aider's, on the same folder and machine: cold, after a restart, warm, and after an edit.

    python -P tests/bench/repo_map.py DIR --aider PYTHON [--budget 4096] [--cold 3] [--rounds 5]

DIR is a git repository; the files that git tracks and a grammar of ours reads are given to aider as it is given them by
its own `/map` (ours finds them itself, with all the others). PYTHON is the interpreter of a virtual environment with
aider-chat; without it only ours is measured. Both run in processes of their own, with the same budget, one after the
other, each round of one beside one of the other.

cold: nothing kept, a new process and an empty cache; to the map, with the start of the process and without it.
restart: a new process, and what the one before it kept. warm: the process is running and knows the files; a map seen
from a file in play, another one each time, so that no finished map can be handed out again. edit: one file was changed.
Processor time is that of the process and of those it started. The work is done on a copy of DIR, of its tracked files
alone, with a commit of its own.
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
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[2]

AIDER = r"""
import json, os, resource, sys, time
root, budget = sys.argv[1], int(sys.argv[2])
files = [os.path.join(root, line) for line in json.loads(sys.stdin.readline())]
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
def used():
    return sum(sum(resource.getrusage(who)[:2]) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
made = RepoMap(map_tokens=budget, root=root, main_model=Model(), io=Io(), map_mul_no_files=1, refresh="always")
for line in sys.stdin:
    kind, name = json.loads(line)
    start = time.perf_counter()
    if kind == "whole":
        text = made.get_repo_map([], files)
    else:
        chat = os.path.join(root, name)
        text = made.get_repo_map([chat], [file for file in files if file != chat])
    print(json.dumps([time.perf_counter() - start, used(), text or ""]), flush=True)
"""

OURS = r"""
import json, resource, sys, time
from pathlib import Path
root, budget, home = sys.argv[1], int(sys.argv[2]), sys.argv[3]
sys.stdin.readline()
from protocol.files import RepoMapParams
from sidecar.engine.engine import Engine
from sidecar.engine.options import EngineOptions
from sidecar.settings import Settings
from sidecar.settings.model import FileSettings, StoreSettings, WatchSettings
def used():
    return sum(sum(resource.getrusage(who)[:2]) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
settings = Settings(store=StoreSettings(folder=Path(home)), files=FileSettings(warm_up_workers=int(sys.argv[4])),
                    watch=WatchSettings(mode="off"))
engine = None
for line in sys.stdin:
    kind, name = json.loads(line)
    start = time.perf_counter()
    if engine is None:
        engine = Engine(settings, EngineOptions(short_lived=True))
        engine.lifecycle.add_workspace(Path(root))
    if kind == "edit":
        engine.files_changed([Path(root, name).as_uri()])
    params = RepoMapParams(budget_tokens=budget, files=[name] if name else [])
    result = engine.call("workspace/repoMap", params)
    print(json.dumps([time.perf_counter() - start, used(), result.text]), flush=True)
engine.close()
"""


class Answer(NamedTuple):
    """Seconds for this map, since the process was started, and of processor time since then; the map."""

    seconds: float
    since_start: float
    used: float
    text: str


class Tool:
    """One of the two, in a process of its own."""

    def __init__(self, name: str, command: list[str], files: list[str], env: dict[str, str]) -> None:
        self.name = name
        self._started = time.perf_counter()
        self._process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, env=env
        )
        self._send(files)

    def _send(self, value: object) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps(value) + "\n")
        self._process.stdin.flush()

    def ask(self, kind: str, name: str = "") -> Answer:
        """What the process says of one map."""
        self._send([kind, name])
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        if not line:
            raise SystemExit(f"{self.name} ended")
        seconds, used, text = json.loads(line)
        return Answer(seconds, time.perf_counter() - self._started, used, text)

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
        names = [p.relative_to(top).as_posix() for p in sorted(top.rglob("*")) if p.is_file() and ".git" not in p.parts]
        yield top, [name for name in names if language_of(name) in CODE]


class Bench:
    """Both tools on one copy, and what was measured of them: by tool and measure, a list of figures."""

    def __init__(self, top: Path, files: list[str], given: argparse.Namespace, home: Path) -> None:
        self.top, self.files, self.given, self.home = top, files, given, home
        self.names = ["memory-sidecar", *(["aider"] if given.aider else [])]
        self.figures: dict[str, dict[str, list[float]]] = {name: defaultdict(list) for name in self.names}

    def tool(self, name: str) -> Tool:
        """A new process."""
        inherited = {key: value for key, value in os.environ.items() if not key.startswith("PYTHON")}
        budget = str(self.given.budget)
        if name == "aider":
            command = [str(self.given.aider), "-P", "-c", AIDER, str(self.top), budget]
            return Tool(name, command, self.files, {**inherited, "HOME": str(self.home)})
        command = [sys.executable, "-P", "-c", OURS, str(self.top), budget, str(self.home), str(self.given.workers)]
        return Tool(name, command, self.files, {**inherited, "PYTHONPATH": str(ROOT)})

    def forget(self) -> None:
        """Remove what both keep."""
        shutil.rmtree(self.home)
        self.home.mkdir()
        for cache in self.top.glob(".aider.tags.cache*"):
            shutil.rmtree(cache)

    def note(self, name: str, measure: str, figure: float) -> None:
        """One figure."""
        self.figures[name][measure].append(figure)

    def starts(self) -> None:
        """Cold starts, and a restart after each."""
        texts: set[str] = set()
        for _ in range(self.given.cold):
            self.forget()
            for kind in ("cold", "restart"):
                for name in self.names:
                    tool = self.tool(name)
                    answer = tool.ask("whole")
                    tool.close()
                    self.note(name, f"{kind}, process start included", answer.since_start)
                    self.note(name, f"{kind}, the map alone", answer.seconds)
                    self.note(name, f"{kind}, processor time", answer.used)
                    if name == self.names[0]:
                        texts.add(answer.text)
        print(f"  our {2 * self.given.cold} maps from new processes are {len(texts)} different text(s)")

    def running(self) -> None:
        """Warm maps, and maps after an edit."""
        tools = [self.tool(name) for name in self.names]
        for tool in tools:
            tool.ask("whole")
        python = [name for name in self.files if name.endswith(".py")] or self.files
        for kind in ("warm", "edit"):
            for number in range(self.given.rounds):
                name = python[(number + 1) * len(python) // (self.given.rounds + 2)]
                if kind == "edit":
                    with (self.top / name).open("a") as file:
                        file.write("\n")
                        if name.endswith(".py"):
                            file.write(f"\ndef added_{time.time_ns()}(value):\n    return value\n")
                for tool in tools:
                    self.note(tool.name, kind, tool.ask(kind, name).seconds)
        for tool in tools:
            tool.close()

    def report(self) -> None:
        """Medians, and how many times faster ours is."""
        for measure in self.figures[self.names[0]]:
            medians = {name: statistics.median(self.figures[name][measure]) for name in self.names}
            line = ", ".join(f"{name} {1000 * median:.0f} ms" for name, median in medians.items())
            times = f"; {medians['aider'] / medians[self.names[0]]:.1f} times faster" if "aider" in medians else ""
            print(f"  {measure}: {line}{times}")


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=Path)
    parser.add_argument("--aider", type=Path)
    parser.add_argument("--budget", type=int, default=4096)
    parser.add_argument("--cold", type=int, default=3)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--workers", type=int, default=os.cpu_count() or 1)
    given = parser.parse_args()
    if not (given.folder / ".git").exists():
        raise SystemExit(f"{given.folder} is no git repository")
    with copy_of(given.folder) as (top, files), tempfile.TemporaryDirectory() as home:
        load = os.getloadavg()[0]
        print(f"{given.folder.name}: {len(files)} code files; budget {given.budget}; load {load:.1f}", flush=True)
        bench = Bench(top, files, given, Path(home))
        bench.starts()
        if given.rounds:
            bench.running()
        bench.report()


if __name__ == "__main__":
    main()
