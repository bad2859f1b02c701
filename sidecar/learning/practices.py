"""Find requests for a way of working in a sentence: run the tests, write no code yet, keep the documentation current.

A single request is a task; one that recurs in several sessions is how the user wants to work.
"""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from typing import Any, Final

from sidecar.learning.language.words import fold_accents
from sidecar.text.lazy_patterns import lazy
from sidecar.text.toml import read_toml

_TABLE: Final[dict[str, Any]] = read_toml(
    Path(__file__).with_name("language").joinpath("practices.toml").read_text(encoding="utf-8")
)
PRECISE: Final = frozenset(_TABLE["precise"])
WORK: Final = frozenset(_TABLE["work"])
_NAMES: Final = tuple(_TABLE["practices"])
_REQUESTS: Final = lazy("|".join(_TABLE["requests"]))
_RULE_FILE: Final = re.compile(r"@(?:[\w.-]+/)*([\w-]+\.mdc)\b")
_MAX_FILES: Final = 2  # more are an attachment
_ABOUT_RULE: Final = lazy(r"\b(?:access|analy[sz]e|compare|draft in|from|rename|updat\w+)(?: to)? (?:the |my |our )?@")
MAX_SENTENCE: Final = 200  # characters; a longer sentence is a description
_CLAUSE: Final = lazy(r"[^.,;:!?(]*\Z")
_NEGATIVE: Final = frozenset(_TABLE["negative"])
_NEGATION: Final = lazy(
    r"(?<!\w)(?:not|never|no longer|stop(?= \w+ing)|nie|nicht|nunca|jamais|nao"
    r"|(?:do|does|did|is|are|wo|ca|should|must|would|could)n’?t|cannot)\b(?! forget)|不要|别|不用",
    re.IGNORECASE,
)


@cache
def _practice_pattern() -> re.Pattern[str]:
    groups = (f"(?P<p{number}>{'|'.join(phrases)})" for number, phrases in enumerate(_TABLE["practices"].values()))
    return re.compile(f"(?:{'|'.join(_TABLE['asking'])})(?:{'|'.join(groups)})".replace("~", r"(?:\S+ ){0,4}?"))


def practices(sentence: str) -> list[str]:
    if len(sentence) > MAX_SENTENCE:
        return []
    text = fold_accents(sentence.lower())
    follows = sentence.count("@") <= _MAX_FILES and not _ABOUT_RULE.search(text)
    named = _RULE_FILE.findall(sentence) if follows else ()
    followed = [f"follow `{name}`" for name in named]
    if text.endswith(("?", "？")) and not _REQUESTS.match(text):
        return followed
    asked = (name for match in _practice_pattern().finditer(text) if (name := _asked(match, text)) is not None)
    return list(dict.fromkeys([*followed, *asked]))


def _asked(match: re.Match[str], text: str) -> str | None:
    """Return the practice that a phrase asks for; None if a negation turns it into the opposite."""
    group = match.lastgroup or ""
    name, phrase = _NAMES[int(group[1:])], match[group]
    before = _CLAUSE.search(text, 0, match.start(group))
    turned = before is not None and _NEGATION.search(before[0]) is not None
    if name in _NEGATIVE:
        return None if turned and phrase.startswith("without") else name
    return None if turned or _NEGATION.search(phrase) else name
