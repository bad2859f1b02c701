"""Read git's configuration file format without running git.

The answer must be the same without git, under another user's ownership and in any environment. See git-config(1).
"""

from __future__ import annotations

import logging
import os
import re
from collections.abc import Mapping
from pathlib import Path

from sidecar.text.lazy_patterns import lazy

log = logging.getLogger(__name__)

MAX_CONFIG_BYTES = 1_000_000
SYSTEM_CONFIG = Path("/etc/gitconfig")
MAX_INCLUDE_DEPTH = 5

_SECTION = lazy(r'\[\s*([A-Za-z0-9.-]+)(?:\s+"((?:[^"\\\n]|\\.)*)")?\s*\]')
_NAME = lazy(r"[A-Za-z][A-Za-z0-9-]*")
_VALUE = lazy(r'(?:[^"\\#;\n]|\\(?:.|\Z)|"(?:[^"\\\n]|\\.)*+"?)*+', re.DOTALL)
_ESCAPE = lazy(r'\\(.?)|"', re.DOTALL)
_ESCAPES = {"n": "\n", "t": "\t", "b": "\b", "\\": "\\", '"': '"'}


def read_config(path: Path, *, includes: bool = False, _depth: int = 0) -> list[tuple[str, str]]:
    """Return the (key, value) pairs of a readable file in order; `includes` follows `include.path`."""
    try:
        with path.open("rb") as file:
            text = file.read(MAX_CONFIG_BYTES).decode("utf-8", "surrogateescape")
    except FileNotFoundError:
        return []
    except (OSError, ValueError) as error:
        log.info("Git configuration %s cannot be read: %s.", path, error)
        return []
    pairs: list[tuple[str, str]] = []
    for key, value in parse_config(text):
        pairs.append((key, value))
        if includes and key == "include.path" and _depth < MAX_INCLUDE_DEPTH:
            included = path.parent / os.path.expanduser(value)
            pairs.extend(read_config(included, includes=True, _depth=_depth + 1))
    return pairs


def read_user_config(environ: Mapping[str, str], repository_config: Path | None) -> dict[str, str]:
    """Return the values in effect in a repository, following neither `includeIf` nor its own `include.path`."""
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
    text = text.removeprefix("\ufeff").replace("\r\n", "\n")
    position, end = 0, len(text)
    while position < end:
        character = text[position]
        if character.isspace():
            position += 1
        elif match := _SECTION.match(text, position):
            section = match[1].lower()
            if match[2] is not None:
                section += "." + re.sub(r"\\(.)", r"\1", match[2])
            position = match.end()
        elif section and (match := _NAME.match(text, position)):
            position = match.end()
            while position < end and text[position] in " \t":
                position += 1
            value = "true"
            if position < end and text[position] == "=":
                written = _VALUE.match(text, position + 1)
                if written is not None:
                    value = _ESCAPE.sub(_unescape, written[0].strip())
                    position = _line_end(text, written.end())
            pairs.append((f"{section}.{match[0].lower()}", value))
        else:
            position = _line_end(text, position)
    return pairs


def _line_end(text: str, position: int) -> int:
    end = text.find("\n", position)
    return len(text) if end < 0 else end + 1


def _unescape(match: re.Match[str]) -> str:
    """Return what an escape stands for; nothing for a quotation mark and for the end of a continued line."""
    return "" if match[1] in (None, "", "\n") else _ESCAPES.get(match[1], match[1])
