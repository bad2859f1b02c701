"""Stored text may be shown, but never outside its fence.

What a memory says came from a user, a model, a tool's output or another person's repository. When it is put in
front of a model it must stay recognisable as quoted data: it may not close the block it stands in, open another
message, start a heading or a code fence, move the cursor of a terminal, or hide text from the reader. Everything
that could is replaced by something that shows what stood there; nothing is dropped silently. All functions are
idempotent. The list of what is dangerous follows Unicode TR 36 and TR 39 (invisible and bidirectional
characters, look-alikes), ECMA-48 (terminal control) and the chat templates of the common model families.
"""

from __future__ import annotations

import re
import unicodedata

from sidecar.patterns import lazy

# ECMA-48: CSI, OSC (ended by BEL or ST), other string controls, and two-character escapes; both in 7-bit form and C1.
_ANSI = lazy(
    r"(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]"
    r"|(?:\x1b[\]PX^_]|[\x9d\x90\x98\x9e\x9f])[^\x07\x1b\x9c\n]*(?:\x07|\x1b\\|\x9c)"
    r"|\x1b[ -/]*[0-~]"
)
_LINE_ENDS = lazy(r"\r\n|[\r\x0b\x0c\x1c\x1d\x1e\x85\u2028\u2029]")
_ODD = lazy(r"[^\n\x20-\x7e]")
# What could begin a tag: not `a < b`, `1<2`, `x <= y`, `<-`, `<3`. The wide and the small sign turn into `<` where a
# tokeniser normalises (NFKC); whatever follows them is more likely an attack than a comparison.
_TAG = lazy(r"<(?![\s\d=<&-]|\Z)")
_WIDE_TAG = lazy(r"[\uff1c\ufe64](?!\s|\Z)")
# Brackets that look like `<`: left alone as quotation marks, shown by their number where they would make a tag.
_ALIKE_TAG = lazy(
    r"[‹❮❬⟨〈〈«⟪《](?=\s{0,4}/|\s{0,4}(?:memory|system|user|assistant|human|instructions?)\b)", re.IGNORECASE
)
_FENCE = lazy(r"`{3,}")
_TILDES = lazy(r"~{3,}")
_INSTRUCTION = lazy(
    r"\[(\s*/?\s*(?:INST|SYS|SYSTEM|SYSTEM_PROMPT|AVAILABLE_TOOLS|TOOL_CALLS?|TOOL_RESULTS?|TOOL_CONTENT|PREFIX|SUFFIX|MIDDLE)\s*/?\s*)\]",
    re.IGNORECASE,
)
_ROLES = (
    "system|user|assistant|human|ai|developer|tool|function|model|bot|ipython"
    # what the loops of reason-and-act prompts are made of
    "|observation|thought|action|action input|final answer"
    "|systeme|système|utilisateur|sistema|usuario|benutzer|система|пользователь|系统|用户|システム|ユーザー"
)
_ROLE = lazy(
    rf"^(?P<lead>[\s>*_#\-\\`\"'\[(]*)(?P<role>{_ROLES})(?P<gap>[\s*_`\"'\])]*)(?P<colon>[:：])",
    re.IGNORECASE,
)
_BARE_ROLE = lazy(rf"^\s*(?:{_ROLES})\s*\Z", re.IGNORECASE)
_HEADING = lazy(r"^(?P<lead>\s*(?:>\s*)*)(?P<mark>#{1,6}(?=\s|\Z)|#{2,6}(?=[^\W\d]))")
_RULE = lazy(r"^(?P<lead>\s*(?:>\s*)*)(?P<mark>[-=*_](?:\s*[-=*_])+)\s*\Z")
# Anything that one of the rules below could change; most texts hold nothing of it and are let through at once.
_SUSPICIOUS = lazy(
    r"[^\n -;=-Z\\-~]|`{3}|~{3}"
    rf"|^[\s>*_#\-\\`\"'\[(]*(?:[#=*_-]|(?i:{_ROLES}))",
    re.MULTILINE,
)
# Letters of other scripts that look like the Latin ones of a role (Unicode TR 39, confusables), one for one.
_ALIKE = (
    "АA ВB ЕE КK МM НH ОO РP СC ТT УY ХX ЅS ІI ЈJ аa еe оo рp сc уy хx іi ѕs ԁd һh ӏl ԛq ԝw "
    "ΑA ΒB ΕE ΖZ ΗH ΙI ΚK ΜM ΝN ΟO ΡP ΤT ΥY ΧX αa νv οo ρp τt υu ιi ѴV ѵv ꓢS ꓮA"
)
_LOOKALIKES = {ord(pair[0]): pair[1] for pair in _ALIKE.split()}
_WIDE = {code: code - 0xFEE0 for code in range(0xFF01, 0xFF5F)}  # full-width forms of ASCII
_MOST_MARKS = 4  # combining marks on one letter; more is no script (Unicode TR 39, section 5.4)
_JOINERS = "\u200c\u200d"


def clean(text: str, *, markup: bool = True) -> str:
    """The text with everything neutralised that could leave its quotation; line ends become `\\n`.

    With `markup` a `<` that could begin a tag becomes `&lt;`; without it the caller escapes markup itself.
    """
    return neutralised(text, markup) if _SUSPICIOUS.search(text) else text


def one_line(text: str, *, markup: bool = True) -> str:
    """`clean` on a single line: line ends and runs of white space become one space."""
    return " ".join(clean(" ".join(clean(text, markup=markup).split()), markup=markup).split())


def lines(text: str, *, markup: bool = True) -> list[str]:
    """`clean`, as lines without trailing white space, without blank lines at either end or two in a row."""
    kept: list[str] = []
    for line in clean(text, markup=markup).split("\n"):
        bare = line.rstrip()
        if bare or (kept and kept[-1]):
            kept.append(bare)
    while kept and not kept[-1]:
        kept.pop()
    return kept


def neutralised(text: str, markup: bool) -> str:
    """`clean` without the short cut for texts that hold nothing suspicious."""
    text = _LINE_ENDS.sub("\n", _ANSI.sub("[ANSI]", text)).replace("\t", "    ")
    text = _visible(text)
    text = _FENCE.sub(lambda run: "'" * len(run.group()), text)
    text = _TILDES.sub(lambda run: " ".join(run.group()), text)
    text = _INSTRUCTION.sub(r"(\1)", text)
    for pattern in (_WIDE_TAG, _ALIKE_TAG):
        text = pattern.sub(lambda sign: f"[U+{ord(sign.group()):04X}]", text)
    if markup:
        text = _TAG.sub("&lt;", text)
    return "\n".join(_clean_line(line) for line in text.split("\n"))


def _clean_line(line: str) -> str:
    line = _HEADING.sub(r"\g<lead>\\\g<mark>", line)
    line = _RULE.sub(r"\g<lead>\\\g<mark>", line)
    plain = _plain(line)
    if role := _ROLE.match(line) or _ROLE.match(plain):
        line = f"{line[: role.start('colon')]}\\{line[role.start('colon') :]}"
        plain = f"{plain[: role.start('colon')]}\\{plain[role.start('colon') :]}"
    return f"({line.strip()})" if _BARE_ROLE.match(line) or _BARE_ROLE.match(plain) else line


def _plain(line: str) -> str:
    """The line in the letters that a reader takes its own for; as long as it was."""
    return line if line.isascii() else line.translate(_WIDE).translate(_LOOKALIKES)


def _visible(text: str) -> str:
    """Characters that show nothing, or change how others show, as `[U+XXXX]`; a run of one as `[U+XXXX x3]`."""
    if not _ODD.search(text):
        return text
    parts: list[str] = []
    position = 0
    while position < len(text):
        character = text[position]
        if character == "\n" or " " <= character <= "~" or not _hidden(text, position):
            parts.append(character)
            position += 1
            continue
        end = position + 1
        while end < len(text) and text[end] == character:
            end += 1
        times = f" x{end - position}" if end - position > 1 else ""
        parts.append(f"[U+{ord(character):04X}{times}]")
        position = end
    return "".join(parts)


def _hidden(text: str, position: int) -> bool:
    character = text[position]
    code = ord(character)
    if (
        character in _JOINERS
    ):  # Persian, Indic scripts and composed emoji need them between their own characters
        return not (
            0 < position < len(text) - 1 and text[position - 1] > "\u00ff" and text[position + 1] > "\u00ff"
        )
    if (
        0xFE00 <= code <= 0xFE0F
    ):  # chooses text or emoji style of the character before; more than one says nothing
        return position == 0 or text[position - 1] <= "\u00a0" or 0xFE00 <= ord(text[position - 1]) <= 0xFE0F
    if 0xE0100 <= code <= 0xE01EF or code in (0x115F, 0x1160, 0x3164, 0xFFA0, 0x034F, 0x2800):
        return True
    category = unicodedata.category(character)
    if category in ("Mn", "Me"):
        before = text[max(0, position - _MOST_MARKS) : position]
        return len(before) == _MOST_MARKS and all(unicodedata.combining(mark) for mark in before)
    return category in ("Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp")
