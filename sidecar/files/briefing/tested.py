"""Infer from a file's name and imports what its tests test."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Sequence
from pathlib import Path, PurePosixPath
from typing import Final

from sidecar.files.briefing.layout import VALUED
from sidecar.files.clean_text import clean
from sidecar.files.kinds import kind_of
from sidecar.store.records import ContentRecord
from sidecar.text.lazy_patterns import lazy

PURPOSES: Final = tomllib.loads((Path(__file__).parent / "purpose.toml").read_text(encoding="utf-8"))
TEST_AFFIX: Final = lazy(PURPOSES["tests"]["affix"], re.IGNORECASE)
_GENERAL_FOLDERS: Final = frozenset(PURPOSES["folders"]["any"].split())
_MODULE_SEPARATOR: Final = lazy(r"[\\\\/.:]+")
_MIN_STEM_CHARS: Final = 4  # many modules share a shorter name
_LETTERS_OR_DIGITS: Final = lazy(r"[a-z0-9]+")
_CAMEL_TEST: Final = lazy(r"(?<=[a-z0-9])(?:Unit|Integration)?(?:Tests?|Specs?|Suites?|IT|TestCase)$")
OF_THE_PROJECT: Final = " of `the project`"
GENERAL_STEMS: Final = frozenset(PURPOSES["tests"]["general"].split())
TEST_IN_STEM: Final = lazy(r"(?i)test|spec")
_TEST_NAME: Final = lazy(r"^_*(?i:tests?)(?![a-z])|[a-z]Test|_should_|^prop_")
_HELPER_STEM: Final = lazy(r"(?i)(?:^|[_.-]|(?<=[a-z])(?=[A-Z]))(?:utils?|helpers?|common|support)$")
_FIXTURE_PATH: Final = lazy(r"(?i)/(?:__)?(fixture|snapshot)s?(?:__)?/(?!.*[._-](?:test|spec)\.)")
FUNCTION_KINDS: Final = frozenset({"function", "method", "constructor"})


def tested_by(record: ContentRecord, place: PurePosixPath, project_imports: Sequence[str]) -> str:
    """Return what a file of tests tests: an imported file of the same name, or that name."""
    kinds = {kind_of(path, record.language) for path in (str(place), str(place).lower())}
    if "test" not in kinds or place.parent.name.strip("_") in ("snapshot", "snapshots"):
        return ""
    stem = "" if flat(place.stem) in GENERAL_STEMS else TEST_AFFIX.sub("", _CAMEL_TEST.sub("", place.stem))
    files = (name for name in project_imports if flat(PurePosixPath(name).name.split(".")[0]) == flat(stem))
    tested = next(files, "") or next((name for name in record.imports if _named_in(name, stem)), "")
    made = _FIXTURE_PATH.search(f"/{place}")
    if made is not None and not tested:
        named = stem if folder_of(place) == "the project" else f"{stem} ({folder_of(place)})"
        return clean(f"Test {made[1].lower()} {named}", 200)
    if not tested and _HELPER_STEM.search(place.stem):
        return f"Test helpers of `{folder_of(place)}`".removesuffix(OF_THE_PROJECT)
    helper = not stem and not TEST_IN_STEM.search(place.stem)
    if not tested and (helper or stem == place.stem) and not has_tests(record):
        program = "program" if any(symbol.name == "main" for symbol in record.symbols) else "code"
        return f"Test {program} of `{folder_of(place)}`".removesuffix(OF_THE_PROJECT)
    general, folder = not stem or flat(stem) in GENERAL_STEMS, folder_of(place)
    if not tested and not general and folder != "the project" and flat(folder) not in flat(stem):
        stem = f"{stem} ({folder})"
    return clean(f"Tests of {tested or (folder if general else stem)}".removesuffix(" of the project"), 200)


def _named_in(module: str, stem: str) -> bool:
    """Return whether a module's last part is `stem` or ends with it."""
    last = flat(_MODULE_SEPARATOR.split(module)[-1])
    return len(stem) >= _MIN_STEM_CHARS and last.endswith(flat(stem))


def has_tests(record: ContentRecord) -> bool:
    """Return whether the names or titles in a file are those of tests."""
    symbols = [*record.inside, *record.symbols, *(symbol for above in record.symbols for symbol in above.children)]
    plain = all(symbol.kind in VALUED | {"call", "step"} for symbol in record.symbols)
    return plain or any(
        symbol.kind in ("test", "tests", "suite") or (symbol.kind in FUNCTION_KINDS and _TEST_NAME.search(symbol.name))
        for symbol in symbols
    )


def flat(name: str) -> str:
    return "".join(_LETTERS_OR_DIGITS.findall(name.lower()))


def folder_of(place: PurePosixPath) -> str:
    """Return the innermost folder whose name says something."""
    named = (folder.name for folder in place.parents if folder.name.lower() not in _GENERAL_FOLDERS)
    return next(filter(None, named), "the project")
