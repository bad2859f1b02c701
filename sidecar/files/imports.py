"""The files of a workspace that a file imports.

`exists` is called for candidate paths only (relative POSIX), at most MAX_PROBES times a file and 40 times an import, so
the cost does not grow with the workspace. A Go package is a folder, found by its `<package>.go` or `doc.go`. A package
of another module is taken for ours if it has the same inner path.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from itertools import islice, product
from posixpath import dirname, normpath
from typing import Final

from sidecar.store.records import ContentRecord

MAX_PROBES = 600
MAX_FOUND = 100
_PROBES_EACH = 40

_MAX_ALIASED = 6
_SCRIPT_LANGUAGES = frozenset("javascript jsx typescript tsx vue svelte astro".split())
_SCRIPT_ENDINGS = tuple(".ts .tsx .js .jsx .mjs .cjs .mts .cts .d.ts .vue .svelte .astro .json".split())
_SCRIPT_SWAPS = {".js": (".ts", ".tsx"), ".jsx": (".tsx",), ".mjs": (".mts",), ".cjs": (".cts",)}
# Parts of a path that `normpath` takes out.
_EMPTY_OR_DOT_PART = re.compile(r"(?:\A|/)(?:\.{0,2})(?:/|\Z)")
_WORD_BOUNDARY = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_SOURCE_ROOTS = ("src", "lib", "app", "python", "source", "tests", "test")
_JVM_ROOTS = ("src/main/java", "src/main/kotlin", "src", "")
_JVM_PLATFORM = frozenset("java javax jakarta kotlin kotlinx android androidx scala groovy sun jdk".split())


def project_imports(record: ContentRecord, path: str, exists: Callable[[str], bool]) -> list[str]:
    """Return the workspace files that `record`, the file at `path`, imports, in the record's order."""
    probes = 0
    known: dict[str, bool] = {}

    def is_file(candidate: str) -> bool:
        nonlocal probes
        if candidate not in known:
            if probes >= MAX_PROBES:
                return False
            probes += 1
            known[candidate] = exists(candidate)
        return known[candidate]

    targets: dict[str, None] = {}
    for name in record.imports:
        if probes >= MAX_PROBES or len(targets) >= MAX_FOUND:
            break
        if not name or len(name) > 400 or "\0" in name or "://" in name:
            continue
        for candidate in islice(_candidates(record.language, name, path, is_file), _PROBES_EACH):
            target = _inside(candidate)
            if target is not None and target != path and is_file(target):
                targets.setdefault(target)
                break
    return list(targets)


def _inside(candidate: str) -> str | None:
    """Return the normalised path, or None if it leaves the workspace."""
    if candidate.startswith("/"):
        return None
    target = normpath(candidate) if _EMPTY_OR_DOT_PART.search(candidate) else candidate
    return None if target in {".", ".."} or target.startswith("../") else target


def _join(*parts: str) -> str:
    return "/".join(part for part in parts if part)


def _upwards(folder: str) -> Iterator[str]:
    """Yield the folder and those above it, at most twelve; the last is the workspace's own (`""`)."""
    for _ in range(11):
        if not folder:
            break
        yield folder
        folder = dirname(folder)
    yield ""


def _candidates(language: str, name: str, path: str, is_file: Callable[[str], bool]) -> Iterable[str]:
    folder = dirname(path)
    if language in _SCRIPT_LANGUAGES:
        return _script(name, folder)
    if language in {"python", "cython", "notebook"}:
        return _python(name, folder, is_file)
    if language == "rust":
        return _rust(name, path)
    return _FINDERS.get(language, _file)(name, folder)


def _file(name: str, folder: str) -> Iterator[str]:
    """Yield a path seen from the file's folder and the workspace; a shell variable stands for the folder."""
    plain = name.split("?", 1)[0].split("#", 1)[0]
    if plain.startswith("$"):
        plain = plain.partition("/")[2]
    if plain.startswith("/"):
        yield plain.lstrip("/")
    elif plain:
        yield from (_join(folder, plain), plain)


def _python(name: str, folder: str, is_file: Callable[[str], bool]) -> Iterator[str]:
    """Yield a relative module from the file's package; an absolute one where its first part is a module or package."""
    dots = len(name) - len(name.lstrip("."))
    inner = name[dots:].replace(".", "/")
    if dots:
        start = folder
        for _ in range(dots - 1):
            if not start:
                return
            start = dirname(start)
        yield from _module(_join(start, inner)) if inner else (_join(start, "__init__.py"),)
        return
    first = inner.split("/", 1)[0]
    for root in dict.fromkeys([*_upwards(folder), *_SOURCE_ROOTS]):
        stem = _join(root, first)
        if first == inner or root in {"", "src"} or is_file(f"{stem}/__init__.py"):
            yield from _module(_join(root, inner))


def _module(stem: str) -> tuple[str, ...]:
    return (f"{stem}.py", f"{stem}/__init__.py", f"{stem}.pyi")


def _aliased(name: str, folder: str) -> Iterator[str]:
    """Yield the folders above the file for which `@/` may stand, topmost first."""
    endings = ("",) if "." in name.rpartition("/")[2] else _SCRIPT_ENDINGS[:3]
    above = [parent for parent in _upwards(folder) if parent][::-1][:_MAX_ALIASED]
    for ending in endings:
        yield from (_join(parent, name + ending) for parent in above)


def _script(name: str, folder: str) -> Iterator[str]:
    name = name.split("?", 1)[0]
    if name.startswith(("@/", "~/")):
        yield from _aliased(name[2:], folder)
        stems = [_join("src", name[2:]), name[2:]]
    elif name.startswith("$lib/"):
        yield from _aliased(name[1:], folder)
        stems = [_join("src", name[1:])]
    elif name.startswith("."):
        stems = [_join(folder, name)]
    else:
        return
    for stem in stems:
        base = stem.rstrip("/")
        last = base.rsplit("/", 1)[-1]
        if "." in last.lstrip("."):
            yield base
            for ending, swaps in _SCRIPT_SWAPS.items():
                if base.endswith(ending):
                    yield from (base.removesuffix(ending) + swap for swap in swaps)
        if last not in {".", ".."}:
            yield from (base + ending for ending in _SCRIPT_ENDINGS)
        yield from (f"{base}/index{ending}" for ending in _SCRIPT_ENDINGS[:5])


def _go(name: str, folder: str) -> Iterator[str]:
    """Yield the customary files of the Go package in folder `pkg/x` for the import `host/owner/repo/pkg/x`."""
    parts = name.split("/")
    if "." not in parts[0]:
        return
    package = parts[-1]
    first = 3 if parts[0] in {"github.com", "gitlab.com", "bitbucket.org", "codeberg.org"} else 2
    for start in range(first, min(len(parts), first + 2)):
        yield from (_join(*parts[start:], file) for file in (f"{package}.go", "doc.go"))


def _rust(name: str, path: str) -> Iterator[str]:
    folder, file = dirname(path), path.rsplit("/", 1)[-1]
    home = folder if file in {"mod.rs", "lib.rs", "main.rs"} else path.removesuffix(".rs")
    parts = name.split("::")
    if parts[0] == "crate":
        root = next((above for above in _upwards(folder) if above.rsplit("/", 1)[-1] == "src"), folder)
        start, rest = root, parts[1:]
    elif parts[0] == "self":
        start, rest = home, parts[1:]
    elif parts[0] == "super":
        start, rest = home, parts
        while rest and rest[0] == "super":
            start, rest = dirname(start), rest[1:]
    else:
        return
    for length in range(len(rest), 0, -1):
        stem = _join(start, *rest[:length])
        yield from (f"{stem}.rs", f"{stem}/mod.rs")
    for file in ("mod.rs", "lib.rs", "main.rs"):
        yield _join(start, file)
    if start:
        yield f"{start}.rs"


def _jvm(name: str, folder: str) -> Iterator[str]:
    """Yield a class by its package: under this file's package root, else under the usual source roots."""
    parts = name.removesuffix(".*").split(".")
    if parts[0] in _JVM_PLATFORM:
        return
    stems = ["/".join(parts), *(["/".join(parts[:-1])] if len(parts) > 2 else [])]
    roots: tuple[str, ...] = _JVM_ROOTS
    above = f"/{folder}/"
    for length in range(len(parts) - 1, 0, -1):
        at = above.rfind("/" + "/".join(parts[:length]) + "/")
        if at >= 0:
            package = above[1:at]
            roots = (package, package.replace("/test/", "/main/"), package.replace("/kotlin", "/java"))
            break
    for root, stem, ending in product(dict.fromkeys(roots), stems, (".java", ".kt", ".scala", ".groovy")):
        yield _join(root, stem + ending)


def _tails(parts: list[str], roots: Iterable[str], ending: str) -> Iterator[str]:
    """Yield a class file for each end of a dotted name, below each root."""
    for first in range(len(parts)):
        yield from (_join(root, *parts[first:]) + ending for root in roots)


def _csharp(name: str, folder: str) -> Iterator[str]:
    return _tails(name.split("."), ("", "src"), ".cs")


def _include(name: str, folder: str) -> Iterator[str]:
    plain = name.strip('"<>')
    if not name.startswith("<"):
        yield _join(folder, plain)
    for root in _upwards(folder):
        yield from (_join(root, below, plain) for below in ("include", "src", ""))


def _ruby(name: str, folder: str) -> Iterator[str]:
    plain = name.removesuffix(".rb")
    if plain.startswith("."):
        yield _join(folder, f"{plain}.rb")
        return
    above = (parent for parent in _upwards(folder) if parent.rsplit("/", 1)[-1] in {"lib", "spec", "test", "app"})
    yield from (_join(root, f"{plain}.rb") for root in ("lib", "app", "", "spec", "test", *above))


def _partial(name: str, folder: str) -> Iterator[str]:
    """Yield a partial by its name, below `app/views` or beside the template; or a component by its class."""
    if name[0].isupper():
        yield f"app/components/{_WORD_BOUNDARY.sub('_', name.replace('::', '/')).lower()}.rb"
        return
    head, last = dirname(name), name.rsplit("/", 1)[-1]
    root = next((above for above in _upwards(folder) if above.rsplit("/", 1)[-1] == "views"), "app/views")
    bases = (_join(root, head), folder) if head else (folder, root)
    for base, ending in product(bases, (".html.erb", ".erb", ".turbo_stream.erb", ".text.erb", ".html.haml")):
        yield _join(base, f"_{last}{ending}")


def _razor(name: str, folder: str) -> Iterator[str]:
    """Yield a component by its name, here or in the usual folders; then whatever C# would import."""
    if "." not in name:
        belows = ("", "Shared", "Components", "Layout", "Components/Layout")
        for above, below in product(islice(_upwards(folder), 5), belows):
            yield _join(above, below, f"{name}.razor")
    yield from _csharp(name, folder)


def _php(name: str, folder: str) -> Iterator[str]:
    if "\\" not in name and ("/" in name or name.endswith(".php")):
        return _file(name, folder)
    return _tails(name.strip("\\").split("\\"), ("src", "app", "lib", "", "tests"), ".php")


def _lua(name: str, folder: str) -> Iterator[str]:
    if name.endswith(".lua"):
        yield from _file(name, folder)
        return
    stem = name.replace(".", "/")
    for root in ("", "lua", "src", "lib", *_upwards(folder)):
        yield _join(root, f"{stem}.lua")
        yield _join(root, stem, "init.lua")


def _style(name: str, folder: str) -> Iterator[str]:
    stem = _join(folder, name.split("?", 1)[0])
    yield stem
    head, last = dirname(stem), stem.rsplit("/", 1)[-1]
    for ending in (".scss", ".sass", ".less", ".css"):
        yield f"{stem}{ending}"
        yield _join(head, f"_{last}{ending}")
    yield f"{stem}/_index.scss"


def _dart(name: str, folder: str) -> Iterator[str]:
    if name.startswith("package:"):
        yield _join("lib", name.partition("/")[2])
    elif not name.startswith("dart:"):
        yield _join(folder, name)


_FINDERS: Final[dict[str, Callable[[str, str], Iterable[str]]]] = {
    language: finder
    for languages, finder in (
        ("go", _go),
        ("java kotlin scala groovy", _jvm),
        ("csharp", _csharp),
        ("c cpp objc protobuf", _include),
        ("ruby", _ruby),
        ("erb", _partial),
        ("razor", _razor),
        ("php", _php),
        ("lua", _lua),
        ("css scss sass less", _style),
        ("dart", _dart),
    )
    for language in languages.split()
}
