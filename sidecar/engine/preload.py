"""Import what a server may need later, while the files of its own version still exist.

Much is imported on first use. A server that runs for months may be upgraded or lose its environment meanwhile. It would
then import modules of another version, or none, and requests would fail until it is restarted.
"""

from __future__ import annotations

import importlib
import logging
import pkgutil
import sys
from collections.abc import Callable

import sidecar

log = logging.getLogger(__name__)

_FRONTS = {"sidecar.lsp": "lsprotocol", "sidecar.mcp": "sidecar.mcp"}
"""Each front, with a module that a process using that front has imported; only LSP's own methods need lsprotocol."""

_NOT_IN_SERVERS = ("sidecar.cli", "sidecar.hooks")  # they run in processes of their own


def import_all(give_way: Callable[[], None]) -> int:
    """Import every module that this server may need, calling `give_way` before each; return the number of modules."""
    others = (*_NOT_IN_SERVERS, *(front for front, needed in _FRONTS.items() if needed not in sys.modules))
    names = [module.name for module in _modules(sidecar.__path__, "sidecar.", others)]
    for name in names:
        give_way()
        try:
            importlib.import_module(name)
        except ImportError as error:  # the extra is not installed, so nothing will need it
            log.debug("%s was not imported: %s", name, error)
    return len(names)


def _modules(path: list[str], prefix: str, others: tuple[str, ...]) -> list[pkgutil.ModuleInfo]:
    modules: list[pkgutil.ModuleInfo] = []
    for module in pkgutil.iter_modules(path, prefix):
        if module.name in others or module.name.endswith("__main__"):
            continue
        modules.append(module)
        if module.ispkg:
            inner = [f"{folder}/{module.name.rpartition('.')[2]}" for folder in path]
            modules += _modules(inner, f"{module.name}.", others)
    return modules
