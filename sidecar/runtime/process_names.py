"""Names of processes that distinguish equal process ids on different hosts or in different containers.

A name holds the place (host, boot and PID namespace), the process id and the start time. The start time is read from
/proc or, where there is none, from `ps`.
"""

from __future__ import annotations

import functools
import os
from pathlib import Path
from typing import NamedTuple

from sidecar.system.processes import is_alive

PROC = Path("/proc")
SILENT_MS = 30 * 60 * 1_000
"""A process that cannot be seen from here counts as gone after this many milliseconds without a sign of life."""

_DEPTH = 32
_START = 19  # index of the start time among the fields of `stat` after the command's name
_BETWEEN = frozenset(
    "sh bash dash zsh ksh fish busybox env timeout nice nohup setsid script sudo uv uvx pipx npx npm mise direnv "
    "systemd init launchd tini".split()
)
"""Programs that run between an agent and its hooks, or above everything; none of them is the agent."""


class ProcessInfo(NamedTuple):
    parent: int
    start: str
    state: str
    command: str


def own_process_name() -> str:
    """Return the name of this process."""
    return _name(os.getpid())


def ancestors() -> list[str]:
    """Return the ancestors of this process that may be the agent that runs this hook, nearest first."""
    names: list[str] = []
    pid = os.getppid()
    while pid > 1 and len(names) < _DEPTH and (process := read_process(pid)) is not None:
        if process.command.lstrip("-").split(" ")[0] not in _BETWEEN:
            names.append(f"{this_machine()} {pid} {process.start}")
        pid = process.parent
    return names


def is_running(name: str) -> bool | None:
    """Return whether a process still runs; a zombie does not. Return None where that cannot be seen from here."""
    machine, _, process_part = name.partition(" ")
    number, _, start = process_part.partition(" ")
    if machine != this_machine():
        (host, boot, *_), (our_host, our_boot, *_) = f"{machine}//".split("/"), this_machine().split("/")
        return False if host == our_host and boot and our_boot and boot != our_boot else None
    if not number.isdecimal() or not is_alive(int(number)):
        return False
    process = read_process(int(number))
    return None if process is None else process.start == start and process.state[:1] not in ("Z", "X")


def _name(pid: int) -> str:
    process = read_process(pid)
    return f"{this_machine()} {pid} {process.start if process else ''}"


@functools.cache
def this_machine() -> str:
    boot = space = ""
    try:
        boot = (PROC / "sys/kernel/random/boot_id").read_text().strip()
        space = os.readlink(PROC / "self/ns/pid")
    except OSError:
        pass  # without /proc, a process's start time tells boots apart
    return f"{os.uname().nodename}/{boot}/{space}".replace(" ", "")


def read_process(pid: int) -> ProcessInfo | None:
    try:
        command, _, rest = (PROC / str(pid) / "stat").read_text(errors="replace").rpartition(")")
        fields = rest.split()
        return ProcessInfo(int(fields[1]), fields[_START], fields[0], command.partition("(")[2])
    except (OSError, IndexError, ValueError):
        return _ask_ps(pid) if not (PROC / "self").exists() else None


def _ask_ps(pid: int) -> ProcessInfo | None:
    import subprocess

    command = ["ps", "-o", "ppid=,state=,lstart=,comm=", "-p", str(pid)]
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, env={**os.environ, "LC_ALL": "C"}, timeout=2, check=True
        )
        parent, state, *began, program = done.stdout.split(None, 7)
        return ProcessInfo(int(parent), "-".join(began), state, program.strip().rpartition("/")[2])
    except (OSError, ValueError, subprocess.SubprocessError):
        return None
