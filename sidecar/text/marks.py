"""Find references to things on a forge: URLs, `!12`, `#34`, `&5`, `group/project!12`, `@user`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final, Literal, NamedTuple

from sidecar.text.lazy_patterns import lazy, patterns
from sidecar.text.word_lists import word_lists

_PATTERNS: Final = patterns(Path(__file__), "marks")
_URL: Final = lazy(r"(?<![A-Za-z0-9+.-])[A-Za-z][A-Za-z0-9+.-]{1,20}://[^\s<>\"`\u3000-\u303f\uff00-\uffef]+")
_CHARS_AFTER_URL: Final = ".,:;!?'*_~|\u2026\u201d\u2019"
_OPENING_OF_CLOSING: Final = {")": "(", "]": "[", "}": "{"}
_EMAIL: Final = lazy(r"(?<![\w.+-])[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){0,8}(?::[\w./~-]{0,200})?")
_MARK: Final = lazy(
    r"(?<![\w/&#!@$.:=>%*~^\\-])"
    r"(?P<project>[A-Za-z0-9_][\w.-]{0,100}(?:/[\w.-]{1,100}){1,8})?"
    r"(?P<sign>[!#&])(?P<number>\d{1,9})(?![\w&$%]|[.,-]\d|\.\w)"
)
_SIGN_AND_NUMBER: Final = lazy(r"[!#&]\d")
_GITHUB: Final = lazy(r"(?<![\w-])GH-(\d{1,9})(?![\w-])")
_USER: Final = lazy(r"(?<![\w@/.`$:=\]>-])@([A-Za-z0-9](?:[\w.-]{0,37}[A-Za-z0-9_])?)(?![\w/(@{\[]|-\w)")
_FORGE_URL: Final = lazy(
    r"https?://[^/]+/([A-Za-z0-9_][\w.-]*(?:/[A-Za-z0-9_][\w.-]*)+?)/(?:-/)?(issues|pull|pulls|merge_requests|epics|work_items)/(\d+)(?![\w])"
)
_PEOPLE: Final = word_lists("names.toml")["people"]

MarkKind = Literal["url", "issue", "mergeRequest", "epic", "user"]
_KINDS: Final[dict[str, MarkKind]] = {"!": "mergeRequest", "&": "epic", "#": "issue"}


class Mark(NamedTuple):
    """One mark."""

    kind: MarkKind  # as on the wire
    text: str  # in normal form
    start: int  # place in the text
    end: int

    @property
    def span(self) -> tuple[int, int]:
        return self.start, self.end


def urls(text: str) -> Iterator[Mark]:
    """Yield URLs without punctuation at their end; a closing bracket belongs to a URL that contains its opening one."""
    for match in _URL.finditer(text) if "://" in text else ():
        url = match[0].partition("](")[0]  # the text of a Markdown link
        balance = {opening: url.count(opening) - url.count(closing) for closing, opening in _OPENING_OF_CLOSING.items()}
        end = len(url)
        while end:
            last = url[end - 1]
            if last in _OPENING_OF_CLOSING:
                if balance[_OPENING_OF_CLOSING[last]] >= 0:
                    break
                balance[_OPENING_OF_CLOSING[last]] += 1
            elif last in "([{":
                balance[last] -= 1
            elif last not in _CHARS_AFTER_URL:
                break
            end -= 1
        scheme, _, rest = url[:end].partition("://")
        if (rest and rest[0] not in "/{$") or (scheme.lower() == "file" and len(rest) > 1):
            yield Mark("url", url[:end], match.start(), match.start() + end)


def emails(text: str) -> Iterator[tuple[int, int]]:
    """Yield the spans of e-mail addresses and of `git@host:path`, which contain neither marks nor paths."""
    for match in _EMAIL.finditer(text) if "@" in text else ():
        if "." in match[0].partition("@")[2] or ":" in match[0]:
            yield match.span()


def marks(text: str, *, quoted: bool = False) -> Iterator[Mark]:
    """Yield issue, merge request, epic and user marks. `quoted`: the text is a whole span in backticks."""
    for match in _GITHUB.finditer(text) if "GH-" in text else ():
        yield Mark("issue", f"#{match[1]}", *match.span())
    for match in _MARK.finditer(text) if _SIGN_AND_NUMBER.search(text) else ():
        sign, number, project = match["sign"], match["number"], match["project"]
        before, after = text[max(0, match.start() - 40) : match.start()], text[match.end() : match.end() + 16]
        if project is not None:
            if re.search(r"\.(?:[a-z]{1,4}|html|json|yaml|toml|markdown)\Z", project) and sign == "#":
                continue  # an anchor in a file: docs/guide.md#3
        elif number.startswith("0") or (sign == "#" and _is_colour_or_rank(number, before, after, quoted=quoted)):
            continue
        if project is None and sign != "#" and quoted and len(text.split()) > 2:
            continue
        kind = _KINDS["!" if sign == "#" and _PATTERNS["change"].search(before) else sign]
        yield Mark(kind, f"{project or ''}{sign}{number}", *match.span())
    for match in _USER.finditer(text) if "@" in text else ():
        if _is_user(match[1], text, match.start(), match.end(), quoted=quoted):
            yield Mark("user", f"@{match[1]}", *match.span())


def mark_of_url(url: str) -> str | None:
    """Return the mark for the address of a merge request, issue, pull request or epic: `group/project!12`."""
    match = _FORGE_URL.match(url)
    if match is None:
        return None
    sign = {"merge_requests": "!", "epics": "&"}.get(match[2], "#")
    return f"{match[1].removeprefix('groups/')}{sign}{match[3]}"


def _is_colour_or_rank(number: str, before: str, after: str, *, quoted: bool) -> bool:
    if len(number) in (6, 8) and (quoted or not _PATTERNS["issue"].search(before)):
        return True
    if len(number) in (3, 4, 6, 8) and (_PATTERNS["colour"].search(before) or re.match(r"\s*(?:;|\}|/\*)", after)):
        return True
    if _PATTERNS["rank"].search(before):
        return True
    return len(number) <= 2 and bool(_PATTERNS["superlative"].match(after)) and not _PATTERNS["issue"].search(before)


def _is_user(name: str, text: str, start: int, end: int, *, quoted: bool) -> bool:
    first, dot, rest = name.partition(".")
    if name.lower() in _PEOPLE["no_users"] or (first.lower() in _PEOPLE["modules"] and dot):
        return False
    if dot and (
        _PATTERNS["host"].search(name)
        or rest.split(".")[-1].lower() in _PEOPLE["no_users"]
        or re.search(r"\.(?:js|ts|py|css|json)\Z", name)
    ):
        return False
    if name.isdigit() or re.fullmatch(r"v?\d[\d.]*", name) or name.startswith("ts-"):
        return False
    if quoted and (name[0].isupper() or "_" in name or len(text.strip()) != end - start):
        return False
    if _PATTERNS["code_before"].search(text[max(0, start - 40) : start].rstrip("`") + ("" if not quoted else " ")):
        return False
    return not _PATTERNS["code_after"].match(text[end : end + 20])
