"""Infer what a file is for when it does not say: from its place, the code it tests or its main definition's doc.

`render` puts the answer into the first line of the briefing.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from pathlib import PurePosixPath
from typing import Final

from sidecar.files.briefing.layout import FILLING, TRANSPARENT, VALUED, LayoutNode, plural
from sidecar.files.briefing.tested import (
    FUNCTION_KINDS,
    GENERAL_STEMS,
    OF_THE_PROJECT,
    PURPOSES,
    TEST_AFFIX,
    TEST_IN_STEM,
    flat,
    folder_of,
    has_tests,
    tested_by,
)
from sidecar.files.clean_text import clean, shorten
from sidecar.files.language import CODE
from sidecar.files.structure.comments import GENERATED_DOC, MINIFIED, TITLE
from sidecar.store.records import ContentRecord
from sidecar.text.lazy_patterns import lazy

_UNCOUNTED_KINDS: Final = frozenset({"more", "call", "constant", "variable", "row", "alter", "block"})
_COUNTING_DOC: Final = lazy(r"\d+ entries|XML <")
_SHOWN_TAG: Final = lazy(r"<([A-Z]\w+|[a-z]+-[a-z-]+)")
_UNTELLING_DEFINITION: Final = lazy(r"(?i)values?\b|props?\b|interface props|object default")
_OWNER_SEPARATOR: Final = lazy(r"::|\.")
_LICENCE_FILE: Final = lazy(r"(?i)(?:un)?licen[sc]e|copying")
_WORDS_OF_NAME: Final = lazy(r"[A-Z]{2,}(?![a-z])|[A-Z]?[a-z0-9]+|[A-Z]")
_MIN_MAIN_SHARE: Final = 0.4  # share of a file's lines that makes a definition its main one
_MAX_DOCUMENTED: Final = 2  # definitions whose docs describe a file
_MAX_NAMES: Final = 4  # of a kind, in a description
_TYPE_KINDS: Final = frozenset({"class", "interface", "trait", "struct", "enum", "record", "object", "contract"})
_OMITTED_KINDS: Final = frozenset({"call", "step", "import", "more", "test", "event", "target"})
_DEFAULT_EXPORT: Final = lazy(r"^(?:export default|return) |\w+ && ")
_GENERATED_STATEMENT: Final = lazy(r"(?i)^(?:this \w+ |code |auto[- ]?)*(?:is |was )?generated\b|\bdo not edit\b")
_GENERATED_NOTICE: Final = lazy(rf"^{GENERATED_DOC}$|^This \w+ (?:is|was) (?:auto[- ]?)?generated\b")
_MAX_NOTICE_CHARS: Final = 50  # of a notice that is repeated
_STYLE_SELECTOR: Final = lazy(r"[.#]?[A-Za-z][A-Za-z\d]*(?:__?[a-z]+)?")  # the selector of one part of a page
_MAX_SELECTORS: Final = 8
_VALUE_OF_NAME: Final = lazy(r"\s*=.*")
_RUST_IMPLEMENTATION: Final = lazy(r"^(?:unsafe )?impl\b.*?([A-Z]\w*)(?:<[^{}]*>)? for ")
_INSERTED_TABLE: Final = lazy(r"(?i)\binsert (?:\w+ )?into ([\w.\"`]+)")
_SCRIPT_LANGUAGES: Final = frozenset({"sql", "bash", "powershell"})
_COUNTED_KINDS: Final[dict[str, tuple[str, ...]]] = {
    **dict.fromkeys(("bash", "powershell"), ("function",)),
    "objc": ("implementation", "function", "method"),
}
_TYPED_PARAMETERS: Final = lazy(r"\([^()]*:[^()]*\)")  # parameters with their types
_PARAMETER_LIST: Final = lazy(r"(?i)(?:arguments|args|param(?:eter)?s)\b(?=[^.]*\w:\s)")
_NO_TEST_PATH: Final = lazy(r"/examples/|/(?:run[_-]?)?tests?\.(?:sh|ps1)$")  # no tests, or what runs them
_COMPONENT_LANGUAGES: Final = frozenset({"vue", "svelte", "astro"})
_JSX_LANGUAGES: Final = frozenset({"jsx", "tsx"})
_BASE_TYPE: Final = lazy(
    r"(?:\b(?:extends|implements|is)|<:?|:)\s+(?:public\s+)?([A-Z][\w.:]*)|^class \w+\(([A-Z_a-z][\w.]*)"
)


def purpose(
    record: ContentRecord,
    path: str,
    project_imports: Sequence[str],
    tops: Sequence[LayoutNode],
    private: Sequence[LayoutNode] | None = (),
) -> str:
    """Return what the file at `path` is for. Its definitions are asked last, if `private` is given."""
    place = PurePosixPath(path)
    if _LICENCE_FILE.match(place.stem) and record.language not in CODE and (licence := _licence(record)):
        return f"Text of the {licence}"
    main = _main(record, place, tops)
    doc = _doc_of(record, main, place, len(tops))
    component = record.language in _COMPONENT_LANGUAGES
    if record.language in PURPOSES["kinds"] or (record.language not in CODE and not component):
        return _purpose_of_text(record, place, project_imports, doc)
    title = doc if doc.startswith(TITLE) else ""
    tells = bool(doc) and not title and not _GENERATED_STATEMENT.search(doc)
    if tells and record.doc:
        return doc
    tested = tested_by(record, place, project_imports)
    is_test = tested.startswith("Tests")
    of_helper = is_test and main and not TEST_IN_STEM.search(main.name) and has_tests(record)
    if tells and not of_helper:
        return doc
    if is_test:
        return tested
    summary = (doc if not title else "") or _summary_of_code(record, place, project_imports, tested)
    summary = " ".join(filter(None, (summary or (title and f"Code of `{folder_of(place)}`"), title)))
    if private is None:
        return clean(summary, 240)
    defined = _defined(record, main, [*tops, *private] if len(private) > 2 * len(tops) else tops)
    if not summary and (not defined or defined.startswith(("Value", "Exports function"))):
        modules = [node.name for node in tops if node.kind == "module"]
        summary = f"Module {modules[0]}" if len(modules) == 1 else f"Code `{place.stem}` of `{folder_of(place)}`"
        summary = summary.removesuffix(OF_THE_PROJECT)
    if component and (not defined or _UNTELLING_DEFINITION.match(defined)):
        defined = _shown_components(record) or defined
    if not summary:
        return clean(defined, 240)
    if not defined or defined in ("Program", "Exports …"):
        return clean(summary, 240)
    return clean(f"{summary}: {defined[0].lower()}{defined[1:]}", 240)


def _purpose_of_text(record: ContentRecord, place: PurePosixPath, project_imports: Sequence[str], doc: str) -> str:
    """Return what a file is for whose language is none of code's: a script, a style sheet, settings or a page."""
    made = ""
    if _GENERATED_NOTICE.search(doc):
        made, doc = GENERATED_DOC if len(doc) > _MAX_NOTICE_CHARS else doc, ""
    undocumented = not doc and record.language in _SCRIPT_LANGUAGES and not _NO_TEST_PATH.search(f"/{place}")
    tests = record.language == "sql" or place.parent.name in ("test", "tests") or TEST_AFFIX.search(place.stem)
    summary = tested_by(record, place, project_imports) if undocumented and tests else ""
    if not summary and (not doc or _COUNTING_DOC.match(doc) or record.language == "markdown"):
        placed = _placed(place, PURPOSES["paths"])
        summary = clean(": ".join(filter(None, (placed, doc))), 200) if placed else doc
        summary = summary or _placed(place, PURPOSES["places"]) or _counted(record, place)
    parts = ""
    if (doc.count(" ") < 2 or doc.startswith(MINIFIED)) and ":" not in summary:
        parts = _sections(record) or _counted(record, place).partition(": ")[2]
    said = summary or doc
    return clean(": ".join(filter(None, (made, said.rstrip(".") if parts else said, parts))), 240)


def _summary_of_code(record: ContentRecord, place: PurePosixPath, project_imports: Sequence[str], tested: str) -> str:
    """Return what the place of a file of code says that has no doc; `tested` is what its name says of tests."""
    if record.language in _COMPONENT_LANGUAGES:
        general = flat(place.stem) in GENERAL_STEMS
        named = f"{place.stem} of {folder_of(place)}" if general else place.stem.strip("+")
        return f"{record.language.capitalize()} component {named}"
    for path in project_imports:
        if path.endswith((f"/{place.stem}.h", f"/{place.stem}.hpp")):
            return f"Implementation of {path}"
    placed = _placed(place, PURPOSES["paths"])
    if placed and not (tested and placed.startswith("Entry of")):
        return placed
    return tested or _placed(place, PURPOSES["places"]) or _placed(place, PURPOSES["roles"])


def _shown_components(record: ContentRecord) -> str:
    tags = dict.fromkeys(tag for row in record.inside for tag in _SHOWN_TAG.findall(row.signature))
    return f"shows {', '.join(list(tags)[:_MAX_NAMES])}" if tags else ""


def _licence(record: ContentRecord) -> str:
    """Return the name of the licence whose text the file is; "" if it is none."""
    text = " ".join([record.doc or "", record.head or "", *(row.signature for row in record.inside)])
    return next((name for name, pattern in PURPOSES["licences"].items() if re.search(pattern, text, re.IGNORECASE)), "")


def _doc_of(record: ContentRecord, main: LayoutNode | None, place: PurePosixPath, count: int) -> str:
    """Return the doc of a file or of its main definition.

    The doc of a definition follows its name, unless the file is named after the definition or holds little else.
    """
    if record.doc and not _PARAMETER_LIST.match(record.doc):
        return clean(record.doc, 240)
    if main is None or " " not in main.doc:
        return ""
    large = count == 1 or 2 * (main.end - main.start) >= _MIN_MAIN_SHARE * record.lines
    return main.doc if large or flat(main.name) == flat(place.name.split(".")[0]) else f"{main.name}: {main.doc}"


def _documented(nodes: Sequence[LayoutNode]) -> str:
    """Describe the largest documented definitions by their docs; list the names of others."""
    documented = sorted((node for node in nodes if " " in node.doc and node.public), key=_size, reverse=True)
    if not documented or 2 * len(documented) < len(nodes):
        return ""
    documented = documented[:_MAX_DOCUMENTED]
    documented.sort(key=lambda node: node.start)
    docs = [f"{node.name}: {shorten(node.doc, 110 // len(documented))}" for node in documented]
    others = [node for node in nodes if node.name not in {node.name for node in documented}]
    return "; ".join([*docs, *([f"also {_some(others)}"] if others else [])])


def _defined(record: ContentRecord, main: LayoutNode | None, tops: Sequence[LayoutNode]) -> str:
    """Describe a file by its main type with its methods or, without one, by its largest definitions."""
    held = [node for node in tops if not (node.transparent and node.children) and node.kind not in _OMITTED_KINDS]
    held = [node for node in held if node.kind not in TRANSPARENT | {"macro"}] or held
    held = [node for node in held if node.name != "main"] or held
    modules = [node for node in tops if node.kind == "module" and _callables(node)]
    if main in modules and not main.signature.startswith("namespace"):
        held = modules
    elif modules:
        types = [node for node in held if node.children and _kind(node) != "function"]
        main, held = (main, types) if types else (modules[0], modules)
    large = [node for node in held if 2 * _size(node) >= sum(map(_size, held))]
    main = main if main in held and main.public else next(iter(large), None)
    if main is not None and _kind(main) not in ("function", "value") and not _implemented(main):
        return _described_type(main, held, record.language)
    valued = [node for node in held if _kind(node) != "value"] or held
    ordered = sorted(valued, key=lambda node: (node is not main, -_size(node)))
    if ordered and ordered[0] in large and ordered[0].name in ("default", "function") and not ordered[0].grouped:
        return f"Exports {_DEFAULT_EXPORT.sub('', ordered[0].signature)}"
    documented = [node for node in ordered if node.kind not in ("extension", "step") and _kind(node) != "value"]
    if docs := _documented(documented):
        return docs
    names = list(dict.fromkeys(node.name for node in ordered))[:_MAX_NAMES]
    phrases = []
    for kind in dict.fromkeys(_kind(node, record.language) for node in ordered if node.name in names):
        same = [node for node in ordered if _kind(node, record.language) == kind]
        if kind == "extension" and (done := list(dict.fromkeys(filter(None, map(_implemented, same))))):
            left = f" and {len(done) - _MAX_NAMES} more" if len(done) > _MAX_NAMES + 1 else ""
            phrases.append(f"implements {', '.join(done[: _MAX_NAMES if left else None])}{left}")
            continue
        listed = _some([node for node in same if node.name in names], len({node.name for node in same}))
        phrases.append(f"{kind if ' ' not in listed else plural(kind)} {listed}")
    owners = {node.name.rpartition("::")[0].partition("::")[0] for node in ordered}
    if len(owners) == len(phrases) == 1 and (owner := owners.pop()):
        return f"Functions of {owner}: {phrases[0].partition(' ')[2].replace(f'{owner}::', '')}"
    text = "; ".join(phrases)
    if text == "function main" or not text:
        return "Program" if text else ""
    script = any(point.startswith(("#!", "if __name__")) for point in record.entry_points)
    steps = list(dict.fromkeys(node.doc for node in tops if node.kind == "step" and node.doc))
    if len(steps) > 1 and len(steps) >= len(names):
        text = "; ".join(shorten(step, 60) for step in steps[:_MAX_NAMES])
    return f"Script: {text}" if script else text[:1].upper() + text[1:]


def _described_type(main: LayoutNode, held: Sequence[LayoutNode], language: str) -> str:
    """Describe a file by its main type, the members of that type, and the names of its other types."""
    base = _BASE_TYPE.search(_TYPED_PARAMETERS.sub("", main.signature))
    members = _callables(main) or [member for member in main.children if member.public and member.kind not in VALUED]
    members = members or (main.children if main.kind == "extension" else [])
    members = [member for member in members if member.name != main.name and member.kind not in FILLING]
    named = f"{_kind(main, language).capitalize()} {main.name}" + (f" ({base[1] or base[2]})" if base else "")
    types = [node for node in held if node is not main and node.public and node.kind in _TYPE_KINDS]
    also = f"; also {_some(types)}" if types else ""
    return (f"{named} with {_some(members)}" if members else named) + also


def _implemented(node: LayoutNode) -> str:
    """Return the trait and the type of a Rust implementation."""
    match = _RUST_IMPLEMENTATION.search(node.signature)
    return f"{match[1]} for {node.name}" if match else ""


def _kind(node: LayoutNode, language: str = "") -> str:
    kind = "function" if node.kind in FUNCTION_KINDS else node.kind
    if node.kind in VALUED:
        kind = "object" if any(child.kind not in FILLING for child in node.children) else "value"
    component = language in _JSX_LANGUAGES and kind in ("function", "object") and node.name[:1].isupper()
    return "component" if component and not node.name.isupper() else kind


def _size(node: LayoutNode) -> int:
    return max(node.end - node.start, sum(1 + child.end - child.start for child in node.children))


def _callables(node: LayoutNode) -> list[LayoutNode]:
    inner = [child for child in node.children if child.public]
    own = (node.name, "constructor", "init")
    found = [child for child in inner if child.kind in FUNCTION_KINDS and child.name not in own]
    return found + [child for extension in inner if extension.kind == "extension" for child in _callables(extension)]


def _some(nodes: Sequence[LayoutNode], count: int = 0) -> str:
    """List the largest nodes in file order, and say how many more there are."""
    by_name: dict[str, LayoutNode] = {}
    for node in sorted(nodes, key=_size, reverse=True):
        by_name.setdefault(_VALUE_OF_NAME.sub("", node.name), node)
    names = [name for name in by_name if len(name.strip("_")) > name.startswith("_")] or list(by_name)
    shown = names[:_MAX_NAMES] if len(names) > _MAX_NAMES + 1 else names
    order = sorted(shown, key=lambda name: by_name[name].start)
    left = max(count, len(names)) - len(order)
    return ", ".join(order) + (f" and {left} more" if left else "")


def _counted(record: ContentRecord, place: PurePosixPath) -> str:
    """Return what kind of script or style sheet a file is, and how many definitions of each kind it has."""
    named = PURPOSES["kinds"].get(record.language, "")
    if "$stem" in named:
        named = named.replace("$stem", place.stem).replace("$parent", folder_of(place))
        return clean(named, 200).removesuffix(OF_THE_PROJECT)
    listed = (symbol.children if symbol.kind == "section" else (symbol,) for symbol in record.symbols)
    symbols = [symbol for group in listed for symbol in group]
    if record.language == "dockerfile" and any(symbol.kind == "stage" for symbol in symbols):
        return f"Container image {[symbol.signature for symbol in symbols if symbol.kind == 'stage'][-1]}"
    if not named:
        return ""
    rules = [match[0] for symbol in symbols if symbol.kind == "rule" and (match := _STYLE_SELECTOR.match(symbol.name))]
    if len(rules) > 1:
        stems = [name for name, _ in Counter(rules).most_common(_MAX_SELECTORS)]
        return f"{named}: {len(rules):,} rules of {', '.join(dict.fromkeys(stem for stem in rules if stem in stems))}"
    wanted = _COUNTED_KINDS.get(record.language, ())
    names: dict[str, dict[str, None]] = {}
    for symbol in symbols if not record.partial or record.language in _SCRIPT_LANGUAGES else ():
        if symbol.kind in wanted or (not wanted and symbol.kind not in _UNCOUNTED_KINDS):
            names.setdefault(symbol.kind, {})[symbol.name] = None
    if record.language == "sql" and not record.symbols:
        into = (name for row in record.inside for name in _INSERTED_TABLE.findall(row.signature))
        names = {"inserts into": dict.fromkeys(into)}
    counts = "; ".join(_few(kind, list(some)) for kind, some in names.items() if some)
    return clean(f"{named}: {counts}" if counts else named, 240)


def _few(kind: str, names: Sequence[str]) -> str:
    """Name the first few of a kind, and say how many more there are."""
    left = f" and {len(names) - _MAX_NAMES:,} more" if len(names) > _MAX_NAMES + 1 else ""
    shown = names[:_MAX_NAMES] if left else names
    return f"{kind if len(names) == 1 or kind.startswith('inserts') else plural(kind)} {', '.join(shown)}{left}"


def _sections(record: ContentRecord) -> str:
    """Return the titles of the sections of a text that is shown by its rows."""
    headings = (row for row in record.inside if row.signature.startswith("# ") and row.end > row.start)
    titles = dict.fromkeys(row.signature[2:] for row in headings)
    titles = titles or dict.fromkeys(symbol.name for symbol in record.symbols[1:] if symbol.kind == "heading")
    return shorten("; ".join(titles), 120) if len(titles) > 2 else ""


def _placed(place: PurePosixPath, phrases: dict[str, str]) -> str:
    """Return the phrase of the first pattern that is found in a path."""
    for pattern, phrase in phrases.items():
        if (match := re.search(pattern, f"/{place}", re.IGNORECASE)) is not None:
            group = next((found for found in match.groups() if found), "").strip(".")
            general = flat(place.stem) in GENERAL_STEMS or flat(place.stem) == flat(folder_of(place))
            named = phrase.replace(" `$stem` of", " of") if general else phrase
            named = named.replace("$parent", folder_of(place)).replace("$stem", place.stem)
            named = named.removesuffix(OF_THE_PROJECT)
            worded = named[:6] == "Script" or phrases is PURPOSES["roles"]
            named = named.replace("$1", _words_of(group) if worded else group)
            return clean(named[:1].upper() + named[1:], 200)
    return ""


def _words_of(name: str) -> str:
    """Return the words of a name: `claim update` of `ClaimUpdate` or `claim_update`."""
    return " ".join(word if word.isupper() else word.lower() for word in _WORDS_OF_NAME.findall(name))


def _main(record: ContentRecord, place: PurePosixPath, tops: Sequence[LayoutNode]) -> LayoutNode | None:
    """Return the definition that the file is named after, or that makes up most of it."""
    stem = flat(place.name.split(".")[0])
    named = [node for node in tops if not node.grouped and flat(_OWNER_SEPARATOR.split(node.name)[-1]) == stem]
    named.sort(key=lambda node: node.start - node.end)
    alone = [node for node in tops if not node.grouped and node.kind not in TRANSPARENT | {"step"}]
    only = len(alone) == 1 and alone[0].kind != "function"
    large = [node for node in alone if only or node.end - node.start >= _MIN_MAIN_SHARE * record.lines]
    modules = [node for node in tops if node.kind == "module" and node.public]
    types = [node for node in alone if node.kind not in FUNCTION_KINDS | VALUED | _OMITTED_KINDS]
    near = [node for node in alone if node.doc and stem in flat(node.name)]
    near = [node for node in near if node in types] or near
    found = [*named, *large, *modules, *(near if len(types) < 2 and len(near) == 1 else [])]
    return next((node for node in found if node.doc), next(iter(found), None))
