"""A person at work in real git checkouts: writes, renames, deletes, switches branches, stashes and rebases."""

from __future__ import annotations

import random
import shutil
import subprocess
import threading
import time
from collections.abc import Callable
from pathlib import Path

_WHO = ("-c", "user.name=Soak", "-c", "user.email=soak@localhost", "-c", "gc.auto=0", "-c", "rebase.autoStash=true")


def git(folder: Path, *words: str, check: bool = True) -> str:
    """Run git in a folder; what it printed."""
    done = subprocess.run(["git", *_WHO, *words], cwd=folder, capture_output=True, text=True, check=False)
    if check and done.returncode != 0:
        raise RuntimeError(f"git {' '.join(words)}: {done.stderr.strip()}")
    return done.stdout


class Editing:
    """Changes the files of one checkout; one thread. `branch` is the one it works on, `<branch>-side` another."""

    def __init__(self, folder: Path, branch: str, seed: int) -> None:
        self.folder, self.branch = folder, branch
        self.done = 0
        self._chance = random.Random(seed)
        git(folder, "checkout", "-q", "-B", branch)
        git(folder, "branch", "-f", f"{branch}-side")
        self.own = folder / f"soak_{branch}"
        self.own.mkdir(exist_ok=True)

    def files(self) -> list[Path]:
        """Source files that are there now."""
        listed = git(self.folder, "ls-files", "-z", check=False).split("\0")
        kinds = (".py", ".md", ".go", ".ts", ".toml")
        return [self.folder / name for name in listed if name.endswith(kinds) and (self.folder / name).is_file()]

    def run(self, stop: threading.Event) -> None:
        """Go on until told to stop, a change every quarter of a second or so."""
        work: list[Callable[[], None]] = [self._switch, self._stash, self._rebase, self._commit]
        work += [self._write] * 10 + [self._make] * 6 + [self._rename] * 3 + [self._delete_folder] * 2
        while not stop.wait(self._chance.random() * 0.5):
            self._chance.choice(work)()
            self.done += 1

    def _text(self, name: str) -> str:
        number = self._chance.randrange(10**6)
        says = f'"""What {name} does, number {number}."""'
        return f"{says}\n\n\ndef {name}_{number}(value):\n    return value + {number}\n"

    def _write(self) -> None:
        files = self.files()
        if files:
            path = self._chance.choice(files)
            comment = "<!-- soak {} -->\n" if path.suffix == ".md" else "# soak {}\n"
            with path.open("a") as file:
                file.write(comment.format(self._chance.randrange(10**9)))

    def _make(self) -> None:
        folder = self.own / f"part{self._chance.randrange(4)}"
        folder.mkdir(parents=True, exist_ok=True)
        name = f"made{self._chance.randrange(12)}"
        if self._chance.random() < 0.5:
            (folder / f"{name}.py").write_text(self._text(name))
        else:  # as editors save: beside it, and in its place
            beside = folder / f".{name}.tmp"
            beside.write_text(self._text(name))
            beside.replace(folder / f"{name}.py")

    def _rename(self) -> None:
        made = sorted(self.own.rglob("*.py"))
        if made:
            path = self._chance.choice(made)
            path.replace(path.with_name(f"moved{self._chance.randrange(12)}.py"))

    def _delete_folder(self) -> None:
        parts = sorted(each for each in self.own.iterdir()) if self.own.is_dir() else []
        if parts:
            shutil.rmtree(self._chance.choice(parts), ignore_errors=True)

    def _commit(self) -> None:
        git(self.folder, "add", "-A", check=False)
        git(self.folder, "commit", "-q", "-m", f"Soak {self.done}", "--no-verify", check=False)

    def _switch(self) -> None:
        self._commit()
        git(self.folder, "checkout", "-q", "-f", f"{self.branch}-side", check=False)
        time.sleep(self._chance.random())
        self._make()
        self._commit()
        git(self.folder, "checkout", "-q", "-f", self.branch, check=False)
        self.own.mkdir(exist_ok=True)

    def _stash(self) -> None:
        git(self.folder, "stash", "push", "-q", "-u", check=False)
        time.sleep(self._chance.random())
        git(self.folder, "stash", "pop", "-q", check=False)
        git(self.folder, "stash", "clear", check=False)
        self.own.mkdir(exist_ok=True)

    def _rebase(self) -> None:
        self._commit()
        git(self.folder, "rebase", "-q", "-X", "theirs", f"{self.branch}-side", check=False)
        git(self.folder, "rebase", "--abort", check=False)
        git(self.folder, "checkout", "-q", "-f", self.branch, check=False)
        git(self.folder, "branch", "-f", f"{self.branch}-side", check=False)
        self.own.mkdir(exist_ok=True)
