"""Show the statements of function bodies as rows nested by indentation, the most informative first.

A short statement is one row with all of its lines. Neighbouring rows share a record.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Container, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from msgspec.structs import replace

from sidecar.files.clean_text import beside, shorten
from sidecar.files.structure.combined import combined
from sidecar.files.structure.comments import LICENCE, doc_of, strip_markers
from sidecar.files.structure.row_reading import PATTERNS
from sidecar.files.structure.values import without_secret_literals
from sidecar.store.records import SymbolRecord, every_symbol
from sidecar.text.lazy_patterns import patterns

_FORMS: Final = patterns(Path(__file__), "body_rows")
LINE: Final = "line"  # the kind of a record that shows a statement
_MAX_LINES: Final = 4_000  # the number of lines read; later ones were not searched for secrets
_ROW_CHARS: Final = 130  # the maximum length of a row, and of the rows that share a record
_COMMENT_CHARS, _BRIEF_COMMENT_CHARS = 100, 80
_MAX_SWITCHES, _LABELS_CHARS = 6, 400  # long switches that are shown, and the length of their labels
_MIN_ROWS_TOKENS: Final = 30
_MAX_DEPTH, _MAX_NESTING = 4, 30  # levels shown below a definition, and levels distinguished
_LINE_CHARS: Final = 1_000  # the number of characters read of a line
_DECORATOR_LINES: Final = 6  # the maximum number of decorator lines above a name
_DOC_PREFIX_CHARS: Final = 30  # two docs with this many equal first characters are taken for one
_MIN_EXTRA_CHARS: Final = 8  # a line with this many characters more than the declaration also holds a statement
# in a definition, further rows of the same shape come last; in a file, further rows of the same text
_MAX_OF_A_SHAPE, _MAX_OF_A_TEXT = 8, 2
_RANKS: Final = tuple(PATTERNS[name] for name in ("refuses", "decides", "acts"))
_TEST_RANKS: Final = (PATTERNS["expects"], *_RANKS[1:])
_LAST_RANK: Final = len(_RANKS) + 1
_BLOCKS: Final = [pair.split() for pair in "/* */|{- -}|#= =#|--[[ ]]|=begin =end|(* *)|<# #>".split("|")]
_MIN_LABELS, _MIN_SWITCH_LINES = 4, 25  # of a switch that is shown with its labels
_VALUED_KINDS: Final = frozenset({"constant", "variable", "field", "property"})


@dataclass(slots=True, eq=False)
class _Row:
    number: int
    indent: int
    text: str
    end: int
    comment: bool = False
    parts: list[tuple[int, str]] = field(default_factory=list)  # closing lines, each after a number of children
    parent: _Row | None = None
    children: list[_Row] = field(default_factory=list)
    chosen: bool = False
    rank: int = 0

    @property
    def cost(self) -> int:
        return len(self.text) * 2 // 7 + 3

    @property
    def last(self) -> int:
        return max([self.end, *(child.last for child in self.children)])

    def whole(self, most: int) -> str | None:
        """Return the row and all rows nested in it as one line; None if that exceeds `most` characters."""
        text = self.text
        for at, child in enumerate([*self.children, None]):
            for place, part in self.parts:
                text = _joined(text, part) if place == at else text
            if child is not None:
                below = None if child.comment or len(text) > most else child.whole(most)
                if below is None:
                    return None
                text = _joined(text, below)
        return text if len(text) <= most else None


def _joined(text: str, more: str) -> str:
    return f"{text}{more}" if text[-1:] in ("(", "[") or more[:1] in (")", "]") else f"{text} {more}"


def body_rows(
    lines: Sequence[str],
    symbols: Sequence[SymbolRecord],
    existing: Sequence[SymbolRecord],
    lead: re.Pattern[str],
    room: int,
    *,
    doc: str = "",
    loose: bool = True,
    test: bool = False,
) -> tuple[SymbolRecord, ...]:
    """Add statements of bodies to the `existing` records, up to `room` tokens; with `loose`, also others."""
    known = {record.start for record in existing if record.kind != "inside" or lead.match(lines[record.start - 1])}
    whole = "\n".join(lines[:_MAX_LINES])
    lines = _FORMS["guard"].sub(lambda match: "\n" * match[0].count("\n"), whole).split("\n")
    bodies = list(_bodies(lines, [*symbols, *existing], loose=loose))
    least = 0 if room >= _MIN_ROWS_TOKENS else _MIN_SWITCH_LINES
    trees = [_tree(part, lines, known, lead, loose=apart) for apart, part in bodies if len(part) >= least]
    known_docs = (doc, *(symbol.doc or "" for symbol in every_symbol(symbols)))
    docs = {text[:_DOC_PREFIX_CHARS].lower() for text in known_docs} - {""}
    branches = [_Row(row.number, 0, text, row.last) for tree in trees for row, text in _branches(tree)][:_MAX_SWITCHES]
    _redact(branches, _LABELS_CHARS)
    room -= sum(row.cost for row in branches)
    trees = trees if room >= _MIN_ROWS_TOKENS else []
    ranks, seen = (_TEST_RANKS if test else _RANKS), Counter[str]()
    for tree in trees:
        _rank_rows(tree, docs, ranks, seen)
    _redact(_choose(trees, room, test=test))
    found = [record for tree in trees for record in _records(tree)]
    shown = {record.start for record in every_symbol(found)}
    shown -= {record.start for record in existing if record.signature.startswith("options ")}
    found += [replace(_record([row], row.text), kind="inside") for row in branches]
    found.sort(key=lambda record: record.start)
    return combined(found, existing, shown, LINE)


def _bodies(lines: list[str], symbols: Sequence[SymbolRecord], *, loose: bool) -> Iterator[tuple[bool, list[int]]]:
    """Yield for each definition the numbers, from 0, of the lines of its body; True with those outside definitions.

    Declarations are left out; if a statement follows on the same line, it is kept without the declaration.
    """
    owners = [0] * len(lines)
    near = (symbol for symbol in every_symbol(symbols) if 0 < symbol.start <= len(lines))
    held = [symbol for symbol in near if symbol.kind not in ("inside", "more")]
    for number, symbol in enumerate(sorted(held, key=lambda symbol: (symbol.start, -symbol.end)), 1):
        first, end = symbol.start - 1, min(symbol.end, len(lines))
        owners[first:end] = [number] * (end - first)
        declared = min(_declared(lines, symbol, first, end), end)
        if declared == first and (bare := lines[first].lstrip()).startswith(symbol.signature):
            signs = " ,=>" if symbol.start == symbol.end else " ,"
            lines[first] = lines[first][: -len(bare)] + bare[len(symbol.signature) :].lstrip(signs)
        owners[first:declared] = [-1] * (declared - first)
    found: dict[int, list[int]] = {}
    for number, owner in enumerate(owners):
        if owner > 0 or (owner == 0 and loose):
            found.setdefault(owner, []).append(number)
    yield from ((owner == 0, numbers) for owner, numbers in found.items())


def _declared(lines: Sequence[str], symbol: SymbolRecord, first: int, end: int) -> int:
    """Return the number, from 0, of the line after the declaration of a definition."""
    last = symbol.name.rpartition(".")[2].rpartition(":")[2]
    word = re.compile(rf"(?<!\w){re.escape(last)}(?!\w)")
    at = next((row for row in range(first, min(end, first + _DECORATOR_LINES)) if word.search(lines[row])), first)
    if symbol.kind in _VALUED_KINDS or symbol.kind in ("call", "step", "test"):
        return at + 1
    if symbol.start == symbol.end and len(lines[first].strip()) > len(symbol.signature) + _MIN_EXTRA_CHARS:
        return first
    depth = 0
    equation = re.compile(rf"\s*{re.escape(last)}(?: [\w'()!~]+)* ?(?:=(?: do)?)?$")  # `f x =` below the type of `f`
    for row in range(at, min(end, at + 4 * _DECORATOR_LINES)):
        depth += sum(map(lines[row].count, "([")) - sum(map(lines[row].count, ")]"))
        after = lines[row + 1] if row + 1 < end else ""
        if depth <= 0 and not _FORMS["goes_on"].match(after) and not lines[row].rstrip().endswith(("->", "::")):
            return row + 2 if after and equation.match(after) else row + 1
    return at + 1


def _tree(
    numbers: Sequence[int], lines: Sequence[str], known: set[int], lead: re.Pattern[str], *, loose: bool
) -> list[_Row]:
    """Return the outermost rows of a body; each holds the rows nested in it."""
    roots: list[_Row] = []
    stack: list[_Row] = []
    last: _Row | None = None
    closing = ""  # the sign that closes a comment
    for number in numbers:
        line = lines[number][:_LINE_CHARS]
        bare = line.strip()
        if closing and last is not None:
            last.end, last.text = number + 1, f"{last.text}\n{bare}"
            closing = "" if closing in bare else closing
            continue
        if not bare or bare.startswith("#!/"):
            continue
        indent = len(line.expandtabs(4)) - len(line.expandtabs(4).lstrip())
        block = next((end for begin, end in _BLOCKS if bare.startswith(begin)), "")
        closing = "" if block in bare[2:] else block
        comment = block != "" or (
            lead.match(line) is not None and not bare.startswith(("*/", "#define", "#if", "#endif", "#else"))
        )
        if not comment and _FORMS["directive"].match(bare):
            around = next((row for row in reversed(stack) if _FORMS["opens"].search(row.text)), None)
            (around.children if around else roots).append(_Row(number + 1, indent, bare, number + 1, parent=around))
            continue
        closed = not comment and _FORMS["closes"].match(bare) is not None
        ended = closed or (not comment and _FORMS["ends_with"].match(bare) is not None)
        while stack and stack[-1].indent >= indent and not (stack[-1].indent == indent and ended):
            stack.pop()
        if ended and stack and stack[-1].indent == indent:
            stack[-1].parts.append((len(stack[-1].children), bare))
            stack[-1].end = number + 1
            if bare[-1] not in "[({":
                stack.pop()
            continue
        if closed:
            continue
        if comment and last is not None and last.comment and last.end == number and last.indent == indent:
            last.end, last.text = number + 1, f"{last.text}\n{bare}"
            continue
        row = _Row(number + 1, indent, bare, number + 1, comment, parent=stack[-1] if stack else None)
        last = row
        if number + 1 in known or _FORMS["visible"].fullmatch(bare):
            continue
        text = _FORMS["doc"].match(bare) is not None and not (row.parent and row.parent.text[-1] in "(=[,+")
        if not text and (stack or not (_FORMS["imports"].match(bare) or (loose and _FORMS["skipped"].match(bare)))):
            (stack[-1].children if stack else roots).append(row)
        if not comment and len(stack) < _MAX_NESTING:
            stack.append(row)
    return roots


def _rank_rows(rows: Iterable[_Row], docs: Container[str], ranks: Sequence[re.Pattern[str]], seen: Counter[str]) -> int:
    """Rank every row, nested ones too; return the lowest rank. Blank comments that only repeat `docs`."""
    lowest = _LAST_RANK
    shapes = Counter[str]()
    for row in rows:
        if row.comment:
            _rank_comment(row, docs, shapes, seen)
            continue
        folded = _fold(row)
        below = _rank_rows(row.children, docs, ranks, seen)
        shape = _FORMS["no_words"].sub("", row.text)[:30]
        shapes[shape] += 1
        seen[row.text] += 1
        own = next((rank for rank, pattern in enumerate(ranks) if pattern.search(row.text)), len(ranks))
        repeated = shapes[shape] > _MAX_OF_A_SHAPE or seen[row.text] > _MAX_OF_A_TEXT
        row.rank = min(_LAST_RANK if repeated or _FORMS["says"].match(row.text) else own, below)
        row.text = _shown_text(row, docs, folded=folded)
        lowest = min(lowest, row.rank)
    return lowest


def _rank_comment(row: _Row, docs: Container[str], shapes: Counter[str], seen: Counter[str]) -> None:
    """Shorten a comment to its first sentence. Rank it by its length and by the number of comments."""
    sentence = _comment_text(row.text, docs, tags=row.parent is None)
    mark = match[0] if (match := _FORMS["mark"].match(row.text)) else "//"
    short = "" if _FORMS["empty"].fullmatch(sentence) else shorten(sentence, _COMMENT_CHARS)
    row.text = f"{mark} {short}" if short else ""
    shapes["//"] += 1
    seen[row.text] += 1
    repeated = shapes["//"] > _MAX_OF_A_SHAPE or seen[row.text] > _MAX_OF_A_TEXT
    row.rank = _LAST_RANK if repeated else 1 if len(row.text) <= _BRIEF_COMMENT_CHARS else 2


def _fold(row: _Row) -> bool:
    """Put a short statement of several lines on one line; return whether the row is complete."""
    row.end = row.last
    whole = row.whole(_ROW_CHARS) if row.children or row.parts else row.text
    if whole is not None:
        row.text, row.children = whole, []
    return whole is not None


def _shown_text(row: _Row, docs: Container[str], *, folded: bool) -> str:
    """Return a statement's text as shown: without opening brackets; "" if it says nothing beyond `docs`."""
    text = row.text if folded and row.parts else _FORMS["opens"].sub("", row.text)
    text = text.rstrip(";").removeprefix("} ")
    if not row.children:
        literal = _FORMS["sentence"].search(row.text)
        known = literal is not None and literal[1].lower() in docs
        opens_block = not folded and row.last > row.number + 1 and _FORMS["opens"].search(row.text) is not None
        if known or opens_block or _FORMS["empty"].fullmatch(text) or text.startswith("#endif"):
            return ""
    text = text.rstrip("\\` ") if _FORMS["worded"].search(text) else ""
    end = row.parts[-1][1] if not folded and row.parts and _FORMS["ends_with"].match(row.parts[-1][1]) else ""
    return f"{text} … {end.strip('})]; ,')}" if end and text else text


def _comment_text(comment: str, docs: Container[str], *, tags: bool) -> str:
    """Return a comment's first sentence; if `docs` say it already, only its tag lines (errors, results)."""
    lines = [] if LICENCE.search(comment) else strip_markers(comment)
    sentence = doc_of(lines) or ""
    if not any(text[:_DOC_PREFIX_CHARS].lower() in docs for text in (sentence, sentence.partition(" ")[2])):
        return sentence
    return "; ".join(" ".join(line.split()) for line in lines if tags and _FORMS["tag"].match(line))


def _branches(rows: Iterable[_Row]) -> Iterator[tuple[_Row, str]]:
    """Yield each long switch, with a text that lists its labels."""
    for row in rows:
        if row.last - row.number >= _MIN_SWITCH_LINES and _FORMS["branches"].search(row.text):
            found = (_FORMS["label"].match(child.text) for child in row.children)
            labels = list(dict.fromkeys(match["label"] for match in found if match and match["label"][0] != "["))
            if len(labels) >= _MIN_LABELS:
                yield row, f"{_FORMS['opens'].sub('', row.text)}: {', '.join(labels)}"
        yield from _branches(row.children)


def _redact(rows: Sequence[_Row], most: int = _ROW_CHARS) -> None:
    """Hide secrets that the search of the whole file for suspicious lines may have missed."""
    from sidecar.text.secrets import redact

    shown = [shorten(without_secret_literals(row.text), most) for row in rows]
    redacted = redact("\n".join(shown))[0].split("\n")
    for at, row in enumerate(rows):
        row.text = redacted[at] if len(redacted) == len(rows) else ""


def _choose(trees: Sequence[Sequence[_Row]], room: int, *, test: bool) -> list[_Row]:
    """Choose rows by rank, from each definition in turn: as many as fit together with the rows that hold them.

    In a test, choose with each check the row just before it that computes the checked value.
    """
    order: list[tuple[int, int, int, _Row]] = []
    done: dict[_Row, _Row] = {}

    def add(rows: Sequence[_Row], depth: int) -> None:
        for at, row in enumerate(rows):
            if row.text and depth < _MAX_DEPTH and not _FORMS["empty"].fullmatch(row.text):
                order.append((row.rank, depth, at, row))
                near = _FORMS["given"].match(rows[at - 1].text) if test and at and not row.rank else None
                names = set(_FORMS["no_words"].findall(near[0])) if near and rows[at - 1].rank < _LAST_RANK else set()
                if names & set(_FORMS["no_words"].findall(row.text)):
                    done[row] = rows[at - 1]
            add(row.children, depth + 1)

    for tree in trees:
        add(tree, 0)
    everything = sum(row.cost for *_, row in order) <= room
    for *_, row in sorted(order, key=lambda place: (place[0] + place[1], *place[:3])):
        if room < _MIN_ROWS_TOKENS and not everything:
            break
        wanted = [row]
        while (above := wanted[-1].parent) is not None and not above.chosen:
            wanted.append(above)
        wanted += [before for before in (done.get(row),) if before and not (before.chosen or before.children)]
        cost = sum(needed.cost for needed in wanted)
        if cost <= room and not row.chosen:
            room -= cost
            for needed in wanted:
                needed.chosen = True
    return [row for *_, row in order if row.chosen]


def _records(rows: Iterable[_Row]) -> Iterator[SymbolRecord]:
    """Yield records of the chosen rows. Neighbours without nested rows share one."""
    shared: list[_Row] = []
    text = ""
    for row in rows:
        if not row.chosen or not row.text:
            continue
        below = tuple(_records(row.children))
        joins = bool(shared) and not row.children and not row.comment and row.number - shared[-1].end <= 2
        joined = f"{text}{' ' if text[-1:] in ',;' else '; '}{row.text}"
        if joins and len(joined) <= _ROW_CHARS:
            text = joined
            shared.append(row)
            continue
        if shared:
            yield _record(shared, text)
            shared = []
        if len(below) == 1 and not below[0].children and len(row.text) + len(below[0].signature) < _ROW_CHARS:
            yield _record([row], beside(row.text, below[0].signature))
        elif row.children or row.comment:
            yield _record([row], row.text, below)
        else:
            shared, text = [row], row.text
    if shared:
        yield _record(shared, text)


def _record(rows: Sequence[_Row], text: str, below: tuple[SymbolRecord, ...] = ()) -> SymbolRecord:
    early = min(row.rank for row in rows) < len(_RANKS) - 1
    return SymbolRecord(
        kind=LINE, name=text[:40], start=rows[0].number, end=rows[-1].end, signature=text, public=early, children=below
    )
