"""Runs the git binary to read a repository, without letting the repository run anything."""

import logging
import os
import subprocess
import threading
from collections.abc import Sequence
from pathlib import Path

log = logging.getLogger(__name__)
_NOTHING_RUNS = (
    "-c", "core.fsmonitor=false",
    "-c", "core.hooksPath=/dev/null",
    "-c", "core.pager=cat",
    "-c", "diff.external=",
    "-c", "core.attributesFile=/dev/null",
    "-c", "protocol.allow=never",
)  # fmt: skip
_UNWANTED = (
    "GIT_DIR",
    "GIT_WORK_TREE",
    "GIT_INDEX_FILE",
    "GIT_COMMON_DIR",
    "GIT_OBJECT_DIRECTORY",
    "GIT_CONFIG",
)


def git_output(folder: Path, arguments: Sequence[str], *, timeout: float = 10.0) -> bytes | None:
    """What git prints for these arguments in `folder`."""
    try:
        done = subprocess.run(
            _command(arguments),
            cwd=folder,
            env=_environment(),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            timeout=timeout,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        log.info("git %s did not answer: %s", arguments[0] if arguments else "", type(error).__name__)
        return None
    return done.stdout if done.returncode == 0 else None


def git_answer(
    folder: Path, arguments: Sequence[str], given: bytes, *, most: int, timeout: float = 10.0
) -> bytes | None:
    """The same with something to read on stdin (at most 32 KiB) and a bound on the answer."""
    if len(given) > 32_768:
        raise ValueError("git is given at most 32 KiB, which a pipe takes without being read")
    try:
        process = subprocess.Popen(
            _command(arguments),
            cwd=folder,
            env=_environment(),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
    except OSError as error:
        log.info("git %s cannot be started: %s", arguments[0], type(error).__name__)
        return None
    stop = threading.Timer(timeout, process.kill)
    stop.start()
    try:
        with process:
            if process.stdin is None or process.stdout is None:
                raise OSError("git has no pipes")
            process.stdin.write(given)
            process.stdin.close()
            answer = process.stdout.read(most + 1)
            if len(answer) > most:
                process.kill()
    except OSError as error:
        log.info("git %s did not answer: %s", arguments[0], type(error).__name__)
        return None
    finally:
        stop.cancel()
    return answer if process.returncode == 0 and len(answer) <= most else None


def _environment() -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if name not in _UNWANTED}
    own = {"GIT_OPTIONAL_LOCKS": "0", "GIT_TERMINAL_PROMPT": "0", "GIT_NO_LAZY_FETCH": "1", "LC_ALL": "C"}
    return kept | own
