"""Parse git's configuration files, as described in git-config(1).

Git itself is not run, because the result must not depend on git's presence, the files' owner or the environment.
"""

from __future__ import annotations

import logging
import os
import re
from collections.abc import Mapping
from pathlib import Path

from sidecar.text.lazy_patterns import lazy

log = logging.getLogger(__name__)

MAX_CONFIG_FILE_BYTES = 1_000_000
SYSTEM_CONFIG = Path("/etc/gitconfig")
# Git allows 10 levels of files that include each other.
MAX_INCLUDE_DEPTH = 5

_SECTION = r'\[\s*(?P<section>[A-Za-z0-9.-]+)(?:\s+"(?P<subsection>(?:[^"\\\n]|\\.)*)")?\s*\]'
_VALUE = r'(?P<value>(?:[^"\\#;\n]|\\(?:.|\Z)|"(?:[^"\\\n]|\\.)*+"?)*+)'
_ITEM = lazy(rf"{_SECTION}|(?P<name>[A-Za-z][A-Za-z0-9-]*)[ \t]*(?:={_VALUE}[^\n]*)?|\S[^\n]*", re.DOTALL)
_ESCAPE = lazy(r'\\(.?)|"', re.DOTALL)
_ESCAPES = {"n": "\n", "t": "\t", "b": "\b", "\\": "\\", '"': '"'}


def read_config(path: Path, *, includes: bool = False, _depth: int = 0) -> list[tuple[str, str]]:
    """Return the (key, value) pairs of a file, none if it is unreadable. With `includes`, follow `include.path`."""
    try:
        with path.open("rb") as file:
            text = file.read(MAX_CONFIG_FILE_BYTES).decode("utf-8", "surrogateescape")
    except FileNotFoundError:
        return []
    except (OSError, ValueError) as error:
        log.info("The git configuration %s cannot be read: %s.", path, error)
        return []
    pairs: list[tuple[str, str]] = []
    for key, value in parse_config(text):
        pairs.append((key, value))
        if includes and key == "include.path" and _depth < MAX_INCLUDE_DEPTH:
            included = path.parent / os.path.expanduser(value)
            pairs.extend(read_config(included, includes=True, _depth=_depth + 1))
    return pairs


def read_user_config(environ: Mapping[str, str], repository_config: Path | None) -> dict[str, str]:
    """Return the values in effect in a repository. Ignore `includeIf` and its own `include.path`."""
    paths = [] if environ.get("GIT_CONFIG_NOSYSTEM") else [SYSTEM_CONFIG]
    if global_config := environ.get("GIT_CONFIG_GLOBAL"):
        paths.append(Path(global_config))
    elif home := environ.get("HOME"):
        paths += [Path(environ.get("XDG_CONFIG_HOME") or f"{home}/.config", "git", "config"), Path(home, ".gitconfig")]
    values: dict[str, str] = {}
    for path in paths:
        values.update(read_config(path, includes=True))
    return values if repository_config is None else {**values, **dict(read_config(repository_config))}


def parse_config(text: str) -> list[tuple[str, str]]:
    """Return the (key, value) pairs of a configuration text, skipping lines that cannot be parsed."""
    pairs: list[tuple[str, str]] = []
    section = ""
    for item in _ITEM.finditer(text.removeprefix("\ufeff").replace("\r\n", "\n")):
        if item["section"] is not None:
            section = item["section"].lower()
            if item["subsection"] is not None:
                section += "." + re.sub(r"\\(.)", r"\1", item["subsection"])
        elif section and item["name"] is not None:
            value = "true" if item["value"] is None else _ESCAPE.sub(_unescape, item["value"].strip())
            pairs.append((f"{section}.{item['name'].lower()}", value))
    return pairs


def _unescape(match: re.Match[str]) -> str:
    """Return the meaning of an escape; nothing for a quotation mark or the end of a continued line."""
    return "" if match[1] in (None, "", "\n") else _ESCAPES.get(match[1], match[1])
