"""The role that a file plays in its project, by its path and language, and the roles that a text asks for."""

from __future__ import annotations

import re
import tomllib
from functools import lru_cache
from pathlib import Path
from typing import Final, Literal

from sidecar.files.language import CODE, language_of

SourceKind = Literal["source", "test", "docs", "other"]

_TABLE: Final = tomllib.loads(Path(__file__).with_name("kinds.toml").read_text("utf-8"))
_TEST_FOLDERS, _DOCS_FOLDERS = (frozenset(_TABLE["folders"][kind].split()) for kind in ("test", "docs"))
_TEST_NAME: Final = re.compile(
    r"test_.+|tests?\.\w+|conftest\.py|.+[_.-](?:test|tests|spec|specs)\.\w+|.+(?:Tests?|Spec|IT)\.(?:java|kt|cs|scala|swift|php|groovy)"
)
_DOCS_ENDINGS: Final = (".md", ".rst", ".adoc", ".mdx", ".txt", ".org")
SOURCE_LANGUAGES: Final = (CODE - {"nix", "terraform"}) | frozenset(_TABLE["languages"]["source"].split())
_ASCII_WORD: Final = re.compile(r"[a-z][a-z0-9]+")


def asked_for(text: str) -> frozenset[SourceKind]:
    """Return the kinds, source excepted, that words of a line ask for."""
    words = frozenset(_ASCII_WORD.findall(text.lower()))
    kinds: tuple[SourceKind, ...] = ("test", "docs", "other")
    return frozenset(kind for kind in kinds if not words.isdisjoint(_TABLE["asked"][kind].split()))


def kind_by_name(path: str) -> SourceKind:
    """Return the kind of a file by its path alone; the file may be gone."""
    return kind_of(path, language_of(path))


def kind_of(path: str, language: str) -> SourceKind:
    """Return whether the file at `path` is a test (or made for one), documentation, source, or none of these."""
    folder, _, name = path.rpartition("/")
    kind_by_folder = _kind_of_folder(folder)
    if kind_by_folder == "test" or (language in SOURCE_LANGUAGES and _TEST_NAME.fullmatch(name)):
        return "test"
    if kind_by_folder == "docs" or name.lower().endswith(_DOCS_ENDINGS):
        return "docs"
    return "source" if language in SOURCE_LANGUAGES else "other"


@lru_cache(maxsize=20_000)
def _kind_of_folder(folder: str) -> SourceKind:
    lower = folder.lower().split("/")
    if not _TEST_FOLDERS.isdisjoint(lower) or lower[0] == "testing" or lower[-1].endswith("tests"):
        return "test"
    return "other" if _DOCS_FOLDERS.isdisjoint(lower[:2]) else "docs"
