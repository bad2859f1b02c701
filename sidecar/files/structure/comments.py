"""Doc comments as plain text and their first sentence, without markers, markup, licences or orders to tools."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

from sidecar.text.lazy_patterns import patterns

DOC_CHARS: Final = 240
GENERATED_DOC: Final = "Generated, do not edit"
MINIFIED: Final = "Minified, edit the source instead"
TITLE: Final = "titled “"
_READ_CHARS: Final = 8_000
_STATED_WITHIN_CHARS: Final = 20_000

_PATTERNS: Final = patterns(Path(__file__), "comments")
LICENCE: Final = _PATTERNS["licence"]
_ITSELF_WITHIN_LINES: Final = 25


def strip_markers(comment: str) -> list[str]:
    """Return the lines of one or several comments, without the markers."""
    lines: list[str] = []
    for line in (_PATTERNS["modeline"].sub(" ", comment) if "-*-" in comment else comment)[:_READ_CHARS].split("\n"):
        text = _PATTERNS["opening"].sub("", line, count=1)
        if text == line:
            text = _PATTERNS["continued"].sub("", line, count=1)
        lines.append(_PATTERNS["edges"].sub("", _PATTERNS["closing"].sub("", text).strip()).strip())
    return lines


def paragraphs(lines: Sequence[str]) -> Iterator[str]:
    """Yield the paragraphs of a comment, without decoration, tool instructions and file names.

    An empty line, an underlined title or a tag such as `@param` ends a paragraph.
    """
    current: list[str] = []
    fenced = False
    for line in lines:
        tag = False
        if fenced or line.startswith("```"):
            fenced ^= line.startswith("```")
            continue
        if (
            _PATTERNS["decoration"].fullmatch(line)
            or _PATTERNS["underline"].fullmatch(line)
            or _PATTERNS["art"].search(line)
        ):
            pass
        elif (
            _PATTERNS["pragma"].match(line)
            or _PATTERNS["mark"].match(line)
            or (not current and _PATTERNS["file_name"].fullmatch(line))
        ):
            continue
        elif (named := _PATTERNS["tag"].match(line)) and line.startswith(("@", "\\")):
            if current and not current[0].startswith("\0"):
                yield " ".join(current)
            rest = line[named.end() :].lstrip(": ")
            bare = _PATTERNS["file_name"].fullmatch(rest) or (named[0].startswith("@title") and rest.count(" ") < 2)
            current = [] if not rest or bare else [rest]
            continue
        elif _PATTERNS["other_tag"].match(line) or _PATTERNS["keyed"].match(line.replace("**", "")):
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
        summary = _PATTERNS["summary"].search(text)
        if summary:
            text = summary.group(1)
        text = _PATTERNS["see"].sub(r"\1", text)
        text = _PATTERNS["paragraph"].split(text.lstrip())[0] or _PATTERNS["paragraph"].sub(" ", text)
        text = _PATTERNS["markup"].sub("", text)
    if "{@" in text:
        text = _PATTERNS["inline_tag"].sub(r"\1", text)
    if "`" in text:
        text = _PATTERNS["role"].sub(r"\1", text)
    if "[" in text:
        text = _PATTERNS["doc_link"].sub(r"\2", text)
    if "](" in text:
        text = _PATTERNS["link"].sub(r"\1", text)
    text = _PATTERNS["tag"].sub("", text, count=1) if text[:1] in "@\\" else text
    if "&" in text:
        text = text.replace("&lt;", "<").replace("&gt;", ">").replace("&quot;", '"').replace("&amp;", "&")
    return " ".join(text.split()).lstrip("#*-= ").strip()


def first_sentence(text: str) -> str | None:
    """Return a paragraph's first sentence without its full stop, at most DOC_CHARS characters."""
    text = _PATTERNS["name_first"].sub("", plain(text))
    for end in _PATTERNS["sentence_end"].finditer(text):
        if text.startswith("...", end.start() - 2) and text[: end.start()].count("`") % 2:
            continue  # `f(...)`
        if " " not in text[: end.end()] and text[0].isascii() and end.end() < len(text):
            continue  # "Optional. The name of ..."
        if not _PATTERNS["abbreviation"].search(text, max(0, end.start() - 7), end.start() + 1):
            text = text[: end.end()]
            break
    text = _PATTERNS["listing"].sub("", text.rstrip())
    if text.endswith((".", ":")) and not text.endswith(".."):
        text = text[:-1].rstrip()
    if len(text) > DOC_CHARS:
        text = text[: DOC_CHARS - 1].rsplit(" ", 1)[0] + "…"
    return text if _PATTERNS["word"].search(text) else None


def doc_of(lines: Sequence[str], *, code_allowed: bool = False) -> str | None:
    """Return the first sentence of the first paragraph that describes something. Skip licence notices."""
    opening = "\n".join(lines[:12]).strip().partition("\n\n")[0]
    if _PATTERNS["generated"].search(opening):
        return None
    if purpose := next(filter(None, map(_PATTERNS["purpose"].match, lines[:_ITSELF_WITHIN_LINES])), None):
        return first_sentence(purpose[1])
    itself = _PATTERNS["itself"].search(" ".join(lines[:_ITSELF_WITHIN_LINES]))
    if itself is not None and not LICENCE.search(itself[0]):
        return first_sentence(itself[0])
    for paragraph in paragraphs(lines):
        if LICENCE.search(paragraph) or _PATTERNS["address"].match(paragraph):
            continue
        sentence = first_sentence(paragraph)
        if sentence is None or sentence.isupper() or _PATTERNS["astray"].search(sentence):
            continue
        if code_allowed or not _PATTERNS["code"].search(sentence):
            return sentence
    return None


def stated_description(text: str) -> str | None:
    """Return the description that code gives to its argument parser or package."""
    match = _PATTERNS["stated"].search(text[:_STATED_WITHIN_CHARS])
    if match is not None:
        return doc_of([match[1]], code_allowed=True)
    usage = _PATTERNS["usage"].search(text[:_STATED_WITHIN_CHARS])
    return " ".join(usage[1].split()) if usage else None


def stated_title(text: str) -> str | None:
    """Return the title that a component shows."""
    match = _PATTERNS["titled"].search(text[:_STATED_WITHIN_CHARS])
    return f"{TITLE}{' '.join((match[1] or match[2]).split())}”" if match else None


def generator_notice(language: str, text: str) -> str | None:
    """Return the notice at the top of a file that names what generated it."""
    if language == "lua" and _PATTERNS["moonscript"].search(text):
        return "Generated from MoonScript"
    lines = strip_markers("\n".join(text[:1_500].split("\n")[:12]))
    notice = next((line for line in lines if len(line) < DOC_CHARS and _PATTERNS["generated"].match(line)), None)
    return first_sentence(notice) if notice else None


def docstring(literal: str) -> str | None:
    """Return the first sentence of a Python docstring given with its quotes and prefix."""
    text = literal[:_READ_CHARS].lstrip("rRuUbBfF")
    quotes = text[:3] if text[:3] in ('"""', "'''") else text[:1]
    text = text[len(quotes) :].removesuffix(quotes)
    return doc_of([line.strip() for line in text.split("\n")], code_allowed=True)
