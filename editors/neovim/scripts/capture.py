"""Make the screen captures of the README: a real Neovim in a terminal, drawn as SVG.

From the repository's root, with the tests' requirements installed: `python editors/neovim/scripts/capture.py`.
Installs Neovim into the tests' cache, makes a small project in a temporary folder, types, and writes media/*.svg.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from xml.sax.saxutils import escape

import pyte

ROOT = Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT))

from tests.client.neovim import Neovim, kept, pinned  # noqa: E402

MEDIA = ROOT / "editors" / "neovim" / "media"
ROWS, COLUMNS = 42, 108
CELL_WIDTH, CELL_HEIGHT, FONT_SIZE, MARGIN = 8.4, 18, 14, 14
INK, PAPER = "#e0e2ea", "#14161b"
NAMED = {
    "black": "#07080d",
    "red": "#ffc0b9",
    "green": "#b3f6c0",
    "brown": "#fce094",
    "yellow": "#fce094",
    "blue": "#a6dbff",
    "magenta": "#ffcaff",
    "cyan": "#8cf8f7",
    "white": "#eef1f8",
}
# Drawn as shapes, since fonts leave gaps between them.
BLOCKS = {"█": 1.0, "░": 0.28}
BORDERS = {
    "│": "M {x} {t} V {b}",
    "─": "M {l} {y} H {r}",
    "╭": "M {x} {b} V {yb} Q {x} {y} {xr} {y} H {r}",
    "╮": "M {x} {b} V {yb} Q {x} {y} {xl} {y} H {l}",
    "╰": "M {x} {t} V {yt} Q {x} {y} {xr} {y} H {r}",
    "╯": "M {x} {t} V {yt} Q {x} {y} {xl} {y} H {l}",
}

SHAPES = {**BLOCKS, **BORDERS}

LOOK = """
vim.o.termguicolors = true
vim.o.winborder = 'rounded'
vim.o.cmdheight = 1
vim.o.number = true
vim.o.fillchars = 'eob: ,lastline: '
"""

QUEUE = '''"""Keeps jobs until a worker takes them."""

from __future__ import annotations

import json
from pathlib import Path


class Queue:
    """Jobs on disk, oldest first."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def put(self, job: dict[str, object]) -> str:
        """Store a job; answers its id."""
        name = f"{len(list(self.folder.iterdir())):08d}"
        (self.folder / name).write_text(json.dumps(job))
        return name

    def take(self) -> dict[str, object] | None:
        """The oldest job, or nothing."""
        for path in sorted(self.folder.iterdir()):
            job = json.loads(path.read_text())
            path.unlink()
            return job
        return None
'''

MEMORIES = [
    (
        "Two workers may take the same job: `src/queue.py::Queue.take` reads before it deletes. "
        "Rename the file first, then read it.",
        ["--name", "Race in take", "--type", "feedback", "--category", "fact"],
    ),
    (
        "`src/queue.py::Queue.put` counts files for the next id, which repeats after a job was taken.",
        ["--name", "Ids repeat", "--type", "project", "--category", "blocker"],
    ),
    (
        "Jobs stay on disk rather than in Redis: the sites that run this have no network.",
        ["--name", "No Redis", "--type", "project", "--category", "decision"],
    ),
    ("Run the tests with `just test -q`.", ["--name", "Tests", "--type", "feedback", "--category", "procedure"]),
    ("Prefers small commits with a test each.", ["--name", "Commits", "--type", "user"]),
]


def colour(name: str, fallback: str) -> str:
    """A colour of pyte in CSS."""
    if name == "default":
        return fallback
    return NAMED.get(name.removeprefix("bright"), f"#{name}")


def svg(screen: pyte.Screen, title: str, rows: int) -> str:
    """The first rows of the screen as a drawing."""
    width = COLUMNS * CELL_WIDTH + 2 * MARGIN
    height = rows * CELL_HEIGHT + 2 * MARGIN
    backs, fronts = [], []
    for row in range(rows):
        line, column = screen.buffer[row], 0
        top = MARGIN + row * CELL_HEIGHT
        while column < COLUMNS:
            first = line[column]
            ink, paper = colour(first.fg, INK), colour(first.bg, PAPER)
            if first.reverse:
                ink, paper = paper, ink
            last, text = column, ""
            look = (first.fg, first.bg, first.bold, first.italics, first.reverse, first.underscore)
            while last < COLUMNS:
                cell = line[last]
                if (cell.fg, cell.bg, cell.bold, cell.italics, cell.reverse, cell.underscore) != look:
                    break
                text += cell.data
                last += 1
            left = MARGIN + column * CELL_WIDTH
            if paper != PAPER:
                backs.append(
                    f'<rect x="{left:.1f}" y="{top}" width="{(last - column) * CELL_WIDTH:.1f}" '
                    f'height="{CELL_HEIGHT}" fill="{paper}"/>'
                )
            fronts.extend(drawn(text, left, top, ink, bold=first.bold, italic=first.italics))
            column = last
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:.0f}" height="{height:.0f}" '
        f'viewBox="0 0 {width:.0f} {height:.0f}" role="img">\n<title>{escape(title)}</title>\n'
        f'<rect width="100%" height="100%" rx="8" fill="{PAPER}"/>\n{"".join(backs)}\n'
        f"<g font-family=\"ui-monospace,SFMono-Regular,Menlo,Consolas,'DejaVu Sans Mono',monospace\" "
        f'font-size="{FONT_SIZE}" xml:space="preserve">\n{chr(10).join(fronts)}\n</g>\n</svg>\n'
    )


def drawn(text: str, left: float, top: float, ink: str, *, bold: bool, italic: bool) -> list[str]:
    """One run of cells that look alike: words as text, blocks as shapes."""
    found, start = [], 0
    while start < len(text):
        if text[start] == " ":
            start += 1
            continue
        if text[start] in BORDERS:
            found.append(border(text[start], left + start * CELL_WIDTH, top, ink))
            start += 1
            continue
        block, end = BLOCKS.get(text[start]), start
        while end < len(text) and (text[end] == text[start] if block else text[end] not in SHAPES):
            if not block and text[end : end + 3].isspace() and len(text[end : end + 3]) == 3:
                break
            end += 1
        x, size = left + start * CELL_WIDTH, (end - start) * CELL_WIDTH
        if block:
            found.append(
                f'<rect x="{x:.1f}" y="{top + 3}" width="{size:.1f}" height="{CELL_HEIGHT - 6}" fill="{ink}" '
                f'opacity="{block}"/>'
            )
        else:
            style = (' font-weight="bold"' if bold else "") + (' font-style="italic"' if italic else "")
            words = text[start:end].rstrip()
            found.append(
                f'<text x="{x:.1f}" y="{top + 13.5}" textLength="{len(words) * CELL_WIDTH:.1f}" fill="{ink}"{style}>'
                f"{escape(words)}</text>"
            )
        start = end
    return found


def border(char: str, left: float, top: float, ink: str) -> str:
    """One cell of a frame."""
    x, y = left + CELL_WIDTH / 2, top + CELL_HEIGHT / 2
    places = {"x": x, "y": y, "l": left, "r": left + CELL_WIDTH, "t": top, "b": top + CELL_HEIGHT}
    places |= {"xl": x - 4, "xr": x + 4, "yt": y - 4, "yb": y + 4}
    path = BORDERS[char].format(**{name: f"{place:.1f}" for name, place in places.items()})
    return f'<path d="{path}" fill="none" stroke="{ink}" stroke-opacity="0.7"/>'


def capture() -> None:
    """Play the scenes and write the drawings."""
    with tempfile.TemporaryDirectory() as temporary:
        base = Path(temporary)
        project, home, programs = base / "jobs", base / "home", base / "bin"
        for folder in (project / "src", home, programs):
            folder.mkdir(parents=True)
        subprocess.run(["git", "init", "-q", str(project)], check=True)
        (project / "src" / "queue.py").write_text(QUEUE)
        command = programs / "memory-sidecar"
        command.write_text(f'#!/bin/sh\nPYTHONPATH={ROOT} exec {sys.executable} -P -m sidecar "$@"\n')
        command.chmod(0o755)
        environment = {"PATH": f"{programs}:{os.environ['PATH']}", "HOME": str(home), "LANG": "C.UTF-8"}
        for text, options in MEMORIES:
            subprocess.run(
                [str(command), "record", text, *options],
                cwd=project,
                env=environment,
                check=True,
                stdout=subprocess.DEVNULL,
            )
        nvim = Neovim(
            pinned(kept("neovim-0.11")),
            project,
            {**environment, "COLORTERM": "truecolor"},
            base / "nvim",
            ["src/queue.py"],
            after=LOOK,
            rows=ROWS - 2,
            messages=2,
            columns=COLUMNS,
        )
        try:
            nvim.sees(r"def take.*1 memory")
            # A change that makes a memory suspect, as a colleague's commit would.
            nvim.type("/sorted(self\rccfor path in sorted(self.folder.glob('*')):\x1b:w\r:1\r")
            nvim.sees(r"1 suspect")
            nvim.command("Memory inject budget=1000 take a job twice")
            nvim.sees(r"(?s)of 1,000 tokens.*What the agent reads")
            write(nvim, "neovim.svg", "Neovim: what an agent would be given for a prompt, over a file with code lenses")
            nvim.type("q")
            nvim.type("/take(self\r:nohlsearch\r")
            nvim.type("K")
            nvim.sees(r"Rename the file first")
            write(nvim, "neovim-file.svg", "Neovim: code lenses, and a hover over a function with a suspect memory", 30)
        finally:
            nvim.close()


def write(nvim: Neovim, name: str, title: str, rows: int = ROWS) -> None:
    """Draw what is on the screen now, once it has settled."""
    before = ""
    while before != nvim.screen():
        before = nvim.screen()
        time.sleep(0.5)
    MEDIA.mkdir(exist_ok=True)
    (MEDIA / name).write_text(svg(nvim.terminal.screen, title, rows))
    print(f"{MEDIA / name}: {(MEDIA / name).stat().st_size} bytes")


if __name__ == "__main__":
    capture()
