"""Markdown: headings nested by level with the lines of their sections, and the first sentence as the description."""

from __future__ import annotations

import re
from functools import cache
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

from sidecar.files.clean_text import shorten
from sidecar.files.structure.result import MAX_CHILDREN, LineNumbers, Structure, capped, first_sentence
from sidecar.files.structure.sample import sample
from sidecar.store.records import SymbolRecord

if TYPE_CHECKING:
    from markdown_it import MarkdownIt

MAX_CHARS = 400_000  # per text; the parser needs up to 10 µs a character on texts that are all lists

_FRONT_MATTER = re.compile(r"(---|\+\+\+)[ \t]*\n")
_FRONT_KEY = re.compile(r"^(title|description|summary)\s{0,4}[:=]\s{0,4}(.{1,400})$", re.M)
_IMAGE = re.compile(r"!\[[^\]\n]{0,300}\](?:\([^)\n]{0,500}\)|\[[^\]\n]{0,100}\])?")
_LINK = re.compile(r"\[([^\]\n]{0,300})\](?:\([^)\n]{0,500}\)|\[[^\]\n]{0,100}\])?")
_TAG = re.compile(r"</?[A-Za-z][^>\n]{0,300}>|<!--.{0,300}?-->")
_MDX_STATEMENT = re.compile(r"(?:import|export)\s[^\n]*[;'\"{]")
_MARKS = re.compile(r"[*`]+|(?<!\w)_+|_+(?!\w)|\s#+$|\{\s?#[\w-]+\s?\}$")
# A line that opens or closes a box: `/// note`, `:::tip`, `!!! warning "Title"`.
_ADMONITION = re.compile(r"^\s{0,3}(?:/{3,}|:{3,}|!{3}|\?{3}\+?)[^\n]{0,200}(?:\n|\Z)", re.M)


class Heading(NamedTuple):
    level: int
    name: str
    line: int


def markdown(text: str) -> Structure:
    """Return a text's sections. A single title above everything stands beside its sections, not above them."""
    body = text[:MAX_CHARS]
    skipped, front = _front_matter(body)
    headings: list[Heading] = []
    doc = front.get("description") or front.get("summary")
    code_seen = False
    tokens = _parser().parse(body[skipped:])
    first = body.count("\n", 0, skipped) + 1
    for token, following in pairwise(tokens):
        if token.map is None or token.level != 0:
            continue
        code_seen = code_seen or token.type == "fence"
        if token.type == "heading_open":
            name = inline_text(following.content)
            if name:
                headings.append(Heading(int(token.tag[1:]), name, token.map[0] + first))
        elif (
            token.type == "paragraph_open"
            and doc is None
            and len(headings) < 3  # below titles alone, the text of a section stands
            and not (code_seen and headings and headings[-1].level > 1)  # below code, a text is about the code
            and not (_only_links(following.content) or following.content.startswith(("|", "(")))
            and not _MDX_STATEMENT.match(following.content)
        ):
            doc = first_sentence(inline_text(_ADMONITION.sub("", following.content)))
    title = front.get("title")
    if title and not any(heading.level == 1 for heading in headings):
        headings.insert(0, Heading(1, title, 1))
    symbols = sections(headings, LineNumbers(text).count)
    return Structure(
        doc=doc, symbols=symbols, partial=len(text) > MAX_CHARS, head=None if symbols else sample(text[skipped:])
    )


def _only_links(content: str) -> bool:
    """Return whether a paragraph has only badges and links, which describe nothing."""
    left, links = _LINK.subn("", _IMAGE.sub("", content[:2000]))
    return links > 1 and not re.search(r"\w{2}", _TAG.sub("", left))


def inline_text(content: str) -> str:
    """Return the text of a Markdown line without markup. Images and tags go, the text of links stays."""
    content = content[:2000]
    content = _LINK.sub(r"\1", _IMAGE.sub("", content))
    return shorten(" ".join(_MARKS.sub("", _TAG.sub("", content)).split()), 400)


def sections(headings: list[Heading], last_line: int) -> tuple[SymbolRecord, ...]:
    """Nest headings as symbols. A section ends before the next heading of its level or a higher one."""
    ends = [last_line] * len(headings)
    open_: list[int] = []
    for index, heading in enumerate(headings):
        while open_ and headings[open_[-1]].level >= heading.level:
            ends[open_.pop()] = max(heading.line - 1, 1)
        open_.append(index)
    single = [index for index, heading in enumerate(headings) if heading.level == 1] == [0] and len(headings) > 1
    roots: list[SymbolRecord] = []
    stack: list[tuple[int, int, list[SymbolRecord]]] = []

    def close(level: int) -> None:
        while stack and stack[-1][0] >= level:
            depth, at, children = stack.pop()
            item = headings[at]
            symbol = SymbolRecord(
                kind="heading",
                name=item.name,
                start=item.line,
                end=max(ends[at], item.line),
                signature=f"{'#' * item.level} {item.name}",
                children=capped(children, MAX_CHILDREN, "sections"),
            )
            beside = not stack or (single and depth == 2)
            (roots if beside else stack[-1][2]).append(symbol)

    for index, heading in enumerate(headings):
        close(heading.level)
        stack.append((heading.level, index, []))
    close(0)
    roots.sort(key=lambda symbol: symbol.start)
    return capped(roots, what="sections")


def _front_matter(body: str) -> tuple[int, dict[str, str]]:
    """Return the length of the leading `---` or `+++` block and the texts of its descriptive keys."""
    opening = _FRONT_MATTER.match(body)
    if opening is None:
        return 0, {}
    closing = re.compile(r"^" + re.escape(opening[1]) + r"[ \t]*(?:\n|\Z)", re.M).search(body, opening.end())
    if closing is None:
        return 0, {}
    block = body[opening.end() : closing.start()][:10_000]
    found = {match[1]: inline_text(match[2].strip().strip("\"'")) for match in _FRONT_KEY.finditer(block)}
    return closing.end(), {key: value for key, value in found.items() if value and value not in {"|", ">", ">-"}}


@cache
def _parser() -> MarkdownIt:
    """Return a parser of blocks only; inline markup is not needed here."""
    from markdown_it import MarkdownIt

    parser = MarkdownIt("commonmark", {"html": True})
    parser.core.ruler.enableOnly(["normalize", "block"])
    return parser
