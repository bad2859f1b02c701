"""What the project is, in its own words: a manifest's description, or the beginning of the README."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

from sidecar.interchange.bootstrap.project import FirstFact, Project, text, value_at
from sidecar.text.lazy_patterns import patterns

_FORMS = patterns(Path(__file__), "about")
_README = re.compile(r"readme(?:\.(?:md|rst|txt|markdown))?", re.IGNORECASE)
_COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)
_TAG = re.compile(r"</?[A-Za-z][^<>]{0,1000}>")
_IMAGE = re.compile(r"!\[[^\[\]]{0,300}\](?:\([^()]{0,1000}(?:\([^()]*\)[^()]*)?\)|\[[^\[\]]{0,200}\])?")
_EMPTY_LINK = re.compile(r"\[\s*\](?:\([^()]{0,1000}\)|\[[^\[\]]{0,200}\])")
_LINK = re.compile(r"\[([^\[\]]{1,300})\](?:\([^()]{0,1000}\)|\[[^\[\]]{0,200}\])?")
_RST_LINK = re.compile(r"`([^`<]+?)\s*<[^>]+>`_+")
_EMPHASIS = re.compile(r"\*\*|__|(?<![\w*])[*_](?=\w)|(?<=\w)[*_](?![\w*])")
_QUOTED = re.compile(r"^> (?=(?:The )?\S+ is an? )", re.MULTILINE)  # a common form of the first sentence
_NOT_PROSE = re.compile(
    r"\s*(?:[#>|=~]|[+*-]\s|-{3}|\d+[.)]\s|\.\. |:\w+:|\[[^\]]+\]:\s|`{3})|\s{4}|\s*https?://\S+\s*\Z"
)
_TITLE = re.compile(r"^[ \t]*#[ \t]+(\S.*)|^[ \t]*(\S.*)\n={3,}[ \t]*$", re.MULTILINE)
_HEADING = re.compile(r"#{2,6}\s+(.*)")
_END = re.compile(r"(?<=[.!?])\s+(?=[A-Z\"'`])")
_NAME_KEYS = (
    ("pyproject.toml", "project"), ("pyproject.toml", "tool/poetry"), ("Cargo.toml", "package"), ("package.json", ""),
    ("composer.json", ""),
)  # fmt: skip
_MIN_PARAGRAPH = 25  # characters; shorter ones are badges and links
_MAX_CANDIDATES = 6  # paragraphs of a README
_MAX_QUOTED = 320  # characters


def about(project: Project) -> list[FirstFact]:
    readme = next((path for path in sorted(project.texts) if _README.fullmatch(path)), None)
    named = next(iter(_manifests(project)), None)
    opening = _opening_sentences(project.texts[readme]) if readme is not None else None
    parts, files = [], []
    if named is not None:
        path, name, description = named
        parts.append(f"`{name}`: {description}" if description else f"The project is called `{name}`.")
        files.append(path)
    described = named is not None and named[2] is not None
    if opening is not None and described and not _FORMS["defines"].match(opening):
        opening = None
    if opening is not None and readme is not None:
        if not any(_is_similar(opening, part) for part in parts):
            parts.append(f"The README says: “{opening}”")
        files.append(readme)
    if not parts or (opening is None and named is not None and not named[2]):
        return []
    return [FirstFact("What this project is", "\n".join(parts), tuple(files))]


def _manifests(project: Project) -> Iterator[tuple[str, str, str | None]]:
    """Yield (manifest, name, description) of each with a name, those with a description first."""
    manifests = []
    for path, key in _NAME_KEYS:
        table = project.value(path, key)
        name = text(value_at(table, "name"), 100)
        if name is not None:
            manifests.append((path, name, text(value_at(table, "description"))))
    yield from sorted(manifests, key=lambda manifest: manifest[2] is None)


def _opening_sentences(readme: str) -> str | None:
    """Return the first paragraph that says what the project is, else the first of the introduction."""
    candidates: list[tuple[str, str]] = []
    for heading, block in islice(_paragraphs(_plain_readme(readme)), 2 * _MAX_CANDIDATES):
        paragraph = _sentences(" ".join(block.split()))
        leads_away = paragraph is None or _FORMS["elsewhere"].match(paragraph) or _FORMS["rubbish"].search(paragraph)
        if paragraph is not None and not leads_away:
            candidates.append((heading, paragraph))
        if len(candidates) == _MAX_CANDIDATES:
            break
    title = _TITLE.search(_plain_readme(readme))
    name = re.sub(r"\W+", "", (title[1] or title[2]).split()[0]).lower() if title else ""
    defining = [paragraph for _, paragraph in candidates if _FORMS["defines"].match(paragraph)]
    naming = [
        paragraph for paragraph in defining if len(name) > 2 and name in re.sub(r"\W+", "", paragraph[:60]).lower()
    ]
    introduces = _FORMS["introduction"].match
    introducing = [paragraph for heading, paragraph in candidates if not heading or introduces(heading)]
    return next(iter([*naming, *defining, *introducing]), None)


def _plain_readme(readme: str) -> str:
    plain = _QUOTED.sub("", _IMAGE.sub("", _COMMENT.sub("", readme.replace("\r\n", "\n"))))
    plain = _EMPTY_LINK.sub("", plain)
    plain = _LINK.sub(r"\1", _LINK.sub(_unlink, plain))
    return _RST_LINK.sub(r"\1", _TAG.sub("", plain))


def _unlink(link: re.Match[str]) -> str:
    """Return a link's text; keep a definition (`[name]: address`), so that it is not taken for prose."""
    return link[0] if link.string[link.end() : link.end() + 1] == ":" else link[1]


def _paragraphs(plain: str) -> Iterator[tuple[str, str]]:
    """Yield each paragraph with its heading, "" before the first heading below the title."""
    fenced = False
    heading = ""
    block: list[str] = []
    for line in [*plain.split("\n"), ""]:
        if line.lstrip().startswith(("```", "~~~")):
            fenced = not fenced
        elif not fenced and line.strip() and not _NOT_PROSE.match(line):
            block.append(_EMPHASIS.sub("", line.replace("``", "`")).strip(" |·•"))
            continue
        elif not fenced and block and re.match(r"\s*(?:={3,}|-{3,})\s*\Z", line):
            heading = " ".join(block) if line.strip()[0] == "-" else heading
            block = []
            continue
        if block:
            yield heading, " ".join(block)
            block = []
        if not fenced and (heading_match := _HEADING.match(line)):
            heading = heading_match[1]


def _sentences(paragraph: str) -> str | None:
    if len(paragraph) < _MIN_PARAGRAPH or len(paragraph.split()) < 5 or not paragraph[0].isprintable():
        return None
    paragraph = re.sub(r":\Z", ".", paragraph)
    opening = ""
    for sentence in _END.split(paragraph):
        if opening and len(opening) + len(sentence) > _MAX_QUOTED:
            break
        opening = f"{opening} {sentence}".strip()
    return opening if len(opening) <= 600 else None


def _is_similar(first_text: str, second_text: str) -> bool:
    """Return whether most words of the shorter text are in the longer one."""
    first, second = set(re.findall(r"\w+", first_text.lower())), set(re.findall(r"\w+", second_text.lower()))
    return len(first & second) >= 0.8 * min(len(first), len(second))
