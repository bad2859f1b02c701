"""Nest rows by indentation, below headings, or below the comments before them."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from sidecar.files.structure.comments import doc_of, strip_markers
from sidecar.files.structure.row_reading import LICENCE, PATTERNS, STYLES, TextRow, prose
from sidecar.text.lazy_patterns import patterns

_FORMS: Final = patterns(Path(__file__), "row_tree")
_CLOSER, _HEADING, _RULE, _SKIPPED = (PATTERNS[name] for name in ("closer", "heading", "rule", "skipped"))
_LICENCE_WITHIN_LINES: Final = 40  # a licence is only searched for in this number of first lines
_ONLY_CHARS: Final = 90  # the maximum length of a row that its only child shares
_OPENERS: Final = frozenset({"{", "[", "- {", "("})
_UNHEADED: Final = frozenset({"sql", "html", "dockerfile"})
_MAX_TITLE_WORDS: Final = 12  # the maximum number of words in a comment that heads rows


def nest_rows(rows: list[TextRow], language: str = "") -> list[TextRow]:
    """Put each row below the last one that is indented less; put the rows of a section below its heading."""
    below: int | None = None
    closed = False  # whether the row after a comment ends the comment's block
    for row in reversed(rows):  # a comment belongs to what follows
        if row.comment and below is not None:
            row.indent = max(below, row.indent) if closed else below
        else:
            heads = not row.indent and language not in _UNHEADED and _HEADING.match(row.text)
            below = row.indent = (-2 if row.text.startswith("+++") else -1) if heads else row.indent
            closed = row.text[0] in "})]"
    tree = _RowTree(language)
    for row in rows:
        tree.add(row)
    rows[:] = tree.kept
    for row in reversed(rows):
        if row.parent is not None:
            row.parent.end = max(row.parent.end, row.end)
    for row in rows:
        if row.children and not row.comment:
            if row.text.startswith("[["):
                bare = (child for child in row.children if not child.children)
                row.only = next((child for child in bare if _FORMS["names"].match(child.text)), None)
                row.children = [child for child in row.children if child is not row.only]
            elif language == "html" and " " not in row.text and _FORMS["title"].match(row.children[0].text):
                row.only, *row.children = row.children
            row.children = _sectioned(row.children, row, language) if row.children else []
            if row.children and language != "html":
                _take_only_child(row)
    return _sectioned(tree.roots, None, language)


class _RowTree:
    """The tree while it grows. `lifted` is a row such as `- {`, which waits for the text of the next row."""

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
            self.lifted = row  # an item of a list, shown as part of its first row
            return
        plain = not row.text[0].isalnum() or row.text[0] in "efdbB"
        if plain and _CLOSER.fullmatch(row.text) and not _HEADING.match(row.text):
            self._close(row)
            return
        if (key := _FORMS["key_tag"].fullmatch(row.text)) is not None:
            row.text, self.lifted = f"{key[1]}:", row  # a property list's, shown with its value
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
            title.parent, title.siblings, title.index = None, self.roots, len(self.roots)
            self.roots.append(title)
        title.indent, title.end, self.stack = -1, row.number, [title]
        return True

    def _skips(self, row: TextRow) -> bool:
        """Return whether a row is not worth showing: a licence, a comment for a tool, an opening brace."""
        may_be_notice = row.comment or (row.number < _LICENCE_WITHIN_LINES and prose(row.text))
        if may_be_notice and LICENCE.search(row.text) and not (row.comment and _described(row)):
            return True
        if _FORMS["tool"].match(row.text) or (row.comment and not _FORMS["worded"].search(row.text)):
            return True
        if row.comment and self.language in STYLES and _FORMS["statement"].search(row.text):
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
        row.index, row.siblings = len(siblings), siblings
        siblings.append(row)
        self.kept.append(row)


def _sectioned(rows: list[TextRow], parent: TextRow | None, language: str) -> list[TextRow]:
    """Put rows below the comment that heads them. A comment about one row becomes that row's doc."""
    found: list[TextRow] = []
    section: TextRow | None = None  # the section that lasts up to the next heading
    group: TextRow | None = None  # the group that lasts up to the next empty line or comment
    last: TextRow | None = None
    for at, row in enumerate(rows):
        follows = last is not None and row.number == last.end + 1
        if row.comment and language in STYLES and _FORMS["ends"].match(row.text):
            section = group = None
            continue
        if row.comment:
            group = None
            after = rows[at + 1] if at + 1 < len(rows) else None
            apart = after is not None and after.number > row.end + 1
            heads = language in STYLES and parent is None and not follows and row.text[:3] not in ("///", "/**")
            heads = heads and (apart or _short(row))
            heads = heads or (
                language != "html" and (_FORMS["ruled"].search(row.text) is not None or (apart and _short(row)))
            )
            if after is not None and heads:
                section = row
                found.append(row)
            else:
                _add(row, section, parent, found)
                address = "://" in row.text and row.text.count(" ") < 3
                group = row if after is not None and not (after.comment or apart or address) else None
        elif _FORMS["goes_on"].match(row.text):
            _add(row, group or section, parent, found)
        elif group is not None and (not group.children or (follows and row.indent >= 0)):
            _add(row, group, parent, found)
        else:
            group = None
            _add(row, section, parent, found)
        last = row
    return _with_docs(found)


def _take_only_child(row: TextRow) -> None:
    """Show a row's only child on the row's own line."""
    if not row.children:
        return
    only = row.children[0]
    block = _FORMS["scalar"].search(row.text) is not None
    short = len(row.children) == 1 and not only.children and len(row.text) + len(only.text) <= _ONLY_CHARS
    short = short and only.text[-1] not in "([,"
    if not only.comment and only.above is None and (block or (short and row.indent >= 0)):
        row.only, row.children = only, row.children[1:]


def _short(row: TextRow) -> bool:
    words = row.text.split()
    return 1 < len(words) <= _MAX_TITLE_WORDS and "://" not in row.text and not row.text.rstrip("*/ \n").endswith(".")


def _add(row: TextRow, above: TextRow | None, parent: TextRow | None, found: list[TextRow]) -> None:
    row.parent = above or parent
    row.siblings = above.children if above is not None else found
    row.index = len(row.siblings)
    row.siblings.append(row)
    while above is not None and above is not parent:
        above.end, above = max(above.end, row.end), above.parent


def _with_docs(rows: list[TextRow]) -> list[TextRow]:
    """Replace a comment that has only one row below it with that row, which gets the comment as its doc."""
    for at, row in enumerate(rows):
        if not row.comment:
            continue
        row.children = _with_docs(row.children)
        if len(row.children) == 1 and not row.children[0].comment and not _FORMS["ruled"].search(row.text):
            (only,) = row.children
            only.above = only.above or row
            only.parent, only.siblings, only.index = row.parent, rows, at
            rows[at] = only
    return rows


def _described(row: TextRow) -> str | None:
    """Return the first sentence of a comment that is about the text; None for a licence."""
    sentence = doc_of(strip_markers(row.text), code_allowed=True)
    return None if sentence is None or LICENCE.search(sentence) else sentence
