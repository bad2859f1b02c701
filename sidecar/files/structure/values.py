"""Decide which values of a file may be shown. What may be a secret is shown as `[hidden]`."""

from __future__ import annotations

import re

from sidecar.files.language import CODE

_FOREIGN = re.compile(r"(?=.*[^\x00-\x7f])\D+")  # a translation
_SENTENCE = re.compile(r"\w[ ,.:][^\W\d_]+[ ,.:][^\W\d_]")
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
_LONG_TOKEN = re.compile(r"(?<![@A-Za-z0-9+/_-])[A-Za-z0-9+/_-]{20,}={0,2}")
# `--password …`, `password: …`, `"apiKey" => "…"`, `const token: string = '…'`, `PASSWORD '…'`
_ASSIGNED = re.compile(
    r"""(?P<option>--[\w-]{1,40}[ ]{1,3})(?P<given>[^\s"'`$<-][^\s"'`]{2,80})|"""
    r"""(?<![\w.-])(?P<key>[\w.-]{1,200}+)(?P<mid>["'`\])]{0,2}[ \t]{0,8}"""
    r"""(?:(?::[ \t]?[A-Za-z][\w.<>\[\]|?]{0,40}|string)[ \t]{0,3}(?==))?"""
    r"""(?:=>|[:?+=!]?=|:(?!\w)|(?<!\s):)[ \t]{0,8}|["'`]?,[ \t]?(?=["'`])|[ ](?=["']))"""
    r"""(?P<value>"[^"\n]{0,400}"?|'[^'\n]{0,400}'?|`[^`\n]{0,400}`?|[^\s,;&"'`]{1,400})"""
)
# `requirepass …`, alone on a line, and a value of letters and digits at its end
_LAST = re.compile(
    r"(?P<before>^\s*(?P<key>[\w.-]{2,60})[ \t]{1,40})[^\s={}():<>$]{4,200}\s*$"
    r"|(?P<said>(?<![\w.-])(?P<name>[\w.-]{2,200}+)[ \t]{1,8})"
    r"(?=\S*\d)(?=\S*[A-Za-z])[^\s\"'`;,<>(){}$/]{6,80}(?=[;,]?\s*$)"
)
_BESIDE = re.compile(  # `name: DB_PASSWORD` above `value: …`
    r"""(?P<before>(?:(?:name|key)["']?[ ]{0,3}[:=][ ]{0,3}["']?|<key>)(?P<key>[\w.-]{1,60})"""
    r"""(?:["']?,?[ ]{0,8}\n?[ \t]{0,40}["']?value["']?[ ]{0,3}[:=]|</key>\s{0,40}<(?:string|value)>)[ ]{0,3}["']?)"""
    r"""[^\s"'<>$({][^\n"'<>]{3,200}""",
    re.I,
)
# Files that hold hardly anything but secrets, by their names.
_SECRET_FILE = re.compile(
    r"(?:^|[._-])(?:netrc|pgpass|npmrc|pypirc|htpasswd|htdigest|id_(?:rsa|dsa|ecdsa|ed25519)|chap-secrets|pap-secrets"
    r"|shadow|git-credentials|dockercfg|s3cfg|boto)(?:$|\.(?:txt|conf|ini|cfg|example|bak|old|dist|sample)$)"
    r"|(?:^|[._/-])(?:secrets?|credentials?|creds?|passwords?|passwd)(?:[._/-]|$)"
    r"|\.(?:pem|key|p8|ppk|p12|pfx|jks|tfvars|kdbx|asc|env|htpasswd|keystore)$|(?:^|/)\.?env(?:$|[._-]\w+$)"
)
_ONLY_ABOUT = CODE - {"nix", "terraform"} | {"markdown", "restructuredtext", "asciidoc", "org", "html", "sql"}
_KEYED = re.compile(r"""[\s"'-]*(?:export\s|set\s)?[\w.@/$ -]{1,60}["']?\s*(?:=>|:=|=|:)\s*(?=\S)""")
_SECRET_KIND = re.compile(r"^[ ]{0,8}[\"']?kind[\"']?:[ ]{1,3}[\"']?\w{0,20}Secret\b", re.M)
_TOLD = re.compile(r"[ -]*[\"']?(?:apiVersion|kind|name|namespace|type)[\"']?:(?!.*\{)")
_SHOWN_WHOLE = re.compile(
    r"\W*$|\s*(?:[#;/\[]|---).*$|.*[\[{(|>]\s*$|[^:=]*[:=]\s*$|.*(?:true|false|null|none|\b\d{1,3})[\"',;]*\s*$", re.I
)
# A path such as `Token::Unit`, an address, an opened block, a lookup, and a parameter's type.
_UNASSIGNED = re.compile(
    r"(?<=:):[A-Za-z_]|(?<=\w:)//|\$[\w{(]|[{(\[<>|&*!%@]|(?:str|string|text|bytes|int|bool|boolean|number|any)\b[?\[\]]*(?:[)>|,:]|$)"
    r"|[A-Za-z_][\w.]*[(\[.]",
    re.I,
)
_STEMS = tuple(
    """pass pwd secret token credential private signing encrypt key pin salt dsn auth cookie webhook psk otp pw
    connection url mnemonic bearer hmac vault code seed wort geheim zugang schlüssel contrase clave mot senha has wachtw
    lösen adgang parola heslo salasana şifre парол 密 口令 パスワード 비밀번호 암호 ://""".split()
)
_BEARER = re.compile(r"(?i)\b(bearer|basic)\s{1,3}(?=[A-Za-z]*[\d+/=-])[\w.~+/=-]{8,}")
_URL_LOGIN = re.compile(r"(?<=://)[^/\s:@]{0,80}:[^/\s@]{1,200}@")
_MAX_LINE_CHARS = 1_000

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
    return flat if hide_values(flat, quoted=False) == flat else None


def hide_values(text: str, *, quoted: bool) -> str:
    """Replace values whose names say secret, and what looks like a key, by `[hidden]`; if `quoted`, only literals."""
    text = text if quoted else _BESIDE.sub(_hide_beside, hide_tokens(text))
    low = text.lower()
    starts = set[int]()
    for stem in _STEMS:
        at = low.find(stem)
        while at >= 0:
            starts.add(low.rfind("\n", 0, at) + 1)
            end = low.find("\n", at)
            at = low.find(stem, end) if end >= 0 else -1
    if len(low) != len(text) or not starts:  # a letter that becomes two in lower case
        return "\n".join(_hide(line, quoted) for line in text.split("\n")) if starts else text
    parts, at = list[str](), 0
    for start in sorted(starts):
        end = text.find("\n", start)
        parts += [text[at:start], _hide(text[start : end if end >= 0 else len(text)], quoted)]
        at = end if end >= 0 else len(text)
    return "".join([*parts, text[at:]])


def _hide(line: str, quoted: bool) -> str:
    def hide(match: re.Match[str]) -> str:
        if match["given"]:
            secret = secret_key(match["option"].rstrip()) and not match["given"].isalpha()
            return f"{match['option']}[hidden]" if secret else match[0]
        key, mid, value, before = match["key"], match["mid"], match["value"], line[match.start() - 1 : match.start()]
        if (quoted and mid == " ") or (mid[0] == "," and before != ":"):
            return match[0]
        literal = value.strip("\"'`")
        phrase = mid[0] in "\"'" and before == " "  # "gas with one token":
        if phrase or (key.lower().strip(".-") == "key" and not secret_value(literal)) or _FOREIGN.fullmatch(literal):
            return match[0]
        if value[0] in "\"'`":
            secret = secret_key(_snake(key)) and _perhaps(_snake(key), literal) and not _SENTENCE.search(literal)
            return f"{key}{mid}{value[0]}[hidden]{value[0]}" if secret else match[0]
        if quoted or not secret_key(_snake(key)) or _CONSTANT.fullmatch(literal) or len(literal) <= 3:
            return match[0]
        if _UNASSIGNED.match(line, match.start("value")) or _PLACE.fullmatch(literal):
            return match[0]
        return f"{key}{mid}[hidden]"

    head = _BEARER.sub(r"\1 [hidden]", line[:_MAX_LINE_CHARS])
    head = _URL_LOGIN.sub("[hidden]@", head) if "://" in head else head
    head = _ASSIGNED.sub(hide, head)
    if not quoted and (last := _LAST.search(head)) and secret_key(_snake(last["key"] or last["name"])):
        head = f"{head[: last.start()]}{last['before'] or last['said']}[hidden]{head[last.end() :]}"
    return head + line[_MAX_LINE_CHARS:]


def hide_all_values(text: str) -> str:
    """Keep the names of a file of secrets, and its comments. Lines stay."""
    return "\n".join(map(_without_value, text.split("\n")))


def hide_kubernetes_secrets(text: str) -> str:
    """Hide the values of the YAML documents that are Kubernetes secrets. Lines stay."""
    if _SECRET_KIND.search(text) is None:
        return text
    parts = text.split("\n---")
    return "\n---".join(
        "\n".join(line if _TOLD.match(line) else _without_value(line) for line in part.split("\n"))
        if _SECRET_KIND.search(part)
        else part
        for part in parts
    )


def _without_value(line: str) -> str:
    if _SHOWN_WHOLE.match(line):
        return _hide(line, quoted=False)
    keyed = _KEYED.match(line)
    return f"{keyed[0] if keyed else ''}[hidden]"


def secret_file(path: str, language: str) -> bool:
    """Return whether a file's name says that it holds secrets; code and prose are only about them."""
    return language not in _ONLY_ABOUT and _SECRET_FILE.search(path.lower()) is not None


def _hide_beside(match: re.Match[str]) -> str:
    return f"{match['before']}[hidden]" if secret_key(_snake(match["key"])) else match[0]


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


def _perhaps(name: str, literal: str) -> bool:
    """Return whether the literal in a constant with a secret's name may be the secret rather than a name or a place."""
    if len(literal) <= 3 or _CONSTANT.fullmatch(literal) or _PLACE.fullmatch(literal):
        return False
    parts = [part for part in _SEPARATOR.split(_snake(literal)) if part]
    if not all(part.isalpha() for part in parts):
        return True
    if len(parts) > 1:
        if len("".join(parts)) < _MIN_AVERAGE_LETTERS * len(parts):
            return True
        return _PASSWORD.search(name) is not None and "".join(parts).lower() != name.replace("_", "").lower()
    return _PASSWORD.search(name) is not None or _ENTRY.search(name) is None


def hide_tokens(text: str) -> str:
    """Hide each token that is long and mixed enough to be a key, such as a hash."""
    return _LONG_TOKEN.sub(lambda match: "[hidden]" if secret_value(match[0]) else match[0], text)


def without_secret_literals(text: str) -> str:
    """Hide each quoted literal of code that is long and mixed enough to be a key."""
    return _LITERAL.sub(lambda match: "[hidden]" if secret_value(match[0]) else match[0], text)


def _snake(name: str) -> str:
    return _HUMP.sub("_", name)
