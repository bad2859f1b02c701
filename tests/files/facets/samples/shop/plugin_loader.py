"""Loads plugins from entry points and from a folder."""

import importlib
import pkgutil
from importlib.metadata import entry_points

GROUP = "shop.plugins"
_REGISTRY = {}


def plugin(name, *, requires=()):
    def decorate(cls):
        _REGISTRY[name] = (cls, tuple(requires))
        return cls

    return decorate


def discover(package):
    for module in pkgutil.iter_modules(package.__path__):
        if module.name.startswith("_"):
            continue
        importlib.import_module(f"{package.__name__}.{module.name}")
    for point in entry_points(group=GROUP):
        point.load()


def ordered():
    seen, result = set(), []

    def visit(name, trail=()):
        if name in trail:
            raise RuntimeError(" -> ".join((*trail, name)))
        if name in seen:
            return
        cls, requires = _REGISTRY[name]
        for other in requires:
            visit(other, (*trail, name))
        seen.add(name)
        result.append(cls)

    for name in sorted(_REGISTRY):
        visit(name)
    return result
