"""Where the process begins. What somebody waits for at every turn is started without click and the list of commands.

Only plain command lines are taken here, as agents and editors are set up with; everything else, a wrong option as well,
is for `sidecar.cli.main`, which has the same commands and answers alike.
"""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Callable, Sequence
from typing import NoReturn

_AGENT = "--agent"
_QUICK = frozenset(("search", "list", "show", "inject", "record", "summary", "status"))
"""Commands that answer a question and have closed everything by then: no thread or process of theirs is left."""


def main() -> NoReturn:
    """The command `memory-sidecar`."""
    arguments = sys.argv[1:]
    if (hook := _hook(arguments)) is not None:
        from sidecar.hooks.process import run as run_hook

        _leave(run_hook(*hook))
    if arguments[:1] == ["serve"] and all(each == "--stdio" for each in arguments[1:]):
        sys.exit(_lasting(_serve))
    if arguments == ["mcp"]:
        sys.exit(_lasting(_mcp))
    if arguments == ["--version"]:
        from sidecar import __version__

        sys.stdout.write(f"memory-sidecar, version {__version__}\n")
        sys.exit(0)
    from sidecar.cli.main import run

    code = run(arguments)
    if arguments[:1] and arguments[0] in _QUICK:
        _leave(code)
    sys.exit(code)


def _hook(arguments: Sequence[str]) -> tuple[str, str | None] | None:
    """Agent and event of `hook [--agent NAME] [EVENT]`; None for any other command line."""
    if arguments[:1] != ["hook"]:
        return None
    agent, rest = "claude-code", arguments[1:]
    if len(rest) >= 2 and rest[0] == _AGENT and not rest[1].startswith("-"):
        agent, rest = rest[1], rest[2:]
    if len(rest) > 1 or any(each.startswith("-") for each in rest):
        return None
    return agent, (rest[0] if rest else None)


def _leave(code: int) -> NoReturn:
    """End at once: the answer is written and the stores are closed.

    To take the interpreter apart module by module is a tenth of what a hook costs, and nobody gets anything from it.
    """
    import logging

    logging.shutdown()
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(OSError, ValueError):  # whoever read it has gone, and was told so
            stream.flush()
    os._exit(code)


def _serve() -> int:
    from sidecar.lsp.process import run

    return run()


def _mcp() -> int:
    from sidecar.cli.folder import find_workspace
    from sidecar.mcp.process import run

    return run(find_workspace(None))


def _lasting(serve: Callable[[], int]) -> int:
    """A server's exit code, and what is said of errors and interruption as of those of other commands."""
    try:
        return serve()
    except KeyboardInterrupt:
        sys.stderr.write("Interrupted.\n")
        return 130
    except Exception as error:  # noqa: BLE001 - the last resort: a traceback is for the log
        from sidecar.cli import failure
        from sidecar.runtime.errors import SidecarError

        return failure.report(error) if isinstance(error, SidecarError) else failure.report_defect(error)
