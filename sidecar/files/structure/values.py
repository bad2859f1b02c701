"""Decide which configuration values may be shown. A possible secret is shown as its type."""

from __future__ import annotations

import re

_SECRET_KEY = re.compile(
    r"pass(?:word|wd|phrase|code)?(?![a-z])|pwd|secret|token|credential|private|signing|encrypt"
    r"|(?:api|access|auth|account|client|master|storage|license)[-_. ]?key|(?:^|[-_. ])(?:key|pin|salt|dsn|pat)$"
    r"|auth(?:orization)?$|cookie|webhook|connection[-_. ]?string|(?:database|db|redis|amqp|mongo\w*)[-_. ]?ur[il]"
    r"|passw|passkey|mnemonic|pwhash|pre-?shared|bearer|(?:bind|root|user|admin|login)pw$|(?:^|[-_. ])(?:pw|psk|puk"
    r"|t?otp|hmac)(?![a-z])"
    r"|(?:shared|session|crypt|hmac|wep|service|routing|maps)[-_. ]?key\d?$|(?:^|[-_. ])vault[-_. ]|key[-_. ]?data$"
    r"|(?:recovery|backup|scratch|activation|door|alarm|unlock|pin|security)[-_. ]?codes?$|seed[-_. ]?(?:phrase|words)"
    r"|kennwort|geheim|zugangsdaten|schlüssel$|contrase|(?<![a-z])clave(?![a-z])"
    r"|mot[-_. ]?de[-_. ]?passe|senha|hasło|wachtwoord"
    r"|lösenord|adgangskode|parola|heslo|salasana|şifre|парол|密码|密碼|口令|密钥|密鑰|パスワード|비밀번호|암호",
    re.I,
)
# Names of something about a secret that is not a secret itself.
_ABOUT = re.compile(
    r"(?:name|path|file|type|field|prefix|suffix|length|size|ttl|expir\w*|count|limit|seconds|minutes|hours|days"
    r"|regex|pattern|enabled|disabled|required|permissions|opts"
    r"|supported|button|title|message|label|hint|error|description|dialog|icon|token[-_. ]?(?:ur[il]|endpoint))$",
    re.I,
)
_VERSION = re.compile(r"[~^<>=!v* ]{0,3}\d{1,6}(?:\.[\dx*]{1,6}){0,3}(?:[-+.]?[A-Za-z]{1,6}\.?\d{0,4})?")
_NAME = re.compile(r"[@A-Za-z_.][\w@./+ -]{0,47}")
_WORDS = re.compile(r"[^\W\d_]{2,24}(?:[ ,./-]{1,2}[^\W\d_]{1,24}){0,8}")
_LONG_TOKEN = re.compile(r"[A-Za-z0-9+/_-]{20,}={0,2}")
_ASSIGNED = re.compile(
    r"""(?P<key>[\w.-]{1,60})(?P<mid>["']?\s{0,3}(?:=|:)\s{0,3})(?P<value>"[^"\n]{0,400}"?|'[^'\n]{0,400}'?|[^\s,;&"']{1,400})"""
)
# A path such as `Token::Unit`, an address, an expression of a workflow, and a parameter's type.
_UNASSIGNED = re.compile(
    r"(?<=:):[A-Za-z_]|(?<=\w:)//|\$\{\{\s*[\w.-]+\s*\}\}|(?:str|string|String|text|bytes|int|bool|boolean|number|any)\b[?\[\]]*[)>|]"
)
_BEARER = re.compile(r"(?i)\b(bearer|basic)\s{1,3}[\w.~+/=-]{8,}")
_URL_LOGIN = re.compile(r"(?<=://)[^/\s:@]{0,80}:[^/\s@]{1,200}@")
_PRIVATE_KEY = re.compile(r"-----BEGIN [A-Z ]{0,40}PRIVATE KEY-----[^-]{0,20000}(?:-----END [A-Z ]{0,40}-----)?")

_LITERAL = re.compile(r"(?<=\")[^\"]{1,2000}|(?<=')[^']{1,2000}|(?<=`)[^`]{1,2000}")
_ASKED = re.compile(r"[\w.:?]*(?:getenv|environ(?:\.get)?|\benv)\s?[(\[]\s?[\"'][A-Z][A-Z0-9_]{0,60}[\"']\s?[)\]][!?]*")
"""A lookup of an environment variable, whose name is not secret."""

_BARE = re.compile(r"[\w./+=:@-]{4,}")
_HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_MIXED = re.compile(r"\d[A-Za-z]|[A-Za-z]\d")
_SEPARATOR = re.compile(r"[-_/.=+:, ]+")
_NAMED = re.compile(r"[A-Za-z]+(?:\d{4}[A-Za-z]{5,})?\d{0,4}|\d{1,4}")
_MIN_AVERAGE_LETTERS = 3.75  # of words; random letters make words of 2.6, and 2 in 100 texts of 32 letters reach this
_WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+")
_PLACE = re.compile(r"(?:[.~]{0,2}|\$\{?\w{1,60}\}?)/[\w./-]{1,200}")
_CONSTANT = re.compile(r"(?i)true|false|none|null|undefined|read|write|inherit|[*\u2022.x]+")
# Names whose value may be a word, and those whose value is mostly the name of an entry.
_PASSWORD = re.compile(r"(?i)pass|pwd|secret|credential|pin$")
_ENTRY = re.compile(r"(?i)(?<!api)(?<!access)(?<!auth)(?:^|[-_. ])key$|cookie")

MANIFEST_KEYS = frozenset(
    """name version type main module types typings license private engines packageManager edition sideEffects
    target moduleResolution jsx lib strict kind apiVersion image runs-on language title openapi swagger
    build-backend requires-python rust-version resolver schema extends preset root rootDir outDir baseUrl""".split()
)
"""Manifest keys whose short text values are names, worth showing and not secret."""

_SEED = re.compile(r"(?<![\w-])[a-z]{3,8}(?:[ ,]{1,2}[a-z]{3,8}){11,23}(?![\w-])")
_MIN_SEED_WORDS = 10  # different ones; a seed hardly repeats any
_EVERYDAY = frozenset("the and for with are was from not has have its when which where then than into".split())


def secret_key(key: str) -> bool:
    """Return whether a key's name suggests that its value is secret."""
    return _SECRET_KEY.search(key[:200]) is not None and _ABOUT.search(key[:200]) is None


def secret_value(text: str) -> bool:
    """Return whether a text contains a token that is long and mixed enough to be a key."""
    for match in _LONG_TOKEN.finditer(text):
        token = match.group().replace("x86_64", "x")
        if _worded(token):
            continue
        digits = sum(char.isdigit() for char in token)
        if (
            digits >= 4
            and len(token) - digits >= 6
            and token.count("/") + token.count("-") < 4
            and _MIXED.search(token)
        ):
            return True
        if len(token) >= 32 and len(set(token)) >= 16 and not token.islower():
            return True
    return _URL_LOGIN.search(text) is not None


def _worded(token: str) -> bool:
    """Return whether a token consists of words, as an identifier or a path does, and so is not random."""
    words = [part for part in _SEPARATOR.split(token) if part]
    if not all(map(_NAMED.fullmatch, words)) or sum(char.isdigit() for char in token) > 4:
        return False
    words = list(dict.fromkeys(_WORD.findall(token)))
    return len("".join(words)) >= _MIN_AVERAGE_LETTERS * len(words)


def brief(key: str, value: str, *, words_too: bool = False) -> str | None:
    """Return a text value if it may be shown: a version, or a name under a manifest key; else None.

    With `words_too`, words may be shown under any key that does not sound secret.
    """
    if len(value) > 48 or secret_key(key) or secret_value(value):
        return None
    if _VERSION.fullmatch(value):
        return value
    if (key in MANIFEST_KEYS and _NAME.fullmatch(value)) or (words_too and _WORDS.fullmatch(value)):
        return value
    return None


def command(name: str, value: str) -> str | None:
    """Return a script's command if it is short and cannot hold a secret; else None."""
    flat = " ".join(value[:400].split())
    if not flat or len(flat) > 72 or secret_key(name) or secret_value(flat):
        return None
    return None if masked(flat) != flat else flat


def masked(text: str) -> str:
    """Mask the values of secret-looking keys, logins in addresses, and key blocks in free text."""

    def assigned(match: re.Match[str]) -> str:
        key, value = match["key"], match["value"]
        if _CONSTANT.fullmatch(value.strip("\"'")) or _UNASSIGNED.match(match.string, match.start("value")):
            return match[0]
        hidden = secret_value(value) or (secret_literal(key, value.strip("\"'")) if key == "key" else secret_key(key))
        return f"{match['key']}{match['mid']}[hidden]" if hidden else match.group()

    text = _PRIVATE_KEY.sub(lambda match: "[hidden]" + "\n" * match.group().count("\n"), text)
    text = _BEARER.sub(r"\1 [hidden]", text)
    text = _URL_LOGIN.sub("[hidden]@", text)
    text = _ASSIGNED.sub(assigned, text)
    return _LONG_TOKEN.sub(lambda match: "[hidden]" if secret_value(match.group()) else match.group(), text)


def without_secret(signature: str) -> str:
    """Return a constant's declaration, without its value if that is a literal that could be a secret.

    Types, calls and names stay: `password: str` and `TOKEN = read()` show nothing secret.
    """
    declared, equals, value = signature[:2000].partition("=")
    value = value.strip()
    if not equals or not value or value[0] in "=>" or _ASKED.fullmatch(value):
        return signature
    literals = [match[0] for match in _LITERAL.finditer(value)]
    if not declared.endswith(" ") and _BARE.fullmatch(value):
        literals.append(value)
    name = _snake("".join(declared.partition(":")[0].split()[-1:]))
    named = secret_key(name)
    if any(secret_value(literal) or (named and _perhaps(name, literal)) for literal in literals):
        return f"{declared.rstrip()} = [hidden]"
    return signature


def secret_literal(name: str, literal: str) -> bool:
    """Return whether a literal beside a secret's name may be the secret rather than a name or a place."""
    return secret_value(literal) or _perhaps(_snake(name), literal)


def _perhaps(name: str, literal: str) -> bool:
    """Return whether the literal in a constant with a secret's name may be the secret rather than a name or a place."""
    if len(literal) <= 3 or _CONSTANT.fullmatch(literal) or _PLACE.fullmatch(literal):
        return False
    parts = [part for part in _SEPARATOR.split(_snake(literal)) if part]
    if not all(part.isalpha() for part in parts):
        return True
    if len(parts) > 1:
        return _PASSWORD.search(name) is not None and "".join(parts).lower() != name.replace("_", "").lower()
    return _PASSWORD.search(name) is not None or _ENTRY.search(name) is None


def without_secret_literals(text: str) -> str:
    """Hide each quoted literal of code that is long and mixed enough to be a key."""
    return _LITERAL.sub(lambda match: "[hidden]" if secret_value(match[0]) else match[0], text)


def _snake(name: str) -> str:
    return _HUMP.sub("_", name)


def hide_seed(text: str, by: str) -> str:
    """Hide words of a wallet's seed: a dozen or more short words, without everyday words between them."""
    if text.count(" ") < 11:
        return text

    def hide(match: re.Match[str]) -> str:
        words = set(match[0].split())
        return match[0] if words & _EVERYDAY or len(words) < _MIN_SEED_WORDS else by

    return _SEED.sub(hide, text)
