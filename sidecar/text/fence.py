"""Show stored text, but never outside its fence; `memories/injection/render.py` and others quote text with it.

A model must recognise stored text as quoted data: the text may not close its block, open another message, start a
heading or a code fence, move a terminal's cursor, or hide words. Each dangerous part is replaced by a visible
description of itself: invisible and bidirectional characters (Unicode TR 36 and 39), terminal control (ECMA-48) and the
chat templates of common models. Neutralising a text twice changes nothing more.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from functools import cache
from typing import Any

from sidecar.text.lazy_patterns import lazy
from sidecar.text.lookalikes import FoldedText, fold
from sidecar.text.own_blocks import ABOUT, ABOUT_FILES, TAG
from sidecar.text.word_lists import word_lines

# ECMA-48: CSI, OSC (ended by BEL or ST), other string controls, and two-character escapes; in 7-bit and C1 form.
_ANSI = lazy(
    r"(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]"
    r"|(?:\x1b[\]PX^_]|[\x9d\x90\x98\x9e\x9f])[^\x07\x1b\x9c\n]*(?:\x07|\x1b\\|\x9c)"
    r"|\x1b[ -/]*[0-~]"
)
_LINE_ENDS = lazy(r"\r\n|[\r\x0b\x0c\x1c\x1d\x1e\x85\u2028\u2029]")
_NON_ASCII_RUN = lazy(r"([^\n\x20-\x7e])\1*")
_BACKTICKS = lazy(r"[`\uff40]{3,}")
_TILDES = lazy(r"[~\uff5e]{3,}")
# A `<` that could begin a tag, unlike those of `a < b`, `1<2`, `x <= y`, `<-`, `<3`, `<'a>` and `<>`.
_TAG = lazy(r"<(?![\s\d=<>&'(){\]-]|\Z)")
# Characters that a tokeniser may normalise to `<` (NFKC): more likely an attack than a comparison.
_WIDE_TAG = lazy(r"[\uff1c\ufe64](?!\s|\Z)")
_TYPE_ARGUMENT = lazy(
    r"(?<![^\s(])<(?:[A-Z](?=>|,| extends | super )|(?:typename|class) [A-Z])"
    r"|(?<=[\w:])<(?P<name>[A-Z]\w*(?![\w-])|[a-z]\w*(?=\.[A-Z]|::)|[?_](?=>|,| extends | super )"
    r"|(?:bool(?:ean)?|bytes?|char|str(?:ing)?|u?int\d*(?:_t)?|[iu]\d+|[iu]?size(?:_t)?|float|f\d+|double|number|long"
    r"|short|void|any|unknown|undefined|null|never|object|dict|list|tuple|set|std|dyn|impl|const|unsigned|keyof|typeof"
    r"|typename|class)(?![\w-]))"
)
_SOME_TYPES = frozenset({"User", "Tool", "Function"})  # types that are also names of tags
_NAMED_TAG = lazy(r"<(?P<gap>[\s/|!?\\_.:;,\"'`~*]*)(?P<name>[a-z][a-z\d\s_.-]{0,60})(?P<rest>[^<>\n]{0,80}>)?")
_WORDS = word_lines("words.txt")
_TAG_NAMES = _WORDS["tags"]
_BRACKETED = lazy(r"\[([^\[\]\n]{1,40})\]")
_BRACKETED_INSTRUCTIONS = _WORDS["instructions"]
# Roles of chat templates, of reason-and-act prompts, and in other languages.
_ROLE_NAMES = _WORDS["roles"]
# A role's colon stands within this many characters.
_MAX_ROLE_CHARS = 60
_ROLE_HEADER = lazy(r"[\W\d_]*(?P<role>[^:\n]{1,60}):")
_HEADING = lazy(r"(?:[\s>]|[-*+]\s)*(?P<mark>#{1,6}(?=\s|\Z)|#{2,6}(?=[^\W\d]))")
_HORIZONTAL_RULE = lazy(r"\s*(?:>\s*)*(?P<mark>[-=*_](?:\s*[-=*_])+)\s*\Z")
# Matches every text that a rule could change, roles apart. Most texts do not match and are returned at once.
_NEEDS_CLEANING = lazy(r"[^\n -;=-Z\\-~]|`{3}|~{3}|&[#\w]|^(?:[^\S\n]|[>*+-])*[#=*_-]", re.MULTILINE)
_NO_LETTERS = lazy(r"[\W\d_]+")
# No script has more combining marks on one letter (Unicode TR 39, section 5.4).
_MAX_MARKS = 4
_JOINERS = "\u200c\u200d"
# Start, end and replacement.
Edit = tuple[int, int, str]


def frame(body: str, *, about: str = ABOUT, xml: bool = False) -> str:
    """Put the fence around text that is already neutralised."""
    head = f"<about>{about}</about>" if xml else about
    return f"<{TAG}>\n{head}\n{body}</{TAG}>\n"


def merge_blocks(*blocks: str) -> str:
    end = f"</{TAG}>\n"
    own, of_a_file = (frame("", about=about).removesuffix(end) for about in (ABOUT, ABOUT_FILES))
    bodies = "".join(block.removeprefix(own).removeprefix(of_a_file).removesuffix(end) for block in blocks)
    return frame(bodies) if bodies else ""


def enclose(*texts: str, about: str = ABOUT) -> str:
    """Neutralise texts and put them inside one fence."""
    return frame("".join(f"{line}\n" for text in texts for line in lines(text)), about=about)


def enclose_file_texts(*texts: str) -> str:
    """Fence what files say, and what was learned about them."""
    return enclose(*texts, about=ABOUT_FILES)


def item(head: str, text: str) -> str:
    """Return a list item that begins with our own words `head`; the text's lines after the first are indented."""
    first, *rest = lines(text) or [""]
    return "\n".join([f"- {head}{first}", *(f"  {line}" if line else "" for line in rest)])


def clean_values(value: Any, keep: str = "") -> Any:
    """Neutralise every string in nested plain data, except a string equal to `keep`, which is our own block."""
    if isinstance(value, str):
        return value if value == keep else clean(value)
    if isinstance(value, dict):
        return {key: clean_values(item, keep) for key, item in value.items()}
    return [clean_values(item, keep) for item in value] if isinstance(value, (list, tuple)) else value


def clean(text: str, *, markup: bool = True) -> str:
    """Neutralise everything that could leave its quotation; line ends become `\n`.

    Without `markup`, `<` is escaped only in our own tags and roles; the caller escapes or quotes the others.
    """
    if _NEEDS_CLEANING.search(text) or any(_role_end(line) for line in text.split("\n")):
        return neutralise(text, markup)
    return text


def one_line(text: str, *, markup: bool = True) -> str:
    """Return `clean` text on a single line: line ends and runs of white space become one space."""
    return " ".join(clean(" ".join(clean(text, markup=markup).split()), markup=markup).split())


def lines(text: str, *, markup: bool = True) -> list[str]:
    """Return `clean` text as lines, without white space at line ends and without needless blank lines."""
    result: list[str] = []
    for line in clean(text, markup=markup).split("\n"):
        bare = line.rstrip()
        if bare or (result and result[-1]):
            result.append(bare)
    while result and not result[-1]:
        result.pop()
    return result


def neutralise(text: str, markup: bool) -> str:
    """Do the same as `clean`, but without its shortcut for texts that contain nothing suspicious."""
    text = _LINE_ENDS.sub("\n", _ANSI.sub("[ANSI]", text)).replace("\t", "    ")
    text = _show_hidden(text)
    text = _BACKTICKS.sub(lambda run: "'" * len(run.group()), text)
    text = _TILDES.sub(lambda run: " ".join(run.group()), text)
    folded = fold(text)
    text = _apply_edits(text, [*_tags(text, folded), *_bracketed(folded), *_margins(folded)])
    text = _WIDE_TAG.sub(lambda sign: _code_point(sign.group()), text)
    return _TAG.sub(lambda sign: "<" if _is_type(text, sign.start()) else "&lt;", text) if markup else text


def _tags(text: str, folded: FoldedText) -> Iterator[Edit]:
    """Yield edits that break up our own tags, roles and chat templates, even if they are disguised."""
    for match in _NAMED_TAG.finditer(folded.text):
        start, end = folded.span(match.start())
        name, gap = "", match["gap"]
        loose = gap[:1].isspace() and "/" not in gap and not match["rest"]  # more likely a comparison: `a < b`
        for part in _NO_LETTERS.split(match["name"]):
            name += part
            if name in _TAG_NAMES and not (loose and name != "memorynotes") and not _is_type(text, start):
                sign = text[start:end]
                yield start, end, f"[{sign}]" if sign.isascii() else _code_point(sign)
                break


def _is_type(text: str, offset: int) -> bool:
    """Return whether the `<` at `offset` opens the parameters of a type, as in `List<User>`."""
    match = _TYPE_ARGUMENT.match(text, offset)
    name = match["name"] if match else None
    return match is not None and (name is None or name in _SOME_TYPES or name.lower() not in _TAG_NAMES)


def _bracketed(folded: FoldedText) -> Iterator[Edit]:
    for match in _BRACKETED.finditer(folded.text):
        if _NO_LETTERS.sub("", match[1]) in _BRACKETED_INSTRUCTIONS:
            yield *folded.span(match.start()), "("
            yield *folded.span(match.end() - 1), ")"


def _margins(folded: FoldedText) -> Iterator[Edit]:
    """Yield edits that defuse headings, rules and roles at the beginning of a line."""
    start = 0
    for line in folded.text.split("\n"):
        places = [(match.start("mark"), "\\") for rule in (_HEADING, _HORIZONTAL_RULE) if (match := rule.match(line))]
        for offset, sign in [*places[:1], *_roles(line)]:
            position = folded.span(start + offset - 1)[1] if sign == ")" else folded.span(start + offset)[0]
            yield position, position, sign
        start += len(line) + 1


def _roles(line: str) -> Iterator[tuple[int, str]]:
    """Yield (offset, sign to insert) such that a line that opens a message no longer does."""
    opens = _role_end(line)
    if 0 < opens == len(line):
        yield len(line) - len(line.lstrip()), "("
        yield len(line.rstrip()), ")"
    elif opens:
        yield opens, "\\"


def _role_end(line: str) -> int:
    """Return where the role ends that stands before a colon or fills the line; 0 if there is none."""
    if ":" in line:
        match = _ROLE_HEADER.match(line)
        return match.end() - 1 if match and _is_role(match["role"]) else 0
    return len(line) if line.replace(" ", "").isalpha() and _is_role(line) else 0


def _is_role(text: str) -> bool:
    if len(text) > _MAX_ROLE_CHARS or text.rstrip().endswith("\\"):
        return False
    return "".join(filter(str.isalpha, text)).lower() in _roles_as_they_look()


@cache
def _roles_as_they_look() -> frozenset[str]:
    return frozenset(fold(" ".join(_ROLE_NAMES)).text.split())


def _apply_edits(text: str, edits: list[Edit]) -> str:
    parts: list[str] = []
    offset = 0
    for start, end, new in sorted(edits, key=lambda edit: edit[:2]):
        if start >= offset:
            parts += (text[offset:start], new)
            offset = end
    return "".join([*parts, text[offset:]])


def _code_point(character: str, times: int = 1) -> str:
    return f"[U+{ord(character[0]):04X}{f' x{times}' if times > 1 else ''}]"


def _show_hidden(text: str) -> str:
    """Replace invisible characters, and those that change how others look, by `[U+XXXX]`; runs by `[U+XXXX x3]`."""

    def show_run(run: re.Match[str]) -> str:
        start, end = run.span()
        hidden = next((position for position in range(start, end) if _is_hidden(text, position)), end)
        return text[start:hidden] + (_code_point(run[1], end - hidden) if hidden < end else "")

    return _NON_ASCII_RUN.sub(show_run, text)


def _is_hidden(text: str, position: int) -> bool:
    character = text[position]
    code = ord(character)
    if character in _JOINERS:
        # Persian, Indic scripts and composed emoji need these characters between their own.
        beside = text[position - 1 : position] + text[position + 1 : position + 2]
        return len(beside) < 2 or min(beside) <= "\u00ff"
    if 0xFE00 <= code <= 0xFE0F:
        # Variation selectors choose the text or emoji style of the character before; a second one means nothing.
        return position == 0 or text[position - 1] <= "\u00a0" or 0xFE00 <= ord(text[position - 1]) <= 0xFE0F
    if 0xE0100 <= code <= 0xE01EF or code in (0x115F, 0x1160, 0x3164, 0xFFA0, 0x034F, 0x2800):
        return True
    category = unicodedata.category(character)
    if category in ("Mn", "Me"):
        before = text[max(0, position - _MAX_MARKS) : position]
        return len(before) == _MAX_MARKS and all(unicodedata.combining(mark) for mark in before)
    return category in ("Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp")
