"""Texts read as rows, nested by indentation, below headings, or below the comments before them."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from sidecar.files.outline.comments import doc_of, strip_markers

TABLE: Final = tomllib.loads((Path(__file__).parent / "rows.toml").read_text(encoding="utf-8"))
PATTERNS: Final = {name: re.compile(pattern) for name, pattern in TABLE["patterns"].items()}
READ_CHARS: Final = 1_000  # of a row; a key that begins in what is shown of it is whole, and masked
LINE_CHARS: Final = 140
_COMMENT, _BLOCK, _SETTING, _CLOSER, _HEADING, _RULE = (
    PATTERNS[name] for name in ("comment", "block", "setting", "closer", "heading", "rule")
)
_SKIPPED, _KEY, _LICENCE = (PATTERNS[name] for name in ("skipped", "key", "licence"))
_CLOSING: Final = {"/*": "*/", "<!": "-->", "<#": "#>", "{{": "*/", "{#": "#}", "(*": "*)"}
_OPENERS: Final = frozenset({"{", "[", "- {", "("})
_ABOUT: Final = re.compile(
    r"(?i)\b(?:this|file|script|workflow|config\w*|settings|module|image|styles?|theme|schema)\b"
)
_TITLE_WORDS: Final = 10
_LABEL_LINES: Final = 3  # of a comment about the row right below it
_RULED: Final = re.compile(r"([-=#*~/+_])\1{4}")
STYLES: Final = frozenset({"css", "scss", "less"})
_FLAT: Final = STYLES | {"sql"}  # where a comment heads all that follows up to the next one
_KEY_TAG: Final = re.compile(r"<key>([^<>]+)</key>")
# What begins a text that is no code, up to a line of its own.
_HEREDOCS: Final = {
    "bash": re.compile(r"<<-?\s?[\"'\\]?(?P<end>[A-Za-z_]\w*)"),
    "dockerfile": re.compile(r"<<-?\s?[\"'\\]?(?P<end>[A-Za-z_]\w*)"),
    "powershell": re.compile(r"@[\"']\s*$"),
}
_WORDY: Final = frozenset({"", "text", "log", "xml"})  # where lines of sentences are joined
_SETTING_WORDS: Final = 4
_ONLY_CHARS: Final = 90  # of a row with the only one below it
_SCALAR: Final = re.compile(r":\s[|>][+-]?$")
_GOES_ON: Final = re.compile(r"(?i)(?:\}?\s*(?:else|elif|elsif|elseif|catch|finally|rescue|except)\b|done\b|\} )")
_ATTRIBUTE: Final = re.compile(r"(?i)\[(?:parameter|alias|validate\w*|cmdletbinding)\($")
_ATTRIBUTE_END: Final = ")]"
_UNHEADED: Final = frozenset({"sql", "html", "dockerfile"})
_LICENCE_WITHIN: Final = 40
# A comment for a tool.
_TOOL: Final = re.compile(
    r"(?i)[#/*;\s]+(?:renovate|hadolint|shellcheck|yamllint|checkov|tfsec|trivy|prettier|eslint|cspell)\b[ :-]"
)
_WORDED: Final = re.compile(r"[^\W_]{2}")
_UNPROSAIC: Final = re.compile(r"[={}<>|;_$\\%@]")


@dataclass(slots=True)
class TextRow:
    """A row with the rows indented below it; `end` is the last line of all of these."""

    number: int
    indent: int
    text: str
    end: int
    comment: bool = False
    parent: TextRow | None = None
    children: list[TextRow] = field(default_factory=list)
    among: list[TextRow] = field(default_factory=list)
    at: int = 0
    chosen: bool = False
    told: str = ""
    longer: str = ""
    crowded: bool = False  # shares a line with its neighbours for want of room
    asked: str = ""
    named: re.Match[str] | None = None
    above: TextRow | None = None  # the comment about this row
    only: TextRow | None = None  # the row below it, if that is short and the only one


def header(text: str) -> str | None:
    """Return the first sentence of the comment that begins a text, or follows the modes that a script sets."""
    lines = text[:8_000].split("\n")
    lines = (
        [line for line in lines if not line.startswith(("set -", "[[ ", "#Requires"))] if text[:2] == "#!" else lines
    )
    told = doc_of(strip_markers("\n".join(_head(lines))))
    return None if told is None or _LICENCE.search(told) else told


def header_lines(text: str) -> int:
    """Return the number of lines of the comment that begins a text."""
    return len(_head(text[:8_000].split("\n")))


def _head(lines: Sequence[str]) -> list[str]:
    """Return the rows of the comment at the beginning, without a part that is about the row right below."""
    above = list(_until_content(lines))
    first = next((at for at in range(len(above), 0, -1) if not above[at - 1]), 0)
    if first == len(above) or len(above) == len(lines) or (first == 1 and lines[0].startswith("#!")):
        return above
    about = " ".join(above[first:])
    alone = not any(above[:first]) and (len(above) - first > _LABEL_LINES or _ABOUT.search(about))
    return above if alone else above[:first]


def _until_content(lines: Sequence[str]) -> Iterator[str]:
    """Yield the rows of the comment at the beginning."""
    closing = ""
    for line in lines:
        bare = line.strip()
        block = None if closing else _BLOCK.match(bare)
        if block:
            closing = _CLOSING[block[0][:2]]
        if not (closing or not bare or bare.startswith(("#!", "<?xml")) or _COMMENT.match(bare)):
            return
        if _SETTING.match(bare):
            return
        yield "" if bare.startswith(("#!", "<?xml")) else line if bare or not closing else "*"
        if closing and closing in bare:
            closing = ""


def read(lines: Sequence[str], language: str = "", *, has_header: bool = True) -> Iterator[TextRow]:
    """Yield the rows after the header's comment; paragraphs, comments and continued rows are one each."""
    first = len(_head(lines)) if has_header else 0
    last: TextRow | None = None
    joined = tag = False
    tagged = 0
    closing = inert = ""
    heredoc = _HEREDOCS.get(language)
    for number, line in enumerate(lines[first:], first + 1):
        bare = line[:READ_CHARS].strip()
        if inert:
            if last is not None and inert != _ATTRIBUTE_END:
                last.end = number
            inert = "" if bare.startswith(inert) else inert
            continue
        if not bare:
            joined = False
            if not closing:
                last = None
            continue
        if bare.startswith("# SIG # Begin"):
            return
        if language == "powershell" and _ATTRIBUTE.match(bare):
            inert = _ATTRIBUTE_END
            continue
        flat = line.expandtabs(4) if "\t" in line else line
        indent = len(flat) - len(flat.lstrip())
        block = None if closing or bare[0].isalnum() else _BLOCK.match(bare)
        marked = not bare[0].isalnum() or bare[0] in "rRd"
        hashes = bare[:2] == "##" and language not in _WORDY
        comment = bool(closing or block or (marked and (hashes or _COMMENT.match(bare))))
        if comment and not (closing or block) and _SETTING.match(bare):
            comment = bare.count(" ") > _SETTING_WORDS
        if block:
            closing = _CLOSING[block[0][:2]]
        if closing and closing in line:
            closing = ""
        same = last is not None and last.comment == comment
        continued = (
            same and (comment or (language in _WORDY and last.indent == indent and prose(bare) and prose(last.text)))
            if last
            else False
        )
        if language == "yaml" and bare[:2] == "- ":
            indent += 1
        elif language == "xml" and not comment:
            tagged = indent if bare[0] == "<" else tagged
            indent = indent if bare[0] == "<" else tagged + 1
        if heredoc is not None and not comment and (opened := heredoc.search(line)) is not None:
            inert = opened["end"] if "end" in opened.groupdict() else '"@'
        if last is not None and (joined or continued):
            last.end = number
            if joined and not last.comment and bare[0] == "#":
                continue
            bare = bare.replace(" \\ ", " ")
            if len(last.text) < (READ_CHARS if tag else 2 * LINE_CHARS):
                last.text += "\n" + bare if comment else " " + bare.rstrip("\\").strip()
            joined = bare.endswith("\\") or (tag and ">" not in bare) or (language in STYLES and bare[-1] == ",")
            continue
        tag = bare[0] == "<" and bare[:2] != "<<" and not comment
        joined = not comment and (bare.endswith("\\") or (language in STYLES and bare[-1] == ","))
        joined = joined or (tag and ">" not in bare)
        last = TextRow(number, indent, bare.rstrip("\\").rstrip() or bare, number, comment)
        yield last


def nested(every: list[TextRow], language: str = "") -> list[TextRow]:
    """Put each row below the last one that is indented less, and rows of a section below its heading."""
    roots: list[TextRow] = []
    stack: list[TextRow] = []
    kept: list[TextRow] = []
    lifted: TextRow | None = None
    below: int | None = None
    for row in reversed(every):  # a comment belongs to what follows
        if row.comment and below is not None:
            row.indent = below
        else:
            heads = not row.indent and language not in _UNHEADED and _HEADING.match(row.text)
            below = row.indent = (-2 if row.text.startswith("+++") else -1) if heads else row.indent
    for row in every:
        named = row.text[0].isalnum()
        title = kept[-1] if kept and kept[-1].end == row.number - 1 and not kept[-1].children else None
        if title is not None and not named and _RULE.fullmatch(row.text):
            if title.parent is not None:
                title.parent.children.remove(title)
                title.parent, title.among, title.at = None, roots, len(roots)
                roots.append(title)
            title.indent, title.end, stack = -1, row.number, [title]
            continue
        told = row.comment or (row.number < _LICENCE_WITHIN and prose(row.text))
        licence = told and _LICENCE.search(row.text) is not None and not (row.comment and _described(row))
        if _TOOL.match(row.text):
            continue
        if licence or (row.comment and not _WORDED.search(row.text)):
            continue
        if language != "html" and _SKIPPED.match(row.text):
            continue
        if row.text == "{" and (not kept or (kept[-1].indent == row.indent and not kept[-1].comment)):
            continue
        if row.text in _OPENERS and (not stack or stack[-1].indent < row.indent):
            lifted = row  # an item of a list, told by its first row
            continue
        if (not named or row.text[0] in "efdbB") and _CLOSER.fullmatch(row.text) and not _HEADING.match(row.text):
            if lifted is not None and lifted.text[-1] == ":":  # a key whose value stands elsewhere
                while stack and stack[-1].indent >= lifted.indent:
                    stack.pop()
                siblings = stack[-1].children if stack else roots
                lifted.parent, lifted.at, lifted.among = (stack[-1] if stack else None), len(siblings), siblings
                siblings.append(lifted)
                kept.append(lifted)
            lifted = None
            while stack and stack[-1].indent > row.indent:
                stack.pop()
            if stack:
                stack[-1].end = max(stack[-1].end, row.end)
                if stack[-1].indent == row.indent and row.text[-1] not in "{[(:" and row.text.lower() != "begin":
                    stack.pop()
            continue
        if (key := _KEY_TAG.fullmatch(row.text)) is not None:
            row.text, lifted = f"{key[1]}:", row  # a property list's, told with its value
            continue
        if lifted is not None and not row.comment:
            row.indent, row.number, row.text, lifted = lifted.indent, lifted.number, f"{lifted.text} {row.text}", None
        if language == "dockerfile":
            row.indent = -1 if row.text[:5].upper() == "FROM " else row.indent
        while stack and stack[-1].indent >= row.indent:
            stack.pop()
        row.parent = stack[-1] if stack else None
        siblings = row.parent.children if row.parent else roots
        row.at, row.among = len(siblings), siblings
        siblings.append(row)
        kept.append(row)
        if not row.comment:
            stack.append(row)
    every[:] = kept
    for row in reversed(kept):
        if row.parent is not None:
            row.parent.end = max(row.parent.end, row.end)
    for row in kept:
        if row.children and not row.comment:
            row.children = _sectioned(row.children, row, language)
            if language != "html":
                _take_only_child(row)
    return _sectioned(roots, None, language)


def _sectioned(rows: list[TextRow], parent: TextRow | None, language: str) -> list[TextRow]:
    """Put rows below the comment that heads them; a comment about one row becomes that row's doc."""
    found: list[TextRow] = []
    section: TextRow | None = None  # up to the next heading
    group: TextRow | None = None  # up to the next empty line or comment
    last: TextRow | None = None
    for at, row in enumerate(rows):
        follows = last is not None and row.number == last.end + 1
        if row.comment and not at and parent is not None and parent.above is None and language == "powershell":
            parent.above = row
        elif row.comment:
            group = None
            after = rows[at + 1] if at + 1 < len(rows) else None
            apart = after is not None and after.number > row.end + 1
            heads = language in _FLAT and parent is None and not follows and row.text[:3] not in ("///", "/**")
            heads = heads and (language != "sql" or _short(row))
            heads = heads or (language != "html" and (_RULED.search(row.text) is not None or (apart and _short(row))))
            if after is not None and heads:
                section = row
                found.append(row)
            else:
                _add(row, section, parent, found)
                address = "://" in row.text and row.text.count(" ") < 3
                group = row if after is not None and not (after.comment or apart or address) else None
        elif _GOES_ON.match(row.text):
            _add(row, section, parent, found)
        elif group is not None and (not group.children or (follows and row.indent >= 0)):
            _add(row, group, parent, found)
        else:
            group = None
            _add(row, section, parent, found)
        last = row
    return _with_docs(found)


def _take_only_child(row: TextRow) -> None:
    """Tell the only row below another one beside it."""
    only = row.children[0]
    block = _SCALAR.search(row.text) is not None
    short = len(row.children) == 1 and not only.children and len(row.text) + len(only.text) <= _ONLY_CHARS
    if not only.comment and only.above is None and (block or (short and row.indent >= 0)):
        row.only, row.children = only, []


def _short(row: TextRow) -> bool:
    words = row.text.split()
    return 1 < len(words) <= _TITLE_WORDS and "://" not in row.text and not row.text.rstrip().endswith(".")


def _add(row: TextRow, above: TextRow | None, parent: TextRow | None, found: list[TextRow]) -> None:
    row.parent = above or parent
    row.among = above.children if above is not None else found
    row.at = len(row.among)
    row.among.append(row)
    while above is not None and above is not parent:
        above.end, above = max(above.end, row.end), above.parent


def _with_docs(rows: list[TextRow]) -> list[TextRow]:
    """Replace each comment with one row below it by that row."""
    for at, row in enumerate(rows):
        if not row.comment:
            continue
        row.children = _with_docs(row.children)
        if len(row.children) == 1 and not row.children[0].comment and not _RULED.search(row.text):
            (only,) = row.children
            only.above, only.parent, only.among, only.at = row, row.parent, rows, at
            rows[at] = only
    return rows


def _described(row: TextRow) -> str | None:
    """Return the first sentence of a comment that is about the text, not its licence."""
    told = doc_of(strip_markers(row.text), code_allowed=True)
    return None if told is None or _LICENCE.search(told) else told


def prose(text: str) -> bool:
    """Return whether a row reads like a line of a sentence."""
    begins = text[:1].isalpha() or text[:1] in "\"'(“"
    return (
        begins
        and text.count(" ") >= 4
        and not _UNPROSAIC.search(text)
        and not _KEY.match(text)
        and 2 * sum(map(str.isalpha, text)) > len(text)
    )
