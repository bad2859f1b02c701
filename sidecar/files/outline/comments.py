"""Doc comments as plain text, without markers, markup, licences or tool instructions, and their first sentence."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

from sidecar.text.lazy_patterns import lazy

DOC_CHARS: Final = 240
GENERATED_DOC: Final = "Generated, do not edit"
_LOOKED_AT: Final = 8_000
_STATED_WITHIN: Final = 20_000

_TABLE: Final = tomllib.loads((Path(__file__).parent / "comments.toml").read_text(encoding="utf-8"))
_PATTERNS: Final = {name: "".join(pieces) for name, pieces in _TABLE.items()}
LICENCE: Final = lazy(_PATTERNS["licence"])
_MOONSCRIPT: Final = lazy(r"\blocal _(?:base|class|obj)_0\b")
_PRAGMA: Final = lazy(_PATTERNS["pragma"])
_GENERATED: Final = lazy(_PATTERNS["generated"])
_MARK: Final = lazy(_PATTERNS["mark"])
_ASTRAY: Final = lazy(_PATTERNS["astray"])
_STATED: Final = lazy(_PATTERNS["stated"])
_KEYED: Final = lazy(_PATTERNS["keyed"])
_MARKUP: Final = lazy(_PATTERNS["markup"])
# A name and an address.
_ADDRESS: Final = lazy(
    r"(?:\(c\)\s)?(?:[\w.,&-]+\s+){0,5}[(<]?(?:https?://|[\w.+-]+@[\w-]+\.)\S*\s*$|\(c\)\s", re.IGNORECASE
)
_MODELINE: Final = lazy(r"[ \t]*-\*-.*?-\*-[ \t]*")
_DECORATION: Final = lazy(r"[\s\-=*#~_+/\\|.<>^:!]*")
_ART: Final = lazy(r"(?:[/\\|_]\s{0,9}){6}")
_FILE_NAME: Final = lazy(r"[\w./+-]{1,80}\.\w{1,8}")
_OPENING: Final = lazy(
    r"^\s*(?:/\*+[!<]?|//[/!]*<?|--\[=*\[|(?:--+|\{-)(?:\s?[|^](?=\s))?|\(\*+|<#|#=|#+[!:']?|=begin\b|<!--|;+|%+)"
)
_CLOSING: Final = lazy(r"(?:\*+/|\*+\)|-\}|=#|#>|\]=*\]|=end|-->)\s*$")
_CONTINUED: Final = lazy(r"^\s*\*+(?!/)")
_EDGES: Final = lazy(
    r"^(?:[\-=*#~_+]{2,}\s+|[=*#~]{3,})|(?:\s+[\-=*#~_+/]{2,}|[=*#~]{3,})$|^\.(?:SYNOPSIS|DESCRIPTION)$"
)
_TAG: Final = lazy(
    r"[@\\](?:brief|short|summary|file(?:overview|name)?|overview|module|package|desc(?:ription)?"
    r"|remarks?|title|notice|dev|note|details)\b\s*"
)
_OTHER_TAG: Final = lazy(
    r"^\s*(?:[@\\][a-z]\w*|:\w[\w ]*:(?!`)|[Pp]arameters?:|[Rr]eturns?:|[Tt]hrows:|- Parameters?\b"
    r"|- Returns?:)"
)
_INLINE_TAG: Final = lazy(r"\{@(?:template|endtemplate|macro)\b[^{}]*\}|\{@\w+\s+([^{}]*)\}")
_SEE: Final = lazy(r"<(?:see|seealso|paramref|typeparamref)\s+\w+\s*=\s*\"(?:[A-Z]:)?([^\"]*)\"\s*/?>")
_SUMMARY: Final = lazy(r"<summary>(.*?)(?:</summary>|\Z)", re.DOTALL)
_PARAGRAPH: Final = lazy(r"<(?:p|br|/p|ul|ol|li|pre|h\d)\b[^<>]*>", re.IGNORECASE)
_ROLE: Final = lazy(r":[a-z][a-z:]*:`~?([^`<]*?)(?:\s*<[^`]*>)?`")
_LINK: Final = lazy(r"\[([^\[\]]+)\]\((?:[^()\s]*)\)")
_DOC_LINK: Final = lazy(r"(?<![\w\]])\[(`?)([A-Za-z_][\w.:#]*(?:\(\))?)\1\](?![(\[:])")
_NAME_FIRST: Final = lazy(r"^(?:Summary|Description|Purpose):\s+|^[\w./-]{1,60}\.\w{1,5}\s*(?:-{1,3}|—|:)\s+")
_UNDERLINE: Final = lazy(r"([=\-~^\"#*+])\1{2,}")
_SENTENCE_END: Final = lazy(r"[.!?][)\"'”’`*]*(?=\s)|[。！？]|:(?=\s*$)")
_ABBREVIATION: Final = lazy(
    r"(?:\b(?:e\.g|i\.e|etc|vs|cf|al|approx|resp|incl"
    r"|no|dr|mr|mrs|st|fig|eq|sec|ver|aka|viz)|(?-i:(?:^|[\s(])[A-Z]))\.$",
    re.IGNORECASE,
)
# A sentence that says what the file does.
_ITSELF: Final = lazy(
    r"\b[Tt]his (?:\w+ )?(?:script|file|workflow|module|program|makefile|template|playbook|image|stylesheet|pipeline) "
    r"(?!(?:is|was|has|will be|uses|requires|assumes|expects|does|needs)\b)(?:will \w+|\w+s)\b.{10,300}"
)
_ITSELF_WITHIN: Final = 25
_WORD: Final = lazy(r"[^\W\d_]{2}")
_CODE: Final = lazy(
    r"\s<-\s|[;{]$|(?:^|\s)\}$|\);|^[\w.]+\(.*\)$|^(?:if|for|while|return|import|#include|var|let|const)\b.*[;{(=]"
    r"|^#?define\s+[A-Z_][A-Z\d_]+\b"
)


def strip_markers(comment: str) -> list[str]:
    """Split one comment, or several on separate lines, into lines without comment markers."""
    lines: list[str] = []
    for line in (_MODELINE.sub(" ", comment) if "-*-" in comment else comment)[:_LOOKED_AT].split("\n"):
        text = _OPENING.sub("", line, count=1)
        if text == line:
            text = _CONTINUED.sub("", line, count=1)
        lines.append(_EDGES.sub("", _CLOSING.sub("", text).strip()).strip())
    return lines


def paragraphs(lines: Sequence[str]) -> Iterator[str]:
    """Join lines into paragraphs, omitting decoration, tool instructions and file names.

    A paragraph ends at an empty line, an underlined title or a tag such as `@param`. Paragraphs are yielded one by one
    because callers mostly need only the first, and the rest of a long comment costs more.
    """
    current: list[str] = []
    fenced = False
    for line in lines:
        tag = False
        if fenced or line.startswith("```"):
            fenced ^= line.startswith("```")
            continue
        if _DECORATION.fullmatch(line) or _UNDERLINE.fullmatch(line) or _ART.search(line):
            pass
        elif _PRAGMA.match(line) or _MARK.match(line) or (not current and _FILE_NAME.fullmatch(line)):
            continue
        elif (named := _TAG.match(line)) and line.startswith(("@", "\\")):
            if current and not current[0].startswith("\0"):
                yield " ".join(current)
            rest = line[named.end() :].lstrip(": ")
            bare = _FILE_NAME.fullmatch(rest) or (named[0].startswith("@title") and rest.count(" ") < 2)
            current = [] if not rest or bare else [rest]
            continue
        elif _OTHER_TAG.match(line) or _KEYED.match(line.replace("**", "")):
            tag = True
        else:
            current.append(line)
            continue
        if current and not current[0].startswith("\0"):
            yield " ".join(current)
        current = ["\0"] if tag else []  # skip a tag's text and its continuation lines
    if current and not current[0].startswith("\0"):
        yield " ".join(current)


def plain(text: str) -> str:
    """Return `text` without the markup of Javadoc, JSDoc, XML docs, reStructuredText roles and Markdown links."""
    if "<" in text:
        summary = _SUMMARY.search(text)
        if summary:
            text = summary.group(1)
        text = _SEE.sub(r"\1", text)
        text = _PARAGRAPH.split(text.lstrip())[0] or _PARAGRAPH.sub(" ", text)
        text = _MARKUP.sub("", text)
    if "{@" in text:
        text = _INLINE_TAG.sub(r"\1", text)
    if "`" in text:
        text = _ROLE.sub(r"\1", text)
    if "[" in text:
        text = _DOC_LINK.sub(r"\2", text)
    if "](" in text:
        text = _LINK.sub(r"\1", text)
    text = _TAG.sub("", text, count=1) if text[:1] in "@\\" else text
    if "&" in text:
        text = text.replace("&lt;", "<").replace("&gt;", ">").replace("&quot;", '"').replace("&amp;", "&")
    return " ".join(text.split()).lstrip("#*-= ").strip()


def first_sentence(text: str) -> str | None:
    """Return a paragraph's first sentence, at most DOC_CHARS characters, without its full stop."""
    text = _NAME_FIRST.sub("", plain(text))
    for end in _SENTENCE_END.finditer(text):
        if text.startswith("...", end.start() - 2) and text[: end.start()].count("`") % 2:
            continue  # `f(...)`
        if " " not in text[: end.end()] and text[0].isascii() and end.end() < len(text):
            continue  # "Optional. The name of ..."
        if not _ABBREVIATION.search(text, max(0, end.start() - 7), end.start() + 1):
            text = text[: end.end()]
            break
    text = text.rstrip()
    if text.endswith((".", ":")) and not text.endswith(".."):
        text = text[:-1].rstrip()
    if len(text) > DOC_CHARS:
        text = text[: DOC_CHARS - 1].rsplit(" ", 1)[0] + "…"
    return text if _WORD.search(text) else None


def doc_of(lines: Sequence[str], *, code_allowed: bool = False) -> str | None:
    """Return the first sentence of the first descriptive paragraph; skip licence notices."""
    opening = "\n".join(lines[:12]).strip().partition("\n\n")[0]
    if _GENERATED.search(opening):
        return None
    itself = _ITSELF.search(" ".join(lines[:_ITSELF_WITHIN]))
    if itself is not None and not LICENCE.search(itself[0]):
        return first_sentence(itself[0])
    for paragraph in paragraphs(lines):
        if LICENCE.search(paragraph) or _ADDRESS.match(paragraph):
            continue
        sentence = first_sentence(paragraph)
        if sentence is None or sentence.isupper() or _ASTRAY.search(sentence):
            continue
        if code_allowed or not _CODE.search(sentence):
            return sentence
    return None


def stated_description(text: str) -> str | None:
    """Return what a program or package says of itself in code: the description given to its parser of arguments."""
    match = _STATED.search(text[:_STATED_WITHIN])
    return doc_of([match[1]], code_allowed=True) if match else None


def generator_notice(language: str, text: str) -> str | None:
    """Return what made a file that says so at its top, or whose names show it."""
    if language == "lua" and _MOONSCRIPT.search(text):
        return "Generated from MoonScript"
    lines = strip_markers("\n".join(text[:1_500].split("\n")[:12]))
    notice = next((line for line in lines if len(line) < DOC_CHARS and _GENERATED.match(line)), None)
    return first_sentence(notice) if notice else None


def docstring(literal: str) -> str | None:
    """Return the first sentence of a Python docstring given with its quotes and prefix."""
    text = literal[:_LOOKED_AT].lstrip("rRuUbBfF")
    quotes = text[:3] if text[:3] in ('"""', "'''") else text[:1]
    text = text[len(quotes) :].removesuffix(quotes)
    return doc_of([line.strip() for line in text.split("\n")], code_allowed=True)
