"""Find values that a name before or behind them gives away: assignments, options, sentences, tables, markup.

Any name counts that contains a word for a secret, and the value decides: a password may be anything that somebody
chose, and everything else must look generated.
"""

from __future__ import annotations

from collections.abc import Iterator

from sidecar.text.lazy_patterns import lazy
from sidecar.text.lookalikes import lowered
from sidecar.text.secrets.kinds import PASSWORD, SECRET, SecretSpan
from sidecar.text.secrets.values import is_password, is_random, is_url_password, is_uuid

# Only what follows distinguishes a name from a word: `keyboard`, `tokenizer` and `secretary` have nothing assigned to
# them.
_NAME = lazy(
    r"passw(?:or)?d|passphrase|passcode|pass|pwd|contraseña|secret|token|credential|authorization|bearer|webhook|key|pat"
    r"|auth|private|access"
)
_PASSWORDS = frozenset("password passwd passphrase passcode pass pwd contraseña".split())
_WEAK = frozenset("key pat auth private access".split())  # common words: they count only alone or as a part of a name
_STRONG_KEY = lazy(
    r"(?:api|access|auth|private|sign|signing|license|sdk|storage|account|service|encryption|client|app|shared|master"
    r"|deploy|admin|session)[ _.-]?\Z"
)
_GIVEN = lazy(r"[\"']?\s*[:=|]")
_REST = lazy(r"[\w.$-]{0,40}")
_PUBLIC = lazy(
    r"(?i:public|publishable|primary|foreign|cache|sort|partition|query|idempotency|object|page|csrf|next|host|did)"
    r"[ _.:-]?\Z"
)
# Properties of a secret that are not secret: where it is, what it is called, what is derived from it.
_OF_IT = lazy(
    r"(?i:hash|hashed|digest|sha\d*|checksum|fingerprint|uri|url|path|file|ids?|name|type|version|count|stdin|store|field)\Z"
)
# What may stand between a name and its value.
_GLUE = lazy(
    r"(?:[ \t]{0,8}(?:[:?+|.]{0,3}[:=]{1,3}>?|->|→|-[ \t]|(?<!>)>(?!>)|[,|(\"'`\[\])\\{*]|\r?\n[ \t]{0,16}"
    r"|</?[\w:-]{1,20}[ \t]?/?|/(?=>)|\{(?:\w{1,20}[ \t]){0,2}"
    r"|(?:value|default|string|str|is|was|now|set|reset|changed|rotated|to|as)\b)){1,12}[ \t]{0,8}"
)
_SAID = lazy(
    r"(?:[ \t][^\s:=\"'`.;|]{1,20}){0,6}?[ \t](?:is|was|are|were|to|now|as|=)"
    r"(?:[ \t](?:now|changed|set|reset|rotated|to))?[:,]?[ \t]{1,4}[\"'`*(]{0,3}"
)
_NEXT = lazy(r"[ \t]{1,4}[\"'`(]?")
# In words and in quotes, so not a field's name.
_TOLD = lazy(r"(?i)\b(?:is|was|be|to|as)[ \t]*:?[ \t]{0,4}[\"'`]\Z")
_QUOTED = lazy(r"[^\s\"'`]{8,4096}")
_BARE = lazy(r"[^\s\"'`;,|<>()\[\]{}\\]{8,4096}")
_OPTION = lazy(r"--?[\w-]*\Z")
_IS_THE = lazy(
    r"[ \t](?:is|was)[ \t](?:(?:the|our|my|your|its|their|a|an)[ \t])?(?:[\w-]{1,30}[ \t]){0,3}?"
    r"(?i:(?P<password>password|passphrase|passcode|pwd)|token|secret|(?:[\w-]{1,30}[ _-])?key|credential)\b"
)
_WORDS = r"(?:[^\s\"'`]{2,20} ){2,12}[^\s\"'`]{2,20}"
_PASSPHRASE = lazy(rf"(?i)\bpassphrase\b[^\n.\"]{{0,60}}?\b(?:is|to):?[ \t]([\"'`])({_WORDS})\1")
_BEFORE = lazy(r"[^\s\"'`;,|<>()\[\]{}]{8,4096}(?=[\"'`*]{0,3},?\Z)")
_ROW = lazy(
    r"(?m)^(?:[^\n]*\|[^\n]*\|[^\n]*|[^\n,]{1,80}(?:,[^\n,]{0,200}){1,20}|[^\n\t]{1,80}(?:\t[^\n\t]{0,200}){1,20})$"
)
_PLAIN = lazy(r"[\"']?[A-Za-z][\w .-]*[\"']?")
_CELL = lazy(r"(?i:(?P<password>.*(?:passw(?:or)?d|passphrase|passcode|pwd)).*|.*(?:secret|token|credential|key).*)\Z")
_MAX_ROWS = 200  # of a table


def _named(start: int, value: str, *, password: bool) -> SecretSpan:
    return SecretSpan(start, start + len(value), PASSWORD if password else SECRET, True)


def find(text: str) -> Iterator[SecretSpan]:
    """Yield every match in no particular order; matches may overlap."""
    folded = lowered(text)
    for match in _NAME.finditer(folded):
        start, name = match.start(), match[0]
        password = name in _PASSWORDS
        strong = name not in _WEAK or (
            name == "key" and _STRONG_KEY.search(folded, max(0, start - 16), start) is not None
        )
        inside = text[start - 1 : start].isalpha() and not text[start].isupper()  # monkey, compass
        goes_on = text[match.end() : match.end() + 1].islower()  # keyboard, author
        if (not strong and (inside or goes_on)) or (name == "pass" and not _GIVEN.match(text, match.end())):
            continue
        rest = _REST.match(text, match.end())
        end = rest.end() if rest is not None else match.end()
        public = _PUBLIC.search(text, max(0, start - 16), start) is not None and not password
        if not public and not _OF_IT.search(text, start, end):
            yield from _after(text, start, end, password, strong)
    for match in _IS_THE.finditer(text):
        before = _BEFORE.search(text, max(0, match.start() - 600), match.start())
        value = before[0].rstrip(".:!?").lstrip("/*#;-") if before is not None else ""
        if before is not None and (is_random(value, 16) or (match["password"] and is_password(value))):
            start = before.start() + before[0].index(value)
            yield _named(start, value, password=bool(match["password"]))
    for match in _PASSPHRASE.finditer(text):
        yield _named(match.start(2), match[2], password=True)
    yield from _in_tables(text)


def _after(text: str, start: int, end: int, password: bool, strong: bool) -> Iterator[SecretSpan]:
    option = _OPTION.search(text, max(0, start - 40), start) is not None
    for glue, least in ((_GLUE, 16), (_SAID, 20), (_NEXT, 8 if option else 20)):
        joint = glue.match(text, end)
        if joint is None:
            continue
        quote = text[joint.end() - 1]
        value_match = (_QUOTED if quote in "\"'`" else _BARE).match(text, joint.end())
        if "fingerprint" in joint[0]:
            continue
        if value_match is None or (glue is _GLUE and not joint[0].strip()) or value_match[0][0] in "@.)}]":
            continue
        after = text[value_match.end() : value_match.end() + 1]
        if (quote in "\"'`" and after.isspace() and after != "\n") or after in ("(", "["):
            continue
        value = value_match[0].split("&")[0] if not password and quote in "=" else value_match[0]
        value = value.rstrip(".!?):,;*}\\")
        direct = glue is _GLUE or (glue is _NEXT and option)
        if password and (direct or glue is _SAID):
            counts = is_password(value) or (_TOLD.search(joint[0]) is not None and is_url_password(value))
        else:
            counts = is_random(value, least if strong or not direct else 20) or (
                glue is _GLUE and is_uuid(value) and (strong or text[start - 1 : start] in ("_", "-"))
            )
        if counts:
            yield _named(value_match.start(), value, password=password)
            return


def _in_tables(text: str) -> Iterator[SecretSpan]:
    """Yield cells below a heading such as password or token, in Markdown tables and comma- or tab-separated values."""
    rows = [match.span() for match in _ROW.finditer(text)]
    row_index = 0
    while row_index < len(rows) - 1:
        head = text[slice(*rows[row_index])]
        sign = next(sign for sign in "|\t," if sign in head)
        cells = head.split(sign)
        plain = sign == "|" or all(_PLAIN.fullmatch(cell.strip()) for cell in cells)
        names = [_CELL.match(cell.strip()) if plain and len(cell) < 60 else None for cell in cells]
        after = row_index + 1
        if any(names):
            while after < len(rows) and rows[after][0] == rows[after - 1][1] + 1 and after - row_index < _MAX_ROWS:
                start = rows[after][0]
                cells = text[slice(*rows[after])].split(sign)
                for name, cell in zip(names, cells, strict=False):
                    value = cell.strip(" \t`\"'*")
                    if name and (is_password(value) if name["password"] else is_random(value, 16)):
                        yield _named(start + cell.index(value), value, password=bool(name["password"]))
                    start += len(cell) + 1
                after += 1
        row_index = after if after > row_index + 1 else row_index + 1
