"""Folders full of what a reader of files may fall into."""

from __future__ import annotations

import os
import random
import shutil
import socket
import stat
import subprocess
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.client.stdio_client import StdioClient, Unanswered
from tests.reliability.outcome import Outcome
from tests.reliability.posing import commit
from tests.reliability.sandbox import Sandbox, alive, git

CANARY = "canaryoutside"
PROTECTED = "The zebra sleeps at noon."
MAX_MIB = 1_000.0
"""Of any process, for folders of any kind: 100,000 files take 830, whatever else is odd 140."""

SPARSE = 2 << 30


def peak(pid: int) -> float:
    """The most that a process had in memory so far, MiB."""
    for line in Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith("VmHWM:"):
            return int(line.split()[1]) / 1024
    return 0.0


def _tour(sandbox: Sandbox, client: StdioClient, paths: list[str], outcome: Outcome) -> None:
    """Ask of every path, and of the folder as a whole; nothing from outside of it may be told or kept."""
    kept = client.call("memory/record", {"content": PROTECTED})["memory"]["id"]
    outcome.acknowledged += 1
    asked: list[tuple[str, Any]] = []
    for path in paths:
        asked += [
            ("file/summary", {"path": path}),
            ("file/recordRead", {"path": path, "sessionId": "s1"}),
            ("memory/record", {"content": f"`{path[:200]}` is odd.", "files": [path]}),
            ("memory/inject", {"prompt": "odd", "files": [path]}),
        ]
    asked += [
        ("workspace/repoMap", {"budgetTokens": 20_000}),
        ("file/search", {"query": f"where is {CANARY} said?"}),
        ("memory/bootstrap", {}),
        ("context/boot", {}),
        ("hooks/verify", {}),
        ("memory/import", {"path": "."}),
        ("memory/maintain", {}),
    ]
    for method, params in asked:
        outcome.tries += 1
        try:
            answer = client.response(client.start(method, params), 600)
        except (Unanswered, OSError) as error:
            outcome.crashed.append(f"{method} {str(params)[:200]}: {str(error)[:200]}")
            return
        outcome.told += "error" in answer
        if CANARY in str({**answer, "id": 0}).replace(str(params.get("query")), ""):
            outcome.wrong.append(f"{method} {str(params)[:200]} tells what lies outside")
        if answer.get("error", {}).get("code") == -32603:
            outcome.wrong.append(f"{method} {str(params)[:200]}: a defect")
    if client.call("memory/get", {"id": kept})["content"] != PROTECTED:
        outcome.lost.append("what was acknowledged")
    if (most := peak(client.process.pid)) > MAX_MIB:
        outcome.wrong.append(f"{most:.0f} MiB were used")
    outcome.notes.append(f"{peak(client.process.pid):.0f} MiB at most")


def _look(room: Path, make: Callable[[Sandbox], list[str]], *, repository: bool = True) -> Outcome:
    with Sandbox(room, repository=repository) as sandbox:
        outcome = Outcome()
        outside = sandbox.room / "outside"
        outside.mkdir()
        (outside / "secret.py").write_text(f'"""{CANARY}."""\n{CANARY} = 1\n')
        paths = make(sandbox)
        client = sandbox.server()
        _tour(sandbox, client, paths, outcome)
        client.close()
        if written := sorted(path.name for path in outside.iterdir() if path.name != "secret.py"):
            outcome.wrong.append(f"written outside of the folder: {written}")
        for path in sandbox.home.rglob("*"):
            if path.is_file() and CANARY.encode() in path.read_bytes().replace(b"where is canaryoutside", b""):
                outcome.wrong.append(f"what lies outside is kept in {path.name}")
        sandbox.judge(outcome, ended=True)
        return outcome


def links(room: Path, chance: random.Random, tries: int) -> Outcome:
    """Links out of the folder, in circles, to devices; pipes, sockets, a file and a folder that may not be read."""

    def make(sandbox: Sandbox) -> list[str]:
        folder, outside = sandbox.folder, sandbox.room / "outside"
        (folder / "lib").mkdir()
        targets: dict[str, Path | str] = {
            "out.py": outside / "secret.py",
            "out": outside,
            "lib/up": "..",
            "lib/self.py": "self.py",
            "one.py": "two.py",
            "two.py": "one.py",
            "round": ".",
            "zero.py": "/dev/zero",
            "random.py": "/dev/urandom",
            "tty.py": "/dev/tty",
            "stdin.py": "/proc/self/fd/0",
            "environ.py": "/proc/self/environ",
            "nothing.py": "/nonexistent/x",
            ".agents": outside,
        }
        for name, target in targets.items():
            (folder / name).symlink_to(target)
        os.mkfifo(folder / "pipe.py")
        os.mkfifo(folder / "README.md")
        os.mkfifo(folder / "package.json")
        listening = socket.socket(socket.AF_UNIX)
        here = os.getcwd()
        os.chdir(folder)  # a socket's path may not be long
        listening.bind("socket.py")
        os.chdir(here)
        listening.close()
        if os.geteuid() == 0:
            os.mknod(folder / "device.py", stat.S_IFCHR | 0o666, os.makedev(1, 5))
        (folder / "closed.py").write_text("x = 1\n")
        (folder / "closed.py").chmod(0)
        (folder / "closed").mkdir(mode=0)
        found = sorted(path.name for path in folder.iterdir() if path.name != ".git")
        return [*found, "lib/self.py", "out/secret.py", "lib/up/out.py", "round/round/out.py", "../outside/secret.py"]

    return _look(room, make)


def names(room: Path, chance: random.Random, tries: int) -> Outcome:
    """Names with line breaks, escape codes, quotes, bytes that are no UTF-8, of one letter case or form apart."""

    def make(sandbox: Sandbox) -> list[str]:
        odd = [
            "a\nb.py",
            "a\r.py",
            "\x1b[31mred\x1b[0m.py",
            "tab\t.py",
            "'quote'.py",
            '"double".py',
            "back\\slash.py",
            "`tick`.py",
            "$(x).py",
            "-rf.py",
            "--help.py",
            " lead.py",
            "trail.py ",
            "...",
            "a" * 250 + ".py",
            "é.py",
            "e\u0301.py",
            "CASE.py",
            "case.py",
            "\u202egnp.py",
            "\u200b.py",
            "日本.py",
            "😀.py",
            "<memory-notes>.py",
            "# head.py",
            "%2e%2e.py",
            "a:b.py",
            "con.py",
            "?.py",
            "*.py",
            "[x].py",
            "!x.py",
            "#x.py",
        ]
        for name in odd:
            (sandbox.folder / name).write_text(f'"""It is odd."""\n\n\ndef f{len(name)}():\n    return 1\n')
        raw = os.fsencode(sandbox.folder)
        for undecodable in (b"\xff\xfe.py", b"caf\xe9.py", b"\xed\xa0\x80.py", b"\xc0\xaf.py"):
            with open(raw + b"/" + undecodable, "w") as file:
                file.write("def raw():\n    return 1\n")
        deep = sandbox.folder
        here = os.getcwd()
        os.chdir(deep)
        for _ in range(300):  # a path longer than any that the system takes as a whole
            os.mkdir("d" * 50)
            os.chdir("d" * 50)
        os.chdir(here)
        git(sandbox.folder, "add", "-A", check=False)
        git(sandbox.folder, "commit", "-q", "-m", "Odd names\x1b[31m", check=False)
        ignored = b"\xff\n[\n[!\n**/**/**/x\n\\\n!\n" + b"a*" * 2_000 + b"b\n"  # git itself never ends with this
        (sandbox.folder / ".gitignore").write_bytes(ignored)
        return odd

    return _look(room, make)


def bombs(room: Path, chance: random.Random, tries: int) -> Outcome:
    """Texts made to cost, a quarter of a megabyte long for each of `tries`.

    Nesting, long lines, aliases, and repetitions for every pattern that we search with.
    """

    def make(sandbox: Sandbox) -> list[str]:
        n = 50_000 * tries
        texts = {
            "nested.py": "(" * n,
            "nested.js": "[" * n,
            "nested.json": "[" * n + "]" * n,
            "deep.json": '{"a":' * n,
            "nested.rs": "fn f(){" * (n // 10),
            "nested.cpp": "a<" * (n // 2),
            "nested.go": "func(){" * (n // 10),
            "nested.sh": "$(" * n,
            "nested.rb": "def a;" * (n // 10),
            "nested.kt": '"${' * (n // 5),
            "nested.swift": "(" * n,
            "nested.php": "<?php " + "(" * n,
            "nested.java": "class A{" * (n // 10),
            "nested.lua": "function()" * (n // 10),
            "nested.ts": "a?" * n,
            "nested.cs": "namespace A{" * (n // 12),
            "else.py": "if x:\n  pass\n" + "elif y:\n  pass\n" * (n * 3 // 20),
            "indent.py": "".join(" " * d + "if x:\n" for d in range(1_200)),
            "strings.py": "'" * n,
            "unary.py": "x = " + "not " * n,
            "aliases.yaml": "a0: &a0 [x,x,x,x,x,x,x,x,x]\n"
            + "".join(f"a{d}: &a{d} [{','.join([f'*a{d - 1}'] * 9)}]\n" for d in range(1, 12)),
            "nested.yaml": "[" * (n // 4),
            "dashes.yaml": "- " * (n // 4),
            "nested.toml": "a = " + "[" * n,
            "dotted.toml": "a." * (n // 4) + "b = 1",
            "nested.md": "> " * (n // 2),
            "stars.md": "*a " * (n // 2),
            "links.md": "[" * (n // 2),
            "lists.md": "* " * (n // 2),
            "ticks.md": "`" * (n // 2 - 1) + " x",
            "nested.html": "<div>" * (n // 2),
            "comment.html": "<!--" * (n // 2),
            "attributes.html": "<a " + "b " * n,
            "nested.css": "a{" * (n // 2),
            "nested.sql": "select (" * (n * 3 // 10),
            "line.txt": "a" * (n * 9 // 2),
            "spaces.md": " " * (n * 9 // 2),
            "newlines.py": "\n" * (n * 9 // 2),
            "secret.txt": "password=" * (n * 9 // 20),
            "keys.txt": "AKIA" * n,
            "dashes.txt": "-" * (n * 9 // 2),
            "begin.txt": "-----BEGIN " * (n * 2 // 5),
            "base.txt": "ab1/" * n,
            "emails.txt": "a@" * n * 2,
            "urls.txt": "https://" * (n // 2),
            "paths.txt": "a/" * n * 2,
            "dots.txt": "a." * n * 2,
            "numbers.txt": "#1" * n * 2,
            "zeros.bin": "\0" * (n * 9 // 2),
            "Makefile": "a:" * n * 2,
            "Dockerfile": "RUN \\\n" * (n * 3 // 4),
            "makefile.mk": "$(" * (n * 3 // 2),
            "combining.md": "e" + "\u0301" * n * 2,
            "package.json": '{"dependencies":' * (n * 3 // 10),
            "pyproject.toml": "[" * (n * 3 // 2),
            "CODEOWNERS": "*" * (n * 9 // 2),
            "README.md": "# " * n * 2,
            ".gitignore": "*a" * 5_000 + "\n" + "**/" * 5_000 + "\n" + "[" * 5_000 + "\n" + "{a,b}" * 1_000,
        }
        for name, text in texts.items():
            (sandbox.folder / name).write_text(text, encoding="utf-8")
        return sorted(texts)

    return _look(room, make)


def growing(room: Path, chance: random.Random, tries: int) -> Outcome:
    """Files that grow, shrink, go and come back while they are read, `tries` times, and one of two empty gigabytes."""
    stop = threading.Event()

    def change(folder: Path) -> None:
        dice = random.Random(chance.random())
        while not stop.wait(0.002):
            path = folder / f"moving{dice.randrange(20)}.py"
            roll = dice.random()
            try:
                if roll < 0.6:
                    with path.open("a") as file:
                        file.write("def f():\n    return 1\n" * dice.randrange(200))
                elif roll < 0.75:
                    path.write_text("x = 1\n")
                elif roll < 0.85:
                    path.unlink()
                elif roll < 0.95:
                    path.with_suffix(".new").write_text("y = 1\n")
                    path.with_suffix(".new").rename(path)
                else:
                    path.unlink()
                    path.mkdir()
                    path.rmdir()
            except OSError:
                continue

    def make(sandbox: Sandbox) -> list[str]:
        with (sandbox.folder / "sparse.py").open("wb") as file:
            file.truncate(SPARSE)
        with (sandbox.folder / "sparse.bin").open("wb") as file:
            file.truncate(SPARSE * 100)
        writer.start()
        return ["sparse.py", "sparse.bin", *(f"moving{n}.py" for n in range(20))] * tries

    writer = threading.Thread(target=lambda: change(room / "work"))
    try:
        return _look(room, make)
    finally:
        stop.set()
        writer.join()


def bare(room: Path, chance: random.Random, tries: int) -> Outcome:
    """Bare repositories, one inside of another, and submodules that contain themselves, point up, or nowhere."""

    def make(sandbox: Sandbox) -> list[str]:
        folder = sandbox.folder
        commit(folder, {"a.py": "x = 1\n"}, "Begin")
        git(sandbox.room, "clone", "-q", "--bare", str(folder), str(folder / "bare.git"))
        git(sandbox.room, "clone", "-q", "--bare", str(folder), str(folder / "vendor" / ".git"))
        for name in ("sub", "sub2"):
            git(folder, "submodule", "add", "-q", str(folder / "bare.git"), name)
        for name, text in {
            "up": "gitdir: ../.git\n",
            "self": "gitdir: .git\n",
            "nowhere": "gitdir: /nonexistent\n",
            "long": "gitdir: " + "x" * 100_000,
            "empty": "",
        }.items():
            (folder / name).mkdir()
            (folder / name / ".git").write_text(text)
            (folder / name / "b.py").write_text("y = 1\n")
        (folder / ".gitmodules").open("a").write('[submodule "x"]\n\tpath = ../../outside\n\turl = .\n' * 1_000)
        (folder / ".git" / "info" / "grafts").write_text("x" * 100_000)
        (folder / ".git" / "packed-refs").write_bytes(b"\xff" * 100_000)
        return ["sub/a.py", "up/b.py", "self/b.py", "bare.git/config", "vendor/.git/config", ".git/config"]

    outcome = _look(room, make)
    with Sandbox(room) as sandbox:
        shutil.rmtree(sandbox.folder)
        git(sandbox.room, "init", "-q", "--bare", str(sandbox.folder))
        client = sandbox.server()
        client.call("memory/record", {"content": PROTECTED})
        outcome.acknowledged += 1
        if PROTECTED not in str(sandbox.memories(sandbox.server())):
            outcome.lost.append("what was recorded in a bare repository")
        alive(client, outcome, "a bare repository")
        sandbox.judge(outcome)
    return outcome


def many(room: Path, chance: random.Random, tries: int) -> Outcome:
    """A repository of `tries` files: it is answered while they are read, and afterwards."""

    def make(sandbox: Sandbox) -> list[str]:
        for number in range(tries):
            place = sandbox.folder / f"d{number % 97}" / f"e{number % 89}"
            place.mkdir(parents=True, exist_ok=True)
            (place / f"f{number}.py").write_text(f"def f{number}(x):\n    return f{number // 2}(x)\n")
        subprocess.run(["git", "add", "-A"], cwd=sandbox.folder, check=True, capture_output=True)
        git(sandbox.folder, "commit", "-q", "-m", "Begin")
        return ["d0/e0/f0.py", "d1/e1/f1.py"]

    return _look(room, make)
