"""What a file is for, if it does not say so itself: by its place, what it tests, or its main definition's doc."""

from __future__ import annotations

import re
import tomllib
from collections import Counter
from collections.abc import Sequence
from pathlib import Path, PurePosixPath
from typing import Final

from sidecar.files.briefing.layout import TRANSPARENT, LayoutNode, plural
from sidecar.files.clean_text import clean
from sidecar.files.language import CODE
from sidecar.files.outline.comments import GENERATED_DOC
from sidecar.files.retrieval.kinds import kind_of
from sidecar.store.records import ContentRecord
from sidecar.text.lazy_patterns import lazy

_TABLE: Final = tomllib.loads((Path(__file__).parent / "purpose.toml").read_text(encoding="utf-8"))
_AFFIX: Final = lazy(_TABLE["tests"]["affix"], re.IGNORECASE)
_UNCOUNTED: Final = frozenset({"more", "call", "constant", "variable", "row", "alter"})
_COUNTS: Final = lazy(r"\d+ entries")
_OWNER: Final = lazy(r"::|\.")
_ANY_FOLDER: Final = frozenset(_TABLE["folders"]["any"].split())
_WORD: Final = lazy(r"[a-z0-9]+")
_CAMEL_TEST: Final = lazy(r"(?<=[a-z0-9])(?:Unit|Integration)?(?:Tests?|Specs?|Suites?|IT|TestCase)$")
_GENERAL: Final = frozenset(_TABLE["tests"]["general"].split())
_MAIN: Final = 0.4  # share of a file's lines that makes a definition its main one


def purpose(record: ContentRecord, path: str, project_imports: Sequence[str], tops: Sequence[LayoutNode]) -> str:
    """Return what the file at `path` is for, or "" if nothing tells."""
    place = PurePosixPath(path)
    main = _main(record, place, tops)
    doc = clean(record.doc, 240) if record.doc else main.doc if main is not None and " " in main.doc else ""
    made, doc = (doc, "") if doc == GENERATED_DOC else ("", doc)
    told = "" if doc or record.language not in CODE | {"sql"} else _tested(record, place, project_imports)
    if not told and (not doc or _COUNTS.match(doc)):
        told = _by_place(record, place, project_imports, doc)
    return ": ".join(filter(None, (made, told or doc)))


def _by_place(record: ContentRecord, place: PurePosixPath, project_imports: Sequence[str], doc: str) -> str:
    if told := _placed(place, _TABLE["paths"]):
        return clean(": ".join(filter(None, (told, doc))), 200)
    headers = (one for one in project_imports if one.endswith((f"/{place.stem}.h", f"/{place.stem}.hpp")))
    header = next(headers, "")
    doc = doc or (clean(f"Implementation of {header}", 200) if header else _placed(place, _TABLE["places"]))
    return doc or _counted(record, place)


def _counted(record: ContentRecord, place: PurePosixPath) -> str:
    """Return what kind of file a script or style sheet is, and how many definitions of each kind it has."""
    named = _TABLE["kinds"].get(record.language, "")
    if "$stem" in named:
        return clean(named.replace("$stem", place.stem), 200)
    symbols = [child for one in record.symbols for child in (one.children if one.kind == "section" else (one,))]
    kinds = Counter(one.kind for one in symbols if one.kind not in _UNCOUNTED)
    counts = (f"{count:,} {kind if count == 1 else plural(kind)}" for kind, count in kinds.most_common(3))
    told = ", ".join(counts)
    if record.language == "dockerfile" and kinds["stage"]:
        return f"Container image {[one.signature for one in symbols if one.kind == 'stage'][-1]}"
    return f"{named}: {told}" if named and told else named


def _placed(place: PurePosixPath, phrases: dict[str, str]) -> str:
    """Return the phrase of the first pattern that is found in a path."""
    for pattern, phrase in phrases.items():
        if (match := re.search(pattern, f"/{place}", re.IGNORECASE)) is not None:
            group = next((one for one in match.groups() if one), "").strip(".")
            folder = _folder(place)
            named = phrase.replace("$parent", folder) if folder else phrase.replace(" of `$parent`", "")
            named = named.replace("$stem", place.stem)
            return clean(named.replace("$1", group), 200)
    return ""


def _flat(name: str) -> str:
    return "".join(_WORD.findall(name.lower()))


def _folder(place: PurePosixPath) -> str:
    """Return the innermost folder with a name that tells."""
    named = (folder.name for folder in place.parents if folder.name.lower() not in _ANY_FOLDER)
    return next(named, "")


def _tested(record: ContentRecord, place: PurePosixPath, project_imports: Sequence[str]) -> str:
    """Return what a file of tests is about: an imported file of that name, or the name."""
    if "test" not in {kind_of(path, record.language) for path in (str(place), str(place).lower())}:
        return ""
    stem = "" if _flat(place.stem) in _GENERAL else _AFFIX.sub("", _CAMEL_TEST.sub("", place.stem))
    tested = next((one for one in project_imports if _flat(PurePosixPath(one).name.split(".")[0]) == _flat(stem)), "")
    if not tested and stem == place.stem:
        return ""
    general = not stem or _flat(stem) in _GENERAL
    about = tested or (_folder(place) if general else stem)
    return clean(f"Tests of {about}" if about else "Tests", 200)


def _main(record: ContentRecord, place: PurePosixPath, tops: Sequence[LayoutNode]) -> LayoutNode | None:
    """Return the definition that the file is named after, or that is most of it."""
    stem = _flat(place.name.split(".")[0])
    for node in tops:
        if not node.grouped and _flat(_OWNER.split(node.name)[-1]) == stem:
            return node
    alone = [node for node in tops if not node.grouped and node.kind not in TRANSPARENT]
    large = (
        node
        for node in alone
        if node.end - node.start >= _MAIN * record.lines or (len(alone) == 1 and node.kind != "function")
    )
    modules = (node for node in tops if node.kind == "module" and node.public)
    return next(large, None) or next(modules, None)
