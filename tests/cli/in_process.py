"""Runs a command in this process as `memory-sidecar` would run it: a spawn costs more than most commands do."""

from __future__ import annotations

import io
import logging
import os
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TextIO

from sidecar.cli.main import run

LOGGERS = ("sidecar", "pygls")


def invoke(
    arguments: tuple[str, ...], environ: Mapping[str, str], cwd: Path, stdin: str | TextIO | None = None
) -> subprocess.CompletedProcess[str]:
    """Return the output and exit code; `stdin` is piped text or a terminal."""
    streams = [io.TextIOWrapper(io.BytesIO(), encoding="utf-8") for _ in range(3)]
    given, out, err = streams
    if isinstance(stdin, str):
        given.buffer.write(stdin.encode())
        given.buffer.seek(0)
    with _as_process(arguments, environ, cwd, given if stdin is None or isinstance(stdin, str) else stdin, out, err):
        code = run(arguments)
    told = []
    for stream in (out, err):
        stream.flush()
        buffer = stream.buffer
        assert isinstance(buffer, io.BytesIO)
        told.append(buffer.getvalue().decode("utf-8"))
    return subprocess.CompletedProcess(arguments, code, *told)


@contextmanager
def _as_process(arguments: tuple[str, ...], environ: Mapping[str, str], cwd: Path, *streams: TextIO) -> Iterator[None]:
    """Set environment, folder, arguments and streams as in a process of its own, and restore them with the log."""
    own = dict(os.environ), os.getcwd(), sys.argv, (sys.stdin, sys.stdout, sys.stderr)
    loggers = [logging.getLogger(name) for name in LOGGERS]
    logs = [(logger, list(logger.handlers), logger.propagate, logger.level) for logger in loggers]
    os.environ.clear()
    os.environ.update(environ)
    os.chdir(cwd)
    sys.argv = ["memory-sidecar", *arguments]
    sys.stdin, sys.stdout, sys.stderr = streams
    try:
        yield
    finally:
        sys.stdin, sys.stdout, sys.stderr = own[3]
        sys.argv = own[2]
        os.chdir(own[1])
        os.environ.clear()
        os.environ.update(own[0])
        for logger, handlers, propagate, level in logs:
            for handler in logger.handlers:
                handler.close()
            logger.handlers, logger.propagate = handlers, propagate
            logger.setLevel(level)
