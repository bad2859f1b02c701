"""Has a server import what it may need later, while the files of its own version are still there.

Much is imported when it is first needed. A process that lives for months is upgraded, or its environment removed, while
it runs: what it then imports is of another version, or gone, and requests fail until it is started again.
"""

from __future__ import annotations

import importlib
import logging
import pkgutil
import sys
from collections.abc import Callable

log = logging.getLogger(__name__)

_FRONTS = ("sidecar.lsp", "sidecar.mcp")
_ELSEWHERE = ("sidecar.cli", "sidecar.hooks")  # processes of their own


def take_in(give_way: Callable[[], None]) -> int:
    """Import every module of this package that this server may come to; how many. `give_way` is called between them."""
    import sidecar

    others = (*_ELSEWHERE, *(front for front in _FRONTS if front not in sys.modules))
    names = [found.name for found in _modules(sidecar.__path__, "sidecar.", others)]
    for name in names:
        give_way()
        try:
            importlib.import_module(name)
        except ImportError as error:  # of an extra that is not installed: then nothing comes to it
            log.debug("%s was not imported: %s", name, error)
    return len(names)


def _modules(path: list[str], prefix: str, others: tuple[str, ...]) -> list[pkgutil.ModuleInfo]:
    found: list[pkgutil.ModuleInfo] = []
    for each in pkgutil.iter_modules(path, prefix):
        if each.name in others or each.name.endswith("__main__"):
            continue
        found.append(each)
        if each.ispkg:
            inner = [f"{place}/{each.name.rpartition('.')[2]}" for place in path]
            found += _modules(inner, f"{each.name}.", others)
    return found
