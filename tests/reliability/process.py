"""`memory-sidecar` with what an attack needs to see or change from outside; nothing else differs.

RELIABILITY_MIGRATE makes the layout of memories one version newer, with a step that rewrites every row;
RELIABILITY_COVER names a file of 65,536 bytes, of which each edge of the wire's code that was taken marks one.
"""

from __future__ import annotations

import mmap
import os
import sys
import threading
from pathlib import Path
from types import FrameType
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))
COVERED = tuple(str(ROOT / "sidecar" / place) for place in ("wire", "lsp", "mcp", "requests", "call.py", "inflight.py"))


def cover(path: str) -> None:
    """Mark the edges between lines that are taken from now on."""
    with open(path, "r+b") as file:
        seen = mmap.mmap(file.fileno(), 65_536)

    def enter(frame: FrameType, event: str, argument: object) -> Any:
        name = frame.f_code.co_filename
        if not name.startswith(COVERED):
            return None
        before, place = 0, hash(name)

        def line(frame: FrameType, event: str, argument: object) -> Any:
            nonlocal before
            here = place ^ frame.f_lineno * 40_503
            seen[(here ^ before) & 0xFFFF] = 1
            before = here >> 1
            return line

        return line(frame, event, argument)

    threading.settrace(enter)
    sys.settrace(enter)


def migrate() -> None:
    """Let every store of memories be one version behind."""
    import msgspec

    from sidecar.store import schema
    from sidecar.store.rows import Rows

    def step(rows: Rows) -> None:
        for key, value in rows.prefixed("m:"):
            rows.set(key, value)
            rows.set(f"x:{key}", 1)

    schema.MEMORIES = msgspec.structs.replace(schema.MEMORIES, migrations=(step,))  # before others take it


def main() -> None:
    """Be the command line."""
    if "RELIABILITY_MIGRATE" in os.environ:
        migrate()
    from sidecar.cli.main import run

    if path := os.environ.get("RELIABILITY_COVER"):
        cover(path)
    sys.exit(run())


if __name__ == "__main__":
    main()
