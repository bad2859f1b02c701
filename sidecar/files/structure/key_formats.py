"""Settings, data and style sheets: what they say besides the keys found by the patterns of languages.toml.

That is the description, what the file imports, and what it runs.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import takewhile
from typing import Final

from sidecar.files.clean_text import shorten
from sidecar.files.structure.comments import doc_of
from sidecar.files.structure.definitions import definitions, languages
from sidecar.files.structure.result import Structure, distinct, first_sentence
from sidecar.files.structure.sql_rows import masked_sql
from sidecar.files.structure.values import command, secret_value
from sidecar.store.records import SymbolRecord
from sidecar.text.toml import read_toml

_MIN_ENTRIES_OF_A_SHAPE, _MIN_SHARE_OF_A_SHAPE = 40, 0.9  # from these on, entries are described together
_MAX_SHAPE_KEYS: Final = 8
_MAX_TOML_CHARS: Final = 200_000  # the maximum size of a file whose values are read
_MAX_NEEDED: Final = 8  # dependencies in a description

_LIST: Final = re.compile(r"(?:\s|#[^\n]*\n|---[^\n]*\n)*- ")  # a document that is a list
_ITEM_MARK: Final = re.compile(r"^( *)- ", re.M)
_ITEM_KEY: Final = re.compile(r"^(?:- |  )([\w.-]{1,60}):", re.M)
_BLOCK_TEXT: Final = re.compile(  # run: |
    r"^(?P<kept>(?P<indent> *)[^\n#]{0,400}?:\s[|>][+-]?\d?[ \t]*)\n(?P<text>(?:(?P=indent) [^\n]*\n|[ \t]*\n)*)", re.M
)
_DOCUMENT: Final = re.compile(r"^---.*$", re.M)
_CONTENT: Final = re.compile(r"^[ \t]*[^\s#]", re.M)
_KIND: Final = re.compile(r"^kind:\s*[\"']?(\w{1,80})", re.M)
_RESOURCE_NAME: Final = re.compile(
    r"^metadata:[^\n]*(?:\n[ \t]+[^\n]*){0,40}?(?:\n {1,4}|[{,] ?)name:\s*[\"']?([^\s,}\"']{1,80})", re.M
)
_API_TITLE: Final = re.compile(
    r"^info:[^\n]*(?:\n[ \t]+[^\n]*){0,40}?\n[ \t]+(title|description):\s*[\"']?([^\n\"']{1,200})", re.M
)
_WORKFLOW: Final = re.compile(r"^\s+uses:\s*[\"']?(\./[^\s\"']{1,200})", re.M)  # uses: ./.github/workflows/x.yml

_TOML_TEXT: Final = re.compile(r"(?P<kept>=\s*)(?P<text>\"{3}[\s\S]{0,20000}?\"{3}|'{3}[\s\S]{0,20000}?'{3})")
_TOML_LIST: Final = re.compile(r"(?P<kept>=\s*\[)(?P<text>[^\n\]]*\n[\s\S]{0,20000}?^\s*\])", re.M)
_REQUIREMENT: Final = re.compile(r"[A-Za-z0-9][\w.-]{0,100}")

_QUOTED_LINES: Final = re.compile(r"(?P<kept>=\s*)(?P<text>\"[^\"\n]*\n[^\"]{0,8000}\"|'[^'\n]*\n[^']{0,8000}')")
_XML_ROOT: Final = re.compile(r"<([A-Za-z_][\w:.-]{0,100})(?:[^>]{0,1000}?\sxmlns\s*=\s*[\"']([^\"'\n]{1,400}))?")
_XML_PARENT: Final = re.compile(r"<parent>.{0,2000}?</parent>|<!--.{0,4000}?-->|<\?.{0,400}?\?>|<![^>]{0,400}>", re.S)
_XML_TEXT: Final = re.compile(r"^[ \t]{0,4}<(description|groupId|artifactId)>\s*([^<]{1,400}?)\s*</", re.M)
_SQL_QUOTES: Final = re.compile(r"[\"`\[\]]")
_STYLE_IMPORT: Final = re.compile(
    r"@(?:import|use|forward)\s{1,20}(?:\([\w, ]{1,60}\)\s{0,4})?(?:url\(\s{0,4})?"
    r"[\"']?([^\"')\s;{]{1,400})(?=[\"')\s;])"
)
_SELECTORS: Final = re.compile(  # .btn, and below it .link {
    r"^([ \t]*)((?:[^\n{};@/]{1,200},[ \t]*\n){1,20}[^\n{};@/]{1,200}\{)", re.M
)
_FROM_FLAG: Final = re.compile(r"(?im)^([ \t]*FROM[ \t]+)(?:--\S{1,200}[ \t]+)+")
_CONTINUED: Final = re.compile(r"\\[ \t]*\n(?:[ \t]*#[^\n]*\n)*")
_RUN: Final = re.compile(r"^[ \t]*(ENTRYPOINT|CMD)[ \t]+([^\n]{1,400})", re.IGNORECASE | re.MULTILINE)


def _blank(pattern: re.Pattern[str], text: str) -> str:
    """Return a text with its line breaks but without the pattern's groups named `text`."""
    return pattern.sub(lambda match: match["kept"] + "\n" * match[0].count("\n"), text)


def settings(text: str, *, language: str) -> Structure:
    """Outline INI, .properties and .env files; the description is the comment above the first key."""
    found = definitions(languages()[language], text, _blank(_QUOTED_LINES, text))
    above = takewhile(lambda line: line.strip()[:1] in ("", "#", ";", "!"), text.split("\n"))
    lines = [line.strip().lstrip("#;! ") for line in above if line.strip()]
    return replace(found, doc=doc_of(lines[:24]) if language != "dotenv" else None)


def sql(text: str) -> Structure:
    """Return the definitions of a script. Strings and bodies are not read."""
    return replace(definitions(languages()["sql"], text, _SQL_QUOTES.sub("", masked_sql(text)[0])), doc=None)


def stylesheet(text: str) -> Structure:
    code = _SELECTORS.sub(lambda match: f"{match[1]}{' '.join(match[2].split())}" + "\n" * match[2].count("\n"), text)
    return replace(definitions(languages()["css"], text, code), imports=distinct(_STYLE_IMPORT.findall(text)))


def dockerfile(text: str) -> Structure:
    points = []
    for word, rest in _RUN.findall(_CONTINUED.sub(" ", text)):
        shown = command(word, re.sub(r'[\[\]",]+', " ", rest) if rest.startswith("[") else rest)
        points.append(f"{word.upper()} {shown}" if shown else word.upper())
    found = definitions(languages()["dockerfile"], text, _FROM_FLAG.sub(r"\1", text))
    head = takewhile(lambda line: line[:1] in ("", "#"), text.split("\n")[:20])
    doc = doc_of([line.lstrip("# \t") for line in head if "=" not in line])
    return replace(found, doc=doc, entry_points=distinct(points[-4:]))


def xml(text: str) -> Structure:
    """Return the elements below the root. The root's name or text is the description."""
    found = definitions(languages()["xml"], text)
    if len(found.symbols) == 1:
        found = replace(found, symbols=found.symbols[0].children or found.symbols)
    content = _XML_PARENT.sub("", text[:20_000])
    root = _XML_ROOT.search(content)
    if root is None:
        return replace(found, doc=None, partial=True)
    texts = {name: " ".join(value.split()) for name, value in reversed(_XML_TEXT.findall(content))}
    described = texts.get("description", "")
    doc = first_sentence(described) if described and not secret_value(described) else None
    coordinates = " ".join(texts[key] for key in ("groupId", "artifactId") if len(texts.get(key, "")) in range(1, 80))
    namespace = f" ({shorten(root[2], 80)})" if root[2] else ""
    return replace(found, doc=doc or f"XML <{root[1]}>{f' {coordinates}' if coordinates else namespace}.")


def yaml(text: str) -> Structure:
    """Return the keys of the two upper levels; the items of a list by their names."""
    if _LIST.match(text):
        found = definitions(languages()["yaml-list"], text)
        named = tuple(symbol for symbol in found.symbols if not secret_value(symbol.name))
        first = text[text.index("- ") :].split("\n- ", 1)[0]
        keys = distinct(_ITEM_KEY.findall(first))
        count = len(re.findall(r"^- ", text, re.M))
        shape = f" {braced(keys)}" if keys else ""
        return replace(found, doc=f"List of {count:,}{shape}.", symbols=named, head=None)
    code = _ITEM_MARK.sub(r"\1  ", _blank(_BLOCK_TEXT, text))
    found = definitions(languages()["yaml"], text, code)
    doc = _yaml_doc(text, found.symbols)
    return replace(found, doc=doc, imports=distinct(_WORKFLOW.findall(text)), head=None)


def _yaml_doc(text: str, symbols: Sequence[SymbolRecord]) -> str | None:
    documents = [part for part in _DOCUMENT.split(text) if _CONTENT.search(part)]
    kinds = [(_KIND.search(part), _RESOURCE_NAME.search(part)) for part in documents if "apiVersion:" in part]
    if kinds and len(kinds) == len(documents) and all(kind for kind, _ in kinds):
        named = (f"{kind[1]} {name[1]}" if name else kind[1] for kind, name in kinds if kind)
        return f"Kubernetes: {shorten(', '.join(named), 120)}"
    if len(documents) > 1:
        return f"{len(documents):,} YAML documents."
    held = {symbol.name: symbol for symbol in symbols}
    said = dict(reversed(_API_TITLE.findall(text)))
    described = _value(text, "description") or said.get("description", "")
    name = _value(text, "name") or _value(text, "title") or said.get("title", "")
    name = "" if secret_value(name) else shorten(name, 80)
    if described:
        return None if secret_value(described) else first_sentence(described)
    if "jobs" in held and "on" in held:
        lines = text.split("\n")[held["on"].start - 1 : held["on"].end]
        events = [child.name for child in held["on"].children] or re.findall(r"[a-z_]+", "\n".join(lines)[3:])
        jobs = ", ".join(shorten(child.name, 40) for child in held["jobs"].children[:8])
        titled = f" “{name}”" if name else ""
        return f"GitHub Actions workflow{titled}, on {', '.join(events[:6])}; jobs: {jobs}"
    if name and ("openapi" in held or "swagger" in held):
        return f"API “{name}”."
    keys = [tuple(child.name for child in symbol.children) for symbol in symbols]
    return alike(["object" if below else "value" for below in keys], keys)


def _value(text: str, key: str) -> str:
    """Return the text of a key at the margin: on its line, or in a block below it."""
    line = r"(?![|>&*\[{])[\"']?([^\n]{1,400}?)[\"']?[ \t]*(?:#[^\n]*)?$"
    found = re.search(rf"^{key}:[ \t]+(?:{line}|[|>][+-]?[ \t]*\n+((?:[ \t]+[^\n]*\n){{1,9}}))", text, re.M)
    return " ".join((found[1] or found[2]).split()) if found is not None else ""


def alike(kinds: Sequence[str], keys: Iterable[Sequence[str]]) -> str | None:
    """Return the number of entries and their shape, if there are many and nearly all are of one kind."""
    kind, times = Counter(kinds).most_common(1)[0] if len(kinds) >= _MIN_ENTRIES_OF_A_SHAPE else ("", 0)
    if times < _MIN_SHARE_OF_A_SHAPE * len(kinds) or not times:
        return None
    counts = Counter(key for each in keys for key in each)
    shared = [key for key, count in counts.items() if 2 * count > len(kinds)]
    shape = braced(shared) if kind == "object" else f"{kind}s"
    return f"{len(kinds):,} entries, {shape}" if shared or kind != "object" else None


def braced(keys: Sequence[str]) -> str:
    return f"{{{', '.join(keys[:_MAX_SHAPE_KEYS])}{', …' if len(keys) > _MAX_SHAPE_KEYS else ''}}}"


def toml(text: str) -> Structure:
    """Return tables and keys, and the declarations in manifests of Python and Rust projects."""
    code = _blank(_TOML_LIST, _blank(_TOML_TEXT, text))
    found = definitions(languages()["toml"], text, code)
    values: dict[str, object] = {}
    try:
        values = read_toml(text) if len(text) <= _MAX_TOML_CHARS else values
    except ValueError:
        found = replace(found, partial=True)
    doc, imports, points = _manifest(values)
    return replace(found, doc=doc, imports=distinct(imports), entry_points=distinct(points, 60), head=None)


def _manifest(values: dict[str, object]) -> tuple[str | None, list[str], list[str]]:
    """Return the description, dependencies and entry points of pyproject.toml and Cargo.toml."""
    tool = _dict(values.get("tool"))
    project = _dict(values.get("project")) or _dict(tool.get("poetry")) or _dict(values.get("package"))
    name, described = project.get("name"), project.get("description")
    doc = first_sentence(described) if isinstance(described, str) else None
    if isinstance(name, str) and project:
        doc = f"{name[:80]}: {doc}" if doc else f"Manifest of {name[:80]}."
    imports: list[str] = []
    optional: set[str] = set()
    listed = project.get("dependencies")
    for requirement in listed if isinstance(listed, list) else ():
        match = _REQUIREMENT.match(requirement) if isinstance(requirement, str) else None
        if match:
            imports.append(match.group())
    for table in (listed, values.get("dependencies"), _dict(values.get("workspace")).get("dependencies")):
        imports.extend(_dict(table))
        optional |= {name for name, given in _dict(table).items() if _dict(given).get("optional")}
    if doc and (needed := [name for name in imports if name not in optional]):
        left = len(needed) - _MAX_NEEDED
        doc += f" Needs {', '.join(needed[:_MAX_NEEDED])}{f' and {left} more' if left > 0 else ''}."
    points: list[str] = []
    for group in ("scripts", "gui-scripts"):
        for key, target in _dict(project.get(group)).items():
            points.append(f"{key} = {target[:100]}" if isinstance(target, str) else key)
    binaries = values.get("bin")
    for binary in binaries if isinstance(binaries, list) else ():
        path = _dict(binary).get("path")
        points.append(f"bin {_dict(binary).get('name', '')}{f' = {path}' if isinstance(path, str) else ''}")
    return doc, imports, points


def _dict(value: object) -> dict[str, object]:
    return value if isinstance(value, dict) else {}
