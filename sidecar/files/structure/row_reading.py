"""Texts read as rows, nested by indentation, below headings, or below the comments before them."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Container, Iterable, Iterator, Sequence
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
_TITLE_WORDS, _LABEL_LINES = 10, 3  # of a comment that heads rows, and of one about the row right below it
_RULED: Final = re.compile(r"([-=#*~/+_])\1{4}")
STYLES: Final = frozenset({"css", "scss", "less"})
_KEY_TAG: Final = re.compile(r"<key>([^<>]+)</key>")
# What begins a text that is no code, up to a line of its own.
_HEREDOCS: Final = {
    "bash": re.compile(r"<<-?\s?[\"'\\]?(?P<end>[A-Za-z_]\w*)"),
    "dockerfile": re.compile(r"<<-?\s?[\"'\\]?(?P<end>[A-Za-z_]\w*)"),
    "powershell": re.compile(r"@(?P<end>[\"'])\s*$"),
    "toml": re.compile(r"=\s*(?P<end>\"{3}|'{3})(?!.*(?P=end))"),
}
_STRING_LINES: Final = 60  # more in a shell's string are a quote that was misread
_QUOTED: Final = re.compile(r"\\.|'[^']*'|\"(?:\\.|[^\"\\])*\"|(?:^|\s)#.*")
_WORDY: Final = frozenset({"", "text", "log", "xml"})  # where lines of sentences are joined
_SETTING_WORDS: Final = 4
_ONLY_CHARS: Final = 90  # of a row with the only one below it
_NAMES: Final = re.compile(r"(?:name|id|title)\s*=")
_DESCRIBED: Final = re.compile(r'description\s*=\s*"(.+)"$')
_SCALAR: Final = re.compile(r":\s[|>][+-]?$")
_GOES_ON: Final = re.compile(r"(?i)(?:\}?\s*(?:else|elif|elsif|elseif|catch|finally|rescue|except)\b|done\b|\} )")
_ATTRIBUTE: Final = re.compile(r"(?i)\[(?:parameter|alias|validate\w*|cmdletbinding)\($")
_ATTRIBUTE_END: Final = ")]"
_UNHEADED: Final = frozenset({"sql", "html", "dockerfile"})
_LICENCE_WITHIN: Final = 40
# A comment for a tool.
_TOOL: Final = re.compile(
    r"(?i)[#/*;\s]+(?:renovate|hadolint|shellcheck|yamllint|checkov|tfsec|trivy|prettier|eslint|cspell|vim|requires(?= -))\b[ :-]"
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
    safe: str = ""
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
    inside = _inside_strings(lines) if language == "bash" else ()
    return _RowReader(language, inside).read(enumerate(lines[first:], first + 1))


def _inside_strings(lines: Sequence[str]) -> Container[int]:
    """Return the numbers of the lines that go on with a string of an earlier line of a shell script."""
    inside: set[int] = set()
    mark, first, heredoc = "", 0, ""
    for number, line in enumerate(lines, 1):
        if heredoc:
            heredoc = "" if line.strip() == heredoc else heredoc
        elif mark and number - first > _STRING_LINES:
            inside.difference_update(range(first, number))
            mark = ""
        elif mark:
            inside.add(number)
            mark = "" if _QUOTED.sub("", mark + line)[:1] != mark else mark
        else:
            rest = _QUOTED.sub("", line)
            mark, first = next((char for char in rest if char in "\"'"), ""), number
            opened = None if mark else _HEREDOCS["bash"].search(line)
            heredoc = opened["end"] if opened is not None else ""
    return inside


class _RowReader:
    """The state between lines: what is open, and whether the next line goes on with the last row."""

    def __init__(self, language: str, inside: Container[int]) -> None:
        self.language = language
        self.inside = inside
        self.last: TextRow | None = None
        self.joined = self.tag = False
        self.tagged = 0
        self.closing = self.inert = ""

    def read(self, lines: Iterable[tuple[int, str]]) -> Iterator[TextRow]:
        for number, line in lines:
            bare = line[:READ_CHARS].strip()
            if bare.startswith("# SIG # Begin"):
                return
            if self._skips(number, bare):
                continue
            comment = self._comment(bare, line)
            indent = self._indent(bare, line, comment)
            heredoc = None if comment else _HEREDOCS.get(self.language)
            if heredoc is not None and (opened := heredoc.search(line)) is not None:
                self.inert = opened["end"] + ("@" if self.language == "powershell" else "")
            if self.last is not None and (self.joined or self._continues(self.last, bare, indent, comment)):
                self._join(self.last, number, bare, comment)
                continue
            self.tag = bare[0] == "<" and bare[:2] != "<<" and not comment
            self.joined = not comment and self._goes_on(bare)
            self.last = TextRow(number, indent, bare.rstrip("\\").rstrip() or bare, number, comment)
            yield self.last

    def _skips(self, number: int, bare: str) -> bool:
        """Return whether a line is empty, an attribute or a part of a text that is no code."""
        if self.inert:
            if self.last is not None and self.inert != _ATTRIBUTE_END:
                self.last.end = number
            ended = self.inert in bare if self.language == "toml" else bare.startswith(self.inert)
            self.inert = "" if ended else self.inert
            return True
        if number in self.inside:
            if self.last is not None:
                self.last.end = number
            return True
        if not bare:
            self.joined = False
            self.last = self.last if self.closing else None
            return True
        if self.language == "powershell" and _ATTRIBUTE.match(bare):
            self.inert = _ATTRIBUTE_END
        return bool(self.inert)

    def _comment(self, bare: str, line: str) -> bool:
        block = None if self.closing or bare[0].isalnum() else _BLOCK.match(bare)
        marked = not bare[0].isalnum() or bare[0] in "rRd"
        hashes = bare[:2] == "##" and self.language not in _WORDY
        comment = bool(self.closing or block or (marked and (hashes or _COMMENT.match(bare))))
        if comment and not (self.closing or block) and _SETTING.match(bare):
            comment = bare.count(" ") > _SETTING_WORDS
        if block:
            self.closing = _CLOSING[block[0][:2]]
        if self.closing and self.closing in line:
            self.closing = ""
        return comment

    def _indent(self, bare: str, line: str, comment: bool) -> int:
        flat = line.expandtabs(4) if "\t" in line else line
        indent = len(flat) - len(flat.lstrip())
        if self.language == "yaml" and bare[:2] == "- ":
            return indent + 1
        if self.language == "xml" and not comment:
            self.tagged = indent if bare[0] == "<" else self.tagged
            return indent if bare[0] == "<" else self.tagged + 1
        return indent

    def _continues(self, last: TextRow, bare: str, indent: int, comment: bool) -> bool:
        if last.comment != comment or comment:
            return last.comment == comment
        return self.language in _WORDY and last.indent == indent and prose(bare) and prose(last.text)

    def _goes_on(self, bare: str) -> bool:
        return bare.endswith("\\") or (self.tag and ">" not in bare) or (self.language in STYLES and bare[-1] == ",")

    def _join(self, last: TextRow, number: int, bare: str, comment: bool) -> None:
        last.end = number
        if self.joined and not last.comment and bare[0] == "#":
            return
        if len(last.text) < (READ_CHARS if self.tag else 2 * LINE_CHARS):
            last.text += "\n" + bare if comment else " " + bare.replace(" \\ ", " ").rstrip("\\").strip()
        self.joined = self._goes_on(bare)


def nested(every: list[TextRow], language: str = "") -> list[TextRow]:
    """Put each row below the last one that is indented less, and rows of a section below its heading."""
    below: int | None = None
    for row in reversed(every):  # a comment belongs to what follows
        if row.comment and below is not None:
            row.indent = below
        else:
            heads = not row.indent and language not in _UNHEADED and _HEADING.match(row.text)
            below = row.indent = (-2 if row.text.startswith("+++") else -1) if heads else row.indent
    tree = _RowTree(language)
    for row in every:
        tree.add(row)
    every[:] = tree.kept
    for row in reversed(every):
        if row.parent is not None:
            row.parent.end = max(row.parent.end, row.end)
    for row in every:
        if row.children and not row.comment:
            if language == "terraform":
                _describe(row)
            elif row.text.startswith("[["):
                row.only = next(filter(_is_name, row.children), None)
                row.children = [one for one in row.children if one is not row.only]
            row.children = _sectioned(row.children, row, language)
            if language != "html":
                _take_only_child(row)
    return _sectioned(tree.roots, None, language)


class _RowTree:
    """Rows put below each other; `lifted` opens an item that its next row tells."""

    def __init__(self, language: str) -> None:
        self.language = language
        self.roots: list[TextRow] = []
        self.kept: list[TextRow] = []
        self.stack: list[TextRow] = []
        self.lifted: TextRow | None = None

    def add(self, row: TextRow) -> None:
        if self._underlines(row) or self._skips(row):
            return
        if row.text in _OPENERS and (not self.stack or self.stack[-1].indent < row.indent):
            self.lifted = row  # an item of a list, told by its first row
            return
        plain = not row.text[0].isalnum() or row.text[0] in "efdbB"
        if plain and _CLOSER.fullmatch(row.text) and not _HEADING.match(row.text):
            self._close(row)
            return
        if (key := _KEY_TAG.fullmatch(row.text)) is not None:
            row.text, self.lifted = f"{key[1]}:", row  # a property list's, told with its value
            return
        if self.lifted is not None and not row.comment:
            row.indent, row.number = self.lifted.indent, self.lifted.number
            row.text, self.lifted = f"{self.lifted.text} {row.text}", None
        if self.language == "dockerfile" and row.text[:5].upper() == "FROM ":
            row.indent = -1
        self._place(row)
        if not row.comment:
            self.stack.append(row)

    def _underlines(self, row: TextRow) -> bool:
        """Make the row above an underline a heading."""
        title = self.kept[-1] if self.kept else None
        if title is None or title.end != row.number - 1 or title.children or not _RULE.fullmatch(row.text):
            return False
        if title.parent is not None:
            title.parent.children.remove(title)
            title.parent, title.among, title.at = None, self.roots, len(self.roots)
            self.roots.append(title)
        title.indent, title.end, self.stack = -1, row.number, [title]
        return True

    def _skips(self, row: TextRow) -> bool:
        """Return whether a row tells nothing: a licence, a comment for a tool, an opening brace."""
        told = row.comment or (row.number < _LICENCE_WITHIN and prose(row.text))
        if told and _LICENCE.search(row.text) and not (row.comment and _described(row)):
            return True
        if _TOOL.match(row.text) or (row.comment and not _WORDED.search(row.text)):
            return True
        last = self.kept[-1] if self.kept else None
        opened = row.text == "{" and (last is None or (last.indent == row.indent and not last.comment))
        return opened or (self.language != "html" and _SKIPPED.match(row.text) is not None)

    def _close(self, row: TextRow) -> None:
        if self.lifted is not None and self.lifted.text[-1] == ":":  # a key whose value stands elsewhere
            self._place(self.lifted)
        self.lifted = None
        while self.stack and self.stack[-1].indent > row.indent:
            self.stack.pop()
        if self.stack:
            last = self.stack[-1]
            last.end = max(last.end, row.end)
            if last.indent == row.indent and row.text[-1] not in "{[(:" and row.text.lower() != "begin":
                self.stack.pop()

    def _place(self, row: TextRow) -> None:
        while self.stack and self.stack[-1].indent >= row.indent:
            self.stack.pop()
        row.parent = self.stack[-1] if self.stack else None
        siblings = row.parent.children if row.parent else self.roots
        row.at, row.among = len(siblings), siblings
        siblings.append(row)
        self.kept.append(row)


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
            heads = language in STYLES and parent is None and not follows and row.text[:3] not in ("///", "/**")
            heads = heads or (language != "html" and (_RULED.search(row.text) is not None or (apart and _short(row))))
            if after is not None and heads:
                section = row
                found.append(row)
            else:
                _add(row, section, parent, found)
                address = "://" in row.text and row.text.count(" ") < 3
                group = row if after is not None and not (after.comment or apart or address) else None
        elif _GOES_ON.match(row.text):
            _add(row, group or section, parent, found)
        elif group is not None and (not group.children or (follows and row.indent >= 0)):
            _add(row, group, parent, found)
        else:
            group = None
            _add(row, section, parent, found)
        last = row
    return _with_docs(found)


def _is_name(row: TextRow) -> bool:
    return _NAMES.match(row.text) is not None and not row.children


def _describe(row: TextRow) -> None:
    """Make the description among a block's attributes its comment."""
    for child in row.children:
        if (told := _DESCRIBED.match(child.text)) is not None and not child.children:
            row.above = TextRow(child.number, child.indent, told[1], child.end, comment=True)
            row.children = [one for one in row.children if one is not child]
            if len(row.children) == 1 and not row.children[0].children and not row.children[0].comment:
                row.only, row.children = row.children[0], []
            return


def _take_only_child(row: TextRow) -> None:
    """Tell the only row below another one beside it."""
    if not row.children:
        return
    only = row.children[0]
    block = _SCALAR.search(row.text) is not None
    short = len(row.children) == 1 and not only.children and len(row.text) + len(only.text) <= _ONLY_CHARS
    short = short and only.text[-1] not in "([,"
    if not only.comment and only.above is None and (block or (short and row.indent >= 0)):
        row.only, row.children = only, []


def _short(row: TextRow) -> bool:
    words = row.text.split()
    return 1 < len(words) <= _TITLE_WORDS and "://" not in row.text and not row.text.rstrip("*/ \n").endswith(".")


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
