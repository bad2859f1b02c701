"""Every attack by name, with its tries in CI and in the long form."""

from __future__ import annotations

import importlib
import random
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from tests.reliability.outcome import Outcome

Run = Callable[[Path, random.Random, int], Outcome]


class Attack(NamedTuple):
    """Where it is written (`module.function` of this package) and how often it is tried; never, with 0."""

    where: str
    short: int
    long: int

    @property
    def run(self) -> Run:
        """The attack itself."""
        module, _, name = self.where.rpartition(".")
        run: Run = getattr(importlib.import_module(f"tests.reliability.{module}"), name)
        return run


POSING = ("clone", "eol", "ident", "encoding", "autocrlf", "archive", "untracked", "pages", "own_hand")
JOINING = (
    "origin bare_origin instead_of gitdir relative_gitdir worktree common_dir linked inner_link kept_id work_tree"
).split()
SHORT = ("clone", "eol", "archive", "own_hand", "origin", "gitdir", "common_dir", "kept_id")
ATTACKS = {
    attack.where: attack
    for attack in (
        Attack("kills.record", 3, 200),
        Attack("kills.update", 4, 200),
        Attack("kills.imports", 4, 120),
        Attack("kills.maintenance", 4, 120),
        Attack("kills.memory_file", 4, 120),
        Attack("kills.migration", 2, 80),
        Attack("kills.salvage", 2, 60),
        Attack("kills.fronts", 3, 100),
        Attack("crowds.writers", 5, 2_000),
        Attack("crowds.stopped", 1, 20),
        Attack("crowds.locked", 0, 1),
        Attack("crowds.ended", 3, 50),
        Attack("wire.garbage", 1, 20),
        Attack("wire.lines", 1, 20),
        Attack("fuzz.wire", 200, 50_000),
        Attack("fuzz.lines", 100, 20_000),
        Attack("fuzz.hooks", 4, 300),
        Attack("trees.links", 1, 1),
        Attack("trees.names", 1, 1),
        Attack("trees.bombs", 1, 4),
        Attack("trees.growing", 1, 3),
        Attack("trees.bare", 1, 1),
        Attack("trees.many", 0, 100_000),
        Attack("machine.clocks", 5, 200),
        Attack("disks.no_room", 2, 20),
        Attack("disks.full_disk", 1, 12),
        Attack("disks.read_only", 1, 1),
        Attack("disks.too_new", 1, 1),
        Attack("machine.readers", 3_000, 60_000),
        Attack("machine.network", 0, 1),
        Attack("machine.soak", 0, 25),
        *(Attack(f"posing.{name}", int(name in SHORT), 1) for name in POSING),
        Attack("posing.arriving", 1, 8),
        *(Attack(f"joining.{name}", int(name in SHORT), 1) for name in JOINING),
        Attack("programs.configured", 1, 1),
        Attack("programs.missing_objects", 0, 1),
        Attack("programs.settings", 1, 1),
    )
}
