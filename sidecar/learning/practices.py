"""Find requests for a way of working in a sentence: run the tests, write no code yet, keep the documentation current.

A single request is a task; one that recurs in several sessions is how the user wants to work.
"""

from __future__ import annotations

import re
from functools import cache
from importlib.resources import files
from typing import Any, Final

from sidecar.learning.language.words import fold_accents
from sidecar.text.lazy_patterns import lazy
from sidecar.text.toml import read_toml

_TABLE: Final[dict[str, Any]] = read_toml(
    (files("sidecar.learning.language") / "practices.toml").read_text(encoding="utf-8")
)
PRECISE: Final = frozenset(_TABLE["precise"])
_NAMES: Final = tuple(_TABLE["practices"])
_REQUESTS: Final = lazy("|".join(_TABLE["requests"]))
_RULE_FILE: Final = re.compile(r"@(?:[\w.-]+/)*([\w-]+\.mdc)\b")
_FEW_FILES: Final = 2  # more are an attachment
_ABOUT_RULE: Final = lazy(r"\b(?:access|analy[sz]e|compare|draft in|from|rename|updat\w+)(?: to)? (?:the |my |our )?@")
LONGEST: Final = 200


@cache
def _practice_pattern() -> re.Pattern[str]:
    groups = (f"(?P<p{number}>{'|'.join(phrases)})" for number, phrases in enumerate(_TABLE["practices"].values()))
    return re.compile(f"(?:{'|'.join(_TABLE['asking'])})(?:{'|'.join(groups)})".replace("~", r"(?:\S+ ){0,4}?"))


def practices(sentence: str) -> list[str]:
    if len(sentence) > LONGEST:
        return []
    text = fold_accents(sentence.lower())
    follows = sentence.count("@") <= _FEW_FILES and not _ABOUT_RULE.search(text)
    named = _RULE_FILE.findall(sentence) if follows else ()
    followed = [f"follow `{name}`" for name in named]
    if text.endswith(("?", "？")) and not _REQUESTS.match(text):
        return followed
    groups_found = (match.lastgroup for match in _practice_pattern().finditer(text))
    return list(dict.fromkeys([*followed, *(_NAMES[int(group[1:])] for group in groups_found if group is not None)]))
