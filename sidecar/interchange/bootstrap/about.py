"""Say what the project is in its own words: by a manifest's description, or by the beginning of the README."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

from sidecar.interchange.bootstrap.project import FirstFact, Project, short_text, value_at
from sidecar.text.lazy_patterns import patterns

if TYPE_CHECKING:
    from markdown_it.token import Token

_PATTERNS = patterns(Path(__file__), "about")
_README_NAME = re.compile(r"readme(?:\.(?:md|rst|txt|markdown))?", re.IGNORECASE)
_COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)
_HTML_TAG = re.compile(r"</?[A-Za-z][^<>]{0,1000}>")
_RST_LINK = re.compile(r"`([^`<]+?)\s*<[^>]+>`_+")
_RST_LINE = re.compile(r"^(?:\.\. |[ \t]*:[\w-]+:).*$", re.MULTILINE)
_DEFINITION = re.compile(r"(?:The )?\S+ is an? ")
"""The beginning of a block quotation that defines the project, as some READMEs open."""
_SENTENCE_END = re.compile(r"(?<=[.!?])\s+(?=[A-Z\"'`])")
_NAME_KEYS = (
    ("pyproject.toml", "project"), ("pyproject.toml", "tool/poetry"), ("Cargo.toml", "package"), ("package.json", ""),
    ("composer.json", ""),
)  # fmt: skip
_MIN_PARAGRAPH_CHARS = 25  # characters; shorter paragraphs are badges and links
_MAX_CANDIDATES = 6  # paragraphs of a README
_MAX_QUOTED_CHARS = 320  # characters


def about_facts(project: Project) -> list[FirstFact]:
    readme = next((path for path in sorted(project.texts) if _README_NAME.fullmatch(path)), None)
    manifest = next(iter(_manifests(project)), None)
    opening = _opening_sentences(project.texts[readme]) if readme is not None else None
    parts, files = [], []
    if manifest is not None:
        path, name, description = manifest
        parts.append(f"`{name}`: {description}" if description else f"The project is called `{name}`.")
        files.append(path)
    described = manifest is not None and manifest[2] is not None
    if opening is not None and described and not _PATTERNS["defines"].match(opening):
        opening = None
    if opening is not None and readme is not None:
        if not any(_is_similar(opening, part) for part in parts):
            parts.append(f"The README says: “{opening}”")
        files.append(readme)
    if not parts or (opening is None and manifest is not None and not manifest[2]):
        return []
    return [FirstFact("What this project is", "\n".join(parts), tuple(files))]


def _manifests(project: Project) -> Iterator[tuple[str, str, str | None]]:
    """Yield path, name and description of each manifest that has a name; those with a description come first."""
    manifests = []
    for path, key in _NAME_KEYS:
        table = project.value(path, key)
        name = short_text(value_at(table, "name"), 100)
        if name is not None:
            manifests.append((path, name, short_text(value_at(table, "description"))))
    yield from sorted(manifests, key=lambda manifest: manifest[2] is None)


def _opening_sentences(readme: str) -> str | None:
    """Return the first paragraph that defines the project; without one, the first paragraph of the introduction."""
    title, paragraphs = _paragraphs(readme)
    candidates: list[tuple[str, str]] = []
    for heading, block in paragraphs[: 2 * _MAX_CANDIDATES]:
        paragraph = _opening_of(block)
        if paragraph is None or _PATTERNS["elsewhere"].match(paragraph) or _PATTERNS["rubbish"].search(paragraph):
            continue
        if len(candidates) < _MAX_CANDIDATES:
            candidates.append((heading, paragraph))
    name = re.sub(r"\W+", "", (title.split() or [""])[0]).lower()
    defining = [paragraph for _, paragraph in candidates if _PATTERNS["defines"].match(paragraph)]
    flat = ((paragraph, re.sub(r"\W+", "", paragraph[:60]).lower()) for paragraph in defining)
    naming = [paragraph for paragraph, letters in flat if len(name) > 2 and name in letters]
    introduces = _PATTERNS["introduction"].match
    introducing = [paragraph for heading, paragraph in candidates if not heading or introduces(heading)]
    return next(iter([*naming, *defining, *introducing]), None)


def _paragraphs(readme: str) -> tuple[str, list[tuple[str, str]]]:
    """Return the title, and each paragraph with its heading; before the first heading, with ""."""
    from markdown_it import MarkdownIt

    plain = _RST_LINE.sub("", _RST_LINK.sub(r"\1", _HTML_TAG.sub("", _COMMENT.sub("", readme.replace("\r\n", "\n")))))
    title = heading = ""
    paragraphs: list[tuple[str, str]] = []
    for token, inline in pairwise(MarkdownIt("commonmark").enable("table").parse(plain)):
        if token.type == "heading_open" and token.tag == "h1":
            title = title or _inline_text(inline)
        elif token.type == "heading_open":
            heading = _inline_text(inline)
        elif token.type == "paragraph_open" and token.level < 2 and (words := _inline_text(inline)):
            paragraphs += [(heading, words)] if token.level == 0 or _DEFINITION.match(words) else []
    return title, paragraphs


def _inline_text(inline: Token) -> str:
    parts = []
    for child in inline.children or ():
        if child.type == "code_inline":
            parts.append(f"`{child.content}`")
        elif child.type != "image":
            parts.append(child.content or " " * child.type.endswith("break"))
    return " ".join("".join(parts).split()).strip(" |·•")


def _opening_of(paragraph: str) -> str | None:
    if len(paragraph) < _MIN_PARAGRAPH_CHARS or len(paragraph.split()) < 5 or not paragraph[0].isprintable():
        return None
    paragraph = re.sub(r":\Z", ".", paragraph)
    opening = ""
    for sentence in _SENTENCE_END.split(paragraph):
        if opening and len(opening) + len(sentence) > _MAX_QUOTED_CHARS:
            break
        opening = f"{opening} {sentence}".strip()
    return opening if len(opening) <= 600 else None


def _is_similar(first_text: str, second_text: str) -> bool:
    """Return whether the longer text has most words of the shorter one."""
    first, second = set(re.findall(r"\w+", first_text.lower())), set(re.findall(r"\w+", second_text.lower()))
    return len(first & second) >= 0.8 * min(len(first), len(second))
