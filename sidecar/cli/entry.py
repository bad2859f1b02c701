"""The entry point. It runs servers and hooks, for which agents wait, without importing click and the commands.

It handles only the plain command lines with which agents and editors are configured. `sidecar.cli.main` handles all
others, wrong options included, and has the same commands with the same output.
"""

from __future__ import annotations

import contextlib
import gc
import os
import sys
from collections.abc import Callable, Sequence
from typing import NoReturn

from sidecar import __version__

_AGENT_OPTION = "--agent"
# Commands that leave no thread or process behind.
_QUICK_COMMANDS = frozenset(("search", "list", "show", "inject", "record", "summary", "status"))


def main() -> NoReturn:
    arguments = sys.argv[1:]
    if (hook := hook_of(arguments)) is not None:
        from sidecar.hooks.process import run as run_hook

        _exit_now(run_hook(*hook))
    if arguments[:1] == ["serve"] and all(argument == "--stdio" for argument in arguments[1:]):
        sys.exit(_run_server(_serve))
    if arguments == ["mcp"]:
        sys.exit(_run_server(_mcp))
    if arguments == ["--version"]:
        sys.stdout.write(f"memory-sidecar, version {__version__}\n")
        sys.exit(0)
    quick = arguments[:1] != [] and arguments[0] in _QUICK_COMMANDS
    if quick:
        gc.disable()  # the process ends before there is garbage worth collecting
    from sidecar.cli.main import run

    code = run(arguments)
    if quick:
        _exit_now(code)
    sys.exit(code)


def hook_of(arguments: Sequence[str]) -> tuple[str, str | None] | None:
    """Return the agent and the event of a command line `hook [--agent NAME] [EVENT]`; None for any other."""
    if arguments[:1] != ["hook"]:
        return None
    agent, rest = "claude-code", arguments[1:]
    if len(rest) >= 2 and rest[0] == _AGENT_OPTION and not rest[1].startswith("-"):
        agent, rest = rest[1], rest[2:]
    if len(rest) > 1 or any(argument.startswith("-") for argument in rest):
        return None
    return agent, (rest[0] if rest else None)


def _exit_now(code: int) -> NoReturn:
    """Exit without tearing the interpreter down, which takes a tenth of a hook's time. All stores must be closed."""
    import logging

    logging.shutdown()
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(OSError, ValueError):  # the reader is gone, which was reported already
            stream.flush()
    os._exit(code)


def _serve() -> int:
    from sidecar.lsp.process import run

    return run()


def _mcp() -> int:
    from sidecar.cli.folder import find_workspace
    from sidecar.mcp.process import run

    return run(find_workspace(None))


def _run_server(serve: Callable[[], int]) -> int:
    """Run a server and return its exit code. Errors and interruption are reported as by other commands."""
    try:
        return serve()
    except KeyboardInterrupt:
        sys.stderr.write("Interrupted.\n")
        return 130
    except Exception as error:  # noqa: BLE001 - the last resort: a traceback is for the log
        from sidecar.cli import failure
        from sidecar.runtime.errors import SidecarError

        return failure.report(error) if isinstance(error, SidecarError) else failure.report_defect(error)
