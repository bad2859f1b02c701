"""What processes and stores cost at one moment, and whether that grows."""

from __future__ import annotations

import os
import statistics
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

TICKS = os.sysconf("SC_CLK_TCK")


class Cost(NamedTuple):
    """Of one process: resident and anonymous MiB, open descriptors, threads, and seconds of processor time so far."""

    rss: float
    anonymous: float
    descriptors: int
    threads: int
    seconds: float


def cost(pid: int) -> Cost | None:
    """What a process costs now; None when it is gone."""
    try:
        status = Path(f"/proc/{pid}/status").read_text()
        fields = dict(line.split(":", 1) for line in status.splitlines() if ":" in line)
        stat = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        return Cost(
            int(fields["VmRSS"].split()[0]) / 1024,
            int(fields["RssAnon"].split()[0]) / 1024,
            len(os.listdir(f"/proc/{pid}/fd")),
            int(fields["Threads"]),
            (int(stat[11]) + int(stat[12])) / TICKS,
        )
    except (OSError, KeyError, ValueError):
        return None


def children(pid: int) -> set[int]:
    """Processes below this one, at any depth."""
    parents: dict[int, int] = {}
    for entry in os.listdir("/proc"):
        if entry.isdigit():
            try:
                stat = Path(f"/proc/{entry}/stat").read_text().rpartition(")")[2].split()
            except OSError:
                continue
            if stat[0] != "Z":
                parents[int(entry)] = int(stat[1])
    found, fresh = set[int](), {pid}
    while fresh:
        fresh = {child for child, parent in parents.items() if parent in fresh} - found
        found |= fresh
    return found


def sizes(*folders: Path) -> dict[str, int]:
    """Bytes of every file below some folders, by `<store>/<file>`."""
    found: dict[str, int] = {}
    for folder in folders:
        for path in folder.rglob("*"):
            try:
                if path.is_file():
                    name = "/".join(path.relative_to(folder).parts)
                    found[name] = path.stat().st_size
            except OSError:
                continue
    return found


def slope(samples: Sequence[tuple[float, float]]) -> float:
    """Growth an hour of (seconds, value), by least squares, after the first third of the time."""
    later = samples[len(samples) // 3 :]
    if len(later) < 3:
        return 0.0
    return statistics.linear_regression([at for at, _ in later], [value for _, value in later]).slope * 3600


def grew(samples: Iterable[tuple[float, float]], share: float, least: float) -> bool:
    """Whether the last third lies above the middle third by more than a share of it, and more than `least`."""
    values = [value for _, value in samples]
    third = len(values) // 3
    if third < 3:
        return False
    middle, last = statistics.median(values[third : 2 * third]), statistics.median(values[2 * third :])
    return last - middle > max(least, share * middle)
