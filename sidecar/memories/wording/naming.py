"""Name a memory that was recorded without a name: by its first sentence or clause, without markup.

If that is not the whole content, a digest follows, so that two texts that begin alike get different names. The same
text always gets the same name.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator
from functools import lru_cache

from sidecar.runtime.digests import blake2b
from sidecar.text.lazy_patterns import lazy

MAX_NAME_CHARS = 60  # fits one line of a list in a terminal
_MIN_NAME_CHARS = 12  # a shorter first "sentence" says nothing: "Hey!", "e.g."
_SUFFIX_CHARS = 9  # " (" + 6 hexadecimal digits + ")"
_DIGEST = lazy(r" \([0-9a-f]{6}\)\Z")
_FENCE = lazy(r"^[ \t]*(?:`{3,}|~{3,})[\w+-]*[ \t]*$", 8)  # re.MULTILINE
_HEADING = lazy(r"\s*#{1,6}[ \t]+(\S[^\n]*)\n")
_MARKUP = lazy(r"^(?:[#>*+-]+\s+|\d+[.)]\s+|\[[ xX]\]\s+)+")
_FIRST_ITEM = lazy(r"\s*1[.)]\s")
_SECOND_ITEM = lazy(r"(?<=\S)\s2[.)]\s")
_LINK = lazy(r"!?\[([^\[\]]+)\]\((?:[^()\s]|\([^()\s]*\))*\)")
_BOLD_TEXT = lazy(r"(?<![\w/*])\*\*(?=\S)([^*]+?)(?<=\S)\*\*(?![\w/*])")  # must not match paths
_LABEL = lazy(
    r"(?i)(?:note|nb|n\.b\.|fyi|til|today i learned|remember|important|decision|reminder|lesson|fact"
    r"|hinweis|notiz|achtung|wichtig|merke|entscheidung|anmerkung|tipp?|heads[- ]up)\s*:\s+(?=\S{2})"
)
_ONE_SPAN = lazy(r"`+([^`]+)`+")
_SENTENCE_END = lazy(r"[.!?](?=[\"'”’»)]*\s)|[。！？]|:(?=\s+(?:[-*+•]|\d+[.)])\s)")
_BEFORE_DOT = lazy(
    r"(?i)(?:(?<![\w.])(?:[^\W\d]|e\.g|i\.e|z\.\s?b|d\.\s?h|u\.\s?a|o\.\s?ä|bzw|ca|vs|cf|etc|nr|no|dr|mr|mrs|prof|approx|resp|inkl|exkl"
    r"|ggf|evtl|vgl|usw|bspw|st|fig|sec|min|max|incl|dt|engl|abs|art)|\.{2})\Z"
)
_ORDINAL = lazy(r"(?<!\S)\d{1,2}\Z")
_MONTH = lazy(r"\s+(?:Januar|Februar|März|April|Mai|Juni|Juli|August|September|Oktober|November|Dezember)\b")
_CLAUSE = lazy(r"[,;:，；：、](?=\s|\Z|[^\x00-\x7f])|\s[–—-]\s|\s\(|\s(?=→|->|=>)")
_EDGE_CHARS = " .,;:!?。！？*"
_CLOSING_OF_OPENING = {"(": ")", "[": "]", "{": "}", "“": "”", "„": "“", "«": "»"}
_DANGLING_WORDS = frozenset(
    "a an the of and or to in on at by for with from that which is are was be as if when not no than but so because "
    "der die das den dem des ein eine einen einem einer und oder zu im in am auf mit von bei für dass ist sind wird "
    "werden nicht als wenn weil aber zum zur nur per via it its their our your my this these into must should can will "
    "has have does do only always never we you they there muss soll kann darf wir man sich es".split()
)


@lru_cache(maxsize=64)  # since recording derives the name of each text in a commit three times
def derive_name(content: str) -> str:
    """Return a readable name of at most 60 characters, the same for texts that differ only in white space."""
    text = _bare(content)
    sentence = _beginning(content, text)
    # The name leaves out where a link led.
    if sentence == text and len(sentence) <= MAX_NAME_CHARS and "](" not in content:
        return sentence
    return _with_digest(sentence, content)


def distinct_name(content: str, salt: str) -> str:
    """Return another name for a content whose derived name is taken; each `salt` gives a different name."""
    return _with_digest(_beginning(content, _bare(content)), f"{content} {salt}")


@lru_cache(maxsize=64)  # since recording asks this of each text in a commit several times
def is_derived(name: str, content: str) -> bool:
    """Return whether a name only repeats the beginning of the content, as a derived name does."""
    base = _DIGEST.sub("", name).removesuffix("…")
    beginning = content[: 4 * MAX_NAME_CHARS]
    words = base.replace("`", " ").split(maxsplit=1)
    if (
        words
        and words[0].rstrip(_EDGE_CHARS) not in beginning
        and beginning.isascii()
        and not ("**" in beginning or "](" in beginning)
    ):
        return False  # most names; what follows only removes characters at both ends
    return _bare(beginning).replace("`", "").startswith(base.replace("`", ""))


def _beginning(content: str, text: str) -> str:
    """Return the first sentence, heading or list item of a content; `text` is the content without markup."""
    if heading := _HEADING.match(content):
        return _bare(heading[1])
    if _FIRST_ITEM.match(content) and (second := _SECOND_ITEM.search(text)):
        return text[: second.start()].rstrip(_EDGE_CHARS)
    return _first_sentence(text)


def _with_digest(sentence: str, content: str) -> str:
    line = " ".join(unicodedata.normalize("NFC", content).split())
    digest = blake2b(line.encode(), digest_size=3).hexdigest()
    return f"{_shorten(sentence, MAX_NAME_CHARS - _SUFFIX_CHARS)} ({digest})"


def _bare(content: str) -> str:
    """Return the text on one line, without the markup around it; "" only for a blank text."""
    text = unicodedata.normalize("NFC", content)
    line = " ".join(_FENCE.sub(" ", text).split()) or " ".join(text.split())
    bare = _MARKUP.sub("", line).lstrip()
    bare = _LINK.sub(lambda link: link[1], bare) if "](" in bare else bare
    if "**" in bare:
        parts = bare.split("`")
        bare = "`".join(part if at % 2 else _BOLD_TEXT.sub(r"\1", part) for at, part in enumerate(parts)).lstrip()
    bare = _LABEL.sub("", bare, 1) if _LABEL.match(bare) else bare
    bare = bare.rstrip(_EDGE_CHARS) or bare
    if span := _ONE_SPAN.fullmatch(bare):
        bare = span[1].strip()
    elif bare.count("`") % 2:  # only one end of a code span is left
        bare = bare.strip("`").strip() or bare
    return bare.strip() or line


def _first_sentence(text: str) -> str:
    """Return the text up to the first sentence end, outside code spans and brackets, that leaves enough characters."""
    for end in _ends(text):
        sentence = text[:end].rstrip(_EDGE_CHARS).strip()
        if len(sentence) >= _MIN_NAME_CHARS:
            return sentence
    return text


def _ends(text: str) -> Iterator[int]:
    for end in _SENTENCE_END.finditer(text):
        dot = end.start()
        before = text[:dot]
        if _is_inside(before):
            continue
        if end[0] == "." and (_BEFORE_DOT.search(before) or (_ORDINAL.search(before) and _MONTH.match(text, dot + 1))):
            continue
        yield dot


def _is_inside(before: str) -> bool:
    return before.count("`") % 2 == 1 or _open_bracket(before) is not None


def _open_bracket(before: str) -> int | None:
    waiting: list[tuple[str, int]] = []
    for at, char in enumerate(before):
        if waiting and char == waiting[-1][0]:
            waiting.pop()
        elif char in _CLOSING_OF_OPENING:
            waiting.append((_CLOSING_OF_OPENING[char], at))
    return waiting[0][1] if waiting else None


def _shorten(text: str, max_length: int) -> str:
    """Cut a text at the end of a clause or word. A code span is kept whole or loses its backticks."""
    if len(text) <= max_length:
        return text
    clauses = [
        clause.start() for clause in _CLAUSE.finditer(text, 0, max_length + 1) if not _is_inside(text[: clause.start()])
    ]
    if clauses and clauses[-1] >= max_length // 3:
        return text[: clauses[-1]].rstrip(_EDGE_CHARS)
    cut = _at_word(text, max_length - 1)
    if text.count("`", 0, cut) % 2:
        start = text.rindex("`", 0, cut)
        if start >= max_length // 3:
            return _drop_dangling(text[:start]) + "…"
        text = text.replace("`", "")
        cut = _at_word(text, max_length - 1)
    opened = _open_bracket(text[:cut])
    if opened is not None and opened >= max_length // 3:
        cut = opened
    return _drop_dangling(text[:cut]) + "…"


def _at_word(text: str, max_length: int) -> int:
    """Return the position at which to cut: between words, otherwise after a part of a path, otherwise anywhere."""
    for signs, least in ((" ", max_length // 3), ("/\\", max_length // 2), ("_-.", max_length // 2)):
        cut = max(text.rfind(sign, 0, max_length + 1) for sign in signs)
        if cut >= least:
            return cut
    return max_length


def _drop_dangling(text: str) -> str:
    """Drop words at the end that only lead to the next word, such as articles."""
    words = text.rstrip(" ,;:–—-(").split(" ")
    while len(words) > 2 and words[-1].casefold().strip("`") in _DANGLING_WORDS:
        words.pop()
    return " ".join(words).rstrip(" ,;:–—-(")
