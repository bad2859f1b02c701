"""How many planted keys are found, and how many lines of ordinary source are taken for one.

    python tests/bench/secret_recall.py [DIR...] [--seeds 8] [--show]

Recall: keys of every kind of `secret_planting.py`, made anew with fixed seeds, each in a place of its own. A key counts
as found when no six of its characters in a row are left, and as clean when all that stood around it is left. Precision:
every line of the tracked text files of the given repositories, alone; `--show` prints what was flagged.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
if str(ROOT) not in sys.path:
    sys.path.insert(0, str(ROOT))

from sidecar.text.secrets import redact  # noqa: E402
from tests.bench.secret_planting import Planter  # noqa: E402

_PIECE = 6
_LARGEST = 1_000_000
_FIRST_SEED = 7_000  # other seeds than the tests have


def recall(seeds: int, *, show: bool) -> None:
    planted: Counter[str] = Counter()
    missed: Counter[str] = Counter()
    dirty: Counter[str] = Counter()
    for seed in range(_FIRST_SEED, _FIRST_SEED + seeds):
        for kind, make in Planter(seed).kinds.items():
            placed = make()
            planted[kind] += 1
            text, _ = redact(placed.text)
            left = (placed.key[at : at + _PIECE] for at in range(len(placed.key) - _PIECE + 1))
            if any(piece in text for piece in left):
                missed[kind] += 1
                if show:
                    print(f"  missed {kind}: {placed.text!r}")
            elif not (text.startswith(placed.before) and text.endswith(placed.after)):
                dirty[kind] += 1
    total = planted.total()
    print(f"recall {1 - missed.total() / total:.4f} of {total} keys of {len(planted)} kinds")
    print(f"text around a found key changed: {dirty.total()}")
    for kind in sorted(missed | dirty):
        print(f"  {kind}: {missed[kind]} missed, {dirty[kind]} with text around changed, of {planted[kind]}")


def lines(repository: Path) -> Iterator[tuple[str, str]]:
    listed = subprocess.run(["git", "-C", str(repository), "ls-files", "-z"], capture_output=True, check=True).stdout
    for name in filter(None, listed.decode("utf-8", "surrogateescape").split("\0")):
        path = repository / name
        if path.is_symlink() or not path.is_file() or path.stat().st_size > _LARGEST:
            continue
        try:
            text = path.read_bytes().decode()
        except UnicodeDecodeError:
            continue
        if "\0" not in text:
            yield from ((name, line) for line in text.split("\n"))


def precision(repositories: list[Path], *, show: bool) -> None:
    seen = flagged = 0
    kinds: Counter[str] = Counter()
    begun = time.perf_counter()
    for repository in repositories:
        here = found = 0
        for name, line in lines(repository):
            here += 1
            text, findings = redact(line)
            if findings:
                found += 1
                kinds.update({finding.kind: finding.count for finding in findings})
                if show:
                    print(f"  {repository.name}/{name}: {text.strip()[:160]}")
        print(f"{repository.name}: {found} of {here:,} lines flagged")
        seen, flagged = seen + here, flagged + found
    if seen:
        print(f"flagged {flagged} of {seen:,} lines, {flagged / seen:.4%}, in {time.perf_counter() - begun:.0f} s")
        print(f"by kind: {dict(kinds.most_common())}")


def speed() -> None:
    for length in (2_000, 16_000):
        text = (ROOT / "protocol" / "README.md").read_text()[:length]
        times = []
        for _ in range(21):
            begun = time.perf_counter()
            redact(text)
            times.append(time.perf_counter() - begun)
        print(f"{len(text):,} characters: {sorted(times)[10] * 1e3:.1f} ms")


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("repositories", nargs="*", type=Path)
    parser.add_argument("--seeds", type=int, default=8)
    parser.add_argument("--show", action="store_true")
    given = parser.parse_args()
    recall(given.seeds, show=given.show)
    speed()
    precision(sorted(given.repositories), show=given.show)


if __name__ == "__main__":
    main()
