"""Record a newcomer's first minutes in a real terminal: `python -m tests.end_to_end.first_minutes OUT [--program P]`.

Plays the commands below in a fresh home and a small repository, and writes `first_minutes.cast` (asciicast 2, which
terminal players show) and `first_minutes.txt` (what stood on the screen after each command) into OUT. The picture of
the README is made by `python -m tests.end_to_end.first_minutes OUT --columns 92 --picture`: `first_minutes.svg` in OUT
shows a few of the commands.
"""

from __future__ import annotations

import argparse
import codecs
import fcntl
import io
import json
import os
import pty
import re
import select
import shutil
import struct
import subprocess
import tempfile
import termios
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import pyte

ROWS = 40
SECONDS = 300.0
TYPING = 0.02  # seconds a key, in the recording only

COMMANDS: tuple[tuple[str, str], ...] = (
    ("tour", ""),
    ("setup", "n\r"),
    ("record 'From now on run the tests with `make check`' --type user", ""),
    ("record '`Cart.add` does not check the stock; call `Stock.reserve` first' --category fact --file src/cart.py", ""),
    ("record 'Amounts are integers of cents: floats lost money' --category decision", ""),
    ("record 'The sandbox of the payment provider is down' --category blocker --file src/crat.py", "n\r"),
    ("list", ""),
    ("search how are amounts kept", ""),
    ("inject how do I run the tests", ""),
    ("summary src/cart.py", ""),
    ("useful Amounts", ""),
    ("stats --weeks 4", ""),
    ("remind 'tomorrow 9am' renew the certificate", ""),
    ("archive --category decision --reason 'an example' --yes", ""),
    ("list --include archived", ""),
    ("serach stock", ""),
    ("status", ""),
    ("doctor", ""),
    ("uninstall --purge", "n\r"),
)
"""Arguments of the program, and what is typed when it asks."""


SHOWN = (
    ("setup", "n\r"),
    ("record 'From now on run the tests with `make check`' --type user", ""),
    ("record '`Cart.add` does not check the stock; call `Stock.reserve` first' --file src/cart.py", ""),
    ("record 'Amounts are integers of cents: floats lost money' --category decision", ""),
    ("list", ""),
    ("search how are amounts kept", ""),
    ("inject how do I run the tests", ""),
    ("stats --weeks 2", ""),
)
"""What the picture shows."""

_FONT = re.compile(r"@font-face \{.*?\}\s*", re.DOTALL)
_ROOM = re.compile(rf"{re.escape(tempfile.gettempdir())}/\w+/home")
_UNIQUE = re.compile(r"terminal-\d+-")


class Played(NamedTuple):
    """A command, its exit code, what it wrote with the seconds since it began, and the lines that a person sees."""

    command: str
    code: int
    output: list[tuple[float, str]]
    lines: list[str]


def play(
    program: Sequence[str], words: str, keys: str, columns: int, environ: Mapping[str, str], folder: Path
) -> Played:
    """Run one command in a pseudo-terminal."""
    size = struct.pack("HHHH", ROWS, columns, 0, 0)
    pid, descriptor = pty.fork()
    if pid == 0:
        try:
            fcntl.ioctl(0, termios.TIOCSWINSZ, size)
            os.chdir(folder)
            os.execvpe("sh", ["sh", "-c", f'exec "$@" {words}', "sh", *program], dict(environ))
        finally:
            os._exit(127)
    began, output, typed = time.monotonic(), list[tuple[float, str]](), False
    decoder = codecs.getincrementaldecoder("utf-8")("replace")
    while time.monotonic() - began < SECONDS:
        ready, _, _ = select.select([descriptor], [], [], 1.0)
        try:
            data = os.read(descriptor, 1 << 16) if ready else b""
        except OSError:  # the program has ended
            break
        if ready and not data:
            break
        if data:
            output.append((time.monotonic() - began, decoder.decode(data)))
        said = "".join(text for _, text in output)
        if keys and not typed and said.rstrip().endswith(("]:", "?")):
            os.write(descriptor, keys.encode())
            typed = True
    else:
        os.kill(pid, 9)
    os.close(descriptor)
    code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    screen = pyte.HistoryScreen(columns, 4_000)
    pyte.Stream(screen).feed("".join(text for _, text in output))
    lines = [line.rstrip() for line in screen.display]
    while lines and not lines[-1]:
        lines.pop()
    return Played(words, code, output, lines)


def newcomer(room: Path) -> tuple[Path, dict[str, str]]:
    """Make a small repository and a fresh home with an agent in it."""
    home, folder = room / "home", room / "shop"
    (home / ".claude").mkdir(parents=True)
    (folder / "src").mkdir(parents=True)
    (folder / "README.md").write_text("# Shop\n\nA small web shop.\n")
    (folder / "src" / "cart.py").write_text(
        '"""What a customer wants."""\n\n\nclass Cart:\n    """Holds items."""\n\n'
        '    def add(self, sku: str) -> None:\n        """Add one."""\n        self.items.append(sku)\n'
    )
    git = "git init -q . && git add . && git -c user.name=me -c user.email=me@example.org commit -qm first"
    subprocess.run(git, shell=True, cwd=folder, check=True)
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("MEMORY_SIDECAR_", "XDG_"))}
    environ = {**kept, "HOME": str(home), "XDG_RUNTIME_DIR": str(home), "TERM": "xterm-256color", "PAGER": "cat"}
    environ.pop("NO_COLOR", None)
    return folder, environ


def record(
    out: Path, program: Sequence[str], columns: int, commands: Sequence[tuple[str, str]] = COMMANDS
) -> list[Played]:
    """Play all commands and write the recording and the screens."""
    with tempfile.TemporaryDirectory() as room:
        folder, environ = newcomer(Path(room))
        played = [play(program, words, keys, columns, environ, folder) for words, keys in commands]
    out.mkdir(parents=True, exist_ok=True)
    header = {"version": 2, "width": columns, "height": ROWS, "title": "memory-sidecar: the first minutes"}
    now, events, screens = 0.5, list[tuple[float, str, str]](), list[str]()
    for one in played:
        for char in f"$ memory-sidecar {one.command}":
            now += TYPING
            events.append((round(now, 3), "o", char))
        events.append((round(now, 3), "o", "\r\n"))
        events += [(round(now + at, 3), "o", text) for at, text in one.output]
        now += (one.output[-1][0] if one.output else 0) + 1.5
        screens += [f"$ memory-sidecar {one.command}", *one.lines, f"[exit code {one.code}]", ""]
    lines = [json.dumps(header), *(json.dumps(event, ensure_ascii=False) for event in events)]
    (out / "first_minutes.cast").write_text("\n".join(lines) + "\n", encoding="utf-8")
    (out / "first_minutes.txt").write_text("\n".join(screens) + "\n", encoding="utf-8")
    return played


def picture(played: Sequence[Played], columns: int, program: str) -> str:
    """Return the commands and what they wrote as SVG, without fonts from elsewhere and folders of ours."""
    from rich.console import Console
    from rich.text import Text

    console = Console(record=True, width=columns, file=io.StringIO(), force_terminal=True, color_system="truecolor")
    for one in played:
        console.print(Text(f"$ memory-sidecar {one.command}", style="bold green"))
        said = "".join(text for _, text in one.output).replace("\r\n", "\n").strip("\n")
        said = _ROOM.sub("/home/ann", said.replace(program, "/home/ann/.local/bin/memory-sidecar"))
        console.print(Text.from_ansi(said))
        console.print()
    drawn = _FONT.sub("", console.export_svg(title="memory-sidecar: the first minutes"))
    return _UNIQUE.sub("first-minutes-", drawn).replace("Fira Code, monospace", "monospace")


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("out", type=Path)
    parser.add_argument("--program", default=shutil.which("memory-sidecar") or "memory-sidecar")
    parser.add_argument("--columns", type=int, default=100)
    parser.add_argument("--picture", action="store_true")
    given = parser.parse_args()
    played = record(given.out, [given.program], given.columns, SHOWN if given.picture else COMMANDS)
    if given.picture:
        (given.out / "first_minutes.svg").write_text(picture(played, given.columns, given.program), encoding="utf-8")
    for one in played:
        print(f"{one.code:>3}  {one.output[-1][0] if one.output else 0:5.1f} s  {one.command}")


if __name__ == "__main__":
    main()
