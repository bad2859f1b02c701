"""Find passwords and tokens among a command's words by the option before them (`redis-cli -a hunter2`)."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from sidecar.text.lazy_patterns import lazy
from sidecar.text.word_lists import word_lists

CONCEALED: Final = "[redacted: password]"

_LONG: Final = lazy(
    r"--?(?:[\w-]*[-_])?(?:pass|passw(?:or)?d|passphrase|passin|passout|pwd|storepass|keypass|token|secret"
    r"|api[-_]?key|access[-_]?key|secret[-_]?key|auth|credentials?)",
    re.IGNORECASE,
)
_ASSIGNED: Final = lazy(r"""(?<![\w.])([A-Za-z_]\w*)=(?!\$)(?:"[^"]*"|'[^']*'|[^\s"']+)+""")
_SHORT: Final = tuple(
    (frozenset(names.split()), options) for names, options in word_lists("shell.toml")["secrets"].items()
)
_ATTACHED: Final = frozenset("mysql mysqldump mysqladmin mariadb mariadb-dump 7z 7za sshpass".split())
"""The value is in the same word: `mysql -phunter2`, `7z -phunter2`."""


def takes_secret(words: Sequence[str], index: int) -> bool:
    """Return whether the word at `index` is an option and the next its secret value; `words[0]` is the program."""
    word = words[index]
    if not word.startswith("-"):
        return False
    if _LONG.fullmatch(word):
        return True
    before = {earlier.rpartition("/")[2] for earlier in words[:index]}
    return any(word in options and needed <= before for needed, options in _SHORT)


def conceal(text: str, words: Sequence[str]) -> str:
    """Replace a command's secrets with visible marks; `words` are its words without quotes."""
    for index, word in enumerate(words):
        option, equals, value = word.partition("=")
        if equals and value and _LONG.fullmatch(option):
            text = _replaced(text, option, value)
        elif index + 1 < len(words) and takes_secret(words, index):
            text = _replaced(text, word, words[index + 1])
        elif (
            word.startswith("-p")
            and len(word) > 2
            and _ATTACHED & {earlier.rpartition("/")[2] for earlier in words[:index]}
        ):
            text = _replaced(text, "-p", word[2:])
    return text


def conceal_assigned(text: str) -> str:
    """Remove the values of variables named like secrets from assignments or an `export` of some."""
    return _ASSIGNED.sub(
        lambda match: f"{match[1]}={CONCEALED}" if _LONG.fullmatch(f"--{match[1]}") else match[0], text
    )


def _replaced(text: str, option: str, value: str) -> str:
    if value.startswith(("$", "-", "<")):  # a variable, another option, a placeholder
        return text
    pattern = re.compile(rf"({re.escape(option)}[\s=]*)(['\"]?){re.escape(value)}\2(?!\S)")
    replaced = pattern.sub(lambda match: match[1] + CONCEALED, text)
    if replaced == text and value in text.replace("\\", ""):  # quoted in a way not recognised here
        start = text.find(option)
        return text[: start + len(option)] + f" {CONCEALED}" if start >= 0 else text
    return replaced
