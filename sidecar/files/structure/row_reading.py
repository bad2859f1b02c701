"""Read texts as rows: each line, paragraph, comment and continued line is one."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from sidecar.files.structure.comments import doc_of, strip_markers

TABLE: Final = tomllib.loads((Path(__file__).parent / "rows.toml").read_text(encoding="utf-8"))
PATTERNS: Final = {name: re.compile(pattern) for name, pattern in TABLE["patterns"].items()}
READ_CHARS: Final = 1_000  # of a row: more than is shown, so that a long token cut off at the end is hidden
LINE_CHARS: Final = 140
_COMMENT, _BLOCK, _SETTING, _KEY, LICENCE = (PATTERNS[name] for name in "comment block setting key licence".split())
_CLOSING: Final = {"/*": "*/", "<!": "-->", "<#": "#>", "{{": "*/", "{#": "#}", "(*": "*)"}
# A comment about the whole file has such a word: `Settings of the linter`.
_ABOUT: Final = re.compile(
    r"(?i)\b(?:this|file|script|workflow|config\w*|settings|module|image|styles?|theme|schema)\b"
)
_MAX_LABEL_LINES: Final = 3  # the maximum number of lines of a comment about the row right below it
STYLES: Final = frozenset({"css", "scss", "less"})
# What opens a text of several lines: `cat <<EOF`, `$x = @"`.
_HEREDOCS: Final = {
    "dockerfile": re.compile(r"<<-?\s?[\"'\\]?(?P<end>[A-Za-z_]\w*)"),
    "toml": re.compile(r"=\s*(?P<end>\"{3}|'{3})(?!.*(?P=end))"),
}
_WORDY: Final = frozenset({"", "text", "log", "xml"})  # languages in which lines of sentences are joined
_MAX_SETTING_WORDS: Final = 4  # words: a comment this short, such as `#port = 80`, is a disabled setting
_UNPROSAIC: Final = re.compile(r"[={}<>|;_$\\%@]")


@dataclass(slots=True)
class TextRow:
    """A row with the rows indented below it. `end` is the last line of them all."""

    number: int
    indent: int
    text: str
    end: int
    comment: bool = False
    parent: TextRow | None = None
    children: list[TextRow] = field(default_factory=list)
    siblings: list[TextRow] = field(default_factory=list)
    index: int = 0  # among its siblings
    chosen: bool = False
    shown: str = ""
    full: str = ""  # the whole text, if `shown` was shortened
    masked: str = ""  # as it is shown
    crowded: bool = False  # shares a line with its neighbours for want of room
    above: TextRow | None = None  # the comment about this row
    only: TextRow | None = None  # the row below it, if that is short and the only one


def header(text: str) -> str | None:
    """Return the first sentence of the comment that begins a text; it may follow the modes that a script sets."""
    lines = text[:8_000].split("\n")
    if text[:2] == "#!":
        lines = [line for line in lines if not line.startswith(("set -", "[[ ", "#Requires"))]
    sentence = doc_of(strip_markers("\n".join(_head(lines))))
    return None if sentence is None or LICENCE.search(sentence) or sentence.startswith("1. ") else sentence


def header_lines(text: str) -> int:
    """Return the number of lines of the comment that begins a text."""
    return len(_head(text[:8_000].split("\n")))


def _head(lines: Sequence[str]) -> list[str]:
    """Return the rows of the comment at the beginning, without the part about the row right below."""
    above = list(_until_content(lines))
    first = next((at for at in range(len(above), 0, -1) if not above[at - 1]), 0)
    if first == len(above) or len(above) == len(lines) or (first == 1 and lines[0].startswith("#!")):
        return above
    about = " ".join(above[first:])
    alone = not any(above[:first]) and (len(above) - first > _MAX_LABEL_LINES or _ABOUT.search(about))
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
    """Yield the rows after the header's comment. A paragraph, a comment or a continued row is one row."""
    first = len(_head(lines)) if has_header else 0
    return _RowReader(language).read(enumerate(lines[first:], first + 1))


class _RowReader:
    """What is known between two lines: open strings, and whether the next line continues the last row."""

    def __init__(self, language: str) -> None:
        self.language = language
        self.last: TextRow | None = None
        self.joined = self.tag = False
        self.tagged = 0
        self.closing = self.inert = ""

    def read(self, lines: Iterable[tuple[int, str]]) -> Iterator[TextRow]:
        for number, line in lines:
            bare = line[:READ_CHARS].strip()
            if self._skips(number, bare):
                continue
            comment = self._comment(bare, line)
            indent = self._indent(bare, line, comment)
            heredoc = None if comment else _HEREDOCS.get(self.language)
            if heredoc is not None and (opened := heredoc.search(line)) is not None:
                self.inert = opened["end"]
            if self.last is not None and (self.joined or self._continues(self.last, bare, indent, comment)):
                self._join(self.last, number, bare, comment)
                continue
            self.tag = bare[0] == "<" and bare[:2] != "<<" and not comment
            self.joined = not comment and self._goes_on(bare)
            self.last = TextRow(number, indent, bare.rstrip("\\").rstrip() or bare, number, comment)
            yield self.last

    def _skips(self, number: int, bare: str) -> bool:
        """Return whether a line is empty, or part of a text that is not code."""
        if self.inert:
            if self.last is not None:
                self.last.end = number
            ended = self.inert in bare if self.language == "toml" else bare.startswith(self.inert)
            self.inert = "" if ended else self.inert
            return True
        if not bare:
            self.joined = False
            self.last = self.last if self.closing else None
            return True
        return False

    def _comment(self, bare: str, line: str) -> bool:
        if self.language in STYLES and bare[0] == "#":  # the selector of an element's id
            return bool(self.closing)
        block = None if self.closing or bare[0].isalnum() else _BLOCK.match(bare)
        marked = not bare[0].isalnum() or bare[0] in "rRd"
        hashes = bare[:2] == "##" and self.language not in _WORDY
        comment = bool(self.closing or block or (marked and (hashes or _COMMENT.match(bare))))
        if comment and not (self.closing or block) and _SETTING.match(bare):
            comment = bare.count(" ") > _MAX_SETTING_WORDS
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
