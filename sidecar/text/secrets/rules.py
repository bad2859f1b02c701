"""The rules of gitleaks (MIT), run as gitleaks runs them: keyword, expression, entropy, allow list.

The package `secretscreen` ships the rule file; nothing else of it is used. Left out are rules about a file's path,
since a memory's text has none, and rules about public values (client ids, public keys). The expressions are written for
Go's RE2, and rewritten for Python's `re` when a rule is first needed.
"""

from __future__ import annotations

import re
import tomllib
import warnings
from collections import defaultdict
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple

from sidecar.text.lookalikes import lower_in_place
from sidecar.text.secrets.values import entropy

# The rules of a keyword search this many characters before and after it.
_CHARS_BEFORE, _CHARS_AFTER = 150, 1_500
_PUBLIC = ("-client-id", "-public-key", "-pub-key", "-pub-api-key")
_FLAG = "(?i)"
# The beginning of most rules about names, for which `re` would try every length at every place.
# It is cut off; where an allow list needs the whole match, `_LEAD_BACK` finds the text that it would have matched.
_LEAD_PATTERN = r"[\w.-]{0,50}?"
_LEAD_BACK = re.compile(r"[\w.-]{0,50}\Z")
# Most expressions want a quote, white space or a semicolon after a key. Prose, tables and markup have other signs, so a
# second search reads the text with blanks in place of those signs.
_SIGNS_TO_SPACES = str.maketrans(dict.fromkeys(",|&()<>[]{}#?!*\\", " "))
_DOT_AT_END = re.compile(r"[.:](?=\s|\Z)")


class RuleFinding(NamedTuple):
    start: int
    end: int
    rule: str


class _Allowed(NamedTuple):
    """Conditions under which a rule's match is not a secret."""

    patterns: tuple[re.Pattern[str], ...]
    target: str
    stop_words: tuple[str, ...]
    all_needed: bool


class _SecretRule:
    """One rule; its expressions are compiled when its keyword is first seen."""

    def __init__(self, entry: dict[str, Any]) -> None:
        self.id: str = entry["id"]
        self.keywords = tuple(word.casefold() for word in entry["keywords"])
        self._entry = entry
        self._pattern: re.Pattern[str] | None = None
        self._allowed: tuple[_Allowed, ...] = ()
        self._led = False

    @property
    def pattern(self) -> re.Pattern[str]:
        """Compile the expression on first use; two threads may do so at once, with the same result."""
        if self._pattern is None:
            self._allowed = tuple(allow_lists(self._entry.get("allowlists", ())))
            regex: str = self._entry["regex"]
            self._led = regex.startswith((_LEAD_PATTERN, _FLAG + _LEAD_PATTERN))
            self._pattern = compile_re2(regex.replace(_LEAD_PATTERN, "", 1) if self._led else regex)
        return self._pattern

    def secret(self, match: re.Match[str], line: str) -> tuple[int, int] | None:
        """Return the span of the secret in a match: of the rule's group or else the first that matched; None if
        allowed.
        """
        groups = (self._entry["secretGroup"],) if "secretGroup" in self._entry else range(1, match.re.groups + 1)
        group = next((group for group in groups if match[group]), 0)
        value = match[group]
        if entropy(value) <= self._entry.get("entropy", 0.0):
            return None
        lead = _LEAD_BACK.search(match.string, max(0, match.start() - 50), match.start()) if self._led else None
        targets = {"secret": value, "match": (lead[0] if lead else "") + match[0], "line": line}
        if any(_is_allowed(allowed, targets) for allowed in self._allowed):
            return None
        return match.span(group)


class RuleBook:
    """All rules of the file; stateless, so that threads can share an instance."""

    def __init__(self) -> None:
        with rule_file().open("rb") as file:
            data = tomllib.load(file)
        self._everywhere = tuple(allow_lists([data.get("allowlist", {}), *data.get("allowlists", ())]))
        self.rules = [
            _SecretRule(entry)
            for entry in data["rules"]
            if "regex" in entry and "path" not in entry and entry.get("keywords") and not entry["id"].endswith(_PUBLIC)
        ]
        self._by_keyword: dict[str, list[int]] = defaultdict(list)
        for number, rule in enumerate(self.rules):
            for keyword in rule.keywords:
                self._by_keyword[keyword].append(number)

    def find(self, text: str, give_way: Callable[[], None]) -> Iterator[RuleFinding]:
        folded = lower_in_place(text)
        plain = _DOT_AT_END.sub(" ", text.translate(_SIGNS_TO_SPACES))
        wanted: set[int] = set()
        letters = set(folded)
        for keyword, numbers in self._by_keyword.items():
            give_way()
            if letters.issuperset(keyword) and keyword in folded:
                wanted.update(numbers)
        for rule in map(self.rules.__getitem__, sorted(wanted)):
            give_way()
            for start, end in _places(folded, rule.keywords):
                same = text[start:end] == plain[start:end]
                for shown in (text,) if same else (text, plain):
                    for match in rule.pattern.finditer(shown, start, end):
                        after = text.find("\n", match.end())
                        line_end = len(text) if after < 0 else after
                        line = text[text.rfind("\n", 0, match.start()) + 1 : line_end]
                        span = rule.secret(match, line)
                        if span is not None and not self._is_allowed(text[slice(*span)]):
                            yield RuleFinding(*span, rule.id)

    def _is_allowed(self, value: str) -> bool:
        targets = dict.fromkeys(("secret", "match", "line"), value)
        return any(_is_allowed(allowed, targets) for allowed in self._everywhere)


def rule_file() -> Path:
    """Return the path of the rule file, without importing its package, which would compile every expression."""
    spec = find_spec("secretscreen")
    if spec is None or spec.origin is None:
        raise ModuleNotFoundError("secretscreen is not installed; it ships the rules for secrets.")
    return Path(spec.origin).with_name("gitleaks.toml")


def allow_lists(entries: Any) -> Iterator[_Allowed]:
    """Yield the file's allow lists as they apply to a text without a path."""
    for entry in entries:
        patterns = tuple(compile_re2(pattern) for pattern in entry.get("regexes", ()))
        words = tuple(word.casefold() for word in entry.get("stopwords", ()))
        all_needed = entry.get("condition", "OR").upper() == "AND"
        if (patterns or words) and not (all_needed and entry.get("paths")):
            yield _Allowed(patterns, entry.get("regexTarget", "secret"), words, all_needed)


def compile_re2(pattern: str) -> re.Pattern[str]:
    """Compile an expression of RE2; a `(?i)` in its middle then applies to the whole expression."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FutureWarning)  # Python warns that it may read some sets differently later
        return re.compile(pattern.replace(_FLAG, "").replace(r"\z", r"\Z"), re.IGNORECASE if _FLAG in pattern else 0)


def _places(folded: str, keywords: tuple[str, ...]) -> list[tuple[int, int]]:
    """Return the spans around the keywords, in ascending order and without overlaps."""
    spans: list[tuple[int, int]] = []
    for keyword in keywords:
        offset = folded.find(keyword)
        while offset >= 0:
            spans.append((max(0, offset - _CHARS_BEFORE), min(len(folded), offset + len(keyword) + _CHARS_AFTER)))
            offset = folded.find(keyword, offset + len(keyword))
    spans.sort()
    merged: list[tuple[int, int]] = []
    for start, end in spans:
        if merged and start <= merged[-1][1]:
            merged[-1] = merged[-1][0], max(end, merged[-1][1])
        else:
            merged.append((start, end))
    return merged


def _is_allowed(allowed: _Allowed, targets: dict[str, str]) -> bool:
    checks = []
    if allowed.patterns:
        checks.append(any(pattern.search(targets[allowed.target]) for pattern in allowed.patterns))
    if allowed.stop_words:
        secret = targets["secret"].casefold()
        checks.append(any(word in secret for word in allowed.stop_words))
    return all(checks) if allowed.all_needed else any(checks)
