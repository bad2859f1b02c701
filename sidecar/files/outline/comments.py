"""Doc comments as plain text, without markers, markup, licences or tool instructions, and their first sentence."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

from sidecar.text.lazy_patterns import lazy

DOC_CHARS: Final = 240
_LOOKED_AT: Final = 8_000

# Notices about copying, in the words of the common licences and their headers.
_LICENCE: Final = lazy(
    r"copyright|\(c\)\s*(?:19|20)\d\d|©|spdx-|licen[sc]e|all rights reserved"
    r"|permission is hereby|redistribut"
    r"|warrant(?:y|ies)|neither the name|you may (?:obtain|not use)|unless required by applicable"
    r"|gnu (?:general|lesser|affero)"
    r"|free software|public domain|above copyright|without modification|liab(?:le|ility)|\bthe software\b"
    r"|^this (?:file|code|program|source).{0,40}(?:part of|distributed|released)|^(?:@author|authors?:"
    r"|@version|@since|@date)\b"
    r"|^created by .{1,60} on |^\$id|^portions? of this",
    re.IGNORECASE | re.MULTILINE,
)
# Lines for tools, not for readers.
_PRAGMA: Final = lazy(
    r"(?:-\*-.*-\*-|vim?:|ex:|.{0,12}coding[:=]|eslint\b|@ts-|ts-|prettier-|tslint:|jshint|jslint|jscs:"
    r"|globals?\s+\w"
    r"|istanbul|c8 |v8 |biome-|deno-|oxlint|pylint:|flake8|mypy:|type:|noqa|ruff:|isort:|fmt:|yapf:"
    r"|pyright:|pragma:|pragma\b|cython:"
    r"|rubocop:|frozen_string_literal|encoding:|warn_indent|typed:|shellcheck|swiftlint:|swiftformat"
    r"|sourcery:|ktlint|detekt"
    r"|clang-format|nolint|no_?lint|iwyu|cppcheck|go:|\+build|lint:|phpcs:|phpstan|psalm|@flow|@jsx"
    r"|@format\b|@ts|@providesmodule"
    r"|<reference|</?auto-generated|nix-shell\b|luacheck|selene:|stylua|@strict|region\b|endregion|sourcemappingurl"
    r"|@preserve|mark:|noinspection"
    r"|suppress|resharper|todo\b|fixme\b|xxx\b|hack\b|\$(?:id|header|revision|date)\b|\$\w+:[^$]*\$"
    r"|requires -|include guard|module (?:dependencies|exports|variables)\b|cspell:|spell-?checker|language=)",
    re.IGNORECASE,
)
# A name and an address.
_ADDRESS: Final = lazy(
    r"(?:\(c\)\s)?(?:[\w.,&-]+\s+){0,5}[(<]?(?:https?://|[\w.+-]+@[\w-]+\.)\S*\s*$|\(c\)\s", re.IGNORECASE
)
# A comment with such a line says what generated the file, not what the file is for.
_GENERATED: Final = lazy(
    r"^(?:this (?:file|code|class|header) (?:is|was|has been) )?(?:auto\w*[- ])?(?:code |file )?(?:auto-?)?generated\b"
    r".{0,80}(?:by\b|from\b|edit|code|file)|^@generated|^<?auto-?generated"
    r"|^.{0,40}\bdo(?: not|n't) (?:edit|modify|change)(?: (?:this|it|manually|by hand|the file)|[.!]|$)",
    re.IGNORECASE | re.MULTILINE,
)
# Marks that a tool reads.
_MARK: Final = lazy(
    r"(?:(?:begin|end)[ -](?:generated|license)|!/|usr/bin/|<?https?://\S*$|[\^~]{2,}|rem$|note!?$|-*8<-"
    r"|be sure to restart|autoload$|visiblefortesting$"
    r"|(?:zig )?fmt: ?o|@?formatter:o|dart format o|scalafmt: ?o|ignore(?:_for_file)?:"
    r"|stylelint-|nosec\b|nosemgrep|lint-|(?:credo|scalastyle|checkov|tfsec|trivy|dprint|kics|slither|solhint)[:-]"
    r"|perl(?:critic|tidy)\b|psscriptanalyzer|tflint|hlint|ormolu|fourmolu|hadolint|markdownlint-|requires -"
    r"|yamllint (?:dis|en)able|yaml-language-server|local variables:|mode:|(?:syntax|escape|check) ?="
    r"|swift-tools-version)",
    re.IGNORECASE,
)
# Header fields about the file that do not describe it.
_KEYED: Final = lazy(
    r"(?:note|nb|authors?|maintainers?|contributors?|copyright|created(?: by| on)?|modified"
    r"|last (?:modified|change|update)[\w ]*"
    r"|date|version|package-(?:requires|version)|keywords|home ?page|url|project(?: url)?|definitions(?: by)?"
    r"|typescript version|see|e-?mail|website|from|source|repository|license|compatibility|module|stability"
    r"|portability)\s{0,12}:(?!:)(?:\s|$)",
    re.IGNORECASE,
)
_MODELINE: Final = lazy(r"\s*-\*-.*?-\*-\s*")
_DECORATION: Final = lazy(r"[\s\-=*#~_+/\\|.<>^:!]*")
_ART: Final = lazy(r"(?:[/\\|]_+|_+[/\\|])\s*(?:\S*\s+)?(?:[/\\|]_+|_+[/\\|])")
_FILE_NAME: Final = lazy(r"[\w./+-]{1,80}\.\w{1,8}")
_OPENING: Final = lazy(
    r"^\s*(?:/\*+[!<]?|//[/!]*<?|--\[=*\[|(?:--+|\{-)(?:\s?[|^](?=\s))?|\(\*+|<#|#=|#+[!:]?|=begin\b|<!--|;+|%+)"
)
_CLOSING: Final = lazy(r"(?:\*+/|\*+\)|-\}|=#|#>|\]=*\]|=end|-->)\s*$")
_CONTINUED: Final = lazy(r"^\s*\*+(?!/)")
_EDGES: Final = lazy(r"^[\-=*#~_+]{2,}\s+|\s+[\-=*#~_+/]{2,}$|^\.(?:SYNOPSIS|DESCRIPTION)$")
_TAG: Final = lazy(
    r"[@\\](?:brief|short|summary|file(?:overview|name)?|overview|module|package|desc(?:ription)?"
    r"|remarks?|title|notice|dev|note|details)\b\s*"
)
_OTHER_TAG: Final = lazy(
    r"^\s*(?:[@\\][a-z]\w*|:\w[\w ]*:(?!`)|[Pp]arameters?:|[Rr]eturns?:|[Tt]hrows:|- Parameters?\b"
    r"|- Returns?:)"
)
_INLINE_TAG: Final = lazy(r"\{@\w+\s+([^{}]*)\}")
_SEE: Final = lazy(r"<(?:see|seealso|paramref|typeparamref)\s+\w+\s*=\s*\"(?:[A-Z]:)?([^\"]*)\"\s*/?>")
_SUMMARY: Final = lazy(r"<summary>(.*?)(?:</summary>|\Z)", re.DOTALL)
_MARKUP: Final = lazy(
    r"(?<!`)</?(?:[abipqu]|br|em|strong|code|tt|pre|kbd|var|su[bp]|h[1-6r]|[uod]l|li|d[dt]|div|span|small|big|img"
    r"|table|tbody|thead|t[rdh]|blockquote|center|font|para|c|see|seealso|example|list|item|term|description"
    r"|inheritdoc|returns?|param|typeparam|value|remarks|summary|exception|note|cite)(?:\s[^<>]*)?/?>(?!`)",
    re.IGNORECASE,
)
_PARAGRAPH: Final = lazy(r"<(?:p|br|/p|ul|ol|li|pre|h\d)\b[^<>]*>", re.IGNORECASE)
_ROLE: Final = lazy(r":[a-z][a-z:]*:`~?([^`<]*?)(?:\s*<[^`]*>)?`")
_LINK: Final = lazy(r"\[([^\[\]]+)\]\((?:[^()\s]*)\)")
_DOC_LINK: Final = lazy(r"(?<![\w\]])\[(`?)([A-Za-z_][\w.:#]*(?:\(\))?)\1\](?![(\[:])")
_NAME_FIRST: Final = lazy(r"^[\w./-]{1,60}\.\w{1,5}\s*(?:-{1,3}|—|:)\s+")
_UNDERLINE: Final = lazy(r"([=\-~^\"#*+])\1{2,}")
_SENTENCE_END: Final = lazy(r"[.!?][)\"'”’`*]*(?=\s)|[。！？]|:(?=\s*$)")
_ABBREVIATION: Final = lazy(
    r"(?:\b(?:e\.g|i\.e|etc|vs|cf|al|approx|resp|incl"
    r"|no|dr|mr|mrs|st|fig|eq|sec|ver|aka|viz)|(?-i:(?:^|[\s(])[A-Z]))\.$",
    re.IGNORECASE,
)
_WORD: Final = lazy(r"[^\W\d_]{2}")
_CODE: Final = lazy(
    r"\s<-\s|[;{}]$|^[\w.]+\(.*\)$|^(?:if|for|while|return|import|#include|var|let|const)\b.*[;{(=]"
    r"|^#?define\s+[A-Z_][A-Z\d_]+\b"
)


def strip_markers(comment: str) -> list[str]:
    """Split one comment, or several on lines of their own, into lines without comment markers."""
    lines: list[str] = []
    for line in comment[:_LOOKED_AT].split("\n"):
        text = _OPENING.sub("", line, count=1)
        if text == line:
            text = _CONTINUED.sub("", line, count=1)
        lines.append(_EDGES.sub("", _CLOSING.sub("", text).strip()).strip())
    return lines


def paragraphs(lines: Sequence[str]) -> Iterator[str]:
    """Join lines into paragraphs, leaving out decoration, tool instructions and file names.

    A paragraph ends at an empty line, an underlined title or a tag such as `@param`. They are yielded one by one
    because callers mostly want only the first, and the rest of a long comment costs more.
    """
    current: list[str] = []
    for line in lines:
        tag = False
        if "-*-" in line:
            line = _MODELINE.sub("", line)
        if _DECORATION.fullmatch(line) or _UNDERLINE.fullmatch(line) or _ART.match(line):
            pass
        elif _PRAGMA.match(line) or _MARK.match(line) or (not current and _FILE_NAME.fullmatch(line)):
            continue
        elif (named := _TAG.match(line)) and line.startswith(("@", "\\")):
            if current and not current[0].startswith("\0"):
                yield " ".join(current)
            rest = line[named.end() :].lstrip(": ")
            current = [] if not rest or _FILE_NAME.fullmatch(rest) else [rest]
            continue
        elif _OTHER_TAG.match(line) or _KEYED.match(line):
            tag = True
        else:
            current.append(line)
            continue
        if current and not current[0].startswith("\0"):
            yield " ".join(current)
        current = ["\0"] if tag else []  # skip a tag's text and the lines that continue it
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
    return " ".join(text.split()).lstrip("#*- ").strip()


def first_sentence(text: str) -> str | None:
    """Return a paragraph's first sentence, at most DOC_CHARS characters, without its full stop."""
    text = _NAME_FIRST.sub("", plain(text))
    for end in _SENTENCE_END.finditer(text):
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
    """Return the first sentence of the first paragraph that describes something; skip licence notices."""
    if _GENERATED.search("\n".join(lines[:12])):
        return None
    for paragraph in paragraphs(lines):
        if _LICENCE.search(paragraph) or _ADDRESS.match(paragraph):
            continue
        sentence = first_sentence(paragraph)
        if sentence is not None and (code_allowed or not _CODE.search(sentence)):
            return sentence
    return None


def docstring(literal: str) -> str | None:
    """Return the first sentence of a Python docstring given with its quotes and prefix."""
    text = literal[:_LOOKED_AT].lstrip("rRuUbBfF")
    quotes = text[:3] if text[:3] in ('"""', "'''") else text[:1]
    text = text[len(quotes) :].removesuffix(quotes)
    return doc_of([line.strip() for line in text.split("\n")], code_allowed=True)
