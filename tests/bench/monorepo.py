"""What a very large repository costs: time to a first useful answer, processor time, resident size, restart, edit.

    python -P tests/bench/monorepo.py make OUT --files 50000 REPOSITORY...
    python -P tests/bench/monorepo.py measure TREE... [--store DIR] [--rows ROWS.json] [--first-only]
    python -P tests/bench/monorepo.py plot ROWS.json... GROWTH.svg

`make` fills OUT with the files of git repositories (bare or not), one folder each, and goes on with copies in which a
third of the longer identifiers have other names, until there are so many files; then it commits them. `measure` starts
a server over real stdio on each tree and prints a table: seconds until the map and a search have something to say,
processor seconds of the server and its children until nothing is pending and nothing works any more, their resident
sizes, the seconds until a second start answers in full, and those from an edit to an answer that knows it. With
`--first-only` it stops after the first useful answers. `plot` draws how the figures grow with the number of files.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from functools import lru_cache
from pathlib import Path
from typing import Final
from zlib import crc32

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from tests.bench.methods import Peer, start_server
from tests.client.json_value import Json

_NAME: Final = re.compile(rb"[A-Za-z_]{9,}")
QUERY: Final = "read the configuration file and report the errors of each section"
QUIET: Final = 6.0
LONGEST: Final = 3_600.0


def make(out: Path, count: int, repositories: list[Path]) -> None:
    """Fill a folder with so many files."""
    made = copy = 0
    while made < count:
        for repository in repositories:
            made += _unpack(repository, out / f"{repository.parent.name}-{copy}", count - made, copy)
        copy += 1
    git = ["git", "-C", str(out), "-c", "user.name=bench", "-c", "user.email=bench@example.org"]
    subprocess.run([*git, "init", "-q"], check=True)
    subprocess.run([*git, "add", "-A", "--force"], check=True)
    subprocess.run([*git, "commit", "-qm", "Everything"], check=True)
    print(f"{made} files in {out}")


def _unpack(repository: Path, folder: Path, most: int, copy: int) -> int:
    @lru_cache(maxsize=1_000_000)
    def renamed(name: bytes) -> bytes:
        return name + b"_%d" % copy if crc32(name, copy) % 3 == 0 else name

    made = 0
    git = ["git", "-C", str(repository)]
    listed = subprocess.run([*git, "ls-tree", "-rz", "HEAD"], capture_output=True, check=True).stdout
    entries = [entry.split(b"\t", 1) for entry in listed.split(b"\0") if entry.startswith(b"100")]
    with subprocess.Popen(
        [*git, "cat-file", "--batch"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env={**os.environ, "GIT_NO_LAZY_FETCH": "1"},
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        for head, name in entries[:most]:
            process.stdin.write(head.split()[2] + b"\n")
            process.stdin.flush()
            answer = process.stdout.readline().split()
            if answer[-1] == b"missing":  # of a mirror that left large files out
                continue
            data = process.stdout.read(int(answer[2]) + 1)[:-1]
            place = folder / os.fsdecode(name)
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_bytes(_NAME.sub(lambda match: renamed(match[0]), data) if copy else data)
            made += 1
        process.stdin.close()
    return made


def _family(pid: int) -> list[int]:
    children = Path(f"/proc/{pid}/task/{pid}/children")
    threads = list(Path(f"/proc/{pid}/task").glob("*/children")) if children.exists() else []
    found = [pid]
    for each in threads:
        try:
            found += [one for child in each.read_text().split() for one in _family(int(child))]
        except OSError:
            continue
    return found


def spent(pid: int) -> float:
    """Processor seconds of a process, its children that have ended, and those that run."""
    total = 0
    for one in _family(pid):
        try:
            fields = Path(f"/proc/{one}/stat").read_text().rpartition(")")[2].split()
        except OSError:
            continue
        total += sum(int(each) for each in fields[11:15])
    return total / os.sysconf("SC_CLK_TCK")


def _peak(peer: Peer) -> float:
    text = Path(f"/proc/{peer.process.pid}/status").read_text()
    return int(text.partition("VmHWM:")[2].split()[0]) / 1024


def _until(peer: Peer, began: float, *, full: bool) -> tuple[float, float]:
    """Seconds until map and search say something, or all there is to say; and what they said is printed."""
    told: dict[str, float] = {}
    pending = 0
    while len(told) < 2 and time.perf_counter() - began < LONGEST:
        asked_for = [("workspace/repoMap", {"budgetTokens": 2048}), ("file/search", {"query": QUERY})]
        for method, params in reversed(asked_for) if full else asked_for:
            if method in told:
                continue
            asked = time.perf_counter()
            found: Json = peer.call(method, params)
            some, pending = len(found.get("files", found.get("items", ()))), int(found.get("pending", 0))
            now = time.perf_counter()
            print(f"    {method:20}{now - began:8.2f} s, took {now - asked:6.2f}: {some} files, pending "
                  f"{pending}, {spent(peer.process.pid):.1f} s CPU, {peer.resident():.0f} MiB",
                  flush=True)  # fmt: skip
            if some and not (full and pending):
                told[method] = now - began
            elif full:  # each map starts processes: not before the search knows all
                break
        time.sleep(min(60.0, 3.0 + pending / 500) if full else 0.2)  # each answer costs processor time too
    return told.get("workspace/repoMap", LONGEST), told.get("file/search", LONGEST)


def _quiet(peer: Peer) -> None:
    last, since = spent(peer.process.pid), time.perf_counter()
    while time.perf_counter() - since < QUIET:
        time.sleep(1.0)
        now = spent(peer.process.pid)
        if now - last > 0.05:
            last, since = now, time.perf_counter()


def _leave(peer: Peer) -> None:
    peer.call("shutdown", None)
    peer.send({"method": "exit"})
    peer.process.wait()


def measure(tree: Path, store: Path, *, first_only: bool) -> dict[str, float]:
    """All figures of one tree, or those of its first answers."""
    files = len(subprocess.run(["git", "-C", str(tree), "ls-files", "-z"], capture_output=True).stdout.split(b"\0"))
    began = time.perf_counter()
    peer, _ = start_server(store, tree, warm_up=True)
    first_map, first_search = _until(peer, began, full=False)
    if first_only:
        row = {"files": files - 1, "first map s": first_map, "first search s": first_search}
        row |= {"first CPU s": spent(peer.process.pid), "first MiB": peer.resident()}
        peer.stop()
        return row
    _quiet(peer)  # without questions, which cost processor time
    whole = max(_until(peer, began, full=True))
    _quiet(peer)
    row = {
        "files": files - 1,
        "first map s": first_map,
        "first search s": first_search,
        "whole s": whole,
        "whole CPU s": spent(peer.process.pid),
        "peak MiB": _peak(peer),
        "resident MiB": peer.resident(),
    }
    row["edit search s"], row["edit map s"] = edit(peer, tree)
    _quiet(peer)
    _leave(peer)
    began = time.perf_counter()
    peer, _ = start_server(store, tree, warm_up=True)
    row["restart map s"], row["restart search s"] = _until(peer, began, full=True)
    row["restart CPU s"] = spent(peer.process.pid)
    _quiet(peer)
    row["restart MiB"] = peer.resident()
    _leave(peer)
    row["store MiB"] = sum(one.stat().st_size for one in store.rglob("*") if one.is_file()) / 2**20
    return row


def edit(peer: Peer, tree: Path) -> tuple[float, float]:
    """Seconds from a new file, told by a notification, to a search that names it and to a map seen from it."""
    place = tree / "zz_new_thing.py"
    took = []
    for round, method in enumerate(("file/search", "workspace/repoMap")):
        name = f"zzquux_frobnicate_{round}"
        place.write_text(f"def {name}() -> None: ...\n")
        began = time.perf_counter()
        change = {"uri": place.as_uri(), "type": 2 if round else 1}
        peer.send({"method": "workspace/didChangeWatchedFiles", "params": {"changes": [change]}})
        while time.perf_counter() - began < 120:
            params = {"query": name} if not round else {"budgetTokens": 1024, "identifiers": [name]}
            found = peer.call(method, params)
            if place.name in [i["path"] for i in found.get("items", ())] or name in found.get("text", ""):
                break
            time.sleep(0.02)
        took.append(time.perf_counter() - began)
    place.unlink()
    change = {"uri": place.as_uri(), "type": 3}
    peer.send({"method": "workspace/didChangeWatchedFiles", "params": {"changes": [change]}})
    return took[0], took[1]


def plot(rows: list[dict[str, float]], out: Path) -> None:
    """Draw each figure over the number of files, from zero, a panel each."""
    names = list(dict.fromkeys(name for row in rows for name in row if name != "files"))
    wide, high, across = 210, 130, 4
    most = max(row["files"] for row in rows)
    parts = []
    for place, name in enumerate(names):
        known = sorted((row["files"], row[name]) for row in rows if name in row)
        top = max(value for _, value in known) or 1.0
        left, floor = (place % across) * wide + 20, (place // across + 1) * high - 30
        spots = [(left + 150 * files / most, floor - 70 * value / top, value) for files, value in known]
        line = " ".join(f"{x:.0f},{y:.0f}" for x, y, _ in spots)
        parts.append(f'<text x="{left}" y="{floor - 85}" font-weight="bold">{name}</text>')
        parts.append(
            f'<path d="M{left},{floor}h150" stroke="gray"/><polyline points="{line}" fill="none" stroke="teal"/>'
        )
        for x, y, value in spots:
            parts.append(
                f'<circle cx="{x:.0f}" cy="{y:.0f}" r="2"/><text x="{x + 3:.0f}" y="{y - 3:.0f}">{value:.4g}</text>'
            )
        parts.append(f'<text x="{left}" y="{floor + 12}">0 … {most:,.0f} files</text>')
    size = f'width="{across * wide}" height="{-(-len(names) // across) * high}"'
    head = f'<svg xmlns="http://www.w3.org/2000/svg" {size} font-family="sans-serif" font-size="9">'
    out.write_text("\n".join([head, '<rect width="100%" height="100%" fill="white"/>', *parts, "</svg>", ""]))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    making = commands.add_parser("make")
    making.add_argument("out", type=Path)
    making.add_argument("repositories", type=Path, nargs="+")
    making.add_argument("--files", type=int, default=50_000)
    measuring = commands.add_parser("measure")
    measuring.add_argument("trees", type=Path, nargs="+")
    measuring.add_argument("--store", type=Path, help="a folder for the stores, kept afterwards")
    measuring.add_argument("--rows", type=Path, help="a file that the figures are written to")
    measuring.add_argument("--first-only", action="store_true")
    plotting = commands.add_parser("plot")
    plotting.add_argument("rows", type=Path, nargs="+")
    plotting.add_argument("out", type=Path)
    given = parser.parse_args()
    if given.command == "plot":
        plot([row for file in given.rows for row in json.loads(file.read_text())], given.out)
        return
    if given.command == "make":
        make(given.out, given.files, [one.resolve() for one in given.repositories])
        return
    base = given.store or Path(tempfile.mkdtemp(prefix="monorepo-"))
    rows = []
    for tree in given.trees:
        print(tree, flush=True)
        store = base / tree.name
        shutil.rmtree(store, ignore_errors=True)
        rows.append(measure(tree.resolve(), store, first_only=given.first_only))
        if given.rows:
            given.rows.write_text(json.dumps(rows))
    for name in rows[0]:
        print(f"{name:18}" + "".join(f"{row[name]:12.1f}" for row in rows))
    if given.store is None:
        shutil.rmtree(base, ignore_errors=True)


if __name__ == "__main__":
    main()
